//! Webhooks about what checks report: runs and statuses.

use std::sync::Arc;

use serde::ser::SerializeMap;

use super::{Notice, Own, Setting};
use crate::git::commit::Commit;
use crate::git::sha::Sha;
use crate::http::moment::Moment;
use crate::http::render::branch::StatusBranch;
use crate::http::render::check::{CheckContext, CheckRunJson};
use crate::http::render::commit::CommitJson;
use crate::http::render::status::word;
use crate::http::render::{RenderContext, each, entries};
use crate::model::branches::BranchView;
use crate::model::checks::CheckRun;
use crate::model::event::CheckAction;
use crate::model::lookup::PullEnds;
use crate::model::repository_calls::RepositoryView;
use crate::model::statuses::CommitStatus;

impl Setting<'_> {
    pub(super) fn check_run(&mut self, id: u64, action: CheckAction) -> Option<Notice> {
        let repo = self.repo;
        let run = self.forge.peek_check_run(repo, id)?;
        let pulls = self.forge.open_pulls_at(repo, run.head);
        let suite = self.forge.suite_id(repo, run.head)?;
        let action = match action {
            CheckAction::Created => "created",
            CheckAction::Completed => "completed",
            CheckAction::Rerequested => "rerequested",
        };
        self.notice("check_run", Some(action), &AboutRun { run, pulls, suite })
    }

    pub(super) fn status(&mut self, sha: Sha, context: &str) -> Option<Notice> {
        let repo = self.repo;
        let status = self.forge.peek_status(repo, sha, context)?;
        let branches = self.forge.branches_at(repo, sha);
        let commit = self.forge.find_commit(repo, sha)?;
        self.notice("status", None, &AboutStatus { status, branches, commit })
    }
}

struct AboutRun {
    run: CheckRun,
    pulls: Vec<PullEnds>,
    suite: u64,
}

impl Own for AboutRun {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let at = CheckContext { render, repository, pulls: &self.pulls, suite: self.suite };
        map.serialize_entry("check_run", &CheckRunJson { at, run: &self.run })
    }
}

struct AboutStatus {
    status: CommitStatus,
    branches: Vec<BranchView>,
    commit: Arc<Commit>,
}

impl Own for AboutStatus {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let (status, repo) = (&self.status, repository.full_name());
        entries!(map, {
            "id": status.id,
            "sha": status.sha,
            "name": repo,
            "target_url": status.target_url,
            "context": status.context,
            "description": status.description,
            "state": word(status.state),
            "commit": CommitJson { render, repo: &repo, commit: &self.commit, files: None },
            "branches": each(&self.branches, |branch| StatusBranch { render, repo: &repo, branch }),
            "created_at": Moment(status.created_at),
            "updated_at": Moment(status.created_at),
        });
        Ok(())
    }
}
