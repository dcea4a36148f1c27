//! The state that survives kill -9: a snapshot of the site and every input that changed it since, in SQLite;
//! git's objects beside it, always written before anything refers to them.

mod folder;
mod input;
mod store;

pub use folder::FolderError;
pub(crate) use folder::{DataFolder, private_file};
pub(crate) use input::{CheckChange, Input, LoggedRequest, Redone, repository_named_by};
pub(crate) use store::Store;
pub use store::StoreError;
