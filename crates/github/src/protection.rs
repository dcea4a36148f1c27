//! Branch protection: required checks are added to what a branch requires already, and nothing is ever taken
//! away.

use crate::budget::Purpose;
use crate::client::Client;
use crate::reading::Miss;
use crate::route;
use crate::transport::Transport;
use crate::wire::repository::Protection;
use crate::wire::request::{AddContexts, Protect, RequireChecks};
use http::Method;
use ralph_core::ids::{Branch, RepoName};
use ralph_engine::ports::{Answer, RefusalKind, Unread};

/// How the forge says that there is no protection, as against "Not Found" for what we may not see.
pub(crate) const NOT_PROTECTED: &str = "branch not protected";

impl<T: Transport> Client<T> {
    /// Has a branch require these checks too. A branch that is protected without any is left alone: to change
    /// that, its whole protection would have to be written anew.
    pub(crate) fn add_required_checks(
        &mut self,
        repo: &RepoName,
        branch: &Branch,
        contexts: &[&str],
    ) -> Answer<()> {
        let path = format!("{}/protection", route::branch(repo, branch));
        match self.get::<Protection>(&path) {
            Ok(found) if found.required_status_checks.is_some() => {
                let path = format!("{path}/required_status_checks/contexts");
                self.change(&Method::POST, &path, Purpose::Essential, &AddContexts { contexts })
            }
            Ok(_) => {
                let says = format!("{branch} of {repo} is protected and requires no check");
                Answer::refused(RefusalKind::Other, &says)
            }
            Err(Miss::Refused { complaint, .. }) if complaint.says(NOT_PROTECTED) => {
                let required_status_checks = RequireChecks { strict: false, contexts };
                let protect = Protect {
                    required_status_checks,
                    enforce_admins: false,
                    required_pull_request_reviews: None,
                    restrictions: None,
                };
                self.change(&Method::PUT, &path, Purpose::Essential, &protect)
            }
            Err(Miss::Refused { why, .. }) => Answer::refused(RefusalKind::Other, &why),
            Err(Miss::Unread(Unread { until, why })) => Answer::Later { until, why },
        }
    }
}
