//! Texts that mean something, as kinds of settings.

use super::spending::LoginVariable;
use crate::config::kind::{List, Word, quoted};
use crate::config::{AgentKind, AgentNetwork, ChecksNetwork, GateRule, SandboxRule, Secret};
use ralph_contain::HostRule;
use ralph_core::account::AccountName;
use ralph_core::ids::{Branch, Login, RepoName};
use ralph_core::policy::MergeMethod;
use std::net::SocketAddr;
use std::path::PathBuf;

/// GitHub's own logins have at most 39 characters; a bot's has `[bot]` after it.
const LOGIN_BYTES_MAX: usize = 45;
/// Longest branch name; a file system's limit for one file name.
const BRANCH_BYTES_MAX: usize = 200;

pub(in crate::config) const LOGIN: Word<Login> = Word {
    accepts: "a login such as \"mia\"",
    parse: |text| is_login(text).then(|| Login::new(text)),
    show: |login| quoted(login.as_str()),
};

pub(in crate::config) const REPO_NAME: Word<RepoName> = Word {
    accepts: "a repository as \"owner/name\"",
    parse: RepoName::parse,
    show: |name| quoted(name.as_str()),
};

pub(in crate::config) const BRANCH: Word<Branch> = Word {
    accepts: "the name of a branch such as \"bot/integration\"",
    parse: |text| is_branch(text).then(|| Branch::new(text)),
    show: |branch| quoted(branch.as_str()),
};

/// Longest name of an account, which stands in tables.
const ACCOUNT_CHARS_MAX: usize = 40;

pub(in crate::config) const ACCOUNT_NAME: Word<AccountName> = Word {
    accepts: "a name of at most 40 letters, digits, spaces and `-_.@()`",
    parse: |text| {
        let is_usual = |letter: char| letter.is_alphanumeric() || " -_.@()".contains(letter);
        let fits = (1..=ACCOUNT_CHARS_MAX).contains(&text.chars().count());
        (fits && text.chars().all(is_usual) && text.trim() == text).then(|| AccountName::new(text))
    },
    show: |name| quoted(name.as_str()),
};

pub(in crate::config) const LOGIN_VARIABLE: Word<LoginVariable> = Word {
    accepts: "the name of a variable, or two of them as \"NAME=SOURCE\"",
    parse: |text| {
        let (name, source) = text.split_once('=').unwrap_or((text, text));
        let (name, source) = ((VARIABLE.parse)(name)?, (VARIABLE.parse)(source)?);
        Some(LoginVariable { name, source })
    },
    show: |it| match it.name == it.source {
        true => quoted(&it.name),
        false => quoted(&format!("{}={}", it.name, it.source)),
    },
};

pub(in crate::config) const MERGE_METHOD: Word<MergeMethod> = Word {
    accepts: "\"merge\", \"squash\" or \"rebase\"",
    parse: |text| match text {
        "merge" => Some(MergeMethod::Merge),
        "squash" => Some(MergeMethod::Squash),
        "rebase" => Some(MergeMethod::Rebase),
        _ => None,
    },
    show: |method| {
        quoted(match method {
            MergeMethod::Merge => "merge",
            MergeMethod::Squash => "squash",
            MergeMethod::Rebase => "rebase",
        })
    },
};

pub(in crate::config) const AGENT_KIND: Word<AgentKind> = Word {
    accepts: "\"claude\", \"codex\", \"opencode\", \"gemini\", \"acp\" or \"command\"",
    parse: |text| AgentKind::ALL.into_iter().find(|kind| kind.name() == text),
    show: |kind| quoted(kind.name()),
};

pub(in crate::config) const SANDBOX_RULE: Word<SandboxRule> = Word {
    accepts: "\"on\" or \"off\"",
    parse: |text| match text {
        "on" | "auto" => Some(SandboxRule::On),
        "off" => Some(SandboxRule::Off),
        _ => None,
    },
    show: |rule| {
        quoted(match rule {
            SandboxRule::On => "on",
            SandboxRule::Off => "off",
        })
    },
};

pub(in crate::config) const AGENT_NETWORK: Word<AgentNetwork> = Word {
    accepts: "\"model\", \"open\" or \"none\"",
    parse: |text| match text {
        "model" => Some(AgentNetwork::Model),
        "open" => Some(AgentNetwork::Open),
        "none" => Some(AgentNetwork::None),
        _ => None,
    },
    show: |network| {
        quoted(match network {
            AgentNetwork::Model => "model",
            AgentNetwork::Open => "open",
            AgentNetwork::None => "none",
        })
    },
};

pub(in crate::config) const CHECKS_NETWORK: Word<ChecksNetwork> = Word {
    accepts: "\"registries\", \"open\" or \"none\"",
    parse: |text| match text {
        "registries" => Some(ChecksNetwork::Registries),
        "open" => Some(ChecksNetwork::Open),
        "none" => Some(ChecksNetwork::None),
        _ => None,
    },
    show: |network| {
        quoted(match network {
            ChecksNetwork::Registries => "registries",
            ChecksNetwork::Open => "open",
            ChecksNetwork::None => "none",
        })
    },
};

pub(in crate::config) const HOST: Word<HostRule> = Word {
    accepts: "a host such as \"registry.example\", \"*.example.com\" or \"127.0.0.1:3000\"",
    parse: |text| text.parse().ok(),
    show: |host| quoted(&host.to_string()),
};

pub(in crate::config) const GATE_RULE: Word<GateRule> = Word {
    accepts: "\"require\" or \"skip\"",
    parse: |text| match text {
        "require" => Some(GateRule::Require),
        "skip" => Some(GateRule::Skip),
        _ => None,
    },
    show: show_gate_rule,
};

pub(in crate::config) const GATE_RULE_OR_ADVISORY: Word<GateRule> = Word {
    accepts: "\"require\", \"advisory\" or \"skip\"",
    parse: |text| match text {
        "require" => Some(GateRule::Require),
        "advisory" => Some(GateRule::Advisory),
        "skip" => Some(GateRule::Skip),
        _ => None,
    },
    show: show_gate_rule,
};

pub(in crate::config) const GATE_NEVER_SKIPPED: Word<GateRule> = Word {
    accepts: "\"require\": plan review is never skipped",
    parse: |text| (text == "require").then_some(GateRule::Require),
    show: show_gate_rule,
};

pub(in crate::config) const ADDRESS: Word<SocketAddr> = Word {
    accepts: "an address with a port such as \"127.0.0.1:8080\"",
    parse: |text| text.parse().ok(),
    show: |address| quoted(&address.to_string()),
};

pub(in crate::config) const LOOPBACK_ADDRESS: Word<SocketAddr> = Word {
    accepts: "a loopback address with a port such as \"127.0.0.1:8080\"",
    parse: |text| text.parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback()),
    show: |address| quoted(&address.to_string()),
};

pub(in crate::config) const URL: Word<String> = Word {
    accepts: "the address of an API such as \"https://api.github.com\", without user, query or fragment",
    parse: url,
    show: |url| quoted(url),
};

pub(in crate::config) const VARIABLE: Word<String> = Word {
    accepts: "the name of an environment variable such as \"GITHUB_TOKEN\"",
    parse: |text| is_variable(text).then(|| text.to_owned()),
    show: |name| quoted(name),
};

pub(in crate::config) const PLACE: Word<PathBuf> =
    Word { accepts: "the absolute path of a file or a folder", ..FILE };

/// A file that may be named from the user's home on.
pub(in crate::config) const HOME_FILE: Word<String> = Word {
    accepts: "the absolute path of a file, or one that begins with \"~/\"",
    parse: |text| (text.starts_with('/') || text.starts_with("~/")).then(|| text.to_owned()),
    show: |path| quoted(path),
};

pub(in crate::config) const FILE: Word<PathBuf> = Word {
    accepts: "the absolute path of a file",
    parse: |text| Some(PathBuf::from(text)).filter(|path| path.is_absolute()),
    show: |path| quoted(&path.display().to_string()),
};

/// A command line, a check's name, a pattern: any text but none at all.
pub(in crate::config) const TEXT: Word<String> = Word {
    accepts: "a text in quotation marks",
    parse: |text| (!text.trim().is_empty()).then(|| text.to_owned()),
    show: |text| quoted(text),
};

/// A token itself. The complaint about a wrong one does not repeat it.
pub(in crate::config) const SECRET: SecretWord = SecretWord;

#[derive(Debug)]
pub(in crate::config) struct SecretWord;

impl crate::config::kind::Kind for SecretWord {
    type Value = Secret;

    fn read(&self, value: &toml::de::DeValue<'_>) -> Option<Secret> {
        let text = value.as_str().filter(|text| !text.is_empty());
        text.filter(|text| text.bytes().all(|b| b.is_ascii_graphic())).map(Secret::new)
    }

    fn accepts(&self) -> String {
        "a token in quotation marks, without blanks".to_owned()
    }

    fn show(&self, _value: &Secret) -> String {
        "set, not shown".to_owned()
    }

    fn is_secret(&self) -> bool {
        true
    }
}

/// A list in which one item alone needs no brackets.
pub(in crate::config) const fn list<T>(of: Word<T>) -> List<Word<T>> {
    List { of, items_min: 0, takes_one_alone: true }
}

fn show_gate_rule(rule: &GateRule) -> String {
    quoted(match rule {
        GateRule::Require => "require",
        GateRule::Advisory => "advisory",
        GateRule::Skip => "skip",
    })
}

fn is_login(text: &str) -> bool {
    let name = text.strip_suffix("[bot]").unwrap_or(text);
    text.len() <= LOGIN_BYTES_MAX
        && !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Git's rules for the name of a branch, without the rarer ones.
fn is_branch(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    text.len() <= BRANCH_BYTES_MAX
        && !text.starts_with('-')
        && !text.contains("..")
        && !text.contains("@{")
        && text != "@"
        && text.split('/').all(is_part)
        && !text.contains([' ', '~', '^', ':', '?', '*', '[', '\\'])
}

fn is_variable(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn url(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let host = rest.split('/').next().unwrap_or_default();
    let is_plain = !host.is_empty() && !rest.contains(['@', '?', '#', ' ']);
    is_plain.then(|| text.trim_end_matches('/').to_owned())
}
