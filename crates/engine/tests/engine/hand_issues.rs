//! Issues and pull requests of the forge that is moved by hand: opening them, and what people do to them.

use crate::hand_forge::{BOT, HandForge};
use ralph_core::digest::Digest;
use ralph_core::ids::{CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::pull::{Mergeable, Pull, PullState};
use ralph_engine::ports::{
    ForgeComment, ForgeIssue, FoundMark, LabelEvent, NewMark, NewPull, RelationCount,
};
use std::collections::BTreeSet;

impl HandForge {
    /// A person puts a label on an issue.
    pub(crate) fn labels(&mut self, key: &IssueKey, label: &str) {
        self.set_label(key, label, "alice", true);
    }

    /// A person adds or removes a label.
    pub(crate) fn person_labels(&mut self, who: &str, key: &IssueKey, label: &str, on: bool) {
        self.set_label(key, label, who, on);
    }

    /// Setting a label that is there, or removing one that is not, leaves no event.
    pub(crate) fn set_label(&mut self, key: &IssueKey, label: &str, actor: &str, is_added: bool) {
        if self.issues[key].labels.contains(label) == is_added {
            return;
        }
        let id = 1 + self.events.len() as u64;
        let (at, actor) = (self.now, Login::new(actor));
        let event = LabelEvent { id, at, actor, label: label.into(), is_added };
        self.events.push((key.clone(), event));
        let issue = self.issues.get_mut(key).unwrap();
        issue.updated = at;
        if is_added {
            issue.labels.insert(label.into());
        } else {
            issue.labels.remove(label);
        }
    }

    /// A person opens a pull request.
    pub(crate) fn proposes(&mut self, who: &str, new: &NewPull<'_>) -> Pull {
        let number = PullNumber(50 + self.pulls.len() as u64);
        let head = Sha::new(match (new.base.as_str(), new.head.as_str()) {
            ("main", _) => "bot-1",
            (_, "ralph/sync-main-1") => "main-1",
            _task => "head-1",
        });
        let pull = Pull {
            number,
            head,
            base: new.base.clone(),
            state: PullState::Open,
            mergeable: Mergeable::Clean,
            checks: None,
            read_at: self.now,
        };
        self.pulls.insert(number.0, pull.clone());
        let (from, text) = (new.head.clone(), new.body.to_owned());
        self.opened.insert(number, (Login::new(who), from, text));
        pull
    }

    /// A person opens an issue.
    pub(crate) fn opens(&mut self, key: &IssueKey, title: &str, body: &str) {
        self.person_opens("alice", key, title, body);
    }

    pub(crate) fn person_opens(&mut self, author: &str, key: &IssueKey, title: &str, body: &str) {
        let issue = ForgeIssue {
            key: key.clone(),
            title: title.into(),
            body: body.to_owned(),
            open: true,
            author: Login::new(author),
            labels: BTreeSet::new(),
            updated: self.now,
            relations: RelationCount::Zero,
            is_pull: false,
        };
        self.issues.insert(key.clone(), issue);
    }

    /// A person leaves an issue with exactly these labels, open or closed, with this body.
    pub(crate) fn rewrites(&mut self, key: &IssueKey, labels: &[&str], open: bool, body: &str) {
        let before = self.issues[key].labels.clone();
        for gone in before.iter().filter(|label| !labels.contains(&label.as_ref())) {
            self.set_label(key, gone, "alice", false);
        }
        for new in labels.iter().filter(|label| !before.contains(**label)) {
            self.set_label(key, new, "alice", true);
        }
        let issue = self.issues.get_mut(key).unwrap();
        (issue.open, issue.updated) = (open, self.now);
        body.clone_into(&mut issue.body);
    }

    /// A person writes a comment.
    pub(crate) fn says(&mut self, who: &str, key: &IssueKey, body: &str) -> CommentId {
        let id = CommentId(100 + self.comments.len() as u64);
        let (author, body, created) = (Login::new(who), body.to_owned(), self.now);
        let comment = ForgeComment { id, author, body, created, updated: created };
        self.comments.push((key.clone(), comment));
        id
    }

    /// A person edits a comment.
    pub(crate) fn rewords(&mut self, id: CommentId, body: &str) {
        let found = self.comments.iter_mut().find(|(_, comment)| comment.id == id);
        let (_, comment) = found.unwrap();
        body.clone_into(&mut comment.body);
        comment.updated = self.now;
    }

    /// The issue is closed, whatever the cause.
    pub(crate) fn closes(&mut self, key: &IssueKey) {
        let issue = self.issues.get_mut(key).unwrap();
        (issue.open, issue.updated) = (false, self.now);
    }

    /// Ralph itself opens an issue.
    pub(crate) fn writes_issue(&mut self, repo: &RepoName, title: &str, body: &str) -> u64 {
        let number = 200 + self.issues.len() as u64;
        self.person_opens(BOT, &IssueKey::new(repo.clone(), number), title, body);
        number
    }
}

impl HandForge {
    /// A mark replaces the given one, or is the first.
    pub(crate) fn puts_mark(&mut self, repo: &RepoName, new: &NewMark<'_>) -> Option<Sha> {
        if self.marks.get(repo).map(|mark| &mark.commit) != new.over {
            return None;
        }
        let commit = Sha::new(&format!("mark-{}", Digest::of(new.message)));
        let message = new.message.to_owned();
        self.marks.insert(repo.clone(), FoundMark { commit: commit.clone(), message });
        Some(commit)
    }
}
