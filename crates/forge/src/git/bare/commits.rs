//! Commits on disk: their metadata and ancestry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Bare;
use crate::git::Split;
use crate::git::commit::Commit;
use crate::git::fault::GitFault;
use crate::git::object;
use crate::git::sha::Sha;

/// The most commits of one side that are looked at one by one. GitHub shows 250 of a comparison.
const COMMITS_MAX: usize = 10_000;

impl Bare {
    pub(crate) fn commit(&self, sha: Sha) -> Result<Arc<Commit>, GitFault> {
        if let Some(known) = self.commits.get(sha) {
            return Ok(known);
        }
        let mut found = self.load(&[sha])?;
        found.pop().ok_or(GitFault::UnknownCommit(sha))
    }

    pub(crate) fn is_ancestor(&self, ancestor: Sha, descendant: Sha) -> Result<bool, GitFault> {
        const DOING: &str = "look for an ancestor";
        if ancestor == descendant {
            return Ok(true);
        }
        self.ancestry.or_ask((ancestor, descendant), || {
            let shas = [ancestor, descendant].map(|sha| sha.to_string());
            let [ancestor, descendant] = &shas;
            let arguments = ["merge-base", "--is-ancestor", ancestor, descendant];
            let ended = self.finish(DOING, self.git(arguments))?;
            match ended.status.code() {
                Some(0) => Ok(true),
                Some(1) => Ok(false),
                _failed => Err(self.failed(DOING, &ended)),
            }
        })
    }

    pub(crate) fn descendants(
        &self,
        ancestor: Sha,
        tips: &BTreeSet<Sha>,
    ) -> Result<BTreeSet<Sha>, GitFault> {
        let mut input = format!("^{ancestor}\n");
        input.extend(tips.iter().map(|tip| format!("{tip}\n")));
        let git = self.git(["rev-list", "--ancestry-path", "--stdin"]).input(input);
        let listed = self.succeed("look for descendants", git)?;
        let listed = String::from_utf8_lossy(&listed);
        let between: BTreeSet<Sha> = listed.lines().filter_map(|line| line.parse().ok()).collect();
        let holds = |tip: &&Sha| **tip == ancestor || between.contains(tip);
        Ok(tips.iter().filter(holds).copied().collect())
    }

    pub(crate) fn split(&self, left: Sha, right: Sha) -> Result<Split, GitFault> {
        let split = self.splits.or_ask((left, right), || self.compute_split(left, right))?;
        Ok((*split).clone())
    }

    fn compute_split(&self, left: Sha, right: Sha) -> Result<Arc<Split>, GitFault> {
        const DOING: &str = "compare two commits";
        for sha in [left, right] {
            self.commit(sha)?;
        }
        let range = format!("{left}...{right}");
        let arguments = ["rev-list", "--left-right", "--date-order", range.as_str()];
        let listed = self.answer(DOING, arguments)?;
        let listed = String::from_utf8_lossy(&listed);
        let on_right: Vec<&str> =
            listed.lines().filter_map(|line| line.strip_prefix('>')).collect();
        let behind = listed.lines().count() - on_right.len();
        let newest = on_right.iter().take(COMMITS_MAX).rev();
        let shas: Vec<Sha> = newest.filter_map(|sha| sha.parse().ok()).collect();
        Ok(Arc::new(Split {
            behind,
            ahead: on_right.len(),
            commits: self.load(&shas)?,
            merge_base: self.merge_base(left, right)?,
        }))
    }

    pub(super) fn merge_base(&self, left: Sha, right: Sha) -> Result<Option<Sha>, GitFault> {
        const DOING: &str = "look for the merge base";
        let shas = [left, right].map(|sha| sha.to_string());
        let [left, right] = &shas;
        let ended = self.finish(DOING, self.git(["merge-base", left, right]))?;
        match ended.status.code() {
            Some(0) => self.one_sha(DOING, &ended.output).map(Some),
            Some(1) => Ok(None),
            _failed => Err(self.failed(DOING, &ended)),
        }
    }

    /// Commits that `tips` do not lead to and whose messages may name an issue, oldest first.
    pub(crate) fn unseen(&self, tip: Sha, tips: &[Sha]) -> Result<Vec<Arc<Commit>>, GitFault> {
        const DOING: &str = "look for new commits";
        let most = format!("--max-count={COMMITS_MAX}");
        let arguments = ["rev-list", "--date-order", "--grep=#", "--stdin", most.as_str()];
        let mut input = format!("{tip}\n");
        input.extend(tips.iter().map(|known| format!("^{known}\n")));
        let listed = self.succeed(DOING, self.git(arguments).input(input))?;
        let listed = String::from_utf8_lossy(&listed);
        let shas: Vec<Sha> = listed.lines().rev().filter_map(|line| line.parse().ok()).collect();
        self.load(&shas)
    }

    pub(crate) fn log(&self, tip: Sha, path: Option<&str>) -> Result<Vec<Sha>, GitFault> {
        let tip = self.commit(tip)?.sha.to_string();
        let options = ["--literal-pathspecs", "rev-list", "--date-order", tip.as_str(), "--"];
        let listed = self.answer("list commits", options.into_iter().chain(path))?;
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// The commits of these names in their order; what is no commit is left out.
    fn load(&self, shas: &[Sha]) -> Result<Vec<Arc<Commit>>, GitFault> {
        const DOING: &str = "read commits";
        let unknown: Vec<Sha> =
            shas.iter().copied().filter(|sha| self.commits.get(*sha).is_none()).collect();
        let mut read = BTreeMap::new();
        if !unknown.is_empty() {
            let input: String = unknown.iter().map(|sha| format!("{sha}\n")).collect();
            let git = self.git(["cat-file", "--batch"]).input(input);
            let answer = self.succeed(DOING, git)?;
            for (sha, bytes) in batch(&answer) {
                if let Some(commit) = object::parse(sha, bytes) {
                    read.insert(sha, self.commits.keep(sha, Arc::new(commit)));
                }
            }
        }
        let find = |sha: &Sha| read.get(sha).cloned().or_else(|| self.commits.get(*sha));
        Ok(shas.iter().filter_map(find).collect())
    }
}

/// The commits in the answer of `cat-file --batch`: `sha type size`, the bytes, a line end.
fn batch(mut answer: &[u8]) -> Vec<(Sha, &[u8])> {
    let mut found = Vec::new();
    while let Some(end) = answer.iter().position(|byte| *byte == b'\n') {
        let Some((line, rest)) = answer.split_at_checked(end + 1) else { break };
        answer = rest;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        let sha = words.next().and_then(|word| word.parse::<Sha>().ok());
        let kind = words.next();
        let size = words.next().and_then(|word| word.parse::<usize>().ok());
        let (Some(sha), Some(kind), Some(size)) = (sha, kind, size) else { continue };
        let Some((bytes, rest)) = answer.split_at_checked(size) else { break };
        answer = rest.strip_prefix(b"\n").unwrap_or(rest);
        if kind == "commit" {
            found.push((sha, bytes));
        }
    }
    found
}
