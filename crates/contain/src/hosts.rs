//! The hosts that a process may reach through a [`Proxy`](crate::Proxy): names, names below a suffix, and addresses,
//! each with its port.

use crate::address::is_public;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// The port of an entry that names none: HTTPS.
const USUAL_PORT: u16 = 443;
/// The longest name in the domain name system.
const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// A place that a process asks for: a host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// In lower case, without a dot at its end. Never one that a resolver takes for an address.
    Name(String),
    Address(IpAddr),
}

/// An entry of the list: `registry.example`, `*.example.com`, `registry.example:8443`, `127.0.0.1:3000` or `[::1]:3000`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    pattern: Pattern,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Exactly(Host),
    /// Every name below this one, and not this one itself.
    Below(String),
}

/// A text that names no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a host: write a name, `*.` and a name with a dot in it, or an address, with a port after a colon if it is not 443"
)]
pub struct NotAHost;

/// The hosts that are let through. Everything else is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList(Vec<HostRule>);

impl Target {
    /// Reads `host:port`. An address of version 6 stands in brackets.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        Some(Self { host: Host::parse(host)?, port: port_of(port)? })
    }
}

impl Host {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: IpAddr = inner.strip_suffix(']')?.parse().ok()?;
            return address.is_ipv6().then(|| Self::Address(address.to_canonical()));
        }
        match text.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => Some(Self::Address(address.into())),
            Ok(IpAddr::V6(_)) => None,
            Err(_) => name(text).map(Self::Name),
        }
    }
}

/// A name in its usual form; `None` for one that resolvers read as an address, such as `127.1`, `0x7f.1` and `2130706433`.
fn name(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label =
        |label: &str| (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(is_letter);
    let last = text.rsplit('.').next()?;
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    let is_name = text.len() <= NAME_BYTES_MAX && text.split('.').all(is_label) && !is_number;
    is_name.then_some(text)
}

fn port_of(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_plain && *port > 0)
}

impl FromStr for HostRule {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let is_bare = text.ends_with(']') || !text.contains(':');
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !is_bare => (host, port_of(port).ok_or(NotAHost)?),
            Some(_) | None => (text, USUAL_PORT),
        };
        let pattern = match host.strip_prefix("*.") {
            Some(suffix) => {
                Pattern::Below(name(suffix).filter(|it| it.contains('.')).ok_or(NotAHost)?)
            }
            None => Pattern::Exactly(Host::parse(host).ok_or(NotAHost)?),
        };
        Ok(Self { pattern, port })
    }
}

impl HostRule {
    fn admits(&self, target: &Target) -> bool {
        let is_host = match (&self.pattern, &target.host) {
            (Pattern::Exactly(host), asked) => host == asked,
            (Pattern::Below(suffix), Host::Name(name)) => name
                .strip_suffix(suffix.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            (Pattern::Below(_), Host::Address(_)) => false,
        };
        is_host && self.port == target.port
    }

    /// The port, if this is a port of the loopback device that programs reach without a proxy.
    fn loopback_port(&self) -> Option<u16> {
        match &self.pattern {
            Pattern::Exactly(Host::Address(IpAddr::V4(address))) => {
                (address.octets() == [127, 0, 0, 1]).then_some(self.port)
            }
            Pattern::Exactly(Host::Address(IpAddr::V6(_)) | Host::Name(_)) | Pattern::Below(_) => {
                None
            }
        }
    }
}

impl HostList {
    /// Tells whether this host and port are listed.
    pub(crate) fn admits(&self, target: &Target) -> bool {
        self.0.iter().any(|rule| rule.admits(target))
    }

    /// Tells whether an address may be connected to for a name that is listed: a public one, or one that is listed itself.
    pub(crate) fn admits_address(&self, address: SocketAddr) -> bool {
        let host = Host::Address(address.ip().to_canonical());
        is_public(address.ip()) || self.admits(&Target { host, port: address.port() })
    }

    /// The ports of the machine's loopback device that are listed.
    pub(crate) fn loopback_ports(&self) -> Vec<u16> {
        let mut ports: Vec<_> = self.0.iter().filter_map(HostRule::loopback_port).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }
}

impl FromIterator<HostRule> for HostList {
    fn from_iter<T: IntoIterator<Item = HostRule>>(rules: T) -> Self {
        Self(rules.into_iter().collect())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Pattern::Exactly(host) => host.fmt(f)?,
            Pattern::Below(suffix) => write!(f, "*.{suffix}")?,
        }
        if self.port == USUAL_PORT { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(rules: &[&str], target: &str) -> bool {
        let list: HostList = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        Target::parse(target).is_some_and(|target| list.admits(&target))
    }

    #[test]
    fn an_entry_admits_its_host_and_its_port_and_nothing_else() {
        for (rule, target, expected) in [
            ("api.example.com", "api.example.com:443", true),
            ("api.example.com", "API.Example.com.:443", true),
            ("api.example.com", "api.example.com:80", false),
            ("api.example.com", "xapi.example.com:443", false),
            ("api.example.com", "api.example.com.evil.test:443", false),
            ("api.example.com:8443", "api.example.com:8443", true),
            ("api.example.com:8443", "api.example.com:443", false),
            ("*.example.com", "a.b.example.com:443", true),
            ("*.example.com", "example.com:443", false),
            ("*.example.com", "notexample.com:443", false),
            ("*.example.com", ".example.com:443", false),
            ("127.0.0.1:3000", "127.0.0.1:3000", true),
            ("127.0.0.1:3000", "[::ffff:127.0.0.1]:3000", true),
            ("127.0.0.1:3000", "localhost:3000", false),
            ("127.0.0.1:3000", "127.1:3000", false),
            ("[::1]:3000", "[::1]:3000", true),
        ] {
            assert_eq!(admits(&[rule], target), expected, "{rule} {target}");
        }
    }

    #[test]
    fn a_text_that_a_resolver_might_read_as_an_address_is_no_name() {
        for text in ["127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "1.2.3.4.5", "a.0x1", "a.1"]
        {
            assert_eq!(Host::parse(text), None, "{text}");
        }
        for text in ["", "a..b", "a b", "a/b", "user@host", "[fe80::1%eth0]", "::1", "a:b", "é.com"]
        {
            assert_eq!(Host::parse(text), None, "{text}");
        }
    }

    #[test]
    fn entries_are_refused_that_open_too_much_or_name_nothing() {
        for text in [
            "*",
            "*.com",
            "*.*.example.com",
            "a*.example.com",
            "",
            "a:0",
            "a:99999",
            "a:b",
            "https://a",
        ] {
            assert_eq!(text.parse::<HostRule>(), Err(NotAHost), "{text}");
        }
        for text in ["a.example", "*.a.example", "a.example:80", "127.0.0.1:1", "[::1]:1", "[::1]"]
        {
            assert_eq!(text.parse::<HostRule>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_private_address_is_admitted_only_if_it_is_listed_itself() {
        let list: HostList =
            ["a.example", "10.0.0.1:443"].iter().map(|rule| rule.parse().unwrap()).collect();
        for (address, expected) in [
            ("10.0.0.1:443", true),
            ("10.0.0.1:80", false),
            ("10.0.0.2:443", false),
            ("[::ffff:10.0.0.1]:443", true),
            ("127.0.0.1:443", false),
            ("1.1.1.1:443", true),
        ] {
            assert_eq!(list.admits_address(address.parse().unwrap()), expected, "{address}");
        }
    }
}
