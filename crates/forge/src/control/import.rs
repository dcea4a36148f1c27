//! Taking in a repository: first into a folder beside, then into the forge in one step.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use super::{ControlAnswer, ControlError, ControlRequest, Imported};
use crate::chance;
use crate::clock;
use crate::git::sha::Sha;
use crate::http::NewApp;
use crate::keeper::Kept;
use crate::model::adoption::Adoption;
use crate::model::permission::Permission;
use crate::model::repository::Visibility;
use crate::process::Git;
use crate::server::check_login;

const BRANCHES: &str = "refs/heads/";

/// A copy that is not part of the forge yet.
#[derive(Debug)]
pub(crate) struct Staged {
    folder: tempfile::TempDir,
    default_branch: Option<String>,
    references: BTreeMap<String, Sha>,
}

/// Copies a repository into a new folder inside `room`.
pub(crate) fn stage(source: &str, room: &Path) -> Result<Staged, ControlError> {
    let system = |source| ControlError::System { doing: "make a folder", source };
    let folder = tempfile::tempdir_in(room).map_err(system)?;
    let unreadable =
        |detail: String| ControlError::Source { source_name: source.to_owned(), detail };
    let run = |arguments: &[&str]| {
        let ended = Git::in_folder(folder.path(), arguments).run();
        let ended = ended.map_err(|error| unreadable(error.to_string()))?;
        let output = String::from_utf8_lossy(&ended.output).into_owned();
        if ended.status.success() { Ok(output) } else { Err(unreadable(ended.complaint)) }
    };
    run(&["clone", "--quiet", "--bare", "--template=", "--", source, "copy.git"])?;
    let inside = |arguments: &[&str]| run(&[&["-C", "copy.git"], arguments].concat());
    let listed = inside(&["for-each-ref", "--format=%(objectname) %(refname)"])?;
    let pair = |line: &str| {
        let (sha, name) = line.split_once(' ')?;
        Some((name.to_owned(), sha.parse().ok()?))
    };
    let references: BTreeMap<String, Sha> = listed.lines().filter_map(pair).collect();
    let head = inside(&["symbolic-ref", "HEAD"]).unwrap_or_default();
    let head = head.trim();
    let first = || references.keys().find(|name| name.starts_with(BRANCHES)).map(String::as_str);
    let head = Some(head).filter(|head| references.contains_key(*head)).or_else(first);
    let default_branch = head.and_then(|head| head.strip_prefix(BRANCHES)).map(str::to_owned);
    Ok(Staged { folder, default_branch, references })
}

impl Kept {
    pub(crate) fn control(
        &mut self,
        request: &ControlRequest,
        staged: Option<Staged>,
    ) -> Result<ControlAnswer, ControlError> {
        match (request, staged) {
            (ControlRequest::AddUser { login, role }, _) => self.add_user(login, *role),
            (ControlRequest::AddApp(new), _) => self.add_app(new),
            (ControlRequest::ListTokens, _) => Ok(ControlAnswer::Tokens(self.site().tokens())),
            (ControlRequest::RevokeTokens { which }, _) => self.revoke_tokens(which),
            (ControlRequest::Import { repo, public, .. }, Some(staged)) => {
                let visibility = if *public { Visibility::Public } else { Visibility::Private };
                self.adopt(repo, visibility, &staged)
            }
            (ControlRequest::Import { .. }, None) => {
                Err(ControlError::Refused("nothing was copied".to_owned()))
            }
        }
    }

    fn add_user(&mut self, login: &str, role: Permission) -> Result<ControlAnswer, ControlError> {
        check_login(login).map_err(|bad| ControlError::Refused(bad.to_string()))?;
        let system = |source| ControlError::System { doing: "make a token", source };
        let token = chance::token().map_err(system)?;
        self.add_person(login, &token, role)?;
        Ok(ControlAnswer::Token(token))
    }

    fn revoke_tokens(&mut self, which: &str) -> Result<ControlAnswer, ControlError> {
        let revoked = self.change(|site| Ok::<_, Infallible>(site.revoke_tokens(which)))?;
        let Ok(revoked) = revoked;
        if revoked == 0 {
            let words = format!("no token is {which:?}; `ralph forge token list` names them");
            return Err(ControlError::Refused(words));
        }
        Ok(ControlAnswer::Revoked(revoked))
    }

    fn add_app(&mut self, new: &NewApp) -> Result<ControlAnswer, ControlError> {
        for name in new.owners.iter().chain([&new.slug]) {
            check_login(name).map_err(|bad| ControlError::Refused(bad.to_string()))?;
        }
        let added = self.change(|site| Ok::<_, Infallible>(site.add_app(new)))?;
        let Ok(added) = added;
        Ok(ControlAnswer::App(added))
    }

    fn adopt(
        &mut self,
        repo: &str,
        visibility: Visibility,
        staged: &Staged,
    ) -> Result<ControlAnswer, ControlError> {
        let bad = || ControlError::BadName { repo: repo.to_owned() };
        let (owner, name) = repo.split_once('/').ok_or_else(bad)?;
        check_login(owner).map_err(|_bad| bad())?;
        let objects = staged.folder.path().join("copy.git/objects");
        let now = clock::now_ms() / 1000;
        let new = Adoption {
            owner,
            name,
            visibility,
            default_branch: staged.default_branch.as_deref(),
            references: &staged.references,
            objects: &objects,
        };
        let adopted = self.change(|site| site.adopt(now, new))?;
        adopted.map_err(|refusal| ControlError::Refused(refusal.to_string()))?;
        let count =
            |prefix| staged.references.keys().filter(|name| name.starts_with(prefix)).count();
        Ok(ControlAnswer::Imported(Imported {
            repo: repo.to_owned(),
            default_branch: staged.default_branch.clone().unwrap_or_default(),
            branches: count(BRANCHES),
            tags: count("refs/tags/"),
        }))
    }
}
