//! Commits made on disk: trial merges, merge commits, and commits made again elsewhere.

use std::sync::Arc;

use super::Bare;
use crate::git::Replayed;
use crate::git::commit::{Commit, Content, NewCommit, email_of};
use crate::git::fault::GitFault;
use crate::git::object::{self, Author};
use crate::git::sha::Sha;
use crate::git::trial::Trial;

impl Bare {
    pub(crate) fn trial(&self, base: Sha, head: Sha) -> Result<Arc<Trial>, GitFault> {
        self.trials.or_ask((base, head), || {
            for sha in [base, head] {
                self.commit(sha)?;
            }
            self.merge_tree(base, head).map(Arc::new)
        })
    }

    fn merge_tree(&self, ours: Sha, theirs: Sha) -> Result<Trial, GitFault> {
        const DOING: &str = "try a merge";
        let shas = [ours, theirs].map(|sha| sha.to_string());
        let options =
            ["merge-tree", "--write-tree", "-z", "--name-only", "--allow-unrelated-histories"];
        let ended = self
            .finish(DOING, self.git(options.into_iter().chain(shas.iter().map(String::as_str))))?;
        let answer = String::from_utf8_lossy(&ended.output);
        let mut fields = answer.split('\0');
        let tree = fields.next().unwrap_or_default();
        match ended.status.code() {
            Some(0) => self.one_sha(DOING, tree.as_bytes()).map(Trial::Clean),
            Some(1) => {
                let paths = fields.take_while(|path| !path.is_empty());
                Ok(Trial::Conflict(paths.map(Arc::from).collect()))
            }
            _failed => Err(self.failed(DOING, &ended)),
        }
    }

    pub(crate) fn add(&self, new: NewCommit) -> Result<Sha, GitFault> {
        let NewCommit { parents, content, message, author, at } = new;
        for parent in &parents {
            self.commit(*parent)?;
        }
        let tree = match content {
            Content::Whole(tree) => tree,
            Content::Changes(changes) => self.changed_tree(parents.first().copied(), &changes)?,
        };
        let email = email_of(&author);
        let author = Author { name: &author, email: &email, at };
        self.write_commit(&object::write(tree, &parents, &author, &message, at))
    }

    fn write_commit(&self, bytes: &[u8]) -> Result<Sha, GitFault> {
        const DOING: &str = "write a commit";
        let arguments = ["hash-object", "-t", "commit", "-w", "--stdin"];
        self.one_sha(DOING, &self.succeed(DOING, self.git(arguments).input(bytes))?)
    }

    pub(crate) fn replay(
        &self,
        commits: &[Arc<Commit>],
        onto: Sha,
        at: u64,
    ) -> Result<Replayed, GitFault> {
        let mut tip = onto;
        for commit in commits.iter().filter(|commit| commit.parents.len() < 2) {
            let author =
                Author { name: &commit.author, email: &commit.email, at: commit.authored_at };
            // A stand-in with the tip's files and the commit's parent makes that parent the base of
            // the merge, which merge-tree can be told directly only since git 2.40.
            let tree = self.commit(tip)?.tree;
            let stand_in = object::write(tree, &commit.parents, &author, "Stand-in", at);
            let stand_in = self.write_commit(&stand_in)?;
            let tree = match self.merge_tree(stand_in, commit.sha)? {
                Trial::Clean(tree) => tree,
                Trial::Conflict(_paths) => return Ok(Replayed::Conflict),
            };
            tip = self.write_commit(&object::write(tree, &[tip], &author, &commit.message, at))?;
        }
        Ok(Replayed::Onto(tip))
    }
}
