//! The cause of a failure: the change, chance, or the machine. Without a sign of the others it is the change; where it
//! may be chance, a rerun of the check is cheaper than an agent.

use super::failure::{Failure, Kind};
use super::pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The change, or the base it stands on.
    Regression,
    /// Chance: it may well be green next time.
    Flake,
    /// The machine, the network or a third party's server.
    Infra,
}

impl Class {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Flake => "flake",
            Self::Infra => "infra",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A class with the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classified {
    pub class: Class,
    pub why: String,
}

impl Classified {
    fn new(class: Class, why: impl Into<String>) -> Self {
        Self { class, why: why.into() }
    }
}

/// Classifies a check. One failure that only the change can explain makes it a regression, whatever else failed.
pub(super) fn classify(conclusion: &str, failures: &[Failure], ending: &str) -> Classified {
    if matches!(conclusion, "startup_failure" | "cancelled" | "stale" | "action_required") {
        return Classified::new(Class::Infra, format!("the forge says it ended as {conclusion}"));
    }
    if conclusion == "timed_out" {
        let class = if failures.is_empty() { Class::Infra } else { Class::Flake };
        return Classified::new(class, "it ran out of time");
    }
    if let Some((words, why)) = first_match(&ENDINGS, ending) {
        return Classified::new(Class::Infra, format!("it ended with {words:?}: {why}"));
    }
    let each = failures.iter().map(of_failure);
    each.min_by_key(|one| one.class).unwrap_or_else(|| without_failures(conclusion))
}

fn without_failures(conclusion: &str) -> Classified {
    match conclusion {
        "error" => Classified::new(Class::Infra, "the forge says it ended as error, with no log"),
        _ => Classified::new(Class::Regression, "there is no log that says otherwise"),
    }
}

fn of_failure(failure: &Failure) -> Classified {
    let blamed = |class, found: Option<(&str, &str)>| {
        found.map(|(words, why)| Classified::new(class, format!("it says {words:?}: {why}")))
    };
    let message = &failure.message;
    let found = match failure.kind {
        Kind::Source => None,
        Kind::Assertion => blamed(Class::Flake, first_match(&MEASURED, message)),
        Kind::Runtime => blamed(Class::Infra, first_match(&INFRA, message))
            .or_else(|| blamed(Class::Flake, first_match(&FLAKE, message))),
    };
    found.unwrap_or_else(|| {
        let what = match failure.kind {
            Kind::Source => "a tool refuses the source",
            Kind::Assertion => "a test finds another value than it expects",
            Kind::Runtime => "nothing in it speaks for chance or for the machine",
        };
        Classified::new(Class::Regression, what)
    })
}

fn first_match<'a>(
    table: &[(Pattern, &'static str)],
    text: &'a str,
) -> Option<(&'a str, &'static str)> {
    table.iter().find_map(|(pattern, why)| Some((pattern.find(text)?, *why)))
}

/// Messages of the runner that something other than its own failure ended a step.
static ENDINGS: [(Pattern, &str); 2] = [
    (Pattern::new(r"exit code (?:137|143)\b"), "the process was killed"),
    (
        Pattern::new(r"(?i)operation was cancell?ed|shutdown signal|lost communication"),
        "the runner went away",
    ),
];

/// Messages of a machine, a network or a third party's server.
static INFRA: [(Pattern, &str); 9] = [
    (
        Pattern::new(r"(?i)no space left on device|\benospc\b|disk quota exceeded"),
        "the disk is full",
    ),
    (
        Pattern::new(
            r"(?i)cannot allocate memory|out of memory|\benomem\b|\boomkilled\b|heap limit|memory exhausted",
        ),
        "memory ran out",
    ),
    (
        Pattern::new(r"\bSIGKILL\b|(?i:^killed$|\bkilled\b.*\bsignal 9\b|: killed$)| Killed\b"),
        "the process was killed",
    ),
    (
        Pattern::new(
            r"(?i)could not resolve host|couldn't resolve host|failed to (?:resolve|lookup) |name or service not known|temporary failure in name resolution|no such host|nodename nor servname|\benotfound\b|\beai_again\b|unknownhostexception|nameresolutionerror",
        ),
        "a name could not be resolved",
    ),
    (
        Pattern::new(
            r"(?i)network is unreachable|no route to host|\benetunreach\b|\behostunreach\b",
        ),
        "the network is away",
    ),
    (
        Pattern::new(
            r"(?i)\b50[234] (?:service|bad|gateway)|\b(?:http|status|error|code)\b[^0-9]{0,12}50[0234]\b|\be50[0-9]\b|429 too many requests|rate limit exceeded|toomanyrequests",
        ),
        "a server elsewhere could not serve",
    ),
    (
        Pattern::new(
            r"(?i)^(?:npm (?:error|err!)|yarn|pnpm|pip).*\b(?:econnrefused|econnreset|etimedout|network)\b|could not (?:get resource|head|get) '|failed to (?:download|fetch) |unable to (?:update|access) .?https?:|tls handshake|certificate (?:has expired|verify failed)|read timed out.*pool",
        ),
        "what the build needs could not be fetched",
    ),
    (
        Pattern::new(
            r"(?i)read-only file system|input/output error|stale file handle|too many open files",
        ),
        "the machine is not in order",
    ),
    (
        Pattern::new(
            r"(?i)operation was cancell?ed|shutdown signal|runner .*lost communication|cannot connect to the docker daemon|no runner matching",
        ),
        "the runner went away",
    ),
];

/// Messages of failures that happen now and then.
static FLAKE: [(Pattern, &str); 3] = [
    (
        Pattern::new(
            r"(?i)timed out|\btime-?out(?:error|exception|expired)?\b|deadline (?:has )?(?:exceeded|elapsed)|\betimedout\b|sockettimeout|exceeded timeout|took too long|would ?block|resource temporarily unavailable",
        ),
        "it waited too long",
    ),
    (
        Pattern::new(
            r"(?i)connection (?:was )?(?:reset|refused|aborted|closed)|(?:failed|unable) to connect|couldn't connect|connectionrefused|connectionreset|\beconn(?:reset|refused|aborted)\b|broken pipe|\bepipe\b|socket hang up|unexpected eof|remote end closed|premature close",
        ),
        "a connection broke",
    ),
    (
        Pattern::new(
            r"(?i)address already in use|addrinuse|port \S+ is (?:already )?(?:in use|allocated)|bindexception",
        ),
        "a port was taken",
    ),
];

/// Measured values in an assertion, which differ with the load of the machine.
static MEASURED: [(Pattern, &str); 1] = [(
    Pattern::new(r"(?i)\b(?:elapsed|duration|took|latency|milliseconds|timed out)\b"),
    "it compares a time that was measured",
)];

#[cfg(test)]
mod tests {
    use super::super::pattern::all_compile;
    use super::*;

    fn check(kind: Kind, message: &str) -> Class {
        let class = String::new();
        let message = message.to_owned();
        let failure = Failure { block: 0..1, focus: 0, kind, test: None, class, message };
        classify("failure", &[failure], "").class
    }

    #[test]
    fn every_pattern_compiles() {
        let tables = [&ENDINGS[..], &INFRA, &FLAKE, &MEASURED];
        let all: Vec<&Pattern> =
            tables.iter().flat_map(|table| table.iter().map(|(p, _)| p)).collect();
        all_compile(&all);
    }

    #[test]
    fn words_of_the_machine_and_of_chance_count_at_run_time_only() {
        for (message, class) in [
            ("OSError: [Errno 28] No space left on device", Class::Infra),
            ("dial tcp: lookup proxy: no such host", Class::Infra),
            ("npm error network request failed, reason: connect ECONNREFUSED", Class::Infra),
            ("503 Service Unavailable - GET /pkg", Class::Infra),
            ("Killed", Class::Infra),
            ("TimeoutError: timed out", Class::Flake),
            ("connect ECONNREFUSED 127.0.0.1:4000", Class::Flake),
            ("listen: Address already in use (os error 98)", Class::Flake),
            ("TypeError: x is not a function", Class::Regression),
            ("no timeouts were configured", Class::Regression),
        ] {
            assert_eq!(check(Kind::Runtime, message), class, "{message}");
            assert_eq!(check(Kind::Source, message), Class::Regression, "{message}");
        }
        assert_eq!(
            check(Kind::Assertion, "expected 200, got 503 Service Unavailable"),
            Class::Regression
        );
        assert_eq!(check(Kind::Assertion, "assert elapsed < 0.5"), Class::Flake);
    }

    #[test]
    fn one_regression_among_flakes_is_a_regression() {
        let of = |kind, message: &str| {
            let (class, message) = (String::new(), message.to_owned());
            Failure { block: 0..1, focus: 0, kind, test: None, class, message }
        };
        let flake = of(Kind::Runtime, "timed out");
        let regression = of(Kind::Assertion, "1 == 2");
        let both = classify("failure", &[flake.clone(), regression], "");
        assert_eq!(both.class, Class::Regression);
        let killed = classify("failure", &[flake], "Process completed with exit code 137.");
        assert_eq!(killed.class, Class::Infra);
    }
}
