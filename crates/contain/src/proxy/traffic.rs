//! The count of everything that was asked of a proxy, by host.

use crate::pump::Moved;
use std::collections::BTreeMap;
use std::fmt;

/// Hosts that are counted by name. A process that asks for more gets no more room for it; the rest has one common count.
const HOSTS_MAX: usize = 200;

/// The reason of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The request is none that a proxy understands, or has two meanings.
    Malformed,
    /// The host with this port is not on the list.
    NotListed,
    /// The name is on the list, and leads to an address of this machine or its network.
    NotPublic,
    /// Plain HTTP to a host other than a listed port of the loopback device.
    Plain,
    /// The name has no address.
    Unknown,
    /// No address of the host answers.
    Unreachable,
    /// Too many connections at once.
    Busy,
}

/// The requests that a proxy got so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// By host and port.
    pub allowed: BTreeMap<String, Passed>,
    /// By host and port, and reason.
    pub refused: BTreeMap<(String, Refusal), u64>,
    /// Requests for hosts that are not counted by name, because there are too many.
    pub uncounted: u64,
}

/// The use of one host that is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passed {
    pub connections: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
}

impl Refusal {
    /// The reason in words, to follow the name of the host.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "this is not a request that the proxy understands",
            Self::NotListed => "it is not on the list of allowed hosts",
            Self::NotPublic => {
                "its address belongs to this machine or its network, and is not on the list itself"
            }
            Self::Plain => "plain HTTP is let through to listed loopback ports only; use HTTPS",
            Self::Unknown => "the name has no address",
            Self::Unreachable => "it does not answer",
            Self::Busy => "too many connections are open",
        }
    }

    /// Tells whether the list of allowed hosts is the reason, and not the state of the network.
    #[must_use]
    pub const fn is_by_rule(self) -> bool {
        match self {
            Self::Malformed | Self::NotListed | Self::NotPublic | Self::Plain => true,
            Self::Unknown | Self::Unreachable | Self::Busy => false,
        }
    }
}

impl Traffic {
    /// Counts a connection that stands.
    pub(crate) fn allow(&mut self, host: &str) {
        if self.allowed.len() >= HOSTS_MAX && !self.allowed.contains_key(host) {
            self.uncounted += 1;
            return;
        }
        self.allowed.entry(host.to_owned()).or_default().connections += 1;
    }

    /// Counts what passed on a connection that is over.
    pub(crate) fn pass(&mut self, host: &str, moved: Moved) {
        if let Some(passed) = self.allowed.get_mut(host) {
            passed.bytes_sent += moved.there;
            passed.bytes_received += moved.back;
        }
    }

    pub(crate) fn refuse(&mut self, host: &str, why: Refusal) {
        let key = (host.to_owned(), why);
        if self.refused.len() >= HOSTS_MAX && !self.refused.contains_key(&key) {
            self.uncounted += 1;
            return;
        }
        *self.refused.entry(key).or_default() += 1;
    }

    /// Tells whether nothing was asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// The hosts that the rules refused, each with its reason; `None` without any.
    #[must_use]
    pub fn refusals(&self) -> Option<String> {
        let by_rule = self.refused.keys().filter(|(_, why)| why.is_by_rule());
        let lines: Vec<_> =
            by_rule.map(|(host, why)| format!("{host}: {}", why.reason())).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// One line for each host.
impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (host, Passed { connections, bytes_sent, bytes_received }) in &self.allowed {
            writeln!(
                f,
                "allowed {host}: {connections} connections, {bytes_sent} bytes sent, {bytes_received} received"
            )?;
        }
        for ((host, why), count) in &self.refused {
            writeln!(f, "refused {host}: {count} times, because {}", why.reason())?;
        }
        match self.uncounted {
            0 => Ok(()),
            more => writeln!(f, "{more} requests for further hosts"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_asks_for_countless_hosts_gets_no_more_room_for_it() {
        let mut traffic = Traffic::default();
        for number in 0..1_000 {
            traffic.refuse(&format!("{number}.example:443"), Refusal::NotListed);
        }
        traffic.refuse("0.example:443", Refusal::NotListed);
        assert_eq!((traffic.refused.len(), traffic.uncounted), (HOSTS_MAX, 800));
        assert_eq!(traffic.refused[&("0.example:443".to_owned(), Refusal::NotListed)], 2);
    }
}
