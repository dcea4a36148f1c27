//! The labels of a repository: names compare case-insensitively and keep the case they were made in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::{EventKind, LabelAction};
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::{DetailCode, Refusal};
use super::repository::Repository;
use super::request::{Operation, operations};

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
pub struct CreateLabel(pub NewLabel);

operations! {
    /// Returns the labels of the repository by name.
    ListLabels { page: Page }
    GetLabel { name: String }
    EditLabel { name: String, edit: LabelEdit }
    DeleteLabel { name: String }
}

impl Operation for ListLabels {
    type Reply = Listing<Arc<Label>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Label>>, Refusal> {
        let repo = context.repo()?;
        let ids = repo.label_names.values();
        let labels: Vec<_> = ids.filter_map(|id| repo.labels.get(id)).collect();
        Ok(Listing::of(&labels, self.page, |label| Arc::clone(label)))
    }
}

impl Operation for GetLabel {
    type Reply = Arc<Label>;

    fn run(self, context: &mut Context<'_>) -> Result<Arc<Label>, Refusal> {
        context.repo()?.label(&self.name).map(Arc::clone)
    }
}

impl Operation for CreateLabel {
    type Reply = Arc<Label>;

    fn run(self, context: &mut Context<'_>) -> Result<Arc<Label>, Refusal> {
        context.need(Permission::Write)?;
        context.create_label(self.0)
    }
}

impl Operation for EditLabel {
    type Reply = Arc<Label>;

    fn run(self, context: &mut Context<'_>) -> Result<Arc<Label>, Refusal> {
        let Self { name, edit } = self;
        context.need(Permission::Write)?;
        let repo = context.repo()?;
        let before = Arc::clone(repo.label(&name)?);
        let mut label = Label::clone(&before);
        let old_key = label.name.to_lowercase();
        label.name = edit.name.unwrap_or(label.name);
        label.color = edit.color.unwrap_or(label.color);
        if let Some(description) = edit.description {
            label.description = Some(description).filter(|words| !words.is_empty());
        }
        check_label(&label.name, &label.color, label.description.as_deref())?;
        let new_key = label.name.to_lowercase();
        if new_key != old_key && repo.label(&label.name).is_ok() {
            return Err(Refusal::invalid("Label", "name", DetailCode::AlreadyExists));
        }
        let (label, now) = (Arc::new(label), context.now);
        let repo = context.repo_mut()?;
        repo.label_names.remove(&old_key);
        repo.label_names.insert(new_key, label.id);
        repo.labels.insert(label.id, Arc::clone(&label));
        repo.labels_changed_at.insert(label.id, now);
        context.announce_label(&label, LabelAction::Edited, Some(before));
        Ok(label)
    }
}

impl Operation for DeleteLabel {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Write)?;
        let label = Arc::clone(context.repo()?.label(&self.name)?);
        let repo = context.repo_mut()?;
        repo.label_names.remove(&label.name.to_lowercase());
        repo.labels.remove(&label.id);
        repo.labels_changed_at.remove(&label.id);
        for issue in repo.issues.values_mut() {
            issue.labels.retain(|id| *id != label.id);
        }
        context.announce_label(&label, LabelAction::Deleted, Some(Arc::clone(&label)));
        Ok(())
    }
}

impl Context<'_> {
    pub(super) fn create_label(&mut self, new: NewLabel) -> Result<Arc<Label>, Refusal> {
        let color = new.color.unwrap_or_else(|| COLOR_DEFAULT.to_owned());
        check_label(&new.name, &color, new.description.as_deref())?;
        if self.repo()?.label(&new.name).is_ok() {
            return Err(Refusal::invalid("Label", "name", DetailCode::AlreadyExists));
        }
        let (id, now) = (self.forge.next_id(), self.now);
        let label = Label { id, name: new.name, color, description: new.description };
        let label = Arc::new(label);
        let repo = self.repo_mut()?;
        repo.label_names.insert(label.name.to_lowercase(), id);
        repo.labels.insert(id, Arc::clone(&label));
        repo.labels_changed_at.insert(id, now);
        self.announce_label(&label, LabelAction::Created, None);
        Ok(label)
    }

    fn announce_label(&mut self, label: &Label, action: LabelAction, before: Option<Arc<Label>>) {
        self.emit(EventKind::Label { name: label.name.clone(), action, before });
    }
}

impl Repository {
    /// A label by its name in any case.
    pub(super) fn label(&self, name: &str) -> Result<&Arc<Label>, Refusal> {
        let id = self.label_names.get(&name.to_lowercase());
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
