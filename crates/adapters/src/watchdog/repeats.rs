//! The detection of new output. A line that is among the last ones is not new.

use ralph_contain::Moment;
use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::time::Duration;

/// Different lines that are remembered: the longest loop that is seen as one.
const LINES_KEPT: usize = 64;
/// Fewer repetitions are a heartbeat, such as "still running" every ten seconds.
const REPEATS_MIN: u32 = 100;
/// A process that uses more than this share of a processor is at work, even if it repeats itself.
const WORK_SHARE: u32 = 4;
/// Less processor time than this is too little to tell, unless the limit itself is that short.
const WORK_MIN: Duration = Duration::from_secs(1);
/// A longer line is compared by its beginning.
const LINE_BYTES_MAX: usize = 4_096;
/// More output between two looks is not compared line by line: that would occupy a processor, and the limit on output
/// is near.
const FLOOD_BYTES: usize = 1_000_000;

#[derive(Debug)]
pub(super) struct Repeats {
    line: Vec<u8>,
    heard: usize,
    kept: VecDeque<u64>,
    repeated: u32,
    since: Moment,
    /// Processor time when nothing new began to come.
    ticks: Option<u64>,
}

impl Repeats {
    pub(super) fn new() -> Self {
        let kept = VecDeque::with_capacity(LINES_KEPT);
        Self { line: Vec::new(), heard: 0, kept, repeated: 0, since: Moment::now(), ticks: None }
    }

    pub(super) fn hear(&mut self, bytes: &[u8]) {
        self.heard = self.heard.saturating_add(bytes.len());
        if self.heard > FLOOD_BYTES {
            return;
        }
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = LINE_BYTES_MAX.saturating_sub(self.line.len());
            self.line.extend(piece.iter().take(room));
            if pieces.peek().is_some() {
                self.take_line();
            }
        }
    }

    fn take_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        // A line that is drawn again and again shows only that the process waits.
        let line = line.rsplit(|byte| *byte == b'\r').next().unwrap_or_default().trim_ascii();
        if line.is_empty() {
            return;
        }
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        let hash = hasher.finish();
        if self.kept.contains(&hash) {
            self.repeated = self.repeated.saturating_add(1);
            return;
        }
        if self.kept.len() >= LINES_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(hash);
        self.begin();
    }

    fn begin(&mut self) {
        (self.repeated, self.since, self.ticks) = (0, Moment::now(), None);
    }

    /// A changed file is something new, and so is work that the same lines merely go along with.
    pub(super) fn look(&mut self, ticks: u64, has_changed: bool, limit: Duration) {
        let is_flood = std::mem::take(&mut self.heard) > FLOOD_BYTES;
        let used = ticks.saturating_sub(*self.ticks.get_or_insert(ticks));
        let least = WORK_MIN.min(limit / WORK_SHARE);
        let share = self.since.elapsed() / WORK_SHARE;
        if is_flood || has_changed || used > super::ticks_of(share.max(least)) {
            self.begin();
        }
    }

    /// For how long nothing but repetitions has come; zero while there are too few to tell.
    pub(super) fn last(&self) -> Duration {
        if self.repeated < REPEATS_MIN { Duration::ZERO } else { self.since.elapsed() }
    }
}
