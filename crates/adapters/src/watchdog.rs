//! The watchdog of a turn. From the output of a process and from looks at its processes and files, it distinguishes
//! healthy work, quiet or loud, from a stall. At half of a limit it reports a suspicion, at the limit the turn ends.

mod edits;
mod repeats;

use crate::wall_clock::{self, span};
use edits::Edits;
use ralph_contain::{Moment, Monitor, Pid, ProcessTree};
use ralph_core::stall::{Stall, Suspicion};
use ralph_core::time::Span;
use repeats::Repeats;
use std::mem::discriminant;
use std::path::Path;
use std::time::Duration;

/// Processor time below this share of the idle limit is the stirring of a process that only waits.
const IDLE_SHARE: u32 = 100;
/// Looks within the shortest limit: a limit is kept to a twentieth.
const LOOKS_PER_LIMIT: u32 = 20;
/// Between two looks at most: often enough to see edits one by one.
const LOOK_MAX: Duration = Duration::from_secs(15);
/// Looking takes at most this share of the time, unless the pause would become so many times longer.
const LOOK_SHARE: u32 = 50;
const PAUSES_MAX: u32 = 4;

/// The limits of a turn that makes no progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StallLimits {
    /// Without output, a changed file or processor time.
    pub idle: Duration,
    /// With nothing but lines that were just written.
    pub repeats: Duration,
    /// Changes of one file with nothing run in between.
    pub edits: u32,
    /// Written in all.
    pub output_bytes: u64,
}

/// Generous: a stall costs minutes, a healthy turn that is ended costs all it did.
impl Default for StallLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_mins(5),
            repeats: Duration::from_mins(10),
            edits: 40,
            output_bytes: 256_000_000,
        }
    }
}

/// The judgement of the watchdog on a turn.
#[derive(Debug, PartialEq, Eq)]
enum Judgement {
    Fine,
    /// Told once, and again when it is over.
    Suspicious(Option<Suspicion>),
    Stalled(Stall),
}

/// Ends a turn that stalls, and reports a stall that may be about to happen.
pub(crate) struct StallMonitor<'a> {
    dog: Watchdog<'a>,
    report: &'a dyn Fn(Option<Suspicion>),
    /// The reason of the end.
    pub(crate) stall: Option<Stall>,
}

impl<'a> StallMonitor<'a> {
    pub(crate) fn new(
        limits: StallLimits,
        worktree: &'a Path,
        report: &'a dyn Fn(Option<Suspicion>),
    ) -> Self {
        Self { dog: Watchdog::new(limits, worktree), report, stall: None }
    }
}

impl Monitor for StallMonitor<'_> {
    fn hear(&mut self, bytes: &[u8]) {
        self.dog.hear(bytes);
    }

    fn left(&self) -> Duration {
        self.dog.left()
    }

    fn look(&mut self, root: Pid) -> bool {
        match self.dog.judge(root) {
            Judgement::Fine => {}
            Judgement::Suspicious(suspicion) => (self.report)(suspicion),
            Judgement::Stalled(stall) => self.stall = Some(stall),
        }
        self.stall.is_none()
    }
}

#[derive(Debug)]
struct Watchdog<'a> {
    limits: StallLimits,
    worktree: &'a Path,
    looked: Moment,
    pause: Duration,
    bytes: u64,
    quiet: Quiet,
    repeats: Repeats,
    edits: Edits,
    suspected: Option<Stall>,
}

/// The moment since which a process was quiet, and the processor time that it had used by then.
#[derive(Debug)]
struct Quiet {
    since: Moment,
    ticks: u64,
}

impl<'a> Watchdog<'a> {
    fn new(limits: StallLimits, worktree: &'a Path) -> Self {
        Self {
            limits,
            worktree,
            looked: Moment::now(),
            pause: pause_of(limits),
            bytes: 0,
            quiet: Quiet { since: Moment::now(), ticks: 0 },
            repeats: Repeats::new(),
            edits: Edits::new(),
            suspected: None,
        }
    }

    /// Time until the next look.
    fn left(&self) -> Duration {
        self.looked.left_of(self.pause)
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        self.quiet.since = Moment::now();
        self.repeats.hear(bytes);
    }

    /// Looks if it is time to, and judges.
    fn judge(&mut self, root: Pid) -> Judgement {
        if self.bytes > self.limits.output_bytes {
            return Judgement::Stalled(Stall::RunawayOutput { bytes: self.limits.output_bytes });
        }
        if !self.left().is_zero() {
            return Judgement::Fine;
        }
        let (began, longest) = (Moment::now(), pause_of(self.limits) * PAUSES_MAX);
        let root = root.as_raw_nonzero().get();
        let tree = ProcessTree::read();
        self.look(&tree, root);
        let stall = self.stall(&tree, root, 1);
        self.looked = Moment::now();
        self.pause = (began.elapsed() * LOOK_SHARE).clamp(pause_of(self.limits), longest);
        match stall {
            Some(stall) => Judgement::Stalled(stall),
            None => self.suspect(&tree, root),
        }
    }

    fn look(&mut self, tree: &ProcessTree, root: i32) {
        let ticks = tree.ticks_of(root);
        // What has ended meanwhile takes its time along: then it counts from here.
        self.quiet.ticks = self.quiet.ticks.min(ticks);
        let used = ticks - self.quiet.ticks;
        let seen = self.edits.look(self.worktree, tree, root);
        if seen.has_changed || used > ticks_of(self.limits.idle / IDLE_SHARE) {
            self.quiet = Quiet { since: Moment::now(), ticks };
        }
        self.repeats.look(ticks, seen.has_changed, self.limits.repeats);
    }

    /// The stall that is beyond this share of its limit: all of it, or half.
    fn stall(&self, tree: &ProcessTree, root: i32, share: u32) -> Option<Stall> {
        let StallLimits { idle, repeats, edits, output_bytes } = self.limits;
        let (idle, repeats, edits) = (idle / share, repeats / share, (edits / share).max(1));
        let quiet = self.quiet.since.elapsed();
        if quiet >= idle {
            let limit = span(idle);
            return Some(match tree.started_within(root, quiet) {
                Some(name) => Stall::HungTool { name, limit },
                None => Stall::Idle { limit },
            });
        }
        if self.repeats.last() >= repeats {
            return Some(Stall::RepeatedOutput { limit: span(repeats) });
        }
        let loops = self.edits.most().filter(|(_, count)| *count >= edits);
        if let Some((file, edits)) = loops {
            return Some(Stall::EditLoop { file, edits });
        }
        let bytes = output_bytes / u64::from(share);
        (self.bytes > bytes).then_some(Stall::RunawayOutput { bytes })
    }

    fn suspect(&mut self, tree: &ProcessTree, root: i32) -> Judgement {
        let stall = self.stall(tree, root, 2);
        let kind = |stall: &Option<Stall>| stall.as_ref().map(discriminant);
        if kind(&stall) == kind(&self.suspected) {
            return Judgement::Fine;
        }
        self.suspected.clone_from(&stall);
        let for_so_long = match &stall {
            Some(Stall::Idle { .. } | Stall::HungTool { .. }) => span(self.quiet.since.elapsed()),
            Some(Stall::RepeatedOutput { .. }) => span(self.repeats.last()),
            Some(Stall::EditLoop { .. } | Stall::RunawayOutput { .. } | Stall::Overtime { .. })
            | None => Span::ZERO,
        };
        let since = wall_clock::now().minus(for_so_long);
        Judgement::Suspicious(stall.map(|seen| Suspicion { seen, since }))
    }
}

/// Between two looks, if they are quick.
fn pause_of(limits: StallLimits) -> Duration {
    (limits.idle.min(limits.repeats) / LOOKS_PER_LIMIT).min(LOOK_MAX)
}

/// A time as the kernel counts processor time.
fn ticks_of(time: Duration) -> u64 {
    let ticks = time.as_millis() * u128::from(rustix::param::clock_ticks_per_second()) / 1_000;
    u64::try_from(ticks).unwrap_or(u64::MAX)
}
