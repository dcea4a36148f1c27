//! Ends of turns after which an agent tries again for half a minute to two, and most ends of OpenCode, whose start alone takes
//! seconds. `cargo xtask proof` runs them.

#![cfg(test)]

mod case;
#[macro_use]
mod ends;
mod program;
mod recording;
mod shape;
mod stage;

ends! {
    claude is Claude: hung "hung";
    codex is Codex: hung "hung";
    opencode is OpenCode:
        recovered "recovered", tool_failed "tool-failed", permission_refused "permission-refused",
        killed "killed", session_unknown "session-unknown", login_refused "login-refused", usage_limit "usage-limit",
        usage_limit_reset "usage-limit-reset", rate_limit "rate-limit", overloaded "overloaded",
        unknown_model "unknown-model", model_refused "model-refused", context_full "context-full",
        closed "closed", garbage "garbage", long_line "long-line", hung "hung";
    gemini is Gemini:
        rate_limit "rate-limit", overloaded "overloaded", hung "hung";
}
