//! Real coding agents against the scripted model: one turn that writes a file with the agent's own tool, every end that a
//! turn can have, and the recordings of what each agent said. `slow.rs` has the ends that take long.

#![cfg(test)]

#[path = "../relay/joined.rs"]
mod joined;

mod acp;
mod case;
#[macro_use]
mod ends;
mod program;
mod recording;
mod sandbox;
mod shape;
mod stage;

ends! {
    claude is Claude:
        success "success", recovered "recovered", tool_failed "tool-failed", resumed "resumed",
        session_unknown "session-unknown", login_missing "login-missing", login_refused "login-refused",
        login_expired "login-expired", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        rate_limit "rate-limit", overloaded "overloaded", unknown_model "unknown-model", model_refused "model-refused",
        context_full "context-full", closed "closed", garbage "garbage", permission_refused "permission-refused",
        killed "killed", long_line "long-line";
    codex is Codex:
        success "success", recovered "recovered", tool_failed "tool-failed", resumed "resumed",
        session_unknown "session-unknown", login_missing "login-missing", login_refused "login-refused",
        usage_limit "usage-limit", usage_limit_reset "usage-limit-reset", rate_limit "rate-limit",
        overloaded "overloaded", unknown_model "unknown-model", model_refused "model-refused", context_full "context-full",
        closed "closed", garbage "garbage", permission_refused "permission-refused", killed "killed",
        long_line "long-line";
    opencode is OpenCode:
        success "success", resumed "resumed";
    gemini is Gemini:
        success "success", recovered "recovered", tool_failed "tool-failed", resumed "resumed",
        session_unknown "session-unknown", login_missing "login-missing", login_refused "login-refused",
        usage_limit "usage-limit", usage_limit_reset "usage-limit-reset", unknown_model "unknown-model",
        model_refused "model-refused", context_full "context-full", closed "closed", garbage "garbage",
        permission_refused "permission-refused", killed "killed", long_line "long-line";
}
