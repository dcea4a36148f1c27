//! The `Link` header, which leads through the pages of a list.

use super::answer::Pages;

/// Links to the pages around this one; none when there is only one.
pub(super) fn link(base: &str, uri: &http::Uri, pages: Pages) -> Option<String> {
    let Pages { current, last } = pages;
    let kept: Vec<&str> = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("page"))
        .collect();
    let path = uri.path();
    let to = |page: usize, name: &str| {
        let page = format!("page={page}");
        let query: Vec<&str> = kept.iter().copied().chain([page.as_str()]).collect();
        format!("<{base}{path}?{}>; rel=\"{name}\"", query.join("&"))
    };
    let mut links = Vec::new();
    if current > 1 {
        links.push(to((current - 1).min(last), "prev"));
    }
    if current < last {
        links.push(to(current + 1, "next"));
        links.push(to(last, "last"));
    }
    if current > 1 {
        links.push(to(1, "first"));
    }
    (!links.is_empty()).then(|| links.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(uri: &str, current: usize, last: usize) -> Option<String> {
        link("http://f", &uri.parse().expect("a uri"), Pages { current, last })
    }

    #[test]
    fn links_lead_to_every_page_but_the_current_one() {
        assert_eq!(links("/issues", 1, 1), None);
        let first = "<http://f/issues?state=all&page=2>; rel=\"next\", \
                     <http://f/issues?state=all&page=3>; rel=\"last\"";
        assert_eq!(links("/issues?state=all", 1, 3).as_deref(), Some(first));
        let middle = "<http://f/issues?per_page=1&page=1>; rel=\"prev\", \
                      <http://f/issues?per_page=1&page=3>; rel=\"next\", \
                      <http://f/issues?per_page=1&page=3>; rel=\"last\", \
                      <http://f/issues?per_page=1&page=1>; rel=\"first\"";
        assert_eq!(links("/issues?page=2&per_page=1", 2, 3).as_deref(), Some(middle));
        let beyond =
            "<http://f/issues?page=2>; rel=\"prev\", <http://f/issues?page=1>; rel=\"first\"";
        assert_eq!(links("/issues?page=9", 9, 2).as_deref(), Some(beyond));
    }
}
