//! The labels of a repository: names compare case-insensitively and keep the case they were made in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::event::{EventKind, LabelAction};
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::{DetailCode, Refusal};
use super::reply::{Reply, Response};
use super::repository::Repository;
use super::turn::Turn;

/// GitHub's limit on label names, in characters.
const NAME_CHARACTERS_MAX: usize = 50;
/// GitHub's limit on label descriptions, in characters.
const DESCRIPTION_CHARACTERS_MAX: usize = 100;
/// The grey of labels that came into being by being added to an issue.
pub(super) const COLOR_DEFAULT: &str = "ededed";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub id: u64,
    pub name: String,
    /// Six hexadecimal digits.
    pub color: String,
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLabel {
    pub name: String,
    pub color: Option<String>,
    pub description: Option<String>,
}

/// Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelEdit {
    pub name: Option<String>,
    pub color: Option<String>,
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelCall {
    /// → `Labels`, by name
    List { page: Page },
    /// → `Label`
    Get { name: String },
    /// → `Label`
    Create(NewLabel),
    /// → `Label`
    Edit { name: String, edit: LabelEdit },
    /// → `Done`
    Delete { name: String },
    /// → `Labels`: those of an issue or pull
    ListOnIssue { number: u64, page: Page },
    /// → `Labels`: all that the issue has now
    Add { number: u64, names: Vec<String> },
    /// → `Labels`: those left
    Remove { number: u64, name: String },
    /// → `Labels`: exactly these, in this order of adding
    Set { number: u64, names: Vec<String> },
}

impl Turn<'_> {
    pub(super) fn label_call(&mut self, call: LabelCall) -> Response {
        match call {
            LabelCall::List { page } => {
                let repo = self.repo()?;
                let ids: Vec<u64> = repo.label_names.values().copied().collect();
                let labels: Vec<_> = ids.iter().filter_map(|id| repo.labels.get(id)).collect();
                Ok(Reply::Labels(Listing::of(&labels, page, |label| Arc::clone(label))))
            }
            LabelCall::Get { name } => Ok(Reply::Label(Arc::clone(self.repo()?.label(&name)?))),
            LabelCall::Create(label) => {
                self.need(Permission::Write)?;
                self.create_label(label).map(Reply::Label)
            }
            LabelCall::Edit { name, edit } => self.edit_label(&name, edit),
            LabelCall::Delete { name } => self.delete_label(&name),
            LabelCall::ListOnIssue { number, page } => self.labels_on_issue(number, page),
            LabelCall::Add { number, names } => self.add_labels(number, &names),
            LabelCall::Remove { number, name } => self.remove_label(number, &name),
            LabelCall::Set { number, names } => {
                self.issue(number)?;
                self.set_labels(self.key(number), &names)?;
                self.labels_on_issue(number, Page::largest())
            }
        }
    }

    pub(super) fn create_label(&mut self, new: NewLabel) -> Result<Arc<Label>, Refusal> {
        let color = new.color.unwrap_or_else(|| COLOR_DEFAULT.to_owned());
        check_label(&new.name, &color, new.description.as_deref())?;
        let refuses = self.holds(Behaviour::DuplicateLabelsAreRefused);
        if refuses && self.repo()?.label(&new.name).is_ok() {
            return Err(Refusal::invalid("Label", "name", DetailCode::AlreadyExists));
        }
        let (id, now) = (self.forge.next_id(), self.now);
        let label = Label { id, name: new.name, color, description: new.description };
        let label = Arc::new(label);
        let repo = self.repo_mut()?;
        let key = repo.label_key(&label.name);
        repo.label_names.insert(key, id);
        repo.labels.insert(id, Arc::clone(&label));
        repo.labels_changed_at.insert(id, now);
        self.announce_label(&label, LabelAction::Created, None);
        Ok(label)
    }

    fn edit_label(&mut self, name: &str, edit: LabelEdit) -> Response {
        self.need(Permission::Write)?;
        let repo = self.repo()?;
        let before = Arc::clone(repo.label(name)?);
        let mut label = Label::clone(&before);
        let old_key = repo.label_key(&label.name);
        label.name = edit.name.unwrap_or(label.name);
        label.color = edit.color.unwrap_or(label.color);
        if let Some(description) = edit.description {
            label.description = Some(description).filter(|words| !words.is_empty());
        }
        check_label(&label.name, &label.color, label.description.as_deref())?;
        let new_key = repo.label_key(&label.name);
        if new_key != old_key && repo.label(&label.name).is_ok() {
            return Err(Refusal::invalid("Label", "name", DetailCode::AlreadyExists));
        }
        let (label, now) = (Arc::new(label), self.now);
        let repo = self.repo_mut()?;
        repo.label_names.remove(&old_key);
        repo.label_names.insert(new_key, label.id);
        repo.labels.insert(label.id, Arc::clone(&label));
        repo.labels_changed_at.insert(label.id, now);
        self.announce_label(&label, LabelAction::Edited, Some(before));
        Ok(Reply::Label(label))
    }

    fn delete_label(&mut self, name: &str) -> Response {
        self.need(Permission::Write)?;
        let label = Arc::clone(self.repo()?.label(name)?);
        let repo = self.repo_mut()?;
        let key = repo.label_key(&label.name);
        repo.label_names.remove(&key);
        repo.labels.remove(&label.id);
        repo.labels_changed_at.remove(&label.id);
        for issue in repo.issues.values_mut() {
            issue.labels.retain(|id| *id != label.id);
        }
        self.announce_label(&label, LabelAction::Deleted, Some(Arc::clone(&label)));
        Ok(Reply::Done)
    }

    fn announce_label(&mut self, label: &Label, action: LabelAction, before: Option<Arc<Label>>) {
        self.emit(EventKind::Label { name: label.name.clone(), action, before });
    }
}

impl Repository {
    /// What names of labels are compared by.
    pub(super) fn label_key(&self, name: &str) -> String {
        if self.holds(Behaviour::LabelNamesIgnoreCase) {
            name.to_lowercase()
        } else {
            name.to_owned()
        }
    }

    /// A label by its name in any case.
    pub(super) fn label(&self, name: &str) -> Result<&Arc<Label>, Refusal> {
        let id = self.label_names.get(&self.label_key(name));
        id.and_then(|id| self.labels.get(id)).ok_or_else(Refusal::not_found)
    }
}

pub(super) fn check_label(
    name: &str,
    color: &str,
    description: Option<&str>,
) -> Result<(), Refusal> {
    let invalid = |field| Err(Refusal::invalid("Label", field, DetailCode::Invalid));
    if name.trim().is_empty() {
        return Err(Refusal::invalid("Label", "name", DetailCode::MissingField));
    }
    if name.chars().count() > NAME_CHARACTERS_MAX {
        return invalid("name");
    }
    if color.len() != 6 || !color.chars().all(|digit| digit.is_ascii_hexdigit()) {
        return invalid("color");
    }
    if description.is_some_and(|text| text.chars().count() > DESCRIPTION_CHARACTERS_MAX) {
        return invalid("description");
    }
    Ok(())
}
