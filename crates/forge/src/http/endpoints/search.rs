//! Searching for issues and pulls, with the qualifiers that programs use.

use serde::{Serialize, Serializer};

use crate::http::answer::Answer;
use crate::http::moment::Moment;
use crate::http::problem::Problem;
use crate::http::render::issue::FoundIssue;
use crate::http::render::{RenderContext, each, object};
use crate::http::request_context::RequestContext;
use crate::model::issue_list::IssueSort;
use crate::model::issue_view::IssueView;
use crate::model::paging::{Direction, Listing, StateFilter};
use crate::model::refusal::DetailCode;
use crate::model::search::SearchIssues;
use crate::model::search::{IssueQuery, SearchPlaces, ThreadKind};

pub(in crate::http) fn issues(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let missing = || Problem::invalid("Search", "q", DetailCode::MissingField);
    let text = context.ask.query("q").ok_or_else(missing)?;
    let (mut query, page) = (parse(text, context.ask.who)?, context.ask.page());
    query.sort = match context.ask.choice("sort", &["created", "updated", "comments"])? {
        Some("updated") => IssueSort::Updated,
        Some("comments") => IssueSort::Comments,
        Some(_) | None => IssueSort::Created,
    };
    query.oldest_first =
        context.ask.direction_named("order", Direction::Descending)? == Direction::Ascending;
    let listing = context.request(SearchIssues { query, page })?;
    let render = context.render();
    Ok(Answer::ok(&Found { render: &render, listing: &listing })?.paged(&listing))
}

struct Found<'a> {
    render: &'a RenderContext<'a>,
    listing: &'a Listing<IssueView>,
}

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, listing } = self;
        // Octokit takes the first name after the counts for the list.
        object!(serializer, {
            "total_count": listing.total,
            "incomplete_results": false,
            "items": each(&listing.items, |issue| FoundIssue { render, issue }),
            "search_type": "lexical",
        })
    }
}

/// Reads `repo:o/r is:open label:"good first" words`, asked by this person.
pub(super) fn parse(text: &str, who: &str) -> Result<IssueQuery, Problem> {
    let mut query = IssueQuery::default();
    let mut places: Option<SearchPlaces> = None;
    for Term { text: term, is_phrase, has_choice } in terms(text) {
        let (negated, bare) = match term.strip_prefix('-') {
            Some(bare) if !is_phrase => (true, bare),
            Some(_) | None => (false, term.as_str()),
        };
        if !is_phrase && is_operator(bare) {
            return Err(unsupported(&format!("The operator `{bare}`")));
        }
        // As on GitHub, qualifiers are written in any case, and what stands in quotation marks is none.
        let qualifier = bare.split_once(':').filter(|_parts| !is_phrase);
        let qualifier = qualifier.map(|(key, value)| (key.to_ascii_lowercase(), value));
        match qualifier {
            Some((key, _value)) if has_choice && key == "label" => {
                return Err(unsupported("A choice of several names in one `label:`"));
            }
            Some((key, value)) if key == "in" => places = Some(add_places(places, value)?),
            Some((key, value)) if is_qualifier(&key) => {
                let value = if value.eq_ignore_ascii_case("@me") { who } else { value };
                qualify(&mut query, negated, &key, value)?;
            }
            Some((key, _value)) if looks_like_a_qualifier(&key) => {
                return Err(unsupported(&format!("The qualifier `{key}:`")));
            }
            Some(_) | None if negated => query.without_words.push(bare.to_owned()),
            Some(_) | None => query.words.push(term),
        }
    }
    query.places = places.unwrap_or_default();
    Ok(query)
}

fn unsupported(what: &str) -> Problem {
    Problem::unprocessable(format!("{what} is not supported here."))
}

/// GitHub joins words by these.
fn is_operator(term: &str) -> bool {
    ["AND", "OR", "NOT"].contains(&term) || term.starts_with('(') || term.ends_with(')')
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
    let text = || value.to_owned();
    match (key, negated) {
        ("label", true) => query.without_labels.push(text()),
        ("is" | "state" | "type", _) => return qualify_state(query, negated, key, value),
        (_, true) => return Err(invalid()),
        ("repo", false) => query.repos.push(text()),
        ("user" | "org", false) => query.owners.push(text()),
        ("label", false) => query.labels.push(text()),
        ("author", false) => once(&mut query.author, key, text())?,
        ("head", false) => once(&mut query.head, key, text())?,
        ("base", false) => once(&mut query.base, key, text())?,
        ("draft", false) => match value {
            "true" => once(&mut query.draft, key, true)?,
            "false" => once(&mut query.draft, key, false)?,
            _ => return Err(invalid()),
        },
        ("updated", false) => {
            let since = value.strip_prefix(">=").and_then(Moment::parse).ok_or_else(invalid)?;
            once(&mut query.updated_since, key, since.0)?;
        }
        (_, false) => return Err(invalid()),
    }
    Ok(())
}

fn invalid() -> Problem {
    Problem::invalid("Search", "q", DetailCode::Invalid)
}

/// Sets a qualifier that may be given once only; otherwise the last one would silently win.
fn once<T: PartialEq>(wanted: &mut Option<T>, key: &str, value: T) -> Result<(), Problem> {
    if wanted.as_ref().is_some_and(|before| *before != value) {
        let words = format!("The qualifier `{key}:` comes twice with different values.");
        return Err(Problem::unprocessable(words));
    }
    *wanted = Some(value);
    Ok(())
}

fn qualify_state(
    query: &mut IssueQuery,
    negated: bool,
    key: &str,
    value: &str,
) -> Result<(), Problem> {
    let (open, closed) = (StateFilter::Open, StateFilter::Closed);
    let (issue, pull) = (ThreadKind::Issue, ThreadKind::Pull);
    match (key, value) {
        ("is" | "state", "open") => {
            once(&mut query.state, key, if negated { closed } else { open })
        }
        ("is" | "state", "closed") => {
            once(&mut query.state, key, if negated { open } else { closed })
        }
        ("is" | "type", "issue") => once(&mut query.kind, key, if negated { pull } else { issue }),
        ("is" | "type", "pr" | "pull-request") => {
            once(&mut query.kind, key, if negated { issue } else { pull })
        }
        ("is", "merged") => once(&mut query.merged, key, !negated),
        ("is", "unmerged") if !negated => {
            once(&mut query.kind, key, pull)?;
            once(&mut query.merged, key, false)
        }
        ("is", "draft") => once(&mut query.draft, key, !negated),
        _ => Err(invalid()),
    }
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

/// Words that belong together.
#[derive(Default)]
struct Term {
    /// Without quotation marks.
    text: String,
    /// It begins with a quotation mark.
    is_phrase: bool,
    /// There is a comma outside quotation marks.
    has_choice: bool,
}

/// Splits at spaces outside quotation marks.
fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let (mut term, mut quoted) = (Term::default(), false);
    for character in text.chars() {
        match character {
            '"' => {
                term.is_phrase |= term.text.is_empty();
                quoted = !quoted;
            }
            space if space.is_whitespace() && !quoted => terms.push(std::mem::take(&mut term)),
            other => {
                term.has_choice |= other == ',' && !quoted;
                term.text.push(other);
            }
        }
    }
    terms.push(term);
    terms.retain(|term| !term.text.is_empty());
    terms
}
