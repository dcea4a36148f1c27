//! The settings of an agent's program beside its command line, and the kinds of programs.

use std::path::PathBuf;

/// The way in which Ralph talks to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Kind {
    /// Any program: its prompt on standard input, its answer on standard output.
    #[default]
    Command,
    Claude,
    Codex,
    OpenCode,
    Gemini,
    /// Any program that speaks the Agent Client Protocol.
    Acp,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Command, Self::Claude, Self::Codex, Self::OpenCode, Self::Gemini, Self::Acp];

    /// Its name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Acp => "acp",
        }
    }

    /// The program that is started if no command is configured.
    #[must_use]
    pub const fn program(self) -> Option<&'static str> {
        match self {
            Self::Command | Self::Acp => None,
            Self::Claude | Self::Codex | Self::OpenCode | Self::Gemini => Some(self.name()),
        }
    }

    /// The versions that were tried, the oldest and the newest.
    #[must_use]
    pub const fn tested(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Command | Self::Acp => None,
            Self::Claude => Some(("2.1.325", "2.1.326")),
            Self::Codex => Some(("0.166.0", "0.169.0")),
            Self::OpenCode => Some(("1.18.33", "1.18.33")),
            Self::Gemini => Some(("0.61.0", "0.61.0")),
        }
    }

    /// Variables that hold a login, unless the operator names others.
    #[must_use]
    pub const fn login_variables(self) -> &'static [&'static str] {
        match self {
            Self::Command | Self::Acp => &[],
            Self::Claude => &["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
            Self::Codex => &["OPENAI_API_KEY", "CODEX_API_KEY"],
            Self::OpenCode => &[
                "ANTHROPIC_API_KEY",
                "OPENAI_API_KEY",
                "GEMINI_API_KEY",
                "OPENROUTER_API_KEY",
                "OPENCODE_API_KEY",
            ],
            Self::Gemini => &["GEMINI_API_KEY"],
        }
    }

    /// The file in a home that holds a login. The program refreshes it.
    #[must_use]
    pub const fn login_file(self) -> Option<&'static str> {
        match self {
            Self::Command | Self::Acp => None,
            Self::Claude => Some(".claude/.credentials.json"),
            Self::Codex => Some(".codex/auth.json"),
            Self::OpenCode => Some(".local/share/opencode/auth.json"),
            Self::Gemini => Some(".gemini/oauth_creds.json"),
        }
    }

    /// The session as the program knows it; `None` if another kind of program made it.
    #[must_use]
    pub fn own_session(self, session: &str) -> Option<&str> {
        let maker = session.split_once(':');
        let maker = maker.and_then(|(name, id)| {
            Self::ALL.into_iter().find(|kind| kind.name() == name).map(|kind| (kind, id))
        });
        match (self, maker) {
            (Self::Command, None) => Some(session),
            (own, Some((kind, id))) if own == kind => Some(id),
            (_, Some(_) | None) => None,
        }
    }

    /// The session as it is stored: with the kind of the program that made it.
    pub(super) fn name_session(self, id: &str) -> String {
        match self {
            Self::Command => id.to_owned(),
            Self::Claude | Self::Codex | Self::OpenCode | Self::Gemini | Self::Acp => {
                format!("{}:{id}", self.name())
            }
        }
    }
}

/// The settings of a program beside its command line. The default is a plain command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    pub kind: Kind,
    pub model: Option<String>,
    pub effort: Option<String>,
    /// Arguments after those of Ralph.
    pub arguments: Vec<String>,
    /// Login files that exist.
    pub logins: Vec<LoginFile>,
    /// The folder with the configuration of `OpenCode`.
    pub opencode: Option<PathBuf>,
}

/// A login file of the operator that the program finds in its private home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginFile {
    pub path: PathBuf,
    /// Its place in the private home.
    pub place: PathBuf,
    /// The program refreshes it, so that only one turn at a time may use it.
    pub is_refreshed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_resumed_by_the_kind_of_program_that_made_it_only() {
        for (kind, session, own) in [
            (Kind::Command, "s-1", Some("s-1")),
            (Kind::Command, "run:7", Some("run:7")),
            (Kind::Command, "codex:7", None),
            (Kind::Claude, "claude:u-1", Some("u-1")),
            (Kind::Claude, "codex:u-1", None),
            (Kind::Claude, "s-1", None),
        ] {
            assert_eq!(kind.own_session(session), own, "{kind:?} {session}");
        }
        for kind in Kind::ALL {
            assert_eq!(kind.own_session(&kind.name_session("x")), Some("x"));
        }
    }
}
