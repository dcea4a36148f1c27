//! The owner of the sample repository, played by the demo: creates it, opens issues, merges rollups.

use super::story::{SAMPLES, Sample};
use super::{DemoError, project};
use ralph_adapters::http_transport::{HttpSettings, HttpTransport, SendError};
use ralph_forge::{ApiClient, OpenedIssue};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The repository's name below its owner.
const NAME: &str = "calc";
const BRANCH: &str = "main";

type Send = Box<dyn FnMut(http::Request<Vec<u8>>) -> Result<http::Response<Vec<u8>>, SendError>>;

pub struct Owner {
    /// The owner's access to the API, for everything else that the owner does at the forge.
    pub client: ApiClient<Send>,
    repo: String,
    /// The address to which the repository is pushed, with the credentials in it.
    git_url: String,
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({}, ...)", self.repo)
    }
}

impl Owner {
    /// A person with a token at the forge at `url`, which has no slash at its end.
    pub fn new(url: &str, login: &str, token: &str) -> Result<Self, DemoError> {
        let user_agent = "ralph-demo".to_owned();
        let transport = HttpTransport::new(&HttpSettings { user_agent, ..HttpSettings::default() });
        let transport = transport.map_err(|error| {
            DemoError::file("prepare the connection to the forge")(std::io::Error::other(error))
        })?;
        let send: Send = Box::new(move |request| transport.send(request));
        let repo = format!("{login}/{NAME}");
        let git_url = url.replacen("//", &format!("//{login}:{token}@"), 1);
        let git_url = format!("{git_url}/{repo}.git");
        Ok(Self { client: ApiClient::new(url, token, send), repo, git_url })
    }

    /// Owner and name of the repository.
    #[must_use]
    pub fn repo(&self) -> &str {
        &self.repo
    }

    /// Makes the repository and pushes the sample project, written to `folder`, into it.
    pub fn bring_project(&mut self, folder: &Path) -> Result<(), DemoError> {
        self.client.create_repository(NAME)?;
        project::write(folder).map_err(DemoError::file("write the sample project"))?;
        let pushed = project::push(folder, &self.git_url, BRANCH);
        pushed.map_err(DemoError::file("bring the project in"))
    }

    pub fn add_hook(&mut self, to: &str, secret: &str) -> Result<(), DemoError> {
        Ok(self.client.add_hook(&self.repo, to, secret)?)
    }

    /// Opens all issues, ties them together, and queues them last, so that none starts too early.
    pub fn open_issues(&mut self) -> Result<BTreeMap<u64, &'static Sample>, DemoError> {
        let mut opened: BTreeMap<&str, OpenedIssue> = BTreeMap::new();
        for sample in &SAMPLES {
            let labels = [format!("ralph:priority:{}", sample.priority)];
            let issue = self.client.open_issue(&self.repo, sample.title, sample.body, &labels)?;
            opened.insert(sample.title, issue);
        }
        let mut issues = BTreeMap::new();
        for sample in &SAMPLES {
            let Some(issue) = opened.get(sample.title) else { continue };
            for by in sample.blocked_by.iter().filter_map(|title| opened.get(title)) {
                self.client.block(&self.repo, issue.number, *by)?;
            }
            for child in sample.children.iter().filter_map(|title| opened.get(title)) {
                self.client.add_child(&self.repo, issue.number, *child)?;
            }
            issues.insert(issue.number, sample);
        }
        for number in issues.keys() {
            self.client.add_label(&self.repo, *number, "ralph:status:queued")?;
        }
        Ok(issues)
    }

    /// Merges the rollup if one is open and the forge lets us. Gives its number.
    pub fn merge_rollup(&mut self) -> Result<Option<u64>, DemoError> {
        let Some(pull) = self.client.open_pulls(&self.repo, BRANCH)?.first().copied() else {
            return Ok(None);
        };
        match self.client.merge(&self.repo, pull) {
            Ok(()) => Ok(Some(pull)),
            // Its check is still running, or mergeability is being computed.
            Err(error) if error.status.is_some_and(|status| status.as_u16() == 405) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
