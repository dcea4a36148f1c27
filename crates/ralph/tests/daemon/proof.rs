//! The real coding agents at every end that a turn can have. Named by `cargo xtask proof` only: some programs try again for
//! minutes before they give up.

#![cfg(test)]

// Shared with the tests of the sandbox.
#[path = "../../../contain/tests/contain/folder.rs"]
mod folder;
#[expect(dead_code, reason = "the tests of the daemon use the rest")]
mod forge;
#[expect(dead_code, reason = "the tests of the daemon use the rest")]
mod process;
#[expect(dead_code, reason = "the tests of the daemon use the rest")]
mod stage;
mod waiting;

#[path = "programs/ends.rs"]
#[macro_use]
mod ends;
#[path = "programs/escapes.rs"]
#[macro_use]
mod escapes;
#[path = "programs/program.rs"]
mod program;
#[path = "programs/theatre.rs"]
mod theatre;

ends! {
    claude is Claude:
        login_refused "login-refused", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        overloaded "overloaded", garbage "garbage", context_full "context-full",
        permission_refused "permission-refused", killed "killed", hung "hung", long_line "long-line";
    codex is Codex:
        login_refused "login-refused", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        overloaded "overloaded", garbage "garbage", context_full "context-full",
        permission_refused "permission-refused", killed "killed", hung "hung", long_line "long-line";
    opencode is OpenCode:
        login_refused "login-refused", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        overloaded "overloaded", garbage "garbage", context_full "context-full",
        permission_refused "permission-refused", killed "killed", hung "hung", long_line "long-line";
    gemini is Gemini:
        login_refused "login-refused", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        overloaded "overloaded", garbage "garbage", context_full "context-full",
        permission_refused "permission-refused", killed "killed", hung "hung", long_line "long-line";
    claude_acp is ClaudeAcp:
        login_refused "login-refused", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        overloaded "overloaded", garbage "garbage", context_full "context-full",
        permission_refused "permission-refused", killed "killed", hung "hung", long_line "long-line";
    codex_acp is CodexAcp:
        login_refused "login-refused", usage_limit "usage-limit", usage_limit_reset "usage-limit-reset",
        overloaded "overloaded", garbage "garbage", context_full "context-full",
        permission_refused "permission-refused", killed "killed", hung "hung", long_line "long-line";
}

mod out {
    escapes! {
        claude_with_its_model is Claude with Model;
        claude_without_a_network is Claude with None;
        codex_with_its_model is Codex with Model;
        codex_without_a_network is Codex with None;
        opencode_with_its_model is OpenCode with Model;
        opencode_without_a_network is OpenCode with None;
        gemini_with_its_model is Gemini with Model;
        gemini_without_a_network is Gemini with None;
        claudes_adapter_with_its_model is ClaudeAcp with Model;
        claudes_adapter_without_a_network is ClaudeAcp with None;
        codexs_adapter_with_its_model is CodexAcp with Model;
        codexs_adapter_without_a_network is CodexAcp with None;
    }
}
