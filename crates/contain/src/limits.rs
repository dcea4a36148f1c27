//! Limits on what a run uses: its processes together, and each of them alone.
//!
//! The guard sets those that the kernel keeps for each process, and watches the others. There is no limit of address
//! space, because runtimes such as V8, Go and Bun reserve far more than they use.

use crate::ProcessTree;
use crate::pump::wait_to_read;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{Pid, Resource as Kernel, Rlimit, getpid, getrlimit, nice, setrlimit};
use std::ffi::OsString;
use std::fmt;
use std::os::fd::AsFd;
use std::time::Duration;

/// Time between two looks at the processes. One look takes a few milliseconds.
pub(crate) const LOOK: Duration = Duration::from_millis(500);
/// The longest message of a guard.
const MESSAGE_BYTES_MAX: usize = 100;
const MEGABYTE: u64 = 1_000_000;

/// The most that a run may use. What is not set has no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Resident memory of all processes together that is not shared with files.
    pub memory_bytes: Option<u64>,
    /// Processes at once.
    pub processes: Option<u64>,
    /// Open files of each process.
    pub open_files: Option<u64>,
    /// The size of each file that is written.
    pub file_bytes: Option<u64>,
    /// How far the processor is left to others, from 0 to 19.
    pub nice: Option<u64>,
}

/// A limit of a run that its processes went over together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overrun {
    pub resource: Resource,
    pub used: u64,
    pub limit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// In bytes.
    Memory,
    Processes,
}

impl Limits {
    const NAMES: [&'static str; 5] =
        ["--memory", "--processes", "--open-files", "--file-size", "--nice"];

    fn values(&mut self) -> [&mut Option<u64>; 5] {
        let Self { memory_bytes, processes, open_files, file_bytes, nice } = self;
        [memory_bytes, processes, open_files, file_bytes, nice]
    }

    /// The guard's arguments for these limits.
    pub(crate) fn words(mut self) -> Vec<OsString> {
        let pairs = Self::NAMES.into_iter().zip(self.values());
        let set = pairs.filter_map(|(name, value)| Some((name, (*value)?)));
        set.flat_map(|(name, value)| [name.into(), value.to_string().into()]).collect()
    }

    /// Takes up one of these arguments.
    pub(crate) fn take(&mut self, name: &str, value: &str) -> Option<()> {
        let at = Self::NAMES.iter().position(|own| *own == name)?;
        **self.values().get_mut(at)? = Some(value.parse().ok()?);
        Some(())
    }

    /// Sets the limits that the kernel keeps, for this process and those that it starts.
    pub(crate) fn set(&self) -> rustix::io::Result<()> {
        let each = [(Kernel::Nofile, self.open_files), (Kernel::Fsize, self.file_bytes)];
        for (resource, limit) in each {
            let Some(limit) = limit else { continue };
            // A limit above that of this process would need rights.
            let limit = getrlimit(resource).maximum.map_or(limit, |most| most.min(limit));
            setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
        }
        match self.nice.map(i32::try_from) {
            Some(Ok(by)) => nice(by).map(drop),
            Some(Err(_)) | None => Ok(()),
        }
    }

    /// Tells whether the guard has to look at the processes.
    pub(crate) const fn is_watched(&self) -> bool {
        self.memory_bytes.is_some() || self.processes.is_some()
    }

    /// Looks at everything below this process.
    pub(crate) fn look(&self) -> Option<Overrun> {
        let below = ProcessTree::read().below(getpid().as_raw_nonzero().get());
        let over = |resource, used: u64, limit: Option<u64>| {
            let limit = limit.filter(|limit| used > *limit)?;
            Some(Overrun { resource, used, limit })
        };
        let count = u64::try_from(below.len()).unwrap_or(u64::MAX);
        over(Resource::Processes, count, self.processes).or_else(|| {
            self.memory_bytes?;
            let used = below.iter().map(|pid| resident_bytes(*pid)).sum();
            over(Resource::Memory, used, self.memory_bytes)
        })
    }
}

/// Resident memory of a process without its shared parts, such as the code of programs.
fn resident_bytes(pid: i32) -> u64 {
    let Some(pid) = Pid::from_raw(pid) else { return 0 };
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero()));
    let statm = statm.unwrap_or_default();
    let mut pages = statm.split(' ').skip(1).map(|field| field.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
    resident.saturating_sub(shared).saturating_mul(page)
}

impl Overrun {
    /// Tells the starter, on the guard's end of the lifeline.
    pub(crate) fn report(&self, lifeline: impl AsFd) {
        let resource = match self.resource {
            Resource::Memory => "memory",
            Resource::Processes => "processes",
        };
        let message = format!("{resource} {} {}", self.used, self.limit);
        // A starter that is gone needs no reason.
        match send(lifeline, message.as_bytes(), SendFlags::NOSIGNAL) {
            Ok(_) | Err(_) => {}
        }
    }

    /// The reason that a guard has given before its end, if there is one.
    pub(crate) fn heard(lifeline: impl AsFd) -> Option<Self> {
        let mut message = [0; MESSAGE_BYTES_MAX];
        if !wait_to_read(&lifeline, None, Duration::ZERO) {
            return None;
        }
        let (count, _) = recv(lifeline, message.as_mut_slice(), RecvFlags::DONTWAIT).ok()?;
        Self::parse(std::str::from_utf8(message.get(..count)?).ok()?)
    }

    fn parse(message: &str) -> Option<Self> {
        let words: Vec<&str> = message.split(' ').collect();
        let &[resource, used, limit] = words.as_slice() else { return None };
        let resource = match resource {
            "memory" => Resource::Memory,
            "processes" => Resource::Processes,
            _other => return None,
        };
        Some(Self { resource, used: used.parse().ok()?, limit: limit.parse().ok()? })
    }
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, used, limit } = self;
        match resource {
            Resource::Memory => write!(
                f,
                "over the limit of memory: {} MB in use, {} MB allowed",
                used.div_ceil(MEGABYTE),
                limit / MEGABYTE
            ),
            Resource::Processes => {
                write!(f, "over the limit of processes: {used} at once, {limit} allowed")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_survive_the_way_to_the_guard() {
        let limits = Limits {
            memory_bytes: Some(1),
            processes: None,
            open_files: Some(3),
            file_bytes: Some(4),
            nice: Some(5),
        };
        let words: Vec<_> =
            limits.words().into_iter().map(|it| it.into_string().unwrap()).collect();
        let mut read = Limits::default();
        words.chunks(2).for_each(|pair| read.take(&pair[0], &pair[1]).unwrap());
        assert_eq!(read, limits);
        assert_eq!(Limits::default().words().len(), 0);
    }
}
