//! `.ralph/checks.toml`: the checks of a repository, each with a command and a time limit.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;

/// The path of the definitions.
pub(crate) const PATH: &str = ".ralph/checks.toml";

const TIMEOUT_DEFAULT: Duration = Duration::from_secs(10 * 60);

/// GitHub's limit on a job.
const TIMEOUT_MAX: Duration = Duration::from_secs(6 * 60 * 60);

/// More checks than this are a mistake in the file.
const CHECKS_MAX: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// For the shell.
    pub(crate) run: String,
    pub(crate) timeout: Duration,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadDefinitions {
    #[error("{PATH} cannot be read: {0}")]
    Syntax(String),
    #[error("{PATH} cannot be had from git: {0}")]
    Unreadable(String),
    #[error("{PATH}: a check has no name, or no command in `run`")]
    Empty,
    #[error("{PATH}: two checks are called {0:?}; give each its own name")]
    SameName(String),
    #[error("{PATH}: timeout {0:?} is not a time such as \"90s\", \"10m\" or \"1h\", 6h at most")]
    Timeout(String),
    #[error("{PATH}: more than {CHECKS_MAX} checks")]
    TooMany,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    check: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    run: String,
    timeout: Option<String>,
}

pub(crate) fn parse(text: &str) -> Result<Vec<Definition>, BadDefinitions> {
    let file: File =
        toml::from_str(text).map_err(|error| BadDefinitions::Syntax(error.to_string()))?;
    if file.check.len() > CHECKS_MAX {
        return Err(BadDefinitions::TooMany);
    }
    let mut names = BTreeSet::new();
    let mut definitions = Vec::new();
    for Entry { name, run, timeout } in file.check {
        if name.trim().is_empty() || run.trim().is_empty() {
            return Err(BadDefinitions::Empty);
        }
        if !names.insert(name.clone()) {
            return Err(BadDefinitions::SameName(name));
        }
        let timeout = match timeout {
            None => TIMEOUT_DEFAULT,
            Some(text) => duration(&text).ok_or(BadDefinitions::Timeout(text))?,
        };
        definitions.push(Definition { name, run, timeout });
    }
    Ok(definitions)
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.find(|next: char| !next.is_ascii_digit())?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        _other => return None,
    };
    let whole = Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?);
    Some(whole).filter(|whole| !whole.is_zero() && *whole <= TIMEOUT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_read_with_their_limits() {
        let text = "[[check]]\nname = \"CI\"\nrun = \"make test\"\ntimeout = \"90s\"\n\
                    [[check]]\nname = \"lint\"\nrun = \"make lint\"\n";
        let found = parse(text).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].timeout.as_secs()), ("CI", 90));
        assert_eq!((found[1].run.as_str(), found[1].timeout), ("make lint", TIMEOUT_DEFAULT));
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn a_mistake_is_named() {
        let check = |rest: &str| format!("[[check]]\nname = \"CI\"\nrun = \"true\"\n{rest}");
        for (text, words) in [
            (check("timeout = \"soon\""), "timeout \"soon\" is not a time"),
            (check("timeout = \"7h\""), "timeout \"7h\" is not a time"),
            (check("command = \"x\""), "unknown field `command`"),
            (check(&check("")), "two checks are called \"CI\""),
            ("[[check]]\nname = \"\"\nrun = \"true\"".to_owned(), "no name"),
            ("[[check]".to_owned(), "cannot be read"),
        ] {
            let refused = parse(&text).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
