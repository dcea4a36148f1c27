"""Rust: the compiler, clippy, the test harness and cargo itself."""

from project import Fault, Project

CART = """\
pub fn total(prices: &[u64], discount_percent: u64) -> u64 {
    let sum: u64 = prices.iter().sum();
    sum - sum * discount_percent / 100
}

pub fn label(count: u64) -> String {
    let unused = 1;
    format!("{count} items")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_discount_is_taken_off() {
        assert_eq!(total(&[100, 300], 10), 360);
    }

    #[test]
    fn a_label_counts() {
        println!("error: this line is only chatter of a test that passes");
        assert_eq!(label(3), "3 items");
    }

    #[test]
    fn the_server_listens() {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        drop(first);
        let address = format!("127.0.0.1:{port}");
        let server = TcpListener::bind(&address);
        server.unwrap_or_else(|error| panic!("cannot listen on {address}: {error}"));
    }
}
"""

PARSER = """\
use std::num::ParseIntError;

#[derive(Debug, PartialEq)]
pub enum Token {
    Number(i64),
    Plus,
}

pub fn number(text: &str) -> Result<i64, ParseIntError> {
    text.trim().parse()
}

pub fn tokens(text: &str) -> Result<Vec<Token>, ParseIntError> {
    text.split_whitespace()
        .map(|word| if word == "+" { Ok(Token::Plus) } else { number(word).map(Token::Number) })
        .collect()
}

pub fn is_empty(text: &str) -> bool {
    tokens(text).map_or(true, |tokens| tokens.is_empty())
}
"""

PARSER_TESTS = """\
use parser::{number, tokens, Token};

#[test]
fn numbers_may_have_blanks_around_them() {
    assert_eq!(number(" 7 ").unwrap(), 7);
}

#[test]
fn a_sum_has_three_tokens() {
    let found = tokens("1 + 2").unwrap();
    assert_eq!(found, [Token::Number(1), Token::Plus, Token::Number(2)], "tokens of a sum");
}

#[test]
fn the_server_answers() -> Result<(), Box<dyn std::error::Error>> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::net::TcpStream::connect(address)?;
    Ok(())
}
"""


def manifest(name, more=""):
    return f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n{more}'


PROJECTS = [
    Project(
        "cargo",
        "cart",
        {"Cargo.toml": manifest("cart"), "src/lib.rs": CART},
        "cargo test",
        [
            Fault("type-mismatch", "expected `u64`, found `&str`", edits={"src/lib.rs": ("let sum: u64 = prices", 'let tax: u64 = "7";\n    let sum: u64 = tax + prices')}),
            Fault("wrong-type-returned", "expected `String`, found `()`", edits={"src/lib.rs": ('format!("{count} items")', 'format!("{count} items");')}),
            Fault("wrong-total", "left: 400", edits={"src/lib.rs": ("discount_percent / 100", "discount_percent / 10_000")}),
            Fault("wrong-sum", "left: 440", edits={"src/lib.rs": ("sum - sum", "sum + sum")}),
            Fault("port-in-use", "Address already in use", "flake", {"src/lib.rs": ("drop(first);", "let _held = first;")}),
            Fault("git-host-unknown", "failed to resolve address for git.example.invalid", "infra", {"Cargo.toml": manifest("cart", '[dependencies]\nmoney = { git = "https://git.example.invalid/money" }\n')}),
        ],
    ),
    Project(
        "cargo",
        "parser",
        {"Cargo.toml": manifest("parser"), "src/lib.rs": PARSER, "tests/tokens.rs": PARSER_TESTS},
        "cargo test --no-fail-fast",
        [
            Fault("unknown-name", "cannot find function `numbre` in this scope", edits={"src/lib.rs": ("number(word)", "numbre(word)")}),
            Fault("trim-forgotten", "ParseIntError { kind: InvalidDigit }", edits={"src/lib.rs": ("text.trim().parse()", "text.parse()")}),
            Fault("two-tests-fail", "tokens of a sum", edits={"src/lib.rs": ("text.trim().parse()", 'text.trim().replace("1", "").replace("7", "8").replace("2", "12").parse().or(Ok(0))')}),
            Fault("clippy", "this `if` has identical blocks", command="cargo clippy --quiet -- -D warnings", edits={"src/lib.rs": ("text.trim().parse()", 'if text.len() > 3 { text.trim().parse() } else { text.trim().parse() }')}),
            Fault("connection-refused", "Connection refused", "flake", {"tests/tokens.rs": ("let address = listener.local_addr()?;", "let address = listener.local_addr()?;\n    drop(listener);")}),
            Fault("killed", "signal: 9, SIGKILL", "infra", {"tests/tokens.rs": ('let found = tokens("1 + 2").unwrap();', 'let found = tokens("1 + 2").unwrap();\n    std::process::Command::new("sh").args(["-c", "kill -9 $PPID"]).status().unwrap();')}),
        ],
        colour=True,
    ),
]
