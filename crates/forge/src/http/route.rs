//! Finds the handler of a request in the table of routes.

use std::borrow::Cow;

use http::Method;
use percent_encoding::percent_decode_str;

use super::answer::Answer;
use super::problem::Problem;
use super::request_context::RequestContext;

pub(super) type Handler = fn(&mut RequestContext<'_>) -> Result<Answer, Problem>;

/// The values in the places of `{name}` in a template.
pub(super) type Params = Vec<(&'static str, String)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// `HEAD` is a `GET` whose body is not sent.
    pub(super) fn of(method: &Method) -> Option<Self> {
        match *method {
            Method::GET | Method::HEAD => Some(Self::Get),
            Method::POST => Some(Self::Post),
            Method::PUT => Some(Self::Put),
            Method::PATCH => Some(Self::Patch),
            Method::DELETE => Some(Self::Delete),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// One line of the table; the template is written as in GitHub's description.
#[derive(Clone, Copy)]
pub(super) struct Route {
    pub(super) verb: Verb,
    pub(super) template: &'static str,
    pub(super) handler: Handler,
    /// Segments of the template.
    depth: usize,
}

impl Route {
    pub(super) const fn new(verb: Verb, template: &'static str, handler: Handler) -> Self {
        let (mut depth, mut rest) = (0, template.as_bytes());
        while let [first, others @ ..] = rest {
            depth += (*first == b'/') as usize;
            rest = others;
        }
        Self { verb, template, handler, depth }
    }
}

/// The beginning of nearly every template. The segment after it tells them apart.
const REPOSITORY: &str = "/repos/{owner}/{repo}/";
const TELLING_SEGMENT: usize = 3;

/// Parameters that go over slashes, as names of branches and labels and paths do.
const WIDE: [&str; 5] = ["ref", "branch", "path", "basehead", "name"];
/// Those of them that may be empty: the root folder, or all references.
const MAYBE_EMPTY: [&str; 2] = ["ref", "path"];

/// The first route that fits.
pub(super) fn find(
    routes: &'static [Route],
    verb: Verb,
    path: &str,
) -> Option<(&'static Route, Params)> {
    let segments: Vec<Cow<'_, str>> = path
        .trim_matches('/')
        .split('/')
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy())
        .collect();
    let telling = segments.get(TELLING_SEGMENT).map_or("", AsRef::as_ref);
    let is_in_repository = !telling.is_empty() && path.starts_with("/repos/");
    let is_told = |template: &str| match template.strip_prefix(REPOSITORY) {
        Some(rest) => rest.starts_with(telling) || rest.starts_with('{'),
        None => !is_in_repository,
    };
    // Spares a closer look at nearly every route. A path has no fewer segments than its template, but for the
    // last one, which may be empty.
    let may_fit = |route: &&Route| {
        route.verb == verb && route.depth <= segments.len() + 1 && is_told(route.template)
    };
    routes.iter().filter(may_fit).find_map(|route| {
        let mut params = Params::new();
        let template = route.template.trim_start_matches('/');
        fits(Some(template), &segments, &mut params).then_some((route, params))
    })
}

/// Returns whether the rest of a template fits the rest of a path; there is none left at its end.
fn fits(template: Option<&'static str>, segments: &[Cow<'_, str>], params: &mut Params) -> bool {
    let Some(template) = template else { return segments.is_empty() };
    let (first, rest) = match template.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (template, None),
    };
    let name = first.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
    let Some(name) = name else {
        let Some((segment, others)) = segments.split_first() else { return false };
        return segment == first && fits(rest, others, params);
    };
    let widest = if WIDE.contains(&name) { segments.len() } else { segments.len().min(1) };
    for width in (1..=widest).rev() {
        let Some((taken, others)) = segments.split_at_checked(width) else { continue };
        if fits(rest, others, params) {
            params.push((name, taken.join("/")));
            return true;
        }
    }
    if MAYBE_EMPTY.contains(&name) && rest.is_none() && segments.is_empty() {
        params.push((name, String::new()));
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
        Ok(Answer::no_content())
    }

    static ROUTES: [Route; 4] = [
        Route::new(Verb::Get, "/repos/{owner}/{repo}/branches/{branch}/protection", nothing),
        Route::new(Verb::Get, "/repos/{owner}/{repo}/branches/{branch}", nothing),
        Route::new(Verb::Get, "/repos/{owner}/{repo}/labels/{name}", nothing),
        Route::new(Verb::Get, "/repos/{owner}/{repo}/contents/{path}", nothing),
    ];

    fn found(path: &str) -> Option<(&'static str, String)> {
        let (route, params) = find(&ROUTES, Verb::Get, path)?;
        let last = route.template.rsplit('/').find(|part| part.starts_with('{'))?;
        let (_name, value) =
            params.into_iter().find(|(name, _value)| last == format!("{{{name}}}"))?;
        Some((route.template, value))
    }

    #[test]
    fn names_of_branches_and_labels_and_paths_go_over_slashes() {
        let branch = "/repos/{owner}/{repo}/branches/{branch}";
        let protection = "/repos/{owner}/{repo}/branches/{branch}/protection";
        let label = "/repos/{owner}/{repo}/labels/{name}";
        let contents = "/repos/{owner}/{repo}/contents/{path}";
        let cases = [
            ("/repos/o/r/branches/a", Some((branch, "a"))),
            ("/repos/o/r/branches/a/b", Some((branch, "a/b"))),
            ("/repos/o/r/branches/a%2Fb", Some((branch, "a/b"))),
            ("/repos/o/r/branches/a/b/protection", Some((protection, "a/b"))),
            ("/repos/o/r/branches/protection", Some((branch, "protection"))),
            ("/repos/o/r/labels/good%20first%20issue", Some((label, "good first issue"))),
            ("/repos/o/r/labels/a%2Fb", Some((label, "a/b"))),
            ("/repos/o/r/labels/kind/bug", Some((label, "kind/bug"))),
            ("/repos/o/r/labels", None),
            ("/repos/o/r/label/a", None),
            ("/repos/o/r/%6Cabels/a", Some((label, "a"))),
            ("/repos/o/r/contents", Some((contents, ""))),
            ("/repos/o/r", None),
        ];
        for (path, expected) in cases {
            let expected = expected.map(|(template, value)| (template, value.to_owned()));
            assert_eq!(found(path), expected, "{path}");
        }
    }
}
