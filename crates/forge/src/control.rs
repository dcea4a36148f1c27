//! Commands of an operator beside the API: import a repository, add a person or an app. If a server runs
//! on the folder it is asked; otherwise the command opens the folder itself.

mod import;

use std::io;
use std::path::Path;
use std::sync::mpsc;

use serde::{Deserialize, Serialize};

pub(crate) use import::stage;

use crate::http::{AddedApp, ListedToken, NewApp, SiteSettings};
use crate::keeper::{Kept, KeptError, Opening};
use crate::model::permission::Permission;
use crate::model::repository::Visibility;
use crate::persist::{DataFolder, FolderError, Store, StoreError};

/// The file in which a running server says how to reach it, for those who may read its folder.
const NOTE: &str = "server.json";

/// The address of a running server and the token it accepts.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ServerNote {
    pub(crate) url: String,
    /// Good as long as the server runs, and for this only.
    pub(crate) token: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("{repo:?} is no name of a repository; use owner/name")]
    BadName { repo: String },
    #[error("could not read {source_name:?}: {detail}")]
    Source { source_name: String, detail: String },
    #[error("{0}")]
    Refused(String),
    #[error("the server on this folder does not answer: {0}")]
    Unreachable(String),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Kept(#[from] KeptError),
    #[error("could not {doing}: {source}")]
    System { doing: &'static str, source: io::Error },
}

/// A repository that was taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// `owner/name`.
    pub repo: String,
    pub default_branch: String,
    pub branches: usize,
    pub tags: usize,
}

/// A command for a running server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ControlRequest {
    Import {
        source: String,
        repo: String,
        #[serde(default)]
        public: bool,
    },
    AddUser {
        login: String,
        role: Permission,
    },
    AddApp(NewApp),
    ListTokens,
    RevokeTokens {
        which: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ControlAnswer {
    Imported(Imported),
    Tokens(Vec<ListedToken>),
    /// The number of revoked tokens.
    Revoked(usize),
    /// The token of a person.
    Token(String),
    App(AddedApp),
    Refused(String),
}

/// Takes a git repository of this machine, or one that git can reach by URL, into the forge of a
/// folder as the new repository `owner/name`. The owner is made if need be. A private one is seen by
/// its owner and collaborators alone.
///
/// # Errors
/// The source cannot be read, the name is taken, or the folder cannot be used.
pub fn import(
    folder: &Path,
    source: &str,
    repo: &str,
    visibility: Visibility,
) -> Result<Imported, ControlError> {
    let (source, repo) = (absolute(source)?, repo.to_owned());
    let public = match visibility {
        Visibility::Public => true,
        Visibility::Private => false,
    };
    let answer = ask(folder, &ControlRequest::Import { source, repo, public })?;
    if let ControlAnswer::Imported(imported) = answer {
        return Ok(imported);
    }
    Err(unexpected(answer))
}

/// Opens the forge of a folder as its next start would, and returns what had to be repaired or set
/// aside, in words. A server on the folder has said so when it started.
///
/// # Errors
/// The folder cannot be used.
pub fn repair(folder: &Path) -> Result<Vec<String>, ControlError> {
    match DataFolder::open(folder) {
        Ok(folder) => Ok(open_here(&folder)?.take_notices()),
        Err(FolderError::Held { .. }) => Ok(Vec::new()),
        Err(unusable @ FolderError::Unusable { .. }) => Err(unusable.into()),
    }
}

/// Adds a person with a role in every repository, or changes the role of one who is there, and
/// returns a new token.
///
/// # Errors
/// The login is none, or the folder cannot be used.
pub fn add_user(folder: &Path, login: &str, role: Permission) -> Result<String, ControlError> {
    let answer = ask(folder, &ControlRequest::AddUser { login: login.to_owned(), role })?;
    if let ControlAnswer::Token(token) = answer {
        return Ok(token);
    }
    Err(unexpected(answer))
}

/// Every token that a person can use the forge with, without the tokens themselves.
///
/// # Errors
/// The folder cannot be used.
pub fn list_tokens(folder: &Path) -> Result<Vec<ListedToken>, ControlError> {
    let answer = ask(folder, &ControlRequest::ListTokens)?;
    if let ControlAnswer::Tokens(tokens) = answer {
        return Ok(tokens);
    }
    Err(unexpected(answer))
}

/// Revokes for good the token with this id, this token itself, or all tokens of this login; how
/// many these were.
///
/// # Errors
/// There is no such token, or the folder cannot be used.
pub fn revoke_tokens(folder: &Path, which: &str) -> Result<usize, ControlError> {
    let answer = ask(folder, &ControlRequest::RevokeTokens { which: which.to_owned() })?;
    if let ControlAnswer::Revoked(count) = answer {
        return Ok(count);
    }
    Err(unexpected(answer))
}

/// Registers an app, or changes the key and the role of one that is there, and installs it in all
/// repositories of the accounts named.
///
/// # Errors
/// A name is none, or the folder cannot be used.
pub fn add_app(folder: &Path, new: NewApp) -> Result<AddedApp, ControlError> {
    let answer = ask(folder, &ControlRequest::AddApp(new))?;
    if let ControlAnswer::App(added) = answer {
        return Ok(added);
    }
    Err(unexpected(answer))
}

/// A refusal, or an answer to another question.
fn unexpected(answer: ControlAnswer) -> ControlError {
    match answer {
        ControlAnswer::Refused(words) => ControlError::Refused(words),
        ControlAnswer::Imported(_)
        | ControlAnswer::Tokens(_)
        | ControlAnswer::Revoked(_)
        | ControlAnswer::Token(_)
        | ControlAnswer::App(_) => ControlError::Refused("unexpected answer".to_owned()),
    }
}

/// A path as it is from everywhere; a URL as it is.
fn absolute(source: &str) -> Result<String, ControlError> {
    let path = Path::new(source);
    if !path.exists() {
        return Ok(source.to_owned());
    }
    let system = |source| ControlError::System { doing: "find the repository", source };
    Ok(path.canonicalize().map_err(system)?.to_string_lossy().into_owned())
}

fn ask(folder: &Path, request: &ControlRequest) -> Result<ControlAnswer, ControlError> {
    match DataFolder::open(folder) {
        Ok(folder) => do_here(&folder, request),
        Err(FolderError::Held { path, holder }) => ask_server(&path, &holder, request),
        Err(unusable @ FolderError::Unusable { .. }) => Err(unusable.into()),
    }
}

/// Without a server: the folder is ours until it is done.
fn do_here(folder: &DataFolder, request: &ControlRequest) -> Result<ControlAnswer, ControlError> {
    let mut kept = open_here(folder)?;
    let staged = match request {
        ControlRequest::Import { source, .. } => Some(stage(source, &folder.inside("import")?)?),
        ControlRequest::AddUser { .. }
        | ControlRequest::AddApp(_)
        | ControlRequest::ListTokens
        | ControlRequest::RevokeTokens { .. } => None,
    };
    kept.control(request, staged)
}

fn open_here(folder: &DataFolder) -> Result<Kept, ControlError> {
    let opening = Opening { settings: SiteSettings::default(), git: folder.inside("git")? };
    let (outbox, _nobody_listens) = mpsc::channel();
    let (jobs, _nobody_works) = mpsc::channel();
    Ok(Kept::open(Store::open(folder.path())?, opening, outbox, jobs)?)
}

fn ask_server(
    folder: &Path,
    holder: &str,
    request: &ControlRequest,
) -> Result<ControlAnswer, ControlError> {
    let unreachable = |words: String| ControlError::Unreachable(words);
    let note = std::fs::read(folder.join(NOTE)).ok();
    let note: Option<ServerNote> = note.and_then(|note| serde_json::from_slice(&note).ok());
    let note = note.ok_or_else(|| unreachable(format!("{holder} is not ready; try again")))?;
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let body = serde_json::to_vec(request).map_err(|error| unreachable(error.to_string()))?;
    let sent = agent
        .post(format!("{}/_forge/control", note.url))
        .header("authorization", format!("Bearer {}", note.token))
        .send(body.as_slice());
    let mut response = sent.map_err(|error| unreachable(error.to_string()))?;
    let text = response.body_mut().read_to_vec().map_err(|error| unreachable(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| unreachable(error.to_string()))
}

impl ServerNote {
    pub(crate) fn leave(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(NOTE);
        drop(std::fs::remove_file(&path));
        let mut file = crate::persist::private_file(&path)?;
        io::Write::write_all(&mut file, &serde_json::to_vec(self).map_err(io::Error::other)?)
    }

    pub(crate) fn take_away(folder: &Path) {
        // A note without its server does no harm: the folder is free then.
        drop(std::fs::remove_file(folder.join(NOTE)));
    }
}
