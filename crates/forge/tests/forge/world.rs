//! A repository with people of every role, and short ways to ask.

use std::collections::BTreeSet;

use ralph_forge::{
    BranchCommit, CheckOutput, CheckState, Conclusion, Content, CreateBranch, CreateCheckRun,
    CreateIssue, CreatePull, Event, EventKind, Forge, GetIssue, GetPull, IssueView, ListTimeline,
    MergeMethod, MergeOrder, MergePull, Merged, NewCheckRun, NewIssue, NewPull, NewRepository,
    Operation, Page, Permission, Protection, PullView, Refusal, RequiredChecks, SetProtection, Sha,
    TimelineEvent, on,
};

pub(crate) const REPO: &str = "ada/app";

pub(crate) struct World {
    pub(crate) forge: Forge,
    pub(crate) now: u64,
    /// The folder of git, when it is on disk.
    _folder: Option<tempfile::TempDir>,
}

impl World {
    /// `ada` owns `ada/app`; `max` maintains, `will` writes, `tess` triages, `reed` reads, `zoe` is
    /// a stranger.
    pub(crate) fn new() -> Self {
        let folder = crate::GIT_IS_ON_DISK.then(|| tempfile::tempdir().unwrap());
        let on_disk = folder.as_ref().map(|folder| Forge::on_disk(folder.path()));
        let mut forge = on_disk.unwrap_or_default();
        for login in ["ada", "max", "will", "tess", "reed", "zoe"] {
            forge.create_user(login);
        }
        forge.create_repository(NewRepository::named("ada", "app")).unwrap();
        let roles = [
            ("max", Permission::Maintain),
            ("will", Permission::Write),
            ("tess", Permission::Triage),
            ("reed", Permission::Read),
        ];
        for (login, role) in roles {
            forge.grant(REPO, login, role).unwrap();
        }
        Self { forge, now: 1_000, _folder: folder }
    }

    pub(crate) fn respond<O: Operation>(
        &mut self,
        who: &str,
        call: O,
    ) -> (Result<O::Reply, Refusal>, Vec<Event>) {
        self.forge.handle(who, self.now, on(REPO, call))
    }

    pub(crate) fn ask<O: Operation>(&mut self, who: &str, call: O) -> O::Reply {
        self.respond(who, call).0.unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    pub(crate) fn events(&mut self, who: &str, call: impl Operation) -> Vec<EventKind> {
        let (response, events) = self.respond(who, call);
        response.unwrap_or_else(|refusal| panic!("{refusal}"));
        events.into_iter().map(|event| event.kind).collect()
    }

    pub(crate) fn refusal(&mut self, who: &str, call: impl Operation) -> Refusal {
        let (response, events) = self.respond(who, call);
        assert_eq!(events, [], "a refused request causes nothing");
        response.err().expect("should be refused")
    }

    /// Status and words of a refusal.
    pub(crate) fn refused(&mut self, who: &str, call: impl Operation) -> String {
        self.refusal(who, call).to_string()
    }

    pub(crate) fn open_issue(&mut self, body: &str) -> u64 {
        let new = NewIssue { title: "T".to_owned(), body: body.to_owned(), labels: Vec::new() };
        self.ask("will", CreateIssue(new)).number
    }

    pub(crate) fn issue(&mut self, number: u64) -> IssueView {
        self.ask("will", GetIssue { number })
    }

    pub(crate) fn timeline(&mut self, number: u64) -> Vec<TimelineEvent> {
        let call = ListTimeline { number, page: Page::largest() };
        let entries = self.ask("will", call).items;
        entries.into_iter().map(|entry| entry.event).collect()
    }

    pub(crate) fn tip(&self, branch: &str) -> Sha {
        self.forge.branch(REPO, branch).unwrap()
    }

    /// A new branch from `main`, by `will`.
    pub(crate) fn branch(&mut self, branch: &str) {
        let sha = self.tip("main");
        self.ask("will", CreateBranch { branch: branch.to_owned(), sha });
    }

    /// A commit that writes one file, pushed by `will`.
    pub(crate) fn write(&mut self, branch: &str, path: &str, text: &str) -> Sha {
        self.commit(branch, path, text, "Write").0
    }

    pub(crate) fn commit(
        &mut self,
        branch: &str,
        path: &str,
        text: &str,
        message: &str,
    ) -> (Sha, Vec<EventKind>) {
        let content = Content::written([(path, text)]);
        let (branch, message) = (branch.to_owned(), message.to_owned());
        let commit = BranchCommit { branch, content, message };
        let (sha, events) = self.forge.commit_on_branch("will", self.now, REPO, commit).unwrap();
        (sha, events.into_iter().map(|event| event.kind).collect())
    }

    /// A branch `name` that adds the file `name`, and a pull from it to `base`.
    pub(crate) fn pull(&mut self, name: &str, base: &str, body: &str) -> u64 {
        self.branch(name);
        self.write(name, name, name);
        self.pull_between(name, base, body)
    }

    pub(crate) fn pull_between(&mut self, head: &str, base: &str, body: &str) -> u64 {
        let new = new_pull(head, base, body);
        self.ask("will", CreatePull(new)).summary.issue.number
    }

    /// The pull with its mergeability computed.
    pub(crate) fn judged(&mut self, number: u64) -> PullView {
        self.forge.run_background(self.now);
        self.see_pull(number)
    }

    pub(crate) fn see_pull(&mut self, number: u64) -> PullView {
        self.ask("will", GetPull { number })
    }

    pub(crate) fn merge(&mut self, number: u64) -> Sha {
        let Merged { sha } = self.ask("will", merge_by(number, MergeMethod::Merge));
        sha
    }

    pub(crate) fn report(&mut self, head: Sha, name: &str, conclusion: Conclusion) -> u64 {
        let state = CheckState::Completed(conclusion);
        self.ask("will", check_run(head, name, state)).id
    }

    /// Classic protection of a branch that requires checks, for administrators too.
    pub(crate) fn require(&mut self, branch: &str, contexts: &[&str], strict: bool) {
        let contexts = contexts.iter().map(|&context| context.to_owned()).collect();
        let protection = Protection {
            required_checks: Some(RequiredChecks { strict, contexts }),
            enforce_admins: true,
            ..Protection::default()
        };
        let branch = branch.to_owned();
        self.ask("ada", SetProtection { branch, protection });
    }
}

pub(crate) fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

pub(crate) fn new_pull(head: &str, base: &str, body: &str) -> NewPull {
    let [title, body, head, base] = ["Change", body, head, base].map(str::to_owned);
    NewPull { title, body, head, base, draft: false }
}

pub(crate) fn merge_by(number: u64, method: MergeMethod) -> MergePull {
    MergePull { number, order: MergeOrder { method, ..MergeOrder::default() } }
}

pub(crate) fn check_run(head: Sha, name: &str, state: CheckState) -> CreateCheckRun {
    let (name, output) = (name.to_owned(), CheckOutput::default());
    CreateCheckRun(NewCheckRun { name, head, state, details_url: None, output })
}
