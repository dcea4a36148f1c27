//! The network of agents and commands: the rule that the operator chose, and the proxy that keeps it while they run.

mod known_hosts;

pub use known_hosts::{Ecosystem, provider_hosts};

use crate::private_files;
use ralph_contain::{HostList, HostRule, Network, Proxy};
use std::io;
use std::path::{Path, PathBuf};

/// The file in the folder of an attempt that says what its processes asked for.
const KEPT: &str = "network.txt";

/// The hosts that processes may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NetworkRule {
    /// What the machine reaches.
    #[default]
    Open,
    /// Nothing.
    None,
    /// The listed hosts, through a proxy of Ralph's.
    Hosts {
        hosts: Vec<HostRule>,
        /// And the registries of the ecosystems that the repository has files of.
        has_registries: bool,
    },
}

/// The network of a process while it runs.
#[derive(Debug)]
pub(crate) struct Reach {
    proxy: Option<Proxy>,
    network: Network,
    folder: PathBuf,
}

impl NetworkRule {
    /// The same rule without registries, for one who changes nothing.
    pub(crate) fn without_registries(&self) -> Self {
        match self {
            Self::Hosts { hosts, .. } => {
                Self::Hosts { hosts: hosts.clone(), has_registries: false }
            }
            Self::Open | Self::None => self.clone(),
        }
    }

    /// Opens the network for a process that works in `place`. The proxy, if there is one, has its socket in `folder`.
    pub(crate) fn open(&self, place: &Path, folder: &Path) -> io::Result<Reach> {
        let folder = folder.to_owned();
        let (hosts, has_registries) = match self {
            Self::Open => return Ok(Reach { proxy: None, network: Network::Host, folder }),
            Self::None => return Ok(Reach { proxy: None, network: Network::None, folder }),
            Self::Hosts { hosts, has_registries } => (hosts, *has_registries),
        };
        let found = if has_registries { Ecosystem::found_in(place) } else { Vec::new() };
        let registries = found.into_iter().flat_map(Ecosystem::registries);
        let list: HostList = hosts.iter().cloned().chain(registries).collect();
        let proxy = Proxy::start(&folder, list)?;
        Ok(Reach { network: proxy.network(), proxy: Some(proxy), folder })
    }
}

impl Reach {
    pub(crate) fn network(&self) -> Network {
        self.network.clone()
    }

    /// The hosts that were refused so far, in words that follow the reason of a failure; empty without any.
    pub(crate) fn refusals(&self) -> String {
        let refused = self.proxy.as_ref().and_then(|proxy| proxy.traffic().refusals());
        refused.map_or_else(String::new, |hosts| {
            format!("\nThe sandbox did not let through (see `allow_hosts`):\n{hosts}\n")
        })
    }
}

impl Drop for Reach {
    /// Keeps what was asked for beside the transcript.
    fn drop(&mut self) {
        let traffic = self.proxy.as_ref().map(Proxy::traffic).filter(|it| !it.is_empty());
        if let Some(traffic) = traffic {
            // A note for people: without it nothing else is different.
            drop(private_files::write(&self.folder.join(KEPT), traffic.to_string().as_bytes()));
        }
    }
}
