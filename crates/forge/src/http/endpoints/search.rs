//! Searching for issues and pulls, with the qualifiers that programs use.

use serde::{Serialize, Serializer};

use crate::http::answer::Answer;
use crate::http::desk::{Desk, take};
use crate::http::moment::Moment;
use crate::http::problem::Problem;
use crate::http::render::issue::FoundIssue;
use crate::http::render::{Scene, each, object};
use crate::model::issue_list::IssueSort;
use crate::model::issue_view::IssueView;
use crate::model::paging::{Direction, Listing, StateFilter};
use crate::model::refusal::DetailCode;
use crate::model::request::Request;
use crate::model::search::{IssueQuery, SearchPlaces, ThreadKind};

pub(in crate::http) fn issues(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let missing = || Problem::invalid("Search", "q", DetailCode::MissingField);
    let text = desk.ask.query("q").ok_or_else(missing)?;
    let (mut query, page) = (parse(text)?, desk.ask.page());
    query.sort = match desk.ask.choice("sort", &["created", "updated", "comments"])? {
        Some("updated") => IssueSort::Updated,
        Some("comments") => IssueSort::Comments,
        Some(_) | None => IssueSort::Created,
    };
    query.oldest_first =
        desk.ask.direction_named("order", Direction::Descending)? == Direction::Ascending;
    let listing = take!(desk.request(Request::SearchIssues { query, page })?, Issues);
    let scene = desk.scene();
    Ok(Answer::ok(&Found { scene: &scene, listing: &listing })?.paged(&listing))
}

struct Found<'a> {
    scene: &'a Scene<'a>,
    listing: &'a Listing<IssueView>,
}

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { scene, listing } = self;
        // Octokit takes the first name after the counts for the list.
        object!(serializer, {
            "total_count": listing.total,
            "incomplete_results": false,
            "items": each(&listing.items, |issue| FoundIssue { scene, issue }),
            "search_type": "lexical",
        })
    }
}

/// Reads `repo:o/r is:open label:"good first" words`.
pub(super) fn parse(text: &str) -> Result<IssueQuery, Problem> {
    let mut query = IssueQuery::default();
    let mut places: Option<SearchPlaces> = None;
    for term in terms(text) {
        let (negated, bare) = match term.strip_prefix('-') {
            Some(bare) => (true, bare),
            None => (false, term.as_str()),
        };
        match bare.split_once(':') {
            Some(("in", value)) => places = Some(add_places(places, value)?),
            Some((key, value)) if is_qualifier(key) => qualify(&mut query, negated, key, value)?,
            Some((key, _value)) if looks_like_a_qualifier(key) => {
                let words = format!("The qualifier `{key}:` is not supported here.");
                return Err(Problem::unprocessable(words));
            }
            Some(_) | None if negated => query.without_words.push(bare.to_owned()),
            Some(_) | None => query.words.push(term),
        }
    }
    query.places = places.unwrap_or_default();
    Ok(query)
}

fn is_qualifier(key: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "repo", "user", "org", "is", "type", "state", "label", "author", "head", "base", "draft",
        "updated",
    ];
    KNOWN.contains(&key)
}

/// A word before a colon, as all qualifiers are; an address is none.
fn looks_like_a_qualifier(key: &str) -> bool {
    let is_letter = |character: char| character.is_ascii_lowercase() || character == '-';
    !key.is_empty() && key.chars().all(is_letter) && !["http", "https"].contains(&key)
}

fn qualify(query: &mut IssueQuery, negated: bool, key: &str, value: &str) -> Result<(), Problem> {
    let invalid = || Problem::invalid("Search", "q", DetailCode::Invalid);
    match (key, negated) {
        ("label", true) => query.without_labels.push(value.to_owned()),
        ("is" | "state" | "type", true) => return qualify_not(query, value),
        (_, true) => return Err(invalid()),
        ("repo", false) => query.repos.push(value.to_owned()),
        ("user" | "org", false) => query.owner = Some(value.to_owned()),
        ("is" | "state" | "type", false) => match value {
            "open" => query.state = Some(StateFilter::Open),
            "closed" => query.state = Some(StateFilter::Closed),
            "issue" => query.kind = Some(ThreadKind::Issue),
            "pr" | "pull-request" => query.kind = Some(ThreadKind::Pull),
            "merged" => query.merged = Some(true),
            "unmerged" => query.merged = Some(false),
            "draft" => query.draft = Some(true),
            _ => return Err(invalid()),
        },
        // Several names in one qualifier mean any of them on GitHub; one is what programs send.
        ("label", false) => query.labels.push(value.to_owned()),
        ("author", false) => query.author = Some(value.to_owned()),
        ("head", false) => query.head = Some(value.to_owned()),
        ("base", false) => query.base = Some(value.to_owned()),
        ("draft", false) => query.draft = Some(value == "true"),
        ("updated", false) => {
            let since = value.strip_prefix(">=").and_then(Moment::parse);
            query.updated_since = Some(since.ok_or_else(invalid)?.0);
        }
        (_, false) => return Err(invalid()),
    }
    Ok(())
}

fn qualify_not(query: &mut IssueQuery, value: &str) -> Result<(), Problem> {
    match value {
        "open" => query.state = Some(StateFilter::Closed),
        "closed" => query.state = Some(StateFilter::Open),
        "issue" => query.kind = Some(ThreadKind::Pull),
        "pr" | "pull-request" => query.kind = Some(ThreadKind::Issue),
        "merged" => query.merged = Some(false),
        "draft" => query.draft = Some(false),
        _ => return Err(Problem::invalid("Search", "q", DetailCode::Invalid)),
    }
    Ok(())
}

fn add_places(places: Option<SearchPlaces>, names: &str) -> Result<SearchPlaces, Problem> {
    let none = SearchPlaces { title: false, body: false, comments: false };
    let mut places = places.unwrap_or(none);
    for name in names.split(',') {
        match name {
            "title" => places.title = true,
            "body" => places.body = true,
            "comments" => places.comments = true,
            _unknown => return Err(Problem::invalid("Search", "q", DetailCode::Invalid)),
        }
    }
    Ok(places)
}

/// Splits at spaces outside quotation marks, which are dropped.
fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let (mut term, mut quoted) = (String::new(), false);
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            space if space.is_whitespace() && !quoted => {
                if !term.is_empty() {
                    terms.push(std::mem::take(&mut term));
                }
            }
            other => term.push(other),
        }
    }
    if !term.is_empty() {
        terms.push(term);
    }
    terms
}
