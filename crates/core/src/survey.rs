//! The proposals of a survey after a task: small fixes beside it, read by the same strict rule as a verdict. They are
//! an agent's words, and are kept clean and bounded.

use crate::digest::Digest;
use crate::excerpt::Excerpt;
use crate::verdict::{MissingMarker, cut, marked_object};
use crate::words::harmless_title;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// The only version of the answer.
pub const VERSION: u64 = 1;
/// Proposals accepted from one survey; an issue for each of more would be a burden.
pub const PROPOSALS_MAX: usize = 5;
/// Longest text of a proposal that is kept.
pub const BODY_BYTES_MAX: usize = 4_000;
/// Files named in one proposal.
pub const FILES_MAX: usize = 20;
/// A fix of more files than this is not small, whatever it is called.
pub const MECHANICAL_FILES_MAX: usize = 5;
/// Longest path that is accepted; git allows longer ones, people do not read them.
const PATH_BYTES_MAX: usize = 300;
/// Characters of a digest that suffice to distinguish the proposals of one repository.
const HASH_CHARS: usize = 16;

const PREFIX: &str = "RALPH_SURVEY:";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Proposal {
    pub title: String,
    pub body: String,
    pub kind: ProposalKind,
    pub files: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalKind {
    /// Small, without a change of behaviour: the gates can tell whether it is right.
    Mechanical,
    /// A change of behaviour, or not small: a person decides.
    Behaviour,
}

impl Proposal {
    /// Returns a hash that is equal for proposals that say the same of the same files, in any spelling.
    #[must_use]
    pub fn hash(&self) -> String {
        let lower = self.title.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut whole = words.collect::<Vec<_>>().join(" ");
        for file in &self.files {
            whole.push('\0');
            whole.push_str(file);
        }
        cut(&Digest::of(&whole).to_string(), HASH_CHARS).to_owned()
    }
}

/// The reason why a response proposes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSurvey {
    Marker(MissingMarker),
    UnknownVersion,
}

impl fmt::Display for NoSurvey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Marker(missing) => missing.fmt(f),
            Self::UnknownVersion => write!(f, "the survey's version is not {VERSION}"),
        }
    }
}

impl std::error::Error for NoSurvey {}

/// Reads the last line of a response. Invalid and repeated proposals are left out.
pub fn read(response: &str) -> Result<Vec<Proposal>, NoSurvey> {
    let wire: Wire = marked_object(PREFIX, response).map_err(NoSurvey::Marker)?;
    if wire.version != VERSION {
        return Err(NoSurvey::UnknownVersion);
    }
    let mut known = BTreeSet::new();
    let proposals = wire.proposals.iter().filter_map(read_proposal);
    let new = proposals.filter(|proposal| known.insert(proposal.hash()));
    Ok(new.take(PROPOSALS_MAX).collect())
}

#[derive(Deserialize)]
struct Wire {
    version: u64,
    proposals: Vec<Value>,
}

fn read_proposal(value: &Value) -> Option<Proposal> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = harmless_title(text("title"))?;
    let named = value.get("files").and_then(Value::as_array).into_iter().flatten();
    let named: BTreeSet<&str> = named.filter_map(Value::as_str).filter(|it| is_path(it)).collect();
    let is_small = (1..=MECHANICAL_FILES_MAX).contains(&named.len());
    let kind = match text("kind") {
        "mechanical" if is_small => ProposalKind::Mechanical,
        _other => ProposalKind::Behaviour,
    };
    let files = named.into_iter().take(FILES_MAX).map(str::to_owned).collect();
    let body = Excerpt::of(text("body"), BODY_BYTES_MAX).as_str().trim().to_owned();
    Some(Proposal { title, body, kind, files })
}

/// True for a path inside of the repository, as git writes it.
fn is_path(path: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | ".." | ".git");
    path.len() <= PATH_BYTES_MAX
        && path.split('/').all(is_part)
        && !path.contains(|c: char| c.is_control() || matches!(c, '\\' | '`'))
        && Excerpt::of(path, PATH_BYTES_MAX).as_str() == path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(proposals: &str) -> Vec<Proposal> {
        let line = format!(r#"{PREFIX} {{"version":1,"proposals":[{proposals}]}}"#);
        read(&format!("I looked around.\n{line}\n")).unwrap()
    }

    fn one(kind: &str, files: &str) -> Proposal {
        let all = proposed(&format!(r#"{{"title":"t","kind":"{kind}","files":{files}}}"#));
        all.into_iter().next().expect("a proposal")
    }

    #[test]
    fn a_whole_survey_is_read() {
        let found = proposed(
            r#"{"title":" Fix a typo ","body":" In the help. ","kind":"mechanical","files":["b.rs","a.rs","b.rs"]},
               {"title":"Say why","kind":"behaviour"}"#
                .replace('\n', " ")
                .as_str(),
        );
        let files = vec!["a.rs".to_owned(), "b.rs".to_owned()];
        let typo = Proposal {
            title: "Fix a typo".to_owned(),
            body: "In the help.".to_owned(),
            kind: ProposalKind::Mechanical,
            files,
        };
        assert_eq!(found.first(), Some(&typo));
        assert_eq!(found.get(1).map(|it| it.kind), Some(ProposalKind::Behaviour));
        assert_eq!(proposed(""), [], "nothing to propose is an answer");
    }

    #[test]
    fn only_what_is_small_and_says_so_is_mechanical() {
        use ProposalKind::{Behaviour, Mechanical};
        for (kind, files, expected) in [
            ("mechanical", r#"["a"]"#, Mechanical),
            ("mechanical", r#"["a","b","c","d","e"]"#, Mechanical),
            ("mechanical", r#"["a","b","c","d","e","f"]"#, Behaviour),
            ("mechanical", "[]", Behaviour),
            ("mechanical", r#"["../a","/etc/passwd",".git/config",7]"#, Behaviour),
            ("Mechanical", r#"["a"]"#, Behaviour),
            ("behaviour", r#"["a"]"#, Behaviour),
            ("", r#"["a"]"#, Behaviour),
        ] {
            assert_eq!(one(kind, files).kind, expected, "{kind} {files}");
        }
    }

    #[test]
    fn what_cannot_be_read_proposes_nothing_and_says_why() {
        use NoSurvey::{Marker, UnknownVersion};
        let whole = r#"{"version":1,"proposals":[]}"#;
        for (response, expected) in [
            ("nothing".to_owned(), Marker(MissingMarker::Absent)),
            (format!("{PREFIX} {whole}\nThat is all."), Marker(MissingMarker::NotLast)),
            (format!("{PREFIX} {whole}\n{PREFIX} {whole}"), Marker(MissingMarker::Repeated)),
            (format!("{PREFIX} {{\"version\":1}}"), Marker(MissingMarker::NotOneObject)),
            (format!("{PREFIX} []"), Marker(MissingMarker::NotOneObject)),
            (format!("{PREFIX} {{\"version\":2,\"proposals\":[]}}"), UnknownVersion),
        ] {
            assert_eq!(read(&response), Err(expected), "{response}");
        }
    }

    #[test]
    fn texts_are_clean_and_bounded_and_junk_is_left_out() {
        let long = "x".repeat(200_000);
        let found = proposed(&format!(
            r#"7,null,{{}},{{"title":" "}},{{"title":"Closes #1 for @octocat <x@y>","body":"token=hunter2 {long}",
               "files":["{long}"]}}"#
        ).replace('\n', " "));
        let [only] = found.as_slice() else { panic!("{} proposals", found.len()) };
        assert_eq!(only.title, "Closes 1 for octocat xy");
        assert!(only.body.len() <= BODY_BYTES_MAX && !only.body.contains("hunter2"));
        assert_eq!(only.files, Vec::<String>::new());
        let many = (0..20).map(|n| format!(r#"{{"title":"fix {n}"}}"#)).collect::<Vec<_>>();
        assert_eq!(proposed(&many.join(",")).len(), PROPOSALS_MAX);
    }

    #[test]
    fn the_same_in_other_words_counts_once() {
        let found = proposed(
            r#"{"title":"Fix a typo!","files":["a","b"]},{"title":"fix  A: typo","files":["b","a"]}"#,
        );
        assert_eq!(found.len(), 1);
        let of_other_files = proposed(r#"{"title":"Fix a typo!","files":["a"]}"#);
        assert_ne!(found.first().map(Proposal::hash), of_other_files.first().map(Proposal::hash));
    }
}
