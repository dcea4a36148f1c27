//! The only place that reads the environment.

#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// Longest login taken from the environment; GitHub's own have at most 39 characters.
const LOGIN_BYTES_MAX: usize = 39;

/// Everything the surroundings have a say in.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// `RALPH_HOME`.
    pub(crate) ralph_home: Option<PathBuf>,
    /// The user's own folder.
    pub(crate) user_home: Option<PathBuf>,
    /// The person who gives commands on this machine, for the comment that answers them.
    pub(crate) login: String,
    /// Neither `NO_COLOR` nor a terminal without colours.
    pub(crate) allows_colour: bool,
}

impl Environment {
    pub(crate) fn read() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            ralph_home: set("RALPH_HOME").map(PathBuf::from),
            user_home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            login: login(set("USER").or_else(|| set("LOGNAME")).or_else(|| set("USERNAME"))),
            allows_colour: set("NO_COLOR").is_none()
                && set("TERM").is_none_or(|terminal| terminal != "dumb"),
        }
    }
}

/// The variables that describe a turn to its agent.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) role: String,
}

impl Turn {
    pub(crate) fn read() -> Self {
        Self { role: text("RALPH_ROLE").unwrap_or_default() }
    }
}

/// Is this variable set, and not empty? Its value is not shown.
pub(crate) fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// The value of a variable, to be sent and not shown.
pub(crate) fn text(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Everything, for processes that get some of it.
pub(crate) fn variables() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

/// The path of this program.
pub(crate) fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The search path of programs.
pub(crate) fn program_path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// A name that is safe to repeat in a comment: no mention, no markup.
fn login(name: Option<OsString>) -> String {
    let is_plain = |name: &String| {
        let mut letters = name.bytes();
        name.len() <= LOGIN_BYTES_MAX
            && letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    let name = name.and_then(|name| name.into_string().ok()).filter(is_plain);
    name.unwrap_or_else(|| "operator".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_that_could_be_markup_is_not_repeated() {
        for (given, taken) in [("mia", "mia"), ("@acme/all", "operator"), ("a b", "operator")] {
            assert_eq!(login(Some(OsString::from(given))), taken);
        }
        assert_eq!(login(None), "operator");
    }
}
