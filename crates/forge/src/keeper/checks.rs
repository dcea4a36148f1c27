//! Local checks that are due: looked for after each change, so that none is missed, not even across a crash.

use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};

use super::kept::Kept;
use crate::check_runner::CheckJob;
use crate::check_runner::definition::{self, BadDefinitions, Definition};
use crate::git::sha::Sha;
use crate::model::check_subjects::CheckSubject;
use crate::model::checks::{CheckOutput, CheckRun, CheckState, Conclusion};
use crate::model::event::{CheckAction, Event, EventKind};
use crate::persist::CheckChange;

/// Definitions remembered by the commit they are at; forgetting costs a read.
const DEFINITIONS_REMEMBERED_MAX: usize = 256;

type Definitions = Arc<Result<Vec<Definition>, BadDefinitions>>;

/// The checks that are left to do.
#[derive(Debug)]
pub(super) struct DueChecks {
    jobs: mpsc::Sender<CheckJob>,
    /// By repository and commit.
    definitions: BTreeMap<(String, Sha), Definitions>,
    /// Runs that someone wants again: repository and id.
    again: Vec<(String, u64)>,
}

impl DueChecks {
    pub(super) fn new(jobs: mpsc::Sender<CheckJob>) -> Self {
        Self { jobs, definitions: BTreeMap::new(), again: Vec::new() }
    }

    pub(super) fn note(&mut self, events: &[Event]) {
        for event in events {
            if let EventKind::CheckRun { id, action: CheckAction::Rerequested, .. } = &event.kind {
                self.again.push((event.repo.clone(), *id));
            }
        }
    }
}

impl Kept {
    /// Takes up what was left by the last life of the server.
    pub(super) fn resume_checks(&mut self) {
        let names = self.site().forge().repository_names();
        let names: Vec<String> = names.filter(|repo| !self.set_aside.contains_key(repo)).collect();
        for repo in names {
            for run in self.unfinished(&repo) {
                match self.definition_of(&repo, &run) {
                    Some((_base, definition)) => self.submit(&repo, run.id, run.head, definition),
                    None => self.cancel(&repo, run.id),
                }
            }
            self.plan_checks(&repo);
        }
    }

    /// Queues the checks that a repository's definitions ask for and that have no run.
    pub(super) fn plan_checks(&mut self, repo: &str) {
        for subject in self.site().forge().check_subjects(repo) {
            match &*self.definitions(repo, subject.defined_at) {
                Ok(definitions) => {
                    for definition in definitions {
                        if self.is_unchecked(repo, &subject, &definition.name) {
                            self.queue(repo, subject.head, &subject.base, definition.clone());
                        }
                    }
                }
                Err(bad) => self.complain(repo, &subject, bad),
            }
        }
        let (here, elsewhere) = std::mem::take(&mut self.due_checks.again)
            .into_iter()
            .partition(|(wanted_in, _id)| wanted_in == repo);
        self.due_checks.again = elsewhere;
        let here: Vec<(String, u64)> = here;
        for (_repo, id) in here {
            let Some(run) = self.site().forge().peek_check_run(repo, id) else { continue };
            if let Some((base, definition)) = self.definition_of(repo, &run) {
                self.queue(repo, run.head, &base, definition);
            }
        }
    }

    fn is_unchecked(&self, repo: &str, subject: &CheckSubject, name: &str) -> bool {
        !self.site().forge().is_checked(repo, subject.head, &subject.base, name)
    }

    /// The definition that a run is made by, and the branch that it counts for: where its commit is
    /// to be checked now, or else as that branch stands. A commit never defines the checks that it
    /// has to pass, unless it is that branch.
    fn definition_of(&mut self, repo: &str, run: &CheckRun) -> Option<(String, Definition)> {
        let forge = self.site().forge();
        let counts = |subject: &CheckSubject| {
            let base = run.base.as_ref();
            subject.head == run.head && base.is_none_or(|base| *base == subject.base)
        };
        let subject = forge.check_subjects(repo).into_iter().find(counts).or_else(|| {
            let base = run.base.clone()?;
            let defined_at = forge.branch(repo, &base)?;
            Some(CheckSubject { head: run.head, base, defined_at })
        })?;
        let definitions = self.definitions(repo, subject.defined_at);
        let mut found = definitions.as_ref().as_ref().ok()?.iter();
        let found = found.find(|one| one.name == run.name)?.clone();
        Some((subject.base, found))
    }

    fn definitions(&mut self, repo: &str, commit: Sha) -> Definitions {
        let key = (repo.to_owned(), commit);
        if let Some(known) = self.due_checks.definitions.get(&key) {
            return Arc::clone(known);
        }
        let text = match self.site().forge().text_for_checks(repo, commit, definition::PATH) {
            Ok(text) => text,
            // Another time it may be there. Nothing was changed that would have to be undone.
            Err(why) => {
                drop(self.site().forge().take_git_failures());
                return Arc::new(Err(BadDefinitions::Unreadable(why)));
            }
        };
        let definitions = Arc::new(definition::parse(&text));
        let known = &mut self.due_checks.definitions;
        if known.len() >= DEFINITIONS_REMEMBERED_MAX {
            known.clear();
        }
        known.insert(key, Arc::clone(&definitions));
        definitions
    }

    fn queue(&mut self, repo: &str, head: Sha, base: &str, definition: Definition) {
        let (name, base) = (definition.name.clone(), Some(base.to_owned()));
        // What could not be recorded comes up again with the next change.
        if let Ok(id) = self.report_check(repo, CheckChange::Queue { name, head, base }) {
            self.submit(repo, id, head, definition);
        }
    }

    fn submit(&mut self, repo: &str, id: u64, head: Sha, definition: Definition) {
        let Some(bare) = self.site().forge().bare(repo) else { return };
        let job = CheckJob { repo: repo.to_owned(), id, head, definition, bare };
        // Without workers nothing is run; the runs stay queued.
        drop(self.due_checks.jobs.send(job));
    }

    /// Reports definitions that cannot be read as a separate failed check.
    fn complain(&mut self, repo: &str, subject: &CheckSubject, bad: &BadDefinitions) {
        let name = definition::PATH.to_owned();
        if !self.is_unchecked(repo, subject, &name) {
            return;
        }
        let output = CheckOutput {
            title: Some("The checks cannot be read".to_owned()),
            summary: Some(bad.to_string()),
            text: Some(bad.to_string()),
            annotations: Vec::new(),
        };
        let (head, base) = (subject.head, Some(subject.base.clone()));
        if let Ok(id) = self.report_check(repo, CheckChange::Queue { name, head, base }) {
            let conclusion = Conclusion::Failure;
            drop(self.report_check(repo, CheckChange::Finish { id, conclusion, output }));
        }
    }

    fn cancel(&mut self, repo: &str, id: u64) {
        let conclusion = Conclusion::Cancelled;
        let output =
            CheckOutput { title: Some("No longer needed".to_owned()), ..CheckOutput::default() };
        drop(self.report_check(repo, CheckChange::Finish { id, conclusion, output }));
    }

    /// Our own runs that were queued or running.
    fn unfinished(&self, repo: &str) -> Vec<CheckRun> {
        let runs = self.site().forge().check_runs(repo);
        let open = runs.filter(|run| match run.state {
            CheckState::Queued | CheckState::InProgress => is_ours(repo, run),
            CheckState::Completed(_conclusion) => false,
        });
        open.cloned().collect()
    }
}

/// Returns whether the local runner made it: its details are on our own pages.
fn is_ours(repo: &str, run: &CheckRun) -> bool {
    let page = format!("/{repo}/runs/{}", run.id);
    run.details_url.as_ref().is_some_and(|url| url.ends_with(&page))
}
