//! Opening and reading pull requests, and the checks of a commit.

use crate::budget::Purpose;
use crate::client::Client;
use crate::page::PAGE_ITEMS;
use crate::reading::if_there;
use crate::route;
use crate::transport::Transport;
use crate::wire::check::{CheckRuns, CombinedStatus};
use crate::wire::pull::PullRequest;
use crate::wire::request::OpenPull;
use crate::writing::then;
use http::Method;
use ralph_core::ids::{Branch, PullNumber, RepoName, Sha};
use ralph_core::pull::{Check, Checks, Pull};
use ralph_engine::ports::{Answer, FoundPull, NewPull, Read};
use std::cmp::Reverse;
use std::collections::BTreeMap;

impl<T: Transport> Client<T> {
    pub(crate) fn propose(
        &mut self,
        repo: &RepoName,
        new: &NewPull<'_>,
        draft: bool,
    ) -> Answer<Pull> {
        let NewPull { head, base, title, body } = *new;
        let open = OpenPull { title, body, head: head.as_str(), base: base.as_str(), draft };
        let path = format!("/repos/{repo}/pulls");
        let answer = self.change_for(&Method::POST, &path, Purpose::Essential, &open);
        then(answer, |pull: PullRequest| {
            let pull = pull.shown(self.account.now());
            self.account.known().learn_opened(repo, &pull);
            Answer::Happened(pull)
        })
    }

    pub(crate) fn read_pull(&mut self, repo: &RepoName, number: PullNumber) -> Read<Option<Pull>> {
        let opened = self.account.known().take_opened(repo, number, self.account.now());
        if opened.is_some() {
            return Ok(opened);
        }
        let path = format!("/repos/{repo}/pulls/{}", number.0);
        let pull = if_there(self.get::<PullRequest>(&path))?;
        Ok(pull.map(|pull| pull.shown(self.account.now())))
    }

    pub(crate) fn read_pulls_from(
        &mut self,
        repo: &RepoName,
        head: &Branch,
    ) -> Read<Vec<FoundPull>> {
        let owned = format!("{}:{head}", repo.owner());
        let path = format!(
            "/repos/{repo}/pulls?state=all&head={}&per_page={PAGE_ITEMS}",
            route::part(&owned)
        );
        let pages = self.list_each::<PullRequest>(&path)?;
        let mut found: Vec<_> =
            pages.iter().flat_map(|page| page.iter()).map(PullRequest::found).collect();
        found.sort_by_key(|pull| Reverse(pull.number));
        found.dedup_by_key(|pull| pull.number);
        Ok(found)
    }

    pub(crate) fn read_checks(&mut self, repo: &RepoName, head: &Sha) -> Read<Checks> {
        let commit = format!("/repos/{repo}/commits/{}", route::part(head.as_str()));
        let runs = format!("{commit}/check-runs?filter=latest&per_page={PAGE_ITEMS}");
        let runs = self.list_salvaged(&runs, CheckRuns::salvage)?;
        let statuses = format!("{commit}/status?per_page={PAGE_ITEMS}");
        let statuses = self.list_salvaged(&statuses, CombinedStatus::salvage)?;
        let runs = runs.iter().flat_map(|page| page.check_runs.iter());
        let runs = runs.map(|run| (&run.name, run.shown()));
        let statuses = statuses.iter().flat_map(|page| page.statuses.iter());
        let statuses = statuses.map(|status| (&status.context, status.shown()));
        let mut by_name: BTreeMap<String, Vec<Check>> = BTreeMap::new();
        for (name, check) in runs.chain(statuses) {
            by_name.entry(name.clone()).or_default().push(check);
        }
        Ok(Checks { head: head.clone(), by_name })
    }
}
