//! People and trial pull requests: they close, push to, merge and overtake them.

use crate::faults::Fault;
use crate::world::{BOT_BRANCH, MAINTAINER, OWNER, SimWorld};
use ralph_core::ids::RepoName;
use ralph_forge::{
    CloseReason, EditPull, GetPull, MergeMethod, MergeOrder, MergePull, PullEdit, SetDraft, Sha,
    StateChange,
};

impl SimWorld {
    /// A person closes a trial, pushes to it, or merges it, unless that would break the bot branch for all.
    pub(crate) fn meddle_with_trial(&mut self, repo: &RepoName) {
        let Some(view) = self.forge.open_trial(repo) else { return };
        let number = view.summary.issue.number;
        match self.prng.below(3) {
            0 => {
                let state = Some(StateChange::Close(CloseReason::NotPlanned));
                let edit = PullEdit { state, ..PullEdit::default() };
                self.act(MAINTAINER, repo, EditPull { number, edit });
            }
            1 => {
                self.commit_by_hand(repo, &view.summary.head, "by-hand.txt", "tried by hand");
            }
            _merge => {
                let head = view.summary.head_sha;
                let mut files = self.forge.files_at(repo, head);
                let is_broken = files.any(|(_, text)| text.contains("broken"));
                drop(files);
                if !is_broken {
                    self.act(OWNER, repo, SetDraft { number, draft: false });
                    let is_squash = self.prng.chance(500);
                    let method = if is_squash { MergeMethod::Squash } else { MergeMethod::Merge };
                    let order = MergeOrder { method, expected_head: None, message: None };
                    self.act(OWNER, repo, MergePull { number, order });
                    if is_squash {
                        self.note_squash(repo, number, head);
                    }
                }
            }
        }
    }

    /// Its members' own pull requests stay open: only the trial itself tells where they are.
    pub(crate) fn note_squash(&mut self, repo: &RepoName, number: u64, head: Sha) {
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return;
        };
        let Some(commit) = view.summary.merged.as_ref().map(|merged| merged.commit) else { return };
        self.faults.count(Fault::TrialSquashed);
        let trials = self.oracle.record.trials.iter_mut();
        for tried in trials.filter(|tried| tried.repo == *repo && tried.head == head) {
            tried.squashed = Some(commit);
        }
    }

    /// A person moves the bot branch on between Ralph's last look at it and the merge of what was tried.
    pub(crate) fn move_bot_at_the_last_moment(&mut self, repo: &RepoName) {
        let text = format!("moved {}", self.prng.below(1_000_000));
        self.trace.say(&format!("people: move the bot branch of {repo} at the last moment"));
        self.commit_by_hand(repo, BOT_BRANCH, "docs.txt", &text);
    }
}
