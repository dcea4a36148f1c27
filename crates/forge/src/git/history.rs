//! Walking two histories in memory until they meet.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Split;
use super::fault::GitFault;
use super::graph::{Graph, Node};
use super::sha::Sha;

const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const BOTH: u8 = LEFT | RIGHT;

/// Commits still to be looked at, the longest history first: when one comes up, everything that can
/// lead to it has been seen, so its sides are final.
#[derive(Default)]
pub(super) struct Walk {
    queue: BTreeMap<(u64, u64), (Arc<Node>, u8)>,
    /// Queued commits reached from one side only; the walk is over when none is left.
    one_sided: usize,
}

impl Walk {
    pub(super) fn between(graph: &Graph, left: Sha, right: Sha) -> Result<Split, GitFault> {
        let mut walk = Self::default();
        walk.reach(graph.node(left)?, LEFT);
        walk.reach(graph.node(right)?, RIGHT);
        let mut split = Split::default();
        while let Some((node, sides)) = walk.next() {
            match sides {
                LEFT => split.behind += 1,
                RIGHT => split.commits.push(Arc::clone(&node.commit)),
                _both => split.merge_base = split.merge_base.or(Some(node.commit.sha)),
            }
            for parent in &node.commit.parents {
                walk.reach(graph.node(*parent)?, sides);
            }
            if walk.one_sided == 0 && split.merge_base.is_some() {
                break;
            }
        }
        split.ahead = split.commits.len();
        split.commits.reverse();
        Ok(split)
    }

    fn reach(&mut self, node: &Arc<Node>, sides: u8) {
        let key = (node.generation, node.sequence);
        let entry = self.queue.entry(key).or_insert_with(|| (Arc::clone(node), 0));
        let before = entry.1;
        entry.1 |= sides;
        match (before, entry.1) {
            (0, LEFT | RIGHT) => self.one_sided += 1,
            (LEFT | RIGHT, BOTH) => self.one_sided -= 1,
            _unchanged => {}
        }
    }

    fn next(&mut self) -> Option<(Arc<Node>, u8)> {
        let (_key, (node, sides)) = self.queue.pop_last()?;
        if sides != BOTH {
            self.one_sided -= 1;
        }
        Some((node, sides))
    }
}
