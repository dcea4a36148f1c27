//! Media types: what a client wants an answer to look like, and which routes can do it.

use http::HeaderMap;
use http::header::ACCEPT;

use super::problem::Problem;
use super::route::Verb;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    Json,
    /// Texts as they were written; a file as it is.
    Raw,
    /// Texts without their markup.
    Text,
    /// Texts as a page.
    Html,
    /// Texts in all three ways.
    Full,
    Diff,
    Patch,
    Sha,
    /// A folder as an object.
    Object,
}

/// Answers that stand for a change of files.
const WITH_CHANGES: [&str; 3] = [
    "/repos/{owner}/{repo}/pulls/{pull_number}",
    "/repos/{owner}/{repo}/commits/{ref}",
    "/repos/{owner}/{repo}/compare/{basehead}",
];

const COMMIT: &str = "/repos/{owner}/{repo}/commits/{ref}";
const CONTENTS: &str = "/repos/{owner}/{repo}/contents/{path}";

impl Media {
    /// Returns the form that the headers ask for of a route, or the reason why it is not available.
    pub(super) fn of(headers: &HeaderMap, verb: Verb, template: &str) -> Result<Self, Problem> {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let wanted: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
        let mut known =
            wanted.iter().filter(|kind| !kind.is_empty()).filter_map(|kind| parse(kind));
        if wanted.iter().all(|kind| kind.is_empty()) {
            return Ok(Self::Json);
        }
        known.find(|media| media.is_had_from(verb, template)).ok_or_else(|| {
            let named = wanted.join(", ");
            let words =
                format!("Unsupported 'Accept' header: '{named}'. Must accept 'application/json'.");
            Problem::new(415, words)
        })
    }

    fn is_had_from(self, verb: Verb, template: &str) -> bool {
        match self {
            Self::Json => true,
            // Texts are shown so wherever there are any; github3.py asks for `full` of everything.
            Self::Raw | Self::Text | Self::Full => true,
            Self::Html => template != CONTENTS,
            Self::Diff | Self::Patch => verb == Verb::Get && WITH_CHANGES.contains(&template),
            Self::Sha => template == COMMIT,
            Self::Object => template == CONTENTS,
        }
    }
}

/// None for what nothing here can be.
fn parse(kind: &str) -> Option<Media> {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if ["*/*", "application/*", "application/json", "application/vnd.github"].contains(&&*kind) {
        return Some(Media::Json);
    }
    let rest = kind.strip_prefix("application/vnd.github")?;
    let rest = rest.split('+').next().unwrap_or_default();
    let mut media = Media::Json;
    for part in rest.split('.').filter(|part| !part.is_empty()) {
        media = match part {
            "v3" => media,
            // Features that were previewed under separate names are part of the API by now.
            preview if preview.ends_with("-preview") => media,
            "raw" => Media::Raw,
            "text" => Media::Text,
            "html" => Media::Html,
            "full" => Media::Full,
            "diff" => Media::Diff,
            "patch" => Media::Patch,
            "sha" => Media::Sha,
            "object" => Media::Object,
            _unknown => return None,
        };
    }
    Some(media)
}
