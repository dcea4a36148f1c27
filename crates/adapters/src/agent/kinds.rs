//! The programs that Ralph knows, one file each.

mod acp;
mod claude;
mod codex;
mod command;
mod gemini;
mod limits;
mod opencode;
#[cfg(test)]
mod recordings;

pub(super) use acp::Acp;
pub(super) use claude::Claude;
pub(super) use codex::Codex;
pub(super) use command::PlainCommand;
pub(super) use gemini::Gemini;
pub(super) use opencode::OpenCode;

use serde_json::Value;

/// Commands that only read. Roles that may not write get no others, as far as a program can tell them apart.
const READING: [&str; 14] = [
    "git diff",
    "git log",
    "git show",
    "git status",
    "git grep",
    "git blame",
    "git ls-files",
    "grep",
    "rg",
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
];

/// A text at a path of names in a JSON value.
fn text_at<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path).and_then(Value::as_str)
}

fn owned_at(value: &Value, path: &str) -> String {
    text_at(value, path).unwrap_or_default().to_owned()
}

fn count_at(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_default()
}

/// Dollars as millionths of a dollar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a sum of money that is not negative; a cast saturates"
)]
fn micro_usd(dollars: f64) -> u64 {
    (dollars * 1_000_000.0).round() as u64
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}
