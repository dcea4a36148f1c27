//! The tree of processes, with their age and processor time, read from `/proc`.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

/// Processes that belong to the start of a command, such as its containment, start within this time.
const START: Duration = Duration::from_secs(1);
/// The output of a command announces a tool a little before or after the tool starts.
const TOOL: Duration = Duration::from_secs(2);

/// All processes at one moment.
#[derive(Debug, Default)]
pub struct ProcessTree {
    all: BTreeMap<i32, Process>,
    /// Time since the machine was started, in clock ticks.
    uptime: u64,
}

#[derive(Debug, Clone)]
struct Process {
    name: String,
    parent: i32,
    /// It has ended, and its parent has not collected it yet.
    is_zombie: bool,
    /// Its own time and that of the children it has waited for, in clock ticks.
    ticks: u64,
    /// That of the children alone.
    ended_ticks: u64,
    /// The moment of its start, in clock ticks since that of the machine.
    started: u64,
}

impl ProcessTree {
    /// Reads all processes, except for those that end meanwhile.
    #[must_use]
    pub fn read() -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, Process::parse(&stat)?))
        });
        let uptime = fs::read_to_string("/proc/uptime").unwrap_or_default();
        Self { all: processes.collect(), uptime: uptime_ticks(&uptime).unwrap_or_default() }
    }

    /// Everything that descends from `root`, without `root` itself.
    #[must_use]
    pub fn below(&self, root: i32) -> BTreeSet<i32> {
        let mut found = BTreeSet::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            let children = self.all.iter().filter(|(_, process)| process.parent == parent);
            parents.extend(children.map(|(pid, _)| *pid).filter(|pid| found.insert(*pid)));
        }
        found
    }

    /// Processor time of `root` and everything below it.
    #[must_use]
    pub fn ticks_of(&self, root: i32) -> u64 {
        self.whole(root).map(|process| process.ticks).sum()
    }

    /// Processor time of the processes below `root` that have ended.
    #[must_use]
    pub fn ended_ticks_of(&self, root: i32) -> u64 {
        self.whole(root).map(|process| process.ended_ticks).sum()
    }

    fn whole(&self, root: i32) -> impl Iterator<Item = &Process> {
        let mut all = self.below(root);
        all.insert(root);
        all.into_iter().filter_map(|pid| self.all.get(&pid))
    }

    #[must_use]
    pub fn age_of(&self, pid: i32) -> Option<Duration> {
        let ticks = self.uptime.saturating_sub(self.all.get(&pid)?.started);
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Some(Duration::from_millis(ticks.saturating_mul(1_000) / per_second))
    }

    /// The name of the youngest process below `root` that was started within this time, and not with `root` itself.
    #[must_use]
    pub fn started_within(&self, root: i32, time: Duration) -> Option<String> {
        let limit = self.age_of(root)?.saturating_sub(START).min(time + TOOL);
        let below = self.below(root).into_iter();
        let aged = below.filter_map(|pid| Some((self.age_of(pid)?, self.all.get(&pid)?)));
        let young = aged.filter(|(age, _)| *age <= limit).min_by_key(|(age, _)| *age)?;
        Some(young.1.name.clone())
    }
}

/// Sends a signal to everything below `root` except `spared`, and tells whether anything lived there. A process that has
/// just ended is no failure.
pub(crate) fn signal_below(root: Pid, signal: Signal, spared: Option<Pid>) -> bool {
    let spared = spared.map(Pid::as_raw_nonzero).map(std::num::NonZero::get);
    let tree = ProcessTree::read();
    let is_alive = |pid: &i32| tree.all.get(pid).is_some_and(|process| !process.is_zombie);
    let below = tree.below(root.as_raw_nonzero().get()).into_iter();
    let living: Vec<_> = below.filter(|pid| Some(*pid) != spared && is_alive(pid)).collect();
    for pid in living.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        match kill_process(pid, signal) {
            Ok(()) | Err(_) => {}
        }
    }
    !living.is_empty()
}

/// Sends a signal to a process group. A group that is gone is no failure.
pub(crate) fn signal_group(leader: Pid, signal: Signal) {
    match kill_process_group(leader, signal) {
        Ok(()) | Err(_) => {}
    }
}

impl Process {
    /// Reads a line of `/proc/<pid>/stat`. The name in it may contain anything, so the fields begin after the last bracket.
    fn parse(stat: &str) -> Option<Self> {
        let (name, fields) = stat.rsplit_once(") ")?;
        let (_, name) = name.split_once('(')?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let ended_ticks = number(13)? + number(14)?;
        Some(Self {
            name: name.to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            is_zombie: fields.first() == Some(&"Z"),
            ticks: number(11)? + number(12)? + ended_ticks,
            ended_ticks,
            started: number(19)?,
        })
    }
}

/// Reads `/proc/uptime`: seconds with two places.
fn uptime_ticks(text: &str) -> Option<u64> {
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    let (seconds, hundredths) = (seconds.parse::<u64>().ok()?, hundredths.parse::<u64>().ok()?);
    let per_second = rustix::param::clock_ticks_per_second();
    Some(seconds.saturating_mul(per_second) + hundredths.saturating_mul(per_second) / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let stat = "12 (a) b) R 7 12 12 0 -1 4194304 90 0 0 0 3 4 5 6 20 0 1 0 99 0";
        let process = Process::parse(stat).unwrap();
        assert_eq!((process.parent, process.ticks, process.ended_ticks), (7, 18, 11));
        assert_eq!((process.name.as_str(), process.started), ("a) b", 99));
    }

    #[test]
    fn grandchildren_descend_too() {
        let process = |parent| Process {
            name: String::new(),
            parent,
            is_zombie: false,
            ticks: 1,
            ended_ticks: 0,
            started: 0,
        };
        let all = [(2, process(1)), (3, process(2)), (4, process(3)), (5, process(1))].into();
        let tree = ProcessTree { all, uptime: 0 };
        assert_eq!(tree.below(2), [3, 4].into());
        assert_eq!(tree.ticks_of(2), 3);
    }
}
