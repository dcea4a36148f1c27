//! The obstacles that keep Ralph from working in a repository, and what to do about them: reported at the start, in the
//! status and by `ralph doctor`, in the same words.

use ralph_core::ids::{Login, RepoName};
use ralph_github::Repository;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hindrance {
    pub(crate) says: String,
    /// The next step.
    pub(crate) next: String,
}

/// An App's own user.
fn is_app(us: &Login) -> bool {
    us.as_str().ends_with("[bot]")
}

/// `found`: as the forge shows it to us.
pub(crate) fn hindrances(
    us: &Login,
    name: &RepoName,
    found: Option<&Repository>,
) -> Vec<Hindrance> {
    let mut all = Vec::new();
    let mut tell = |says: String, next: String| all.push(Hindrance { says, next });
    let Some(found) = found else {
        let next = if is_app(us) {
            "check the name, and install the App there".to_owned()
        } else {
            format!("check the name, and give {us} write access to it")
        };
        tell(format!("there is no {name}, or {us} may not see it"), next);
        return all;
    };
    if !found.is_called(name) {
        let now = &found.full_name;
        tell(format!("{name} is called {now} now"), format!("set its `name` to \"{now}\""));
    }
    if found.is_archived {
        let next = "unarchive it, or take it out of the configuration".to_owned();
        tell(format!("{name} is archived, so nothing in it can be changed"), next);
    }
    if !found.has_issues {
        let next = "switch them on in the settings of the repository".to_owned();
        tell(format!("issues are switched off in {name}"), next);
    }
    if !found.lacks.is_empty() {
        let lacks = found.lacks.join(", ");
        let next =
            "allow it in the permissions of the App, and accept the change where it is installed";
        tell(format!("{us} lacks permissions to write in {name}: {lacks}"), next.to_owned());
    } else if !found.rights.push {
        tell(format!("{us} may not push to {name}"), format!("give {us} write access to it"));
    }
    all
}
