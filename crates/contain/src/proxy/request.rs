//! The head of a request to a proxy. Whatever has two meanings is refused.

use crate::hosts::{Host, Target};

/// Header lines of one request; browsers send about thirty.
const HEADERS_MAX: usize = 100;
/// The port of `http://` without one.
const HTTP_PORT: u16 = 80;
/// Headers about the connection to the proxy, which are not passed on. `host` is rewritten.
const OWN_HEADERS: [&str; 6] =
    ["connection", "proxy-connection", "proxy-authorization", "keep-alive", "host", "te"];

/// A request that the proxy understands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// `CONNECT host:port`.
    Tunnel(Target),
    /// A request in plain HTTP, with the head that its host gets.
    Plain { target: Target, head: Vec<u8> },
}

impl Request {
    /// Reads a head, which ends in an empty line.
    pub(crate) fn parse(head: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?.strip_suffix("\r\n\r\n")?;
        let mut lines = head.split("\r\n");
        let words: Vec<&str> = lines.next()?.split(' ').collect();
        let &[method, target, version] = words.as_slice() else { return None };
        let is_version = matches!(version, "HTTP/1.1" | "HTTP/1.0");
        let headers = lines.map(header).collect::<Option<Vec<_>>>()?;
        if !is_version || !is_token(method) || headers.len() > HEADERS_MAX {
            return None;
        }
        if method == "CONNECT" {
            let has_body = headers.iter().any(|(name, value)| {
                (is(name, "content-length") && *value != "0") || is(name, "transfer-encoding")
            });
            return Some(Self::Tunnel(Target::parse(target).filter(|_| !has_body)?));
        }
        plain(method, target, &headers)
    }
}

/// Rewrites a request for `http://host/path` to the form that its host expects. It is the only one on its connection.
fn plain(method: &str, address: &str, headers: &[(&str, &str)]) -> Option<Request> {
    let rest = address.strip_prefix("http://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let target = Target::parse(authority).or_else(|| {
        let host = Host::parse(authority)?;
        Some(Target { host, port: HTTP_PORT })
    })?;
    let path = match path {
        "" => "/",
        path if path.starts_with('/') && !path.contains('#') => path,
        _other => return None,
    };
    let count = |wanted: &str| headers.iter().filter(|(name, _)| is(name, wanted)).count();
    if count("content-length") + count("transfer-encoding") > 1 {
        return None;
    }
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n");
    for (name, value) in headers {
        if !OWN_HEADERS.iter().any(|own| is(name, own)) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("\r\n");
    Some(Request::Plain { target, head: head.into_bytes() })
}

fn is(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

/// A header line. One that continues another, or holds a line break or another control character, is none.
fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let value = value.trim_matches([' ', '\t']);
    let is_plain = |letter: char| letter == '\t' || !letter.is_control();
    (is_token(name) && value.chars().all(is_plain)).then_some((name, value))
}

fn is_token(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tunnel(head: &str) -> Option<String> {
        match Request::parse(head.as_bytes())? {
            Request::Tunnel(target) => Some(target.to_string()),
            Request::Plain { target, .. } => Some(format!("plain {target}")),
        }
    }

    #[test]
    fn only_the_name_in_the_first_line_says_where_a_tunnel_leads() {
        let head = "CONNECT a.example:443 HTTP/1.1\r\nHost: b.example\r\nX: y\r\n\r\n";
        assert_eq!(tunnel(head).as_deref(), Some("a.example:443"));
    }

    #[test]
    fn what_has_two_meanings_has_none() {
        for head in [
            "CONNECT a.example HTTP/1.1\r\n\r\n",
            "CONNECT  a.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443 b.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT user@a.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443/x HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443\tHTTP/1.1\r\n\r\n",
            "CONNECT a.example:443 HTTP/2.0\r\n\r\n",
            "CONNECT a.example:+443 HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\nHost: x\nCONNECT b.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\n continued: x\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\nHost : x\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "CONNECT a.example\0.b.example:443 HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
            "GET https://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://user@127.0.0.1:1/ HTTP/1.1\r\n\r\n",
            "GET http://127.0.0.1:1#@b.example/ HTTP/1.1\r\n\r\n",
            "GET http://127.0.0.1:1?x HTTP/1.1\r\n\r\n",
            "POST http://127.0.0.1:1/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST http://127.0.0.1:1/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(tunnel(head), None, "{head:?}");
        }
    }

    #[test]
    fn a_plain_request_names_its_host_once_and_is_the_last_on_its_connection() {
        let head = "POST http://127.0.0.1:8080/v1?x=y HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: x\r\n\
                    Connection: keep-alive\r\nContent-Length: 2\r\nAccept:  */*\r\n\r\n";
        let Some(Request::Plain { target, head }) = Request::parse(head.as_bytes()) else {
            panic!("not understood");
        };
        assert_eq!(target.to_string(), "127.0.0.1:8080");
        assert_eq!(
            String::from_utf8(head).unwrap(),
            "POST /v1?x=y HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\nContent-Length: 2\r\n\
             Accept: */*\r\n\r\n"
        );
        assert_eq!(
            tunnel("GET http://a.example HTTP/1.1\r\n\r\n").as_deref(),
            Some("plain a.example:80")
        );
    }
}
