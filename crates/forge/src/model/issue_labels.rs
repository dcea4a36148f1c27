//! Labels on issues and pulls.

use std::sync::Arc;

use super::behaviour::Behaviour;
use super::event::ThreadAction;
use super::labels::{COLOR_DEFAULT, Label, NewLabel, check_label};
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::timeline::TimelineEvent;
use super::turn::{IssueKey, Turn};

impl Turn<'_> {
    pub(super) fn labels_on_issue(&self, number: u64, page: Page) -> Response {
        let labels = self.labels_of(self.key(number))?;
        Ok(Reply::Labels(Listing::of(&labels, page, Arc::clone)))
    }

    pub(super) fn labels_of(&self, key: IssueKey) -> Result<Vec<Arc<Label>>, Refusal> {
        let repo = self.repo_at(key.repository)?;
        let ids = &self.issue_at(key)?.labels;
        Ok(ids.iter().filter_map(|id| repo.labels.get(id)).map(Arc::clone).collect())
    }

    pub(super) fn add_labels(&mut self, number: u64, names: &[String]) -> Response {
        self.issue(number)?;
        self.need(Permission::Triage)?;
        if self.check_names(names)? {
            self.need(Permission::Write)?;
        }
        self.put_labels(self.key(number), names)?;
        self.labels_on_issue(number, Page::largest())
    }

    /// Whether any of the names would make a new label, all of them being good names.
    pub(super) fn check_names(&self, names: &[String]) -> Result<bool, Refusal> {
        let repo = self.repo()?;
        let unknown = names.iter().filter(|name| repo.label(name).is_err());
        let checked = unknown.map(|name| check_label(name, COLOR_DEFAULT, None));
        Ok(!checked.collect::<Result<Vec<()>, Refusal>>()?.is_empty())
    }

    /// Adds labels without asking for rights; unknown ones come into being. One that is already
    /// there is no event and no change.
    pub(super) fn put_labels(&mut self, key: IssueKey, names: &[String]) -> Result<(), Refusal> {
        for name in names {
            let known = self.repo()?.label(name).map(Arc::clone);
            let label = match known {
                Ok(label) => label,
                Err(_unknown) if !self.holds(Behaviour::UnknownLabelsAreMade) => continue,
                Err(_unknown) => self.create_label(NewLabel {
                    name: name.clone(),
                    color: None,
                    description: None,
                })?,
            };
            if self.issue_at(key)?.labels.contains(&label.id) {
                continue;
            }
            self.touch(key)?.labels.push(label.id);
            self.record(key, TimelineEvent::Labeled(Arc::clone(&label)))?;
            self.emit_thread(key, ThreadAction::Labeled { label: label.name.clone() });
        }
        Ok(())
    }

    pub(super) fn remove_label(&mut self, number: u64, name: &str) -> Response {
        let key = self.key(number);
        let issue = self.issue(number)?;
        self.need(Permission::Triage)?;
        let label = self.repo()?.label(name).map(Arc::clone);
        let label = label.ok().filter(|label| issue.labels.contains(&label.id));
        if label.is_none() && !self.holds(Behaviour::AbsentLabelsCannotBeRemoved) {
            return self.labels_on_issue(number, Page::largest());
        }
        let label = label.ok_or_else(|| Refusal::absent("Label does not exist"))?;
        self.take_label(key, &label)?;
        self.labels_on_issue(number, Page::largest())
    }

    /// Makes these the labels of an issue: what is missing comes, what is too much goes.
    pub(super) fn set_labels(&mut self, key: IssueKey, names: &[String]) -> Result<(), Refusal> {
        self.need(Permission::Triage)?;
        if self.check_names(names)? {
            self.need(Permission::Write)?;
        }
        let wanted: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        for label in self.labels_of(key)? {
            if !wanted.contains(&label.name.to_lowercase()) {
                self.take_label(key, &label)?;
            }
        }
        self.put_labels(key, names)
    }

    fn take_label(&mut self, key: IssueKey, label: &Arc<Label>) -> Result<(), Refusal> {
        self.touch(key)?.labels.retain(|id| *id != label.id);
        self.record(key, TimelineEvent::Unlabeled(Arc::clone(label)))?;
        self.emit_thread(key, ThreadAction::Unlabeled { label: label.name.clone() });
        Ok(())
    }
}
