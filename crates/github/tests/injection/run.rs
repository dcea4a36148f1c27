//! One run with one foreign text in it, and what of it can be seen from outside.

use crate::daemon::{Daemon, rules};
use crate::world::{BOT, OWNER, STRANGER, World, key};
use ralph_core::fact::{Move, Observation, What};
use ralph_core::ids::Login;
use ralph_core::issue::{PendingCommand, Phase};
use ralph_core::routing::Decision;
use ralph_core::time::Span;
use ralph_core::words::journal_line;
use ralph_forge::{
    AddLabels, CreateComment, CreateIssue, GetIssue, GetPull, IssueState, ListComments,
    MergeMethod, MergeOrder, MergePull, NewIssue, Page,
};

/// An issue of the owner's that has nothing to do with any of this.
const BYSTANDER: u64 = 1;
/// The issue that is worked on, its pull request and the rollup.
const ISSUE: u64 = 2;
const PULL: u64 = 3;
const ROLLUP: u64 = 4;
/// Longest title and longest body that GitHub takes.
const TITLE_CHARS_MAX: usize = 256;
const BODY_CHARS_MAX: usize = 65_536;
/// Long enough for a run of few rounds, short enough for the echoes of one to come in order.
const ROUND: Span = Span::from_secs(5);
/// Rounds in which a text has the time to act.
const QUIET_ROUNDS: usize = 20;

/// The place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Title,
    Body,
    Comment,
}

impl Place {
    pub(crate) const ALL: [Self; 3] = [Self::Title, Self::Body, Self::Comment];
}

/// The visible results of a run.
pub(crate) struct Run {
    pub(crate) prompts: Vec<String>,
    /// Ralph's decisions, in the order of the journal.
    pub(crate) moves: Vec<String>,
    /// Commands that were taken in from anybody but the owner.
    foreign_commands: Vec<String>,
    /// Texts that Ralph has published: comments and bodies of pull requests.
    published: Vec<String>,
    /// The message under which the change came to the bot branch.
    pull_title: String,
    bystander: String,
    has_blocked_others: bool,
}

pub(crate) fn play(place: Place, text: &str) -> Run {
    let world = World::new();
    let issue = NewIssue { title: "Leave me alone".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(issue)).expect("an issue");
    let (title, body) = match place {
        Place::Title => (line_of(text), "Please.".to_owned()),
        Place::Body => ("Add a flag".to_owned(), cut(text, BODY_CHARS_MAX)),
        Place::Comment => ("Add a flag".to_owned(), "Please.".to_owned()),
    };
    let issue = NewIssue { title, body, labels: Vec::new() };
    world.act(STRANGER, CreateIssue(issue)).expect("an issue");
    let mut daemon = Daemon::new(&world, rules());
    daemon.pause = ROUND;
    // So that people have something to answer.
    daemon.first_plan = Some(Decision::Escalate);
    let comments = || {
        if place == Place::Comment {
            let call = CreateComment { number: ISSUE, body: cut(text, BODY_CHARS_MAX) };
            world.act(STRANGER, call).expect("a comment");
        }
    };
    comments();
    (0..QUIET_ROUNDS).for_each(|_| daemon.round());
    labels(&world, "ralph:status:queued");
    daemon.rounds_until(|daemon| is_escalated(daemon) && daemon.engine.outbox().next().is_none());
    comments();
    (0..QUIET_ROUNDS).for_each(|_| daemon.round());
    labels(&world, "ralph:cmd:queue");
    daemon.rounds_until(|daemon| daemon.world.look(GetPull { number: PULL }).is_ok());
    comments();
    world.passes(PULL);
    daemon.rounds_until(|daemon| daemon.world.look(GetPull { number: ROLLUP }).is_ok());
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    world.act(OWNER, MergePull { number: ROLLUP, order }).expect("a merge");
    daemon.rounds_until(|daemon| matches!(daemon.phase(ISSUE), Some(Phase::Done { .. })));
    (0..QUIET_ROUNDS).for_each(|_| daemon.round());
    Run::seen(&daemon)
}

fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// As much of a text as fits into a title.
fn line_of(text: &str) -> String {
    let line = text.replace(['\r', '\n'], " ");
    let line = cut(line.trim(), TITLE_CHARS_MAX);
    if line.trim().is_empty() { "Untitled".to_owned() } else { line }
}

fn labels(world: &World, label: &str) {
    let names = vec![label.to_owned()];
    world.act(OWNER, AddLabels { number: ISSUE, names }).expect("a label");
}

fn is_escalated(daemon: &Daemon) -> bool {
    matches!(daemon.phase(ISSUE), Some(Phase::Escalated { .. }))
}

impl Run {
    fn seen(daemon: &Daemon) -> Self {
        let world = &daemon.world;
        let store = daemon.engine.store().expect("a store");
        let journal = store.journal_after(0).expect("a journal");
        let reported = journal.iter().map(|entry| &entry.fact);
        let moves = reported.clone().filter(|fact| matches!(fact.what, What::Moved(_)));
        let by_others = |command: &PendingCommand| {
            let owner = Login::new(OWNER);
            (command.actor.as_ref() != Some(&owner)).then(|| format!("{command:?}"))
        };
        let foreign_commands = reported.flat_map(|fact| match &fact.what {
            What::Seen(Observation::Commands { commands, .. }) => {
                commands.values().filter_map(by_others).collect()
            }
            What::Seen(Observation::Command { command, .. }) => Vec::from_iter(by_others(command)),
            What::Moved(Move::Adopted { .. }) => vec!["adopted".to_owned()],
            What::Seen(_)
            | What::RepoSeen(_)
            | What::Finished { .. }
            | What::Used { .. }
            | What::Suspected { .. }
            | What::Interrupted { .. }
            | What::Settled(_)
            | What::Moved(_) => Vec::new(),
        });
        let issue = daemon.engine.world().issue(&key(ISSUE));
        let seen = issue.and_then(|issue| issue.seen.as_ref());
        let (pull_title, pull_body) = pull(world, PULL);
        let (_, rollup_body) = pull(world, ROLLUP);
        let mut published = comments(world);
        published.extend([pull_body, rollup_body]);
        Self {
            prompts: daemon.prompts.clone(),
            foreign_commands: foreign_commands.collect(),
            moves: moves.filter_map(|fact| Some(without_evidence(journal_line(fact)?))).collect(),
            published,
            pull_title,
            bystander: bystander(world),
            has_blocked_others: seen.is_none_or(|seen| !seen.blocks.is_empty()),
        }
    }

    /// The first difference from the run with a harmless text.
    pub(crate) fn differs_from(&self, calm: &Self) -> Option<String> {
        let bare = |run: &Self| run.prompts.iter().map(|it| unquoted(it)).collect::<Vec<_>>();
        let parts = [
            ("what Ralph decided", &self.moves, &calm.moves),
            ("what Ralph published", &self.published, &calm.published),
            ("what agents are reported outside of quotes", &bare(self), &bare(calm)),
        ];
        parts.into_iter().find(|(_, is, was)| is != was).map(|(what, is, was)| {
            let pairs = is.iter().zip(was).find(|(is, was)| is != was);
            format!("{what}: {} instead of {} parts; {pairs:#?}", is.len(), was.len())
        })
    }

    /// Results that no text may have.
    pub(crate) fn breaks(&self) -> Option<String> {
        if !self.foreign_commands.is_empty() {
            return Some(format!("commands by others: {:?}", self.foreign_commands));
        }
        if self.bystander != "open, no labels, no comments" {
            return Some(format!("the bystander: {}", self.bystander));
        }
        if self.has_blocked_others {
            return Some("it holds up other issues".to_owned());
        }
        let title = &self.pull_title;
        let calls = title.match_indices('@').any(|(at, _)| {
            title.get(at + 1..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        });
        (calls || title.contains('\n')).then(|| format!("the pull request is called {title:?}"))
    }
}

/// Commits are named after the title, so each run has others.
fn without_evidence(line: String) -> String {
    if line.starts_with("done: ") { "done".to_owned() } else { line }
}

/// A prompt without its quoted blocks and without the line that names the branch.
fn unquoted(prompt: &str) -> String {
    let mut fence: Option<String> = None;
    let mut left = Vec::new();
    for line in prompt.lines() {
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = line.strip_suffix("text").map(str::to_owned),
            None if line.starts_with("Branch ") => {}
            None => left.push(line),
        }
    }
    left.join("\n")
}

fn pull(world: &World, number: u64) -> (String, String) {
    match world.look(GetPull { number }) {
        Ok(view) => (view.summary.issue.title, view.summary.issue.body),
        other => unreachable!("pull request {number}: {other:?}"),
    }
}

/// Ralph's comments on the issue and its pull request.
fn comments(world: &World) -> Vec<String> {
    let of = |number| comments_of(world, number);
    let all = [ISSUE, PULL, ROLLUP].into_iter().flat_map(of);
    all.filter(|(author, _)| author == BOT).map(|(_, body)| without_event(&body)).collect()
}

/// A text that names another issue leaves an event there, and later ones have other numbers.
fn without_event(body: &str) -> String {
    match body.split_once("(event ") {
        Some((before, after)) => {
            format!("{before}({}", after.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        None => body.to_owned(),
    }
}

fn comments_of(world: &World, number: u64) -> Vec<(String, String)> {
    let call = ListComments { number, since: None, page: Page::largest() };
    let Ok(list) = world.look(call) else { return Vec::new() };
    let comments = list.items.into_iter().map(|view| view.comment);
    comments.map(|comment| (comment.author, comment.body)).collect()
}

fn bystander(world: &World) -> String {
    let answer = world.look(GetIssue { number: BYSTANDER });
    let Ok(view) = answer else { return "gone".to_owned() };
    let state = if matches!(view.state, IssueState::Open { .. }) { "open" } else { "closed" };
    let labels = if view.labels.is_empty() { "no labels" } else { "labels" };
    let comments = comments_of(world, BYSTANDER).len();
    let comments = if comments == 0 { "no comments" } else { "comments" };
    format!("{state}, {labels}, {comments}")
}
