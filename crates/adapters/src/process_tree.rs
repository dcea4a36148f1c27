//! Which processes descend from which, and how much processor time they have used, as `/proc` tells it.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// All processes at one moment.
#[derive(Debug, Default)]
pub(crate) struct ProcessTree(BTreeMap<i32, Process>);

#[derive(Debug, Clone, Copy)]
struct Process {
    parent: i32,
    /// Its own time and that of the children it has waited for, in clock ticks.
    ticks: u64,
}

impl ProcessTree {
    /// A process that ends while this is read is left out.
    pub(crate) fn read() -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, Process::parse(&stat)?))
        });
        Self(processes.collect())
    }

    /// Everything that descends from `root`, without `root` itself.
    pub(crate) fn below(&self, root: i32) -> BTreeSet<i32> {
        let mut found = BTreeSet::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            let children = self.0.iter().filter(|(_, process)| process.parent == parent);
            parents.extend(children.map(|(pid, _)| *pid).filter(|pid| found.insert(*pid)));
        }
        found
    }

    /// Processor time of `root` and everything below it.
    pub(crate) fn ticks_of(&self, root: i32) -> u64 {
        let mut all = self.below(root);
        all.insert(root);
        all.iter().filter_map(|pid| self.0.get(pid)).map(|process| process.ticks).sum()
    }
}

/// Sends a signal to everything below `root` but `spared`. One that has just ended is no failure.
pub(crate) fn signal_below(root: Pid, signal: Signal, spared: Option<Pid>) {
    let spared = spared.map(Pid::as_raw_nonzero).map(std::num::NonZero::get);
    for pid in ProcessTree::read().below(root.as_raw_nonzero().get()) {
        if Some(pid) != spared
            && let Some(pid) = Pid::from_raw(pid)
        {
            match kill_process(pid, signal) {
                Ok(()) | Err(_) => {}
            }
        }
    }
}

/// Sends a signal to a process group. One that is gone is no failure.
pub(crate) fn signal_group(leader: Pid, signal: Signal) {
    match kill_process_group(leader, signal) {
        Ok(()) | Err(_) => {}
    }
}

impl Process {
    /// Reads a line of `/proc/<pid>/stat`. The name in it may contain anything, so what counts begins after
    /// the last bracket.
    fn parse(stat: &str) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let ticks = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
        Some(Self { parent: fields.get(1)?.parse().ok()?, ticks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let stat = "12 (a) b) R 7 12 12 0 -1 4194304 90 0 0 0 3 4 5 6 20 0 1 0 99 0";
        let process = Process::parse(stat).unwrap();
        assert_eq!((process.parent, process.ticks), (7, 18));
    }

    #[test]
    fn grandchildren_descend_too() {
        let process = |parent| Process { parent, ticks: 1 };
        let tree = ProcessTree(
            [(2, process(1)), (3, process(2)), (4, process(3)), (5, process(1))].into(),
        );
        assert_eq!(tree.below(2), [3, 4].into());
        assert_eq!(tree.ticks_of(2), 3);
    }
}
