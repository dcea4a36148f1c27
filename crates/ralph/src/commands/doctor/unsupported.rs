//! Parts of the repositories that Ralph does not support, as its own clones show them. One that was never cloned is
//! left out.

use super::{Check, Examination};
use crate::checkout::{GitSetting, of_clone};
use crate::environment;
use crate::project;

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let Ok(config) = &examination.config else { return Vec::new() };
    let path = environment::program_path();
    let git = GitSetting { path: path.as_deref(), home: None };
    let mut checks = Vec::new();
    for name in config.repos.keys() {
        let clone = examination.context.home.repos().join(format!("{}.git", name.key()));
        // A clone that git cannot read is reported when work needs it.
        let Ok(Some(files)) = of_clone(&clone, git) else { continue };
        let found = project::unsupported(&files).into_iter();
        checks.extend(found.map(|it| Check::note("project", format!("{name}: {}", it.says))));
    }
    checks
}
