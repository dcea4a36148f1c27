//! The forge port on the model, with faults between them. The real client takes this place later.

mod convert;
mod faults;

pub(crate) use convert::sha;

use crate::bugs::Bug;
use crate::town::Town;
use ralph_core::ids::{Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::policy::MergeMethod;
use ralph_core::pull::{Check, CheckState, Checks, Pull, Required};
use ralph_core::repo::Branches;
use ralph_core::time::Time;
use ralph_engine::ports::{
    Answer, Forge, ForgeComment, ForgeIssue, FoundPull, LabelDefinition, LabelEvent, LabelEvents,
    NewPull, Read, RefusalKind, Relations, Rights, Unread,
};
use ralph_forge::{
    BranchCall, CheckCall, CommentCall, GitCall, IssueCall, IssueEdit, IssueFilter, LabelCall,
    LabelEdit, MergeOrder, NewLabel, Page, Permission, PullCall, PullEdit, PullFilter,
    RelationCall, Reply, RepositoryCall, StateChange, StateFilter, TimelineEvent,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use convert::{conclusion, done, issue_of, of_kind, pull_of, seconds};

/// One page is enough for a life.
pub(crate) const fn whole_page() -> Page {
    Page { number: 1, size: 100 }
}

#[derive(Debug, Clone)]
pub(crate) struct SimForge(pub(crate) Rc<RefCell<Town>>);

/// A reply of another kind than asked for: the model broke its own promise.
fn odd<T>() -> Read<T> {
    Err(Unread { until: None, why: "the forge answered something else".to_owned() })
}

impl Forge for SimForge {
    fn issues_since(&mut self, _repo: &RepoName, since: Option<Time>) -> Read<Vec<ForgeIssue>> {
        let since = since.and_then(|at| u64::try_from(at.0 / 1_000).ok());
        let filter = IssueFilter { state: StateFilter::All, since, ..IssueFilter::default() };
        match self.read(IssueCall::List { filter, page: whole_page() })? {
            Ok(Reply::Issues(list)) => {
                let issues = list.items.into_iter().filter(|view| view.pull.is_none());
                Ok(issues.filter_map(issue_of).collect())
            }
            _other => odd(),
        }
    }

    fn issue(&mut self, key: &IssueKey) -> Read<Option<ForgeIssue>> {
        match self.read(IssueCall::Get { number: key.number })? {
            Ok(Reply::Issue(view)) => Ok(issue_of(*view)),
            Err(refusal) if matches!(refusal.status, 404 | 410) => Ok(None),
            _other => odd(),
        }
    }

    fn relations(&mut self, key: &IssueKey) -> Read<Relations> {
        let number = key.number;
        let blocked_by = match self.read(RelationCall::BlockedBy { number, page: whole_page() })? {
            Ok(Reply::Issues(list)) => list.items.into_iter().filter_map(issue_of).collect(),
            Err(refusal) if matches!(refusal.status, 404 | 410) => {
                return Ok(Relations::Unavailable);
            }
            _other => return odd(),
        };
        match self.read(RelationCall::SubIssues { number, page: whole_page() })? {
            Ok(Reply::Issues(list)) => {
                let children = list.items.into_iter().filter_map(issue_of).collect();
                Ok(Relations::Lists { blocked_by, children })
            }
            _other => odd(),
        }
    }

    fn label_events(&mut self, key: &IssueKey, after: u64) -> Read<LabelEvents> {
        let call = IssueCall::Events { number: key.number, page: whole_page() };
        let list = match self.read(call)? {
            Ok(Reply::Timeline(list)) => list,
            Err(refusal) if matches!(refusal.status, 404 | 410) => {
                return Ok(LabelEvents::Unavailable);
            }
            _other => return odd(),
        };
        let event = |entry: ralph_forge::TimelineEntry| {
            let (label, is_added) = match &entry.event {
                TimelineEvent::Labeled(label) => (label.name.as_str().into(), true),
                TimelineEvent::Unlabeled(label) => (label.name.as_str().into(), false),
                _other => return None,
            };
            let (id, at, actor) = (entry.id, seconds(entry.at), Login::new(&entry.actor));
            Some(LabelEvent { id, at, actor, label, is_added })
        };
        let new = list.items.into_iter().filter(|entry| entry.id > after);
        Ok(LabelEvents::List(new.filter_map(event).collect()))
    }

    fn rights(&mut self, _repo: &RepoName, login: &Login) -> Read<Rights> {
        let bug = self.0.borrow().bug;
        match self.read(RepositoryCall::Permission { login: login.to_string() })? {
            Ok(Reply::Permission(found)) => {
                let triage =
                    found.role >= Permission::Triage || bug == Some(Bug::StrangerMayCommand);
                Ok(Rights { triage, push: found.role >= Permission::Write })
            }
            Err(_) => Ok(Rights { triage: false, push: false }),
            Ok(_) => odd(),
        }
    }

    fn comments_since(&mut self, key: &IssueKey, since: Time) -> Read<Vec<ForgeComment>> {
        let since = u64::try_from(since.0 / 1_000).ok();
        let call = CommentCall::List { number: key.number, since, page: whole_page() };
        let Ok(Reply::Comments(list)) = self.read(call)? else { return odd() };
        let comment = |view: ralph_forge::CommentView| ForgeComment {
            id: CommentId(view.comment.id),
            author: Login::new(&view.comment.author),
            body: view.comment.body,
            created: seconds(view.comment.created_at),
        };
        Ok(list.items.into_iter().map(comment).collect())
    }

    fn pull(&mut self, _repo: &RepoName, number: PullNumber) -> Read<Option<Pull>> {
        let now = self.0.borrow().ralph_time();
        match self.read(PullCall::Get { number: number.0 })? {
            Ok(Reply::Pull(view)) => Ok(Some(pull_of(&view, now))),
            Err(refusal) if refusal.status == 404 => Ok(None),
            _other => odd(),
        }
    }

    fn pulls_from(&mut self, _repo: &RepoName, head: &Branch) -> Read<Vec<FoundPull>> {
        let filter = PullFilter {
            state: StateFilter::All,
            head: Some(head.to_string()),
            ..PullFilter::default()
        };
        let Ok(Reply::Pulls(list)) = self.read(PullCall::List { filter, page: whole_page() })?
        else {
            return odd();
        };
        let found = |pull: ralph_forge::PullSummary| FoundPull {
            number: PullNumber(pull.issue.number),
            head: sha(pull.head_sha),
            body: pull.issue.body,
        };
        let mut all: Vec<_> = list.items.into_iter().map(found).collect();
        all.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(all)
    }

    fn checks(&mut self, _repo: &RepoName, head: &Sha) -> Read<Checks> {
        let reference = head.to_string();
        let page = whole_page();
        let runs =
            CheckCall::ListRuns { reference: reference.clone(), name: None, all: false, page };
        let Ok(Reply::CheckRuns(runs)) = self.read(runs)? else { return odd() };
        let Ok(Reply::CombinedStatus(statuses)) =
            self.read(CheckCall::CombinedStatus { reference })?
        else {
            return odd();
        };
        let mut by_name: BTreeMap<String, Vec<Check>> = BTreeMap::new();
        for run in runs.items {
            let check = Check { state: conclusion(run.state), url: run.details_url };
            by_name.entry(run.name).or_default().push(check);
        }
        for status in statuses.statuses {
            let state = match status.state {
                ralph_forge::StatusState::Pending => CheckState::Pending,
                ralph_forge::StatusState::Success => CheckState::Pass,
                ralph_forge::StatusState::Failure | ralph_forge::StatusState::Error => {
                    CheckState::Fail
                }
            };
            let check = Check { state, url: status.target_url };
            by_name.entry(status.context).or_default().push(check);
        }
        Ok(Checks { head: head.clone(), by_name })
    }

    fn required(&mut self, _repo: &RepoName, branches: [&Branch; 2]) -> Read<Required> {
        for branch in branches {
            match self.read(BranchCall::Get { branch: branch.to_string() })? {
                Ok(Reply::Branch(view)) => {
                    let names = view.required_checks.map(|checks| checks.contexts);
                    let names: Vec<_> = names.unwrap_or_default().into_iter().collect();
                    if !names.is_empty() {
                        return Ok(Required::Names(names));
                    }
                }
                Err(refusal) if refusal.status == 404 => {}
                _other => return Ok(Required::Unknown),
            }
        }
        Ok(Required::Nothing)
    }

    fn branches(&mut self, _repo: &RepoName, bot: &Branch) -> Read<Branches> {
        let Ok(Reply::Repository(repository)) = self.read(RepositoryCall::Get)? else {
            return odd();
        };
        let default = repository.default_branch.clone();
        let Ok(Reply::Branch(head)) = self.read(BranchCall::Get { branch: default.clone() })?
        else {
            return odd();
        };
        let bot_head = match self.read(BranchCall::Get { branch: bot.to_string() })? {
            Ok(Reply::Branch(view)) => Some(sha(view.sha)),
            Err(refusal) if refusal.status == 404 => None,
            _other => return odd(),
        };
        Ok(Branches { default: Branch::new(&default), default_head: sha(head.sha), bot_head })
    }

    fn contains(&mut self, _repo: &RepoName, head: &Sha, commit: &Sha) -> Read<bool> {
        if self.0.borrow().bug == Some(Bug::DoneWithoutEvidence) {
            return Ok(true);
        }
        let (base, head) = (commit.to_string(), head.to_string());
        match self.read(GitCall::Compare { base, head })? {
            Ok(Reply::Comparison(found)) => Ok(found.behind_by == 0),
            Err(_) => Ok(false),
            Ok(_) => odd(),
        }
    }

    fn labels(&mut self, _repo: &RepoName) -> Read<Vec<LabelDefinition>> {
        let Ok(Reply::Labels(list)) = self.read(LabelCall::List { page: whole_page() })? else {
            return odd();
        };
        let definition = |label: std::sync::Arc<ralph_forge::Label>| LabelDefinition {
            name: label.name.clone(),
            color: label.color.clone(),
            description: label.description.clone().unwrap_or_default(),
        };
        Ok(list.items.into_iter().map(definition).collect())
    }

    fn add_label(&mut self, key: &IssueKey, label: &str) -> Answer<()> {
        let name = match self.0.borrow().bug {
            Some(Bug::ForeignLabel) => "in progress",
            Some(Bug::BlockedLabel) if label.ends_with("queued") => "ralph:blocked",
            Some(_) | None => label,
        };
        let (number, names) = (key.number, vec![name.to_owned()]);
        let add = LabelCall::Add { number, names };
        let mut answer = self.write(add.clone());
        if matches!(answer, Answer::Unknown { .. })
            && self.0.borrow().bug == Some(Bug::LabelWrittenTwice)
        {
            let name = name.to_owned();
            answer = match self.write(LabelCall::Remove { number, name }) {
                Answer::Happened(_) => self.write(add),
                other => other,
            };
        }
        done(answer)
    }

    fn remove_label(&mut self, key: &IssueKey, label: &str) -> Answer<()> {
        done(self.write(LabelCall::Remove { number: key.number, name: label.to_owned() }))
    }

    fn create_comment(&mut self, key: &IssueKey, body: &str) -> Answer<CommentId> {
        let is_bare = self.0.borrow().bug == Some(Bug::CommentWithoutMarker);
        let (_, bare) = body.split_once('\n').unwrap_or_default();
        let body = if is_bare { bare.to_owned() } else { body.to_owned() };
        let call = CommentCall::Create { number: key.number, body };
        let mut answer = self.write(call.clone());
        if matches!(answer, Answer::Unknown { .. })
            && self.0.borrow().bug == Some(Bug::RetryCommentAfterTimeout)
        {
            answer = self.write(call);
        }
        of_kind(answer, |reply| match reply {
            Reply::Comment(view) => Some(CommentId(view.comment.id)),
            _other => None,
        })
    }

    fn edit_comment(&mut self, _key: &IssueKey, id: CommentId, body: &str) -> Answer<()> {
        done(self.write(CommentCall::Edit { id: id.0, body: body.to_owned() }))
    }

    fn close_issue(&mut self, key: &IssueKey) -> Answer<()> {
        let state = Some(StateChange::Close(ralph_forge::CloseReason::Completed));
        let edit = IssueEdit { state, ..IssueEdit::default() };
        done(self.write(IssueCall::Edit { number: key.number, edit }))
    }

    fn open_pull(&mut self, _repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull> {
        let now = self.0.borrow().ralph_time();
        let is_wrong = self.0.borrow().bug == Some(Bug::PullToDefaultBranch);
        let base =
            if is_wrong { crate::town::DEFAULT_BRANCH.to_owned() } else { new.base.to_string() };
        let call = PullCall::Create(ralph_forge::NewPull {
            title: new.title.to_owned(),
            body: new.body.to_owned(),
            head: new.head.to_string(),
            base,
            draft: false,
        });
        of_kind(self.write(call), |reply| match reply {
            Reply::Pull(view) => Some(pull_of(&view, now)),
            _other => None,
        })
    }

    fn edit_pull(&mut self, _repo: &RepoName, number: PullNumber, body: &str) -> Answer<()> {
        let edit = PullEdit { body: Some(body.to_owned()), ..PullEdit::default() };
        done(self.write(PullCall::Edit { number: number.0, edit }))
    }

    fn merge(
        &mut self,
        _repo: &RepoName,
        pull: PullNumber,
        head: &Sha,
        how: MergeMethod,
    ) -> Answer<Sha> {
        let method = match how {
            MergeMethod::Merge => ralph_forge::MergeMethod::Merge,
            MergeMethod::Squash => ralph_forge::MergeMethod::Squash,
            MergeMethod::Rebase => ralph_forge::MergeMethod::Rebase,
        };
        self.0.borrow_mut().meddle_at_the_last_moment();
        let is_blind = self.0.borrow().bug == Some(Bug::MergeWithoutHead);
        let expected_head = head.as_str().parse().ok().filter(|_| !is_blind);
        let order = MergeOrder { method, expected_head, message: None };
        of_kind(self.write(PullCall::Merge { number: pull.0, order }), |reply| match reply {
            Reply::Merged(merged) => Some(sha(merged.sha)),
            _other => None,
        })
    }

    fn create_label(&mut self, _repo: &RepoName, label: &LabelDefinition) -> Answer<()> {
        done(self.write(LabelCall::Create(NewLabel {
            name: label.name.clone(),
            color: Some(label.color.clone()),
            description: Some(label.description.clone()),
        })))
    }

    fn edit_label(&mut self, _repo: &RepoName, label: &LabelDefinition) -> Answer<()> {
        let edit = LabelEdit {
            name: None,
            color: Some(label.color.clone()),
            description: Some(label.description.clone()),
        };
        done(self.write(LabelCall::Edit { name: label.name.clone(), edit }))
    }

    fn create_branch(&mut self, _repo: &RepoName, branch: &Branch, at: &Sha) -> Answer<()> {
        let Ok(sha) = at.as_str().parse() else {
            return Answer::refused(RefusalKind::Other, "no such commit");
        };
        done(self.write(GitCall::CreateRef { branch: branch.to_string(), sha }))
    }
}
