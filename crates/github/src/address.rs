//! The address of a forge: the base of its API, the origin that answers may send us on to, and the addresses that
//! git clones from.

use http::Uri;
use http::uri::Scheme;
use ralph_core::ids::RepoName;
use std::fmt;

/// GitHub's API has a separate host.
const GITHUB_API_HOST: &str = "api.github.com";
const GITHUB_GIT: &str = "https://github.com";
/// Below this path a GitHub Enterprise server has its API.
const ENTERPRISE_PATH: &str = "/api/v3";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Without a slash at its end.
    api: String,
    /// Scheme, host and port.
    origin: String,
    /// The address to which `/owner/name.git` is appended.
    git: String,
}

impl Address {
    /// Reads `https://api.github.com`, `https://host/api/v3`, or the address of an embedded forge.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let bad = |why| BadAddress { text: ralph_core::redact::redact(text).into_owned(), why };
        let uri: Uri = text.parse().map_err(|_source| bad(Why::NotAnAddress))?;
        let scheme = uri.scheme().ok_or_else(|| bad(Why::NotAnAddress))?;
        if *scheme != Scheme::HTTP && *scheme != Scheme::HTTPS {
            return Err(bad(Why::Scheme));
        }
        let authority = uri.authority().ok_or_else(|| bad(Why::NotAnAddress))?;
        if authority.as_str().contains('@') {
            return Err(bad(Why::Credentials));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(bad(Why::Query));
        }
        let origin = format!("{scheme}://{}", authority.as_str().to_ascii_lowercase());
        let path = uri.path().trim_end_matches('/');
        let git = if authority.host().eq_ignore_ascii_case(GITHUB_API_HOST) {
            GITHUB_GIT.to_owned()
        } else {
            format!("{origin}{}", path.strip_suffix(ENTERPRISE_PATH).unwrap_or(path))
        };
        Ok(Self { api: format!("{origin}{path}"), origin, git })
    }

    /// The base of the API.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.api
    }

    /// The address to which `/owner/name.git` is appended.
    #[must_use]
    pub fn git(&self) -> &str {
        &self.git
    }

    /// The address for `git clone`, without credentials.
    #[must_use]
    pub fn clone_url(&self, repo: &RepoName) -> String {
        format!("{}/{repo}.git", self.git)
    }

    /// The full address of a path of the API, which begins with a slash.
    pub(crate) fn of(&self, path: &str) -> String {
        format!("{}{path}", self.api)
    }

    /// The path for people's eyes.
    pub(crate) fn path_of<'a>(&self, url: &'a str) -> &'a str {
        url.strip_prefix(self.api.as_str())
            .or_else(|| url.strip_prefix(self.origin.as_str()))
            .unwrap_or(url)
    }

    /// A link in an answer, as a full address; `None` if it leads to another host, which must not get our
    /// token.
    pub(crate) fn follow(&self, link: &str) -> Option<String> {
        if link.starts_with('/') && !link.starts_with("//") {
            return Some(format!("{}{link}", self.origin));
        }
        let rest = link.get(self.origin.len()..)?;
        let is_ours = link.get(..self.origin.len())?.eq_ignore_ascii_case(&self.origin);
        (is_ours && rest.starts_with(['/', '?'])).then(|| format!("{}{rest}", self.origin))
    }
}

/// An address that cannot be a forge's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadAddress {
    text: String,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    NotAnAddress,
    Scheme,
    Credentials,
    Query,
}

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::NotAnAddress => "is not an address",
            Why::Scheme => "begins with neither http:// nor https://",
            Why::Credentials => "carries credentials, which belong into the token setting",
            Why::Query => "goes on after its path",
        };
        write!(
            f,
            "{:?} {why}; write https://{GITHUB_API_HOST}, https://<host>{ENTERPRISE_PATH} for GitHub \
             Enterprise, or the address that `ralph forge serve` prints",
            self.text
        )
    }
}

impl std::error::Error for BadAddress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_forge_has_its_clone_address() {
        let repo = RepoName::parse("Acme/Widgets").unwrap();
        for (text, api, clone) in [
            (
                "https://api.github.com",
                "https://api.github.com",
                "https://github.com/acme/widgets.git",
            ),
            (
                "https://API.github.com/",
                "https://api.github.com",
                "https://github.com/acme/widgets.git",
            ),
            (
                "https://git.corp/api/v3/",
                "https://git.corp/api/v3",
                "https://git.corp/acme/widgets.git",
            ),
            (
                "http://127.0.0.1:8080",
                "http://127.0.0.1:8080",
                "http://127.0.0.1:8080/acme/widgets.git",
            ),
            ("http://[::1]:80/x", "http://[::1]:80/x", "http://[::1]:80/x/acme/widgets.git"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.as_str(), address.clone_url(&repo).as_str()), (api, clone));
        }
    }

    #[test]
    fn bad_addresses_are_named_with_what_is_accepted_and_without_their_secrets() {
        for text in
            ["", "github.com", "ftp://x", "https://me:hunter2@x", "https://x/?a=1", "https://x/#a"]
        {
            let message = Address::parse(text).unwrap_err().to_string();
            assert!(message.contains("https://api.github.com"), "{message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }

    #[test]
    fn links_are_followed_on_the_same_origin_only() {
        let address = Address::parse("https://git.corp/api/v3").unwrap();
        for (link, url) in [
            ("https://git.corp/api/v3/x?page=2", Some("https://git.corp/api/v3/x?page=2")),
            ("HTTPS://git.corp/y", Some("https://git.corp/y")),
            ("/api/v3/x?page=2", Some("https://git.corp/api/v3/x?page=2")),
            ("https://git.corp.evil.example/x", None),
            ("https://git.corp:8443/x", None),
            ("https://evilcorp/x", None),
            ("https://git.corp@evil.example/x", None),
            ("http://git.corp/x", None),
            ("//evil.example/x", None),
            ("é", None),
        ] {
            assert_eq!(address.follow(link).as_deref(), url, "{link}");
        }
    }
}
