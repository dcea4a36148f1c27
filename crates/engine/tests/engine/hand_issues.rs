//! The issues of the forge that is moved by hand: who opens them, and what people make of them.

use crate::hand_forge::{BOT, HandForge};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_engine::ports::ForgeIssue;
use std::collections::BTreeSet;

impl HandForge {
    /// A person opens an issue.
    pub(crate) fn opens(&mut self, key: &IssueKey, title: &str, body: &str) {
        self.is_opened_by("alice", key, title, body);
    }

    pub(crate) fn is_opened_by(&mut self, author: &str, key: &IssueKey, title: &str, body: &str) {
        let issue = ForgeIssue {
            key: key.clone(),
            title: title.into(),
            body: body.to_owned(),
            open: true,
            author: Login::new(author),
            labels: BTreeSet::new(),
            updated: self.now,
            has_relations: false,
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

    /// Ralph opens an issue of its own.
    pub(crate) fn writes_issue(&mut self, repo: &RepoName, title: &str, body: &str) -> u64 {
        let number = 200 + self.issues.len() as u64;
        self.is_opened_by(BOT, &IssueKey::new(repo.clone(), number), title, body);
        number
    }
}
