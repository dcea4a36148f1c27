//! Every read of the port over the forge's own REST layer, compared with what its model says.

use crate::world::{BOT_BRANCH, CHECK, OWNER, REPO, STRANGER, TRIAGER, World, key, repo};
use ralph_core::ids::{Branch, Login, PullNumber, Sha};
use ralph_core::pull::{CheckState, Mergeable, PullState, Required};
use ralph_core::time::{Span, Time};
use ralph_engine::ports::{
    Forge, ForgeIssue, LabelEvents, Related, RelationCount, Relations, Rights,
};
use ralph_forge::{
    AddBlockedBy, AddLabels, AddSubIssue, BranchCommit, Conclusion, Content, CreateCheckRun,
    CreateComment, CreateIssue, CreatePull, CreateStatus, EditComment, EditIssue, GetIssue,
    IssueEdit, ListLabels, NewCheckRun, NewIssue, NewStatus, RemoveLabel, StateChange, StatusState,
};

const TITLE: &str = "\"Quotes\", 'more', 🦀 $(rm -rf /) `x`\\";

fn opened(world: &World, title: &str, labels: &[&str]) -> u64 {
    let labels = labels.iter().map(|label| (*label).to_owned()).collect();
    let new =
        NewIssue { title: title.to_owned(), body: "line\r\nline\n\u{1f980}".to_owned(), labels };
    match world.act(OWNER, CreateIssue(new)) {
        Ok(view) => view.number,
        other => unreachable!("{other:?}"),
    }
}

/// The issue as the model shows it.
fn model_issue(world: &World, number: u64) -> ForgeIssue {
    let Ok(view) = world.look(GetIssue { number }) else { unreachable!("no issue") };
    let seconds = i64::try_from(view.updated_at).expect("a time");
    let has_blockers = view.dependencies.is_some_and(|found| found.total_blocked_by > 0);
    let has_any = view.sub_issues.total > 0 || has_blockers;
    let relations = if has_any { RelationCount::Some } else { RelationCount::Zero };
    ForgeIssue {
        key: key(number),
        title: view.title.as_str().into(),
        body: view.body.clone(),
        open: matches!(view.state, ralph_forge::IssueState::Open { .. }),
        author: Login::new(&view.author),
        labels: view.labels.iter().map(|label| label.name.as_str().into()).collect(),
        updated: Time(seconds * 1_000),
        relations,
        is_pull: false,
    }
}

fn related(world: &World, of: u64, blocker: u64, child: u64) {
    let id = |number| match world.look(GetIssue { number }) {
        Ok(view) => view.id,
        other => unreachable!("{other:?}"),
    };
    let blocked = AddBlockedBy { number: of, blocker_id: id(blocker) };
    world.act(OWNER, blocked).expect("a dependency");
    let child_id = id(child);
    let parent = AddSubIssue { number: of, child_id, replace_parent: false };
    world.act(OWNER, parent).expect("a sub-issue");
}

/// A branch with one commit on top of the bot branch.
pub(crate) fn pushed(world: &World, branch: &str) -> Sha {
    let now = world.seconds();
    world.model(|forge| {
        let base = forge.branch(REPO, BOT_BRANCH).expect("a bot branch");
        forge.create_branch(REPO, branch, base).expect("a branch");
        let content = Content::written([(format!("{branch}.txt"), "x")]);
        let new = BranchCommit { branch: branch.to_owned(), content, message: "x".to_owned() };
        let (sha, _) = forge.commit_on_branch(OWNER, now, REPO, new).expect("a commit");
        Sha::new(&sha.to_string())
    })
}

fn pulled(world: &World, head: &str) -> PullNumber {
    let new = ralph_forge::NewPull {
        title: head.to_owned(),
        body: format!("From {head}"),
        head: head.to_owned(),
        base: BOT_BRANCH.to_owned(),
        draft: false,
    };
    match world.act(OWNER, CreatePull(new)) {
        Ok(view) => PullNumber(view.summary.issue.number),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn issues_are_what_the_model_says_one_by_one_and_in_the_list() {
    let world = World::new();
    let mut client = world.client();
    opened(&world, TITLE, &["ralph:status:queued", "Bug 🐞"]);
    opened(&world, "Blocker", &[]);
    opened(&world, "Child", &[]);
    pushed(&world, "x");
    assert_eq!(pulled(&world, "x"), PullNumber(4));
    related(&world, 1, 2, 3);
    world.later(Span::from_mins(60));
    let edit = IssueEdit {
        state: Some(StateChange::Close(ralph_forge::CloseReason::Completed)),
        ..IssueEdit::default()
    };
    world.act(OWNER, EditIssue { number: 2, edit }).expect("closed");
    let all: Vec<_> = [1, 2, 3].map(|number| model_issue(&world, number)).into();
    for issue in &all {
        assert_eq!(client.issue(&issue.key), Ok(Some(issue.clone())));
    }
    assert_eq!(client.issue(&key(99)), Ok(None));
    assert_eq!(client.issues_since(&repo(), None), Ok(all.clone()));
    let changed = client.issues_since(&repo(), Some(world.now())).expect("a list");
    assert_eq!(changed, [all[1].clone()]);
    assert!(all[0].relations == RelationCount::Some && !all[1].open);
    let list = |issue: &ForgeIssue| Ok(Related::List(vec![issue.clone()]));
    let both = Relations { blocked_by: list(&all[1]), children: list(&all[2]) };
    assert_eq!(client.relations(&key(1)), both);
}

#[test]
fn more_issues_than_a_page_holds_are_all_listed() {
    let world = World::new();
    for number in 1..=205 {
        opened(&world, &format!("Issue {number}"), &[]);
    }
    let mut client = world.client();
    world.take_counts();
    let found = client.issues_since(&repo(), None).expect("a list");
    assert_eq!(
        found.iter().map(|issue| issue.key.number).collect::<Vec<_>>(),
        Vec::from_iter(1..=205)
    );
    assert_eq!(client.issues_since(&repo(), None), Ok(found));
    let (charged, free) = world.take_counts();
    assert_eq!((charged.values().sum::<u32>(), free), (3, 3));
}

#[test]
fn label_events_and_comments_tell_who_and_when() {
    let world = World::new();
    opened(&world, TITLE, &["ralph:status:queued"]);
    opened(&world, "Makes the label", &["ralph:cmd:stop"]);
    let names = vec!["ralph:cmd:stop".to_owned()];
    world.later(Span::from_secs(10));
    world.act(TRIAGER, AddLabels { number: 1, names }).expect("a label");
    let name = "ralph:cmd:stop".to_owned();
    world.act(OWNER, RemoveLabel { number: 1, name }).expect("no label");
    let mut client = world.client();
    let LabelEvents::List(events) = client.label_events(&key(1), 0).expect("events") else {
        panic!("the forge tells its label events");
    };
    let shown: Vec<_> =
        events.iter().map(|event| (event.actor.as_str(), &*event.label, event.is_added)).collect();
    let expected = [
        (OWNER, "ralph:status:queued", true),
        (TRIAGER, "ralph:cmd:stop", true),
        (OWNER, "ralph:cmd:stop", false),
    ];
    assert_eq!(shown, expected);
    assert_eq!(events[1].at, world.now());
    assert_eq!(
        client.label_events(&key(1), events[1].id),
        Ok(LabelEvents::List(vec![events[2].clone()]))
    );
    let body = "RALPH RESOLVED:\n> \"x\" 🦀".to_owned();
    let said = world.act(STRANGER, CreateComment { number: 1, body: body.clone() });
    let Ok(said) = said else { panic!("a comment") };
    let comments = client.comments_since(&key(1), world.now()).expect("comments");
    let [comment] = comments.as_slice() else { panic!("one comment") };
    assert_eq!((comment.author.as_str(), &comment.body), (STRANGER, &body));
    let written = world.now();
    assert_eq!((comment.created, comment.updated), (written, written));

    world.later(Span::from_secs(10));
    let edit = EditComment { id: said.comment.id, body: "RALPH RESOLVED: now".to_owned() };
    world.act(STRANGER, edit).expect("an edit");
    let comments = client.comments_since(&key(1), world.now()).expect("comments");
    let [comment] = comments.as_slice() else { panic!("the same comment") };
    assert_eq!((comment.created, comment.updated), (written, world.now()));
    let later = world.now().plus(Span::from_secs(1));
    assert_eq!(client.comments_since(&key(1), later), Ok(Vec::new()));
}

#[test]
fn rights_are_the_roles_that_were_given() {
    let world = World::new();
    let mut client = world.client();
    for (login, triage, push) in [
        (OWNER, true, true),
        ("ralph-bot", true, true),
        (TRIAGER, true, false),
        (STRANGER, false, false),
        ("nobody", false, false),
    ] {
        let found = client.rights(&repo(), &Login::new(login));
        assert_eq!(found, Ok(Rights { triage, push }), "{login}");
    }
    assert_eq!(client.identity(), Ok(Login::new("ralph-bot")));
    let found = client.repository(&repo()).expect("a read").expect("a repository");
    assert_eq!((found.rights.push, found.is_admin), (true, false));
    assert_eq!((found.is_of_organization, found.refused_merges), (false, Vec::new()));
    assert_eq!(found.default_branch, Branch::new("main"));
}

#[test]
fn a_pull_request_and_its_checks_are_followed_to_the_merge() {
    let world = World::new();
    let mut client = world.client();
    let head = pushed(&world, "x");
    let number = pulled(&world, "x");
    let look = |client: &mut ralph_github::Client<World>| {
        client.pull(&repo(), number).expect("a read").expect("a pull request")
    };
    let first = look(&mut client);
    assert_eq!(
        (first.head.clone(), first.base, first.state),
        (head.clone(), Branch::new(BOT_BRANCH), PullState::Open)
    );
    world.later(Span::from_secs(10));
    world.settle();
    assert_eq!(look(&mut client).mergeable, Mergeable::Blocked);
    assert_eq!(client.checks(&repo(), &head).map(|checks| checks.by_name.len()), Ok(0));
    let sha = head.as_str().parse().expect("a sha");
    let run = |name: &str, state| {
        CreateCheckRun(NewCheckRun {
            name: name.to_owned(),
            head: sha,
            state,
            details_url: Some(format!("https://ci.example/{name}")),
            output: ralph_forge::CheckOutput::default(),
        })
    };
    let passed = ralph_forge::CheckState::Completed(Conclusion::Success);
    world.act(OWNER, run(CHECK, passed)).expect("a check");
    world.act(OWNER, run("slow", ralph_forge::CheckState::InProgress)).expect("a check");
    let status = NewStatus {
        context: "old".to_owned(),
        state: StatusState::Failure,
        description: None,
        target_url: None,
    };
    world.act(OWNER, CreateStatus { sha, status }).expect("a status");
    let checks = client.checks(&repo(), &head).expect("checks");
    let states = [CHECK, "slow", "old"].map(|name| checks.state_of(name));
    assert_eq!(states, [CheckState::Pass, CheckState::Pending, CheckState::Fail]);
    assert_eq!(checks.url_of(CHECK), Some("https://ci.example/CI"));
    world.settle();
    assert_eq!(look(&mut client).mergeable, Mergeable::Unstable);
    let found = client.pulls_from(&repo(), &Branch::new("x")).expect("a list");
    assert_eq!(
        found.iter().map(|pull| (pull.number, pull.body.as_str())).collect::<Vec<_>>(),
        [(number, "From x")]
    );
    let reported = found.first().map(|pull| (pull.author.as_str(), pull.is_open));
    assert_eq!(reported, Some((OWNER, true)));
    assert_eq!(client.pulls_from(&repo(), &Branch::new("y")), Ok(Vec::new()));
    assert_eq!(client.pull(&repo(), PullNumber(99)), Ok(None));
}

#[test]
fn branches_history_labels_and_required_checks_are_read() {
    let world = World::new();
    let mut client = world.client();
    let (bot, main) = (Branch::new(BOT_BRANCH), Branch::new("main"));
    let head = pushed(&world, "x");
    let found = client.branches(&repo(), &bot).expect("branches");
    assert_eq!(
        (found.default.clone(), Some(found.default_head.clone())),
        (main.clone(), world.branch("main"))
    );
    assert_eq!(found.bot_head, world.branch(BOT_BRANCH));
    let absent = client.branches(&repo(), &Branch::new("absent")).expect("branches");
    assert_eq!(absent.bot_head, None);
    assert_eq!(client.contains(&repo(), &head, &found.default_head), Ok(true));
    assert_eq!(client.contains(&repo(), &found.default_head, &head), Ok(false));
    let unknown = Sha::new(&"0".repeat(40));
    assert_eq!(client.contains(&repo(), &head, &unknown), Ok(false));
    let names = Required::Names(vec![CHECK.to_owned()]);
    assert_eq!(client.required(&repo(), [&bot, &main]), Ok(names.clone()));
    assert_eq!(client.required(&repo(), [&main, &bot]), Ok(names));
    assert_eq!(client.required(&repo(), [&main, &main]), Ok(Required::Nothing));
    assert_eq!(client.required(&repo(), [&Branch::new("absent"), &main]), Ok(Required::Nothing));
    opened(&world, "x", &["made by use"]);
    let labels = client.labels(&repo()).expect("labels");
    let Ok(model) = world.look(ListLabels { page: ralph_forge::Page { number: 1, size: 100 } })
    else {
        unreachable!("no labels");
    };
    assert_eq!(
        labels.iter().map(|label| &label.name).collect::<Vec<_>>(),
        model.items.iter().map(|label| &label.name).collect::<Vec<_>>()
    );
}
