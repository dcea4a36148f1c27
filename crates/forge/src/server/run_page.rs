//! The page of a check run: what it is, how it ended, and its log.

use axum::body::Body;
use http::header::{AUTHORIZATION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::endpoint::{Endpoint, ask_for_token, plain, stopping};
use crate::http::Caller;
use crate::keeper::Kept;
use crate::model::checks::{CheckRun, CheckState};
use crate::model::permission::Permission;

/// `/owner/name/runs/id`.
pub(super) fn address(path: &str) -> Option<(String, u64)> {
    let mut parts = path.strip_prefix('/')?.split('/');
    let (owner, name) = (parts.next()?, parts.next()?);
    let (word, id, end) = (parts.next()?, parts.next()?, parts.next());
    let id = id.parse().ok().filter(|_id| word == "runs" && end.is_none())?;
    Some((format!("{owner}/{name}"), id))
}

pub(super) async fn answer(
    endpoint: &Endpoint,
    (repo, id): (String, u64),
    headers: &HeaderMap,
) -> Response<Body> {
    let credentials = headers.get(AUTHORIZATION).cloned();
    let found = endpoint.keeper.ask(move |kept| {
        let is_known = kept.caller(credentials.as_ref()).is_some();
        (page(kept, credentials.as_ref(), &repo, id), is_known)
    });
    match found.await {
        Err(_stopped) => stopping(),
        Ok((Some(page), _is_known)) => html(page),
        Ok((None, true)) => plain(StatusCode::NOT_FOUND, "There is no such run.\n"),
        Ok((None, false)) => ask_for_token(),
    }
}

fn page(kept: &Kept, credentials: Option<&HeaderValue>, repo: &str, id: u64) -> Option<String> {
    let nobody = Caller { login: String::new(), installed_at: None, only: None };
    let viewer = kept.caller(credentials).unwrap_or(nobody);
    if kept.site().role_of(&viewer, repo) == Permission::None {
        return None;
    }
    let run = kept.site().forge().peek_check_run(repo, id)?;
    Some(render(repo, &run))
}

fn html(page: String) -> Response<Body> {
    let mut response = Response::new(Body::from(page));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let nothing_active = "default-src 'none'; style-src 'unsafe-inline'";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(nothing_active));
    response
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;\
    padding:0 1rem;color:#1f2328;background:#fff}pre{background:#f6f8fa;border:1px solid #d1d9e0;\
    border-radius:6px;padding:1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}\
    dt{font-weight:600}dd{margin:0 0 .5rem}@media(prefers-color-scheme:dark){\
    body{color:#e6edf3;background:#0d1117}pre{background:#151b23;border-color:#3d444d}}";

fn render(repo: &str, run: &CheckRun) -> String {
    let (state, refresh) = match run.state {
        CheckState::Queued => ("waiting for its turn".to_owned(), REFRESH),
        CheckState::InProgress => ("running".to_owned(), REFRESH),
        CheckState::Completed(conclusion) => (format!("{conclusion:?}"), ""),
    };
    let head = run.head.to_string();
    let [name, repo, state, head] = [run.name.as_str(), repo, &state, &head].map(escape);
    let title = escape(run.output.title.as_deref().unwrap_or_default());
    let log = match &run.output.text {
        Some(text) => format!("<pre>{}</pre>", escape(text)),
        None => "<p>The log is shown when the check has ended.</p>".to_owned(),
    };
    let places: String = run
        .output
        .annotations
        .iter()
        .map(|found| {
            let [path, message] = [&found.path, &found.message].map(|text| escape(text));
            format!("<li><code>{path}:{}</code> {message}</li>", found.start_line)
        })
        .collect();
    let places = if places.is_empty() { places } else { format!("<ul>{places}</ul>") };
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">{refresh}\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{name} · {repo}</title>\
         <style>{STYLE}</style></head><body><h1>{name}</h1><dl><dt>Repository</dt><dd>{repo}</dd>\
         <dt>Commit</dt><dd><code>{head}</code></dd><dt>State</dt><dd>{state}</dd></dl>\
         <p>{title}</p>{places}{log}</body></html>\n"
    )
}

/// Looks again by itself while there is something to wait for.
const REFRESH: &str = "<meta http-equiv=\"refresh\" content=\"2\">";

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
