//! Lists come in pages. Which answers are pages, and where the next one is.

use crate::moment;
use http::{HeaderMap, header};
use ralph_engine::ports::Skipped;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// As many as GitHub gives at once.
pub(crate) const PAGE_ITEMS: usize = 100;
/// Pages of one list before it is given up: 20,000 entries. A partial list would read as "the rest is gone".
pub(crate) const PAGES_MAX: usize = 200;

/// An answer that holds some of a list's entries.
pub(crate) trait Page {
    fn items(&self) -> usize;
}

impl<I> Page for Vec<I> {
    fn items(&self) -> usize {
        self.len()
    }
}

/// The entries of a list that make sense, and what is known of those that do not.
pub(crate) fn salvage<I: DeserializeOwned>(body: &[u8]) -> Option<(Vec<I>, Vec<Skipped>)> {
    Some(salvage_entries(serde_json::from_slice(body).ok()?))
}

/// The same for entries that are taken out of their page.
pub(crate) fn salvage_entries<I: DeserializeOwned>(entries: Vec<Value>) -> (Vec<I>, Vec<Skipped>) {
    let (mut kept, mut skipped) = (Vec::new(), Vec::new());
    for entry in entries {
        let text = |name| entry.get(name).and_then(Value::as_str);
        let updated = text("updated_at").and_then(moment::parse);
        let number = ["number", "id"].into_iter().find_map(|name| entry.get(name)?.as_u64());
        match I::deserialize(&entry) {
            Ok(entry) => kept.push(entry),
            Err(source) => {
                let which = number.map_or_else(String::new, |number| format!("{number}: "));
                skipped.push(Skipped { why: format!("{which}{source}"), updated });
            }
        }
    }
    (kept, skipped)
}

/// The target of `rel="next"`, as it stands there.
pub(crate) fn next_link(headers: &HeaderMap) -> Option<&str> {
    let links = headers.get_all(header::LINK).iter().filter_map(|value| value.to_str().ok());
    links.flat_map(|value| value.split('<').skip(1)).find_map(|link| {
        let (target, parameters) = link.split_once('>')?;
        let mut parameters = parameters.trim_end_matches([',', ' ']).split(';').map(str::trim);
        let is_next = parameters.any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            let mut relations = value.trim_matches('"').split_ascii_whitespace();
            name.eq_ignore_ascii_case("rel") && relations.any(|relation| relation == "next")
        });
        is_next.then_some(target)
    })
}

/// The address of the page after this one, by its number.
pub(crate) fn after(url: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let number = query.split('&').find_map(|pair| pair.strip_prefix("page=")?.parse::<u32>().ok());
    let others = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("page="));
    let next = format!("page={}", number.unwrap_or(1).saturating_add(1));
    let query: Vec<_> = others.chain([next.as_str()]).collect();
    format!("{path}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_after_a_page_is_found_by_its_number() {
        for (url, expected) in [
            ("https://x/a", "https://x/a?page=2"),
            ("https://x/a?per_page=100", "https://x/a?per_page=100&page=2"),
            ("https://x/a?page=2&per_page=100", "https://x/a?per_page=100&page=3"),
            ("https://x/a?page=much", "https://x/a?page=2"),
        ] {
            assert_eq!(after(url), expected);
        }
    }

    #[test]
    fn the_next_page_is_found_wherever_it_stands() {
        for (links, expected) in [
            (vec![], None),
            (vec![r#"<https://x/a?page=2>; rel="next""#], Some("https://x/a?page=2")),
            (
                vec![
                    r#"<https://x/a?page=1>; rel="prev", <https://x/a?page=3>; rel="next", <https://x/a?page=9>; rel="last""#,
                ],
                Some("https://x/a?page=3"),
            ),
            (vec![r#"<b>; rel="last""#, r#"<c>; title="x"; rel="next""#], Some("c")),
            (vec!["<c?a=1,2>; rel=next"], Some("c?a=1,2")),
            (vec![r#"<c>; rel="nextish""#], None),
            (vec!["garbage", "<", "<>;;;=,"], None),
        ] {
            let mut headers = HeaderMap::new();
            for link in &links {
                headers.append(header::LINK, link.parse().unwrap());
            }
            assert_eq!(next_link(&headers), expected, "{links:?}");
        }
    }
}
