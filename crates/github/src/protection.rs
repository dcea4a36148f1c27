//! Branch protection: required checks are added to what a branch requires already, and nothing is ever taken
//! away.

use crate::budget::Purpose;
use crate::client::Client;
use crate::reading::Miss;
use crate::route;
use crate::transport::Transport;
use crate::wire::protection::WholeProtection;
use crate::wire::request::{AddContexts, Protect, RequireChecks};
use http::Method;
use ralph_core::ids::{Branch, RepoName};
use ralph_engine::ports::{Answer, RefusalKind, Unread};

/// The forge's words for a branch without protection; "Not Found" is for a branch that we may not see.
pub(crate) const NOT_PROTECTED: &str = "branch not protected";

impl<T: Transport> Client<T> {
    /// Has a branch require these checks too. Where it is protected without any, the forge takes only a whole
    /// protection: the one that is there, with the checks added. One with a part that is not known here is left
    /// alone, because that part would be lost.
    pub(crate) fn add_required_checks(
        &mut self,
        repo: &RepoName,
        branch: &Branch,
        contexts: &[&str],
    ) -> Answer<()> {
        let path = format!("{}/protection", route::branch(repo, branch));
        match self.get::<WholeProtection>(&path) {
            Ok(found) if found.requires_checks() => {
                let path = format!("{path}/required_status_checks/contexts");
                self.change(&Method::POST, &path, Purpose::Essential, &AddContexts { contexts })
            }
            Ok(found) => match found.unknown_part() {
                None => {
                    let protect = found.requiring(contexts);
                    self.change(&Method::PUT, &path, Purpose::Essential, &protect)
                }
                Some(part) => {
                    let says = format!(
                        "{branch} of {repo} is protected and requires no check; its protection has a part \
                         `{part}` that Ralph does not know and would lose, so have it require one check by hand"
                    );
                    Answer::refused(RefusalKind::Other, &says)
                }
            },
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
            Err(Miss::Unread(Unread { until, why, .. })) => Answer::Later { until, why },
        }
    }
}
