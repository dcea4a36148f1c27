//! A forge that is moved by hand: a test sets what it shows and how it answers the next changes, and afterwards reads
//! what was requested.

pub(crate) use crate::reply_mode::ReplyMode;
use ralph_core::ids::{Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::label::DEFINITIONS;
use ralph_core::policy::MergeMethod;
use ralph_core::pull::{Check, CheckState, Checks, Mergeable, Pull, PullState, Required};
use ralph_core::repo::Branches;
use ralph_core::rerun::Rerunnable;
use ralph_core::time::Time;
use ralph_engine::ports::{
    Answer, CheckLog, ClosedBy, Forge, ForgeComment, ForgeIssue, FoundMark, FoundPull,
    LabelDefinition, LabelEvent, LabelEvents, NewMark, NewPull, Read, RefusalKind, Related,
    Relations, Rights, Skipped, TimelineEntry, Unread,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const BOT: &str = "ralph";
/// The only person with nothing but read access.
pub(crate) const STRANGER: &str = "sam";
/// The only person who may label but not write.
pub(crate) const TRIAGER: &str = "tim";
pub(crate) const QUEUED: &str = "ralph:status:queued";

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches that a test sets one by one"
)]
pub(crate) struct HandForge {
    pub(crate) now: Time,
    pub(crate) mode: ReplyMode,
    /// Every change that was requested, whatever the answer was.
    pub(crate) asked: Vec<String>,
    pub(crate) comments: Vec<(IssueKey, ForgeComment)>,
    pub(crate) pulls: BTreeMap<u64, Pull>,
    /// The answer in place of a pull request.
    pub(crate) pulls_unread: Option<Unread>,
    /// The answer in place of comments.
    pub(crate) comments_unread: Option<Unread>,
    /// The conclusion of the required check, for every commit.
    pub(crate) ci: Option<CheckState>,
    /// The log of a red check.
    pub(crate) log: String,
    /// The answer in place of the log.
    pub(crate) log_unread: Option<Unread>,
    /// True if the default branch has everything.
    pub(crate) is_rolled_up: bool,
    /// The head to which another person has moved the bot branch.
    pub(crate) bot_head: Option<Sha>,
    /// True if the default branch has changes that the bot branch lacks.
    pub(crate) has_moved: bool,
    /// Heads, each with a commit that it contains.
    pub(crate) holds: BTreeSet<(Sha, Sha)>,
    /// The timeline of every issue.
    pub(crate) timeline: Vec<TimelineEntry>,
    /// Issues that were read one by one.
    pub(crate) issues_read: Vec<IssueKey>,
    /// The answer in place of an issue.
    pub(crate) issues_unread: BTreeMap<IssueKey, Unread>,
    /// The answer in place of a person's rights in a repository.
    pub(crate) rights_unread: Vec<(RepoName, Login, Unread)>,
    pub(crate) rights_asked: usize,
    /// Native dependencies and sub-issues, where it has them.
    pub(crate) relations: BTreeMap<IssueKey, (Read<Related>, Read<Related>)>,
    /// Entries that its next list of issues has to leave out.
    pub(crate) senseless: Vec<Skipped>,
    /// True if the comments cannot be understood.
    pub(crate) senseless_comments: bool,
    skipped: Vec<Skipped>,
    /// The answer in place of checks.
    pub(crate) checks_unread: Option<Unread>,
    /// Label events that it does not show yet.
    pub(crate) events_hidden: BTreeSet<u64>,
    /// Issues that were not closed by a person.
    pub(crate) closers: BTreeMap<IssueKey, ClosedBy>,
    /// The answer in place of the cause of a closing.
    pub(crate) closers_unread: Option<Unread>,
    /// True if it answers 404 when asked for label events.
    pub(crate) keeps_no_events: bool,
    pub(crate) issues: BTreeMap<IssueKey, ForgeIssue>,
    pub(crate) marks: BTreeMap<RepoName, FoundMark>,
    pub(crate) events: Vec<(IssueKey, LabelEvent)>,
    /// The author, branch and text of each pull request.
    pub(crate) opened: BTreeMap<PullNumber, (Login, Branch, String)>,
}

impl HandForge {
    pub(crate) fn at(now: Time) -> Self {
        Self { now, ..Self::default() }
    }

    /// The text of a pull request.
    pub(crate) fn text_of(&self, number: u64) -> &str {
        &self.opened[&PullNumber(number)].2
    }

    pub(crate) fn shown(&self, key: &IssueKey) -> &ForgeIssue {
        &self.issues[key]
    }

    /// A person merges a pull request.
    pub(crate) fn merges(&mut self, number: u64) {
        let commit = Sha::new(&format!("merge-{number}"));
        let pull = self.pulls.get_mut(&number).unwrap();
        (pull.state, pull.read_at) = (PullState::Merged { commit }, self.now);
    }

    fn change<T>(&mut self, what: String, make: impl FnOnce(&mut Self) -> T) -> Answer<T> {
        self.asked.push(what);
        match self.mode {
            ReplyMode::Fine => Answer::Happened(make(self)),
            ReplyMode::Refuses => Answer::refused(RefusalKind::Other, "no"),
            ReplyMode::Exists => Answer::refused(RefusalKind::Exists, "it exists"),
            ReplyMode::Later(until) => Answer::Later { until, why: "busy".to_owned() },
            ReplyMode::LosesChange => Answer::Unknown { why: "no answer".to_owned() },
            ReplyMode::LosesAnswer => {
                make(self);
                Answer::Unknown { why: "no answer".to_owned() }
            }
        }
    }
}

impl Forge for HandForge {
    fn issues_since(&mut self, repo: &RepoName, since: Option<Time>) -> Read<Vec<ForgeIssue>> {
        let since = since.unwrap_or_default();
        let of_repo = self.issues.values().filter(|issue| issue.key.repo == *repo);
        let list: Vec<_> = of_repo.filter(|issue| issue.updated >= since).cloned().collect();
        if !list.is_empty() {
            self.skipped.append(&mut self.senseless);
        }
        Ok(list)
    }

    fn issue(&mut self, key: &IssueKey) -> Read<Option<ForgeIssue>> {
        self.issues_read.push(key.clone());
        if let Some(unread) = self.issues_unread.get(key) {
            return Err(unread.clone());
        }
        Ok(self.issues.get(key).cloned())
    }

    fn issues_by(&mut self, _: &RepoName, who: &Login, since: Time) -> Read<Vec<ForgeIssue>> {
        let by = self.issues.values().filter(|issue| issue.author == *who);
        Ok(by.filter(|issue| issue.updated >= since).cloned().collect())
    }

    fn relations(&mut self, key: &IssueKey) -> Relations {
        let unavailable = || Ok(Related::Unavailable);
        let (blocked_by, children) = self.relations.get(key).cloned().unzip();
        Relations {
            blocked_by: blocked_by.unwrap_or_else(unavailable),
            children: children.unwrap_or_else(unavailable),
        }
    }

    fn label_events(&mut self, key: &IssueKey, after: u64) -> Read<LabelEvents> {
        if self.keeps_no_events {
            return Ok(LabelEvents::Unavailable);
        }
        let is_shown = |event: &LabelEvent| !self.events_hidden.contains(&event.id);
        let of_issue = self.events.iter().filter(|(of, event)| of == key && is_shown(event));
        let wanted = of_issue.filter(|(_, event)| event.id > after);
        Ok(LabelEvents::List(wanted.map(|(_, event)| event.clone()).collect()))
    }

    fn timeline(&mut self, _: &IssueKey) -> Read<Vec<TimelineEntry>> {
        Ok(self.timeline.clone())
    }

    fn closed_by(&mut self, key: &IssueKey) -> Read<ClosedBy> {
        if let Some(unread) = self.closers_unread.clone() {
            return Err(unread);
        }
        Ok(self.closers.get(key).cloned().unwrap_or(ClosedBy::Person))
    }

    fn skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skipped)
    }

    fn rights(&mut self, repo: &RepoName, login: &Login) -> Read<Rights> {
        self.rights_asked += 1;
        let unread = self.rights_unread.iter().find(|(of, who, _)| of == repo && who == login);
        if let Some((_, _, unread)) = unread {
            return Err(unread.clone());
        }
        let triage = *login != Login::new(STRANGER);
        Ok(Rights { triage, push: triage && *login != Login::new(TRIAGER) })
    }

    fn comments_since(&mut self, key: &IssueKey, since: Time) -> Read<Vec<ForgeComment>> {
        if let Some(unread) = self.comments_unread.clone() {
            return Err(unread);
        }
        if self.senseless_comments {
            self.skipped.push(Skipped { why: "no comment".to_owned(), updated: None });
            return Ok(Vec::new());
        }
        let wanted = self.comments.iter().filter(|(of, it)| of == key && it.updated >= since);
        Ok(wanted.map(|(_, comment)| comment.clone()).collect())
    }

    fn pull(&mut self, _: &RepoName, number: PullNumber) -> Read<Option<Pull>> {
        if let Some(unread) = self.pulls_unread.clone() {
            return Err(unread);
        }
        let read_at = self.now;
        Ok(self.pulls.get(&number.0).map(|pull| Pull { read_at, ..pull.clone() }))
    }

    fn pulls_from(&mut self, _: &RepoName, head: &Branch) -> Read<Vec<FoundPull>> {
        let found = self.pulls.values().rev().filter_map(|pull| {
            let (author, from, body) = &self.opened[&pull.number];
            (from == head).then(|| FoundPull {
                number: pull.number,
                author: author.clone(),
                is_open: pull.state == PullState::Open,
                merged: match &pull.state {
                    PullState::Merged { commit } => Some(commit.clone()),
                    PullState::Open | PullState::Closed => None,
                },
                base: pull.base.clone(),
                head: pull.head.clone(),
                body: body.clone(),
            })
        });
        Ok(found.collect())
    }

    fn checks(&mut self, _: &RepoName, head: &Sha) -> Read<Checks> {
        self.checks_unread.clone().map_or(Ok(()), Err)?;
        let url = Some("https://ci.example/1".to_owned());
        let check = |state| ("CI".to_owned(), vec![Check { state, url }]);
        Ok(Checks { head: head.clone(), by_name: self.ci.map(check).into_iter().collect() })
    }

    fn check_log(&mut self, _: &RepoName, _: &Sha, _: &str) -> Read<Option<CheckLog>> {
        self.log_unread.clone().map_or(Ok(()), Err)?;
        let (conclusion, of) = ("failure".to_owned(), Some(Rerunnable::CheckRun(1)));
        let is_red = self.ci == Some(CheckState::Fail);
        Ok(is_red.then(|| CheckLog { conclusion, text: self.log.clone(), of }))
    }

    fn required(&mut self, _: &RepoName, _: [&Branch; 2]) -> Read<Required> {
        Ok(Required::Names(vec!["CI".to_owned()]))
    }

    fn may_protect(&mut self, _: &RepoName) -> Read<bool> {
        Ok(false)
    }
    fn require_checks(&mut self, _: &RepoName, _: &Branch, _: &[&str]) -> Answer<()> {
        Answer::Happened(())
    }

    fn branches(&mut self, _: &RepoName, _: &Branch) -> Read<Branches> {
        let default_head = Sha::new(if self.is_rolled_up { "main-2" } else { "main-1" });
        let bot_head = self.bot_head.clone().or_else(|| Some(Sha::new("bot-1")));
        Ok(Branches { default: Branch::new("main"), default_head, bot_head })
    }

    fn contains(&mut self, _: &RepoName, head: &Sha, commit: &Sha) -> Read<bool> {
        let is_told = self.holds.contains(&(head.clone(), commit.clone()));
        Ok(head == commit || is_told || self.is_rolled_up)
    }

    fn brings_changes(&mut self, _: &RepoName, base: &Sha, head: &Sha) -> Read<bool> {
        Ok(base != head && self.has_moved)
    }

    fn labels(&mut self, _: &RepoName) -> Read<Vec<LabelDefinition>> {
        let definition = |it: &ralph_core::label::Definition| LabelDefinition {
            name: it.name.to_owned(),
            color: it.color.to_owned(),
            description: it.description.to_owned(),
        };
        Ok(DEFINITIONS.iter().map(definition).collect())
    }

    fn mark(&mut self, repo: &RepoName) -> Read<Option<FoundMark>> {
        Ok(self.marks.get(repo).cloned())
    }

    fn write_mark(&mut self, repo: &RepoName, new: &NewMark<'_>) -> Answer<Option<Sha>> {
        self.change(format!("mark {repo}"), |forge| forge.puts_mark(repo, new))
    }

    fn tree_of(&mut self, _: &RepoName, commit: &Sha) -> Read<Option<String>> {
        Ok(Some(format!("tree-{commit}")))
    }

    fn add_label(&mut self, key: &IssueKey, label: &str) -> Answer<()> {
        self.change(format!("{key} +{label}"), |forge| forge.set_label(key, label, BOT, true))
    }

    fn remove_label(&mut self, key: &IssueKey, label: &str) -> Answer<()> {
        self.change(format!("{key} -{label}"), |forge| forge.set_label(key, label, BOT, false))
    }

    fn create_comment(&mut self, key: &IssueKey, body: &str) -> Answer<CommentId> {
        self.change(format!("{key} comment"), |forge| forge.says(BOT, key, body))
    }

    fn edit_comment(&mut self, key: &IssueKey, id: CommentId, body: &str) -> Answer<()> {
        self.change(format!("{key} edit {id}"), |forge| {
            forge.rewords(id, body);
        })
    }

    fn close_issue(&mut self, key: &IssueKey) -> Answer<()> {
        self.change(format!("{key} close"), |forge| {
            let issue = forge.issues.get_mut(key).unwrap();
            (issue.open, issue.updated) = (false, forge.now);
        })
    }

    fn open_issue(&mut self, repo: &RepoName, title: &str, body: &str) -> Answer<u64> {
        self.change(format!("issue {title}"), |forge| forge.writes_issue(repo, title, body))
    }

    fn edit_issue(&mut self, key: &IssueKey, body: &str) -> Answer<()> {
        if !self.issues.contains_key(key) {
            return Answer::refused(RefusalKind::Missing, "gone");
        }
        self.change(format!("{key} text"), |forge| {
            let issue = forge.issues.get_mut(key).unwrap();
            (issue.body, issue.updated) = (body.to_owned(), forge.now);
        })
    }

    fn open_pull(&mut self, _: &RepoName, new: &NewPull<'_>) -> Answer<Pull> {
        let is_open = |number: &PullNumber| self.pulls[&number.0].state == PullState::Open;
        let is_ours = |who: &Login, from: &Branch| who.as_str() == BOT && from == new.head;
        let of_branch = self.opened.iter().filter(|(_, (who, from, _))| is_ours(who, from));
        if of_branch.map(|(number, _)| number).any(is_open) {
            return Answer::refused(RefusalKind::Exists, "it exists");
        }
        self.change(format!("pull {} -> {}", new.head, new.base), |it| it.proposes(BOT, new))
    }

    fn open_draft(&mut self, _: &RepoName, new: &NewPull<'_>) -> Answer<Pull> {
        self.change(format!("draft {} -> {}", new.head, new.base), |it| it.proposes(BOT, new))
    }

    fn close_pull(&mut self, _: &RepoName, number: PullNumber) -> Answer<()> {
        let pull =
            |forge: &mut Self| forge.pulls.get_mut(&number.0).unwrap().state = PullState::Closed;
        self.change(format!("pull {number} close"), pull)
    }

    fn edit_pull(&mut self, _: &RepoName, number: PullNumber, body: &str) -> Answer<()> {
        self.change(format!("pull {number} edit"), |forge| {
            let (_, _, text) = forge.opened.get_mut(&number).unwrap();
            body.clone_into(text);
        })
    }

    fn merge(&mut self, _: &RepoName, pull: PullNumber, _: &Sha, _: MergeMethod) -> Answer<Sha> {
        self.change(format!("pull {pull} merge"), |forge| {
            forge.merges(pull.0);
            Sha::new(&format!("merge-{}", pull.0))
        })
    }

    fn rerun(&mut self, _: &RepoName, of: Rerunnable) -> Answer<()> {
        self.change(format!("rerun {of:?}"), |forge| forge.ci = Some(CheckState::Pass))
    }

    /// The base is merged into the branch at once, and the pull request is up to date.
    fn update_branch(&mut self, _: &RepoName, pull: PullNumber, head: &Sha) -> Answer<()> {
        self.change(format!("pull {pull} update {head}"), |forge| {
            let shown = forge.pulls.get_mut(&pull.0).unwrap();
            let updated = Sha::new(&format!("{head}+base"));
            forge.holds.insert((updated.clone(), head.clone()));
            (shown.head, shown.mergeable) = (updated, Mergeable::Clean);
        })
    }

    fn create_label(&mut self, _: &RepoName, label: &LabelDefinition) -> Answer<()> {
        self.change(format!("define {}", label.name), |_| ())
    }

    fn edit_label(&mut self, _: &RepoName, label: &LabelDefinition) -> Answer<()> {
        self.change(format!("redefine {}", label.name), |_| ())
    }

    fn delete_branch(&mut self, _: &RepoName, branch: &Branch) -> Answer<()> {
        self.change(format!("delete {branch}"), |_| ())
    }

    fn create_branch(&mut self, _: &RepoName, branch: &Branch, _: &Sha) -> Answer<()> {
        self.change(format!("branch {branch}"), |_| ())
    }
}
