//! Reading what a red check has left: what its app reports, the log of its job, or the description of a status.

use crate::client::Client;
use crate::page::PAGE_ITEMS;
use crate::reading::Miss;
use crate::route;
use crate::transport::Transport;
use crate::wire::check::{Annotation, CheckRun, CheckRuns, CombinedStatus};
use ralph_core::ids::{RepoName, Sha};
use ralph_core::pull::CheckState;
use ralph_engine::ports::{CheckLog, Read};

impl<T: Transport> Client<T> {
    pub(crate) fn read_check_log(
        &mut self,
        repo: &RepoName,
        head: &Sha,
        name: &str,
    ) -> Read<Option<CheckLog>> {
        let commit = format!("/repos/{repo}/commits/{}", route::part(head.as_str()));
        let named = route::part(name);
        let runs =
            format!("{commit}/check-runs?check_name={named}&filter=latest&per_page={PAGE_ITEMS}");
        let pages = self.list_salvaged(&runs, CheckRuns::salvage)?;
        let mut runs = pages.iter().flat_map(|page| page.check_runs.iter());
        let is_red = |run: &&CheckRun| run.name == name && run.shown().state == CheckState::Fail;
        if let Some(run) = runs.find(is_red) {
            let conclusion = run.conclusion.clone().unwrap_or_default();
            let text = self.text_of_run(repo, run)?;
            return Ok(Some(CheckLog { conclusion, text, of: Some(run.rerunnable()) }));
        }
        let statuses = format!("{commit}/status?per_page={PAGE_ITEMS}");
        let pages = self.list_salvaged(&statuses, CombinedStatus::salvage)?;
        let mut statuses = pages.iter().flat_map(|page| page.statuses.iter());
        let red = statuses
            .find(|status| status.context == name && status.shown().state == CheckState::Fail);
        Ok(red.map(|status| CheckLog {
            conclusion: status.state.clone(),
            text: status.description.clone().unwrap_or_default(),
            of: None,
        }))
    }

    /// The text that the app wrote into the check run, its annotations, and the log of the job where it wrote no text.
    fn text_of_run(&mut self, repo: &RepoName, run: &CheckRun) -> Read<String> {
        let mut parts: Vec<String> = run.output.texts().map(str::to_owned).collect();
        let id = run.id;
        if run.output.annotations_count > 0 {
            let path = format!("/repos/{repo}/check-runs/{id}/annotations?per_page={PAGE_ITEMS}");
            let pages = self.list::<Vec<Annotation>>(&path)?;
            parts.extend(pages.iter().flat_map(|page| page.iter()).map(Annotation::line));
        }
        if !run.output.has_text() {
            match self.get_text(&format!("/repos/{repo}/actions/jobs/{id}/logs")) {
                Ok(log) => parts.push(log),
                // Not a job, or its log is gone or not for us.
                Err(Miss::Refused { .. }) => {}
                Err(Miss::Unread(unread)) => return Err(unread),
            }
        }
        Ok(parts.join("\n"))
    }
}
