//! Labels on issues and pulls.

use std::sync::Arc;

use super::context::Context;
use super::event::ThreadAction;
use super::issues::IssueKey;
use super::labels::{COLOR_DEFAULT, Label, NewLabel, check_label};
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use super::timeline::TimelineEvent;

operations! {
    /// Returns the labels of an issue or pull.
    ListIssueLabels { number: u64, page: Page }
    /// Adds labels and returns all that the issue has now.
    AddLabels { number: u64, names: Vec<String> }
    /// Removes a label and returns those that are left.
    RemoveLabel { number: u64, name: String }
    /// Gives an issue exactly these labels, in this order of adding, and returns them.
    SetLabels { number: u64, names: Vec<String> }
}

impl Repository {
    pub(super) fn labels_of(&self, number: u64) -> Result<Vec<Arc<Label>>, Refusal> {
        let ids = &self.issue(number)?.labels;
        Ok(ids.iter().filter_map(|id| self.labels.get(id)).map(Arc::clone).collect())
    }

    fn list_labels_of(&self, number: u64, page: Page) -> Result<Listing<Arc<Label>>, Refusal> {
        Ok(Listing::of(&self.labels_of(number)?, page, Arc::clone))
    }

    /// Returns whether any of the names would make a new label; refuses invalid names.
    pub(super) fn check_names(&self, names: &[String]) -> Result<bool, Refusal> {
        let unknown = names.iter().filter(|name| self.label(name).is_err());
        let checked = unknown.map(|name| check_label(name, COLOR_DEFAULT, None));
        Ok(!checked.collect::<Result<Vec<()>, Refusal>>()?.is_empty())
    }
}

impl Operation for ListIssueLabels {
    type Reply = Listing<Arc<Label>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Label>>, Refusal> {
        context.repo()?.list_labels_of(self.number, self.page)
    }
}

impl Operation for AddLabels {
    type Reply = Listing<Arc<Label>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Label>>, Refusal> {
        let Self { number, names } = self;
        context.repo()?.issue(number)?;
        context.need_to_label(&names)?;
        context.put_labels(context.key(number), &names)?;
        context.repo()?.list_labels_of(number, Page::largest())
    }
}

impl Operation for RemoveLabel {
    type Reply = Listing<Arc<Label>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Label>>, Refusal> {
        let Self { number, name } = self;
        let issue = context.repo()?.issue(number)?;
        context.need(Permission::Triage)?;
        let label = context.repo()?.label(&name).map(Arc::clone);
        let label = label.ok().filter(|label| issue.labels.contains(&label.id));
        let label = label.ok_or_else(|| Refusal::absent("Label does not exist"))?;
        context.take_label(context.key(number), &label)?;
        context.repo()?.list_labels_of(number, Page::largest())
    }
}

impl Operation for SetLabels {
    type Reply = Listing<Arc<Label>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Label>>, Refusal> {
        context.repo()?.issue(self.number)?;
        context.set_labels(context.key(self.number), &self.names)?;
        context.repo()?.list_labels_of(self.number, Page::largest())
    }
}

impl Context<'_> {
    /// Labelling needs triage, and making a label write access.
    fn need_to_label(&self, names: &[String]) -> Result<(), Refusal> {
        self.need(Permission::Triage)?;
        if self.repo()?.check_names(names)? { self.need(Permission::Write) } else { Ok(()) }
    }

    /// Adds labels without asking for rights, and makes those that do not exist. A label that the
    /// issue has already is no event and no change.
    pub(super) fn put_labels(&mut self, key: IssueKey, names: &[String]) -> Result<(), Refusal> {
        for name in names {
            let known = self.repo()?.label(name).map(Arc::clone);
            let label = match known {
                Ok(label) => label,
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

    /// Gives an issue exactly these labels: removes the others and adds the missing ones.
    pub(super) fn set_labels(&mut self, key: IssueKey, names: &[String]) -> Result<(), Refusal> {
        self.need_to_label(names)?;
        let wanted: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        for label in self.repo()?.labels_of(key.number)? {
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
