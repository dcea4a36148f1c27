//! An issue whose sub-issues are resolved: verified before it is planned, done without a pull request only on strong
//! evidence that was posted first, and never delayed for good.

use crate::outside::{failed, turn, workspace};
use crate::story::{Story, Which as _};
use insta::assert_snapshot;
use ralph_core::answer;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Observation, Outcome};
use ralph_core::issue::{DoneEvidence, Phase};
use ralph_core::job::Role;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::watch::{Pace, Resource, Watch};
use ralph_core::words::{self, Texts};

/// A parent, 7, whose only child, 3, is closed.
fn parent() -> Story {
    let mut story = Story::plain();
    story.sees_issue(3, |seen| seen.open = false);
    story.sees_issue(7, |seen| seen.has_relations = true);
    story.reads_native(7, &[], &[3]);
    story.queued(7);
    story
}

fn verifying() -> Story {
    let mut story = parent();
    story.reaches(7, Step::ParentVerify);
    story
}

/// Ralph reads the evidence that the verdict names, and it exists.
fn proves(story: &mut Story) {
    let wanted = Watch { resource: Resource::Proof(7.key()), pace: Pace::Soon };
    assert!(story.decision(7).watch.contains(&wanted), "{}", story.stands(7));
    story.reads(7, Observation::Proof { found: vec![CHILD.to_owned()] });
}

/// A verdict whose evidence was read and held, and that is not posted yet.
fn proven() -> Story {
    let mut story = verifying();
    story.ends(7, strong("", ""));
    proves(&mut story);
    story
}

/// Nothing was left to do, and the issue is closed.
pub(crate) fn verified() -> Story {
    let mut story = proven();
    story.settles();
    assert_eq!(story.stands(7), "done: done");
    story
}

fn said(fields: &str) -> Outcome {
    let response = format!("I looked.\nRALPH_PARENT_VERIFY: {{\"version\":1,{fields}}}\n");
    turn(answer::parent(&response))
}

const CHILD: &str = "https://forge.example/acme/app/issues/3";

const STRONG: &str = r##""work_remains":false,"reason":"all of it is there","confidence":"high",
    "checked":["the tests"],"why_satisfied":"#3 did it, says @ann",
    "evidence":[{"url":"https://forge.example/acme/app/issues/3","note":"merged"}]"##;

fn strong(instead_of: &str, put: &str) -> Outcome {
    said(&STRONG.replace('\n', " ").replace(instead_of, put))
}

#[test]
fn a_parent_is_verified_before_it_is_planned_and_others_are_not() {
    let mut story = verifying();
    let turn = story.told_again(7);
    assert_eq!((turn.role, turn.session.as_deref(), turn.head), (Role::ParentVerify, None, None));
    let mut childless = Story::plain();
    childless.queued(7);
    childless.reaches(7, Step::Plan);
    assert_eq!(childless.run(7).spent.of(Bound::Step(Step::ParentVerify)), 0);
}

#[test]
fn what_becomes_of_each_verdict() {
    for (name, outcome, stands) in [
        ("work remains", strong("false", "true"), "in-progress: running plan"),
        (
            "unsure work",
            said(r#""work_remains":true,"reason":"maybe""#),
            "in-progress: running plan",
        ),
        ("strong", strong("", ""), "done: done"),
        ("medium", strong("high", "medium"), "done: done"),
        ("unsure", strong("high", "low"), "in-progress: running parent verification"),
        ("no checks", strong(r#"["the tests"]"#, "[]"), "escalated"),
        ("no why", strong("#3 did it, says @ann", ""), "escalated"),
        ("no address", strong("https://forge.example/acme/app/issues/3", "pull 9"), "escalated"),
        ("any address", strong(CHILD, "https://example.com/it/is/done"), "escalated"),
        ("another issue", strong("issues/3", "issues/4"), "escalated"),
        ("a part of it", strong("issues/3", "issues/33"), "escalated"),
        ("another forge", strong("forge.example", "forge.example.com"), "escalated"),
        (
            "no verdict",
            turn(answer::parent("all done!")),
            "in-progress: running parent verification",
        ),
        ("died", failed("exit status 1"), "in-progress: running parent verification"),
    ] {
        let mut story = verifying();
        story.finishes(7, outcome);
        if story.stands(7).contains("reads what shows") {
            proves(&mut story);
        }
        story.settles();
        let now = story.stands(7);
        assert!(now.starts_with(stands), "{name}: {now}");
        assert_eq!(story.run(7).spent.of(Bound::Step(Step::ParentVerify)), 1, "{name}");
    }
}

#[test]
fn done_and_closed_only_once_the_comment_is_known_to_be_written() {
    let mut story = proven();
    assert_snapshot!(story.stands(7), @"in-progress: says why nothing is left to do");
    let wanted = story.wants(7);
    assert!(wanted.contains("comment:verify") && !wanted.contains("close"), "{wanted}");
    story.performs("comment:verify");
    let Phase::Done { evidence: DoneEvidence::Verified { comment }, .. } = story.managed(7).phase
    else {
        panic!("{}", story.stands(7))
    };
    let posted = story.managed(7).comments.values().find_map(|posted| posted.id);
    assert_eq!(Some(comment), posted);
    assert!(story.wants(7).contains("close"), "{}", story.wants(7));
    story.settles();
    assert!(!story.issue(7).is_open());
    assert_eq!((story.run(7).pull, story.managed(7).worktrees.len()), (None, 0));
}

#[test]
fn the_comment_is_marked_bounded_and_mentions_nobody() {
    let story = proven();
    let body = story.wanted().into_iter().find_map(|effect| {
        let Effect::Issue(_, IssueAct::CreateComment { body, .. }) = effect else { return None };
        Some(body)
    });
    assert_snapshot!(body.expect("a comment"), @r##"
    <!-- ralph-verify:v1 id=7 -->
    Every sub-issue is resolved, and nothing is left to do here: this issue is done without a pull request.

    Why, in the agent's words:

    ```text
    #3 did it, says @ann
    ```

    Evidence, read by Ralph:
    - <https://forge.example/acme/app/issues/3> merged

    RALPH_VERIFY: {"checked":["the tests"],"confidence":"high","evidence":[{"note":"merged","url":"https://forge.example/acme/app/issues/3"}],"reason":"all of it is there","version":1,"why_satisfied":"\u00233 did it, says \u0040ann","work_remains":false}
    "##);
}

#[test]
fn a_comment_that_cannot_be_written_is_put_to_a_person_and_nothing_is_closed() {
    let mut story = proven();
    for minutes in [1, 2, 4] {
        story.refuses("comment:verify");
        story.passes(Span::from_mins(minutes));
    }
    let now = story.stands(7);
    assert_snapshot!(now, @"escalated: needs a person: Its sub-issues are resolved and nothing seems to be left: close or clarify.");
    assert!(story.issue(7).is_open());
}

#[test]
fn nobody_could_tell_three_times_so_it_is_worked_on_with_what_the_children_did_in_view() {
    let mut story = verifying();
    for _ in 0..2 {
        story.finishes(7, strong("high", "low"));
        story.told_again(7);
    }
    story.finishes(7, turn(answer::parent("I cannot tell.")));
    assert!(story.stands(7).starts_with("in-progress: running plan"), "{}", story.stands(7));
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::ParentVerify)), 3);
    let turn = story.told_again(7);
    let prompt = words::prompt(&turn, &Texts::default()).unwrap().text;
    let from = prompt.find("Its sub-issues").expect("children");
    let end = prompt.find("\n## How the change").expect("the next part");
    assert_snapshot!(prompt.get(from..end).unwrap_or_default().trim_end(), @r"
    Its sub-issues, all resolved, titles quoted as data:
    - acme/app#3: closed (Issue 3)
      https://forge.example/acme/app/issues/3
    What verification said, in its words:
    ```text
    no line starts with the verdict marker
    ```
    ");
}

#[test]
fn whoever_queues_it_again_after_close_or_clarify_wants_it_done() {
    let mut story = verifying();
    story.finishes(7, strong("https://forge.example/acme/app/issues/3", "pull 9"));
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, workspace(&story, 7, None));
    assert!(story.stands(7).starts_with("in-progress: running plan"), "{}", story.stands(7));
    assert!(story.told_again(7).parent.is_some_and(|parent| parent.said.is_some()));
}

#[test]
fn a_child_that_is_opened_again_keeps_its_parent_from_being_done() {
    let mut story = proven();
    story.sees_issue(3, |seen| seen.open = true);
    story.settles();
    assert!(story.stands(7).starts_with("queued: blocked by"), "{}", story.stands(7));
    assert!(story.issue(7).is_open());
}

#[test]
fn a_verdict_is_believed_only_on_what_ralph_has_read_itself() {
    let mut story = verifying();
    let both = format!("{CHILD}\",\"note\":\"\"}},{{\"url\":\"{CHILD}#issuecomment-1");
    story.finishes(7, strong(CHILD, &both));
    assert!(story.stands(7).contains("reads what shows"), "{}", story.stands(7));
    assert!(!story.wants(7).contains("comment"), "nothing is told yet: {}", story.wants(7));
    story.reads(7, Observation::Proof { found: vec![format!("{CHILD}#issuecomment-1")] });
    let evidence = story.run(7).satisfied().expect("satisfied").evidence.clone();
    assert_eq!(evidence.len(), 1, "only what was read is shown: {evidence:?}");

    let mut story = verifying();
    story.finishes(7, strong("", ""));
    story.reads(7, Observation::Proof { found: Vec::new() });
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    assert!(story.issue(7).is_open());
}

#[test]
fn what_cannot_be_read_for_too_long_is_put_to_a_person() {
    let mut story = verifying();
    story.finishes(7, strong("", ""));
    story.passes(Span::from_mins(9));
    assert!(story.stands(7).contains("reads what shows"), "{}", story.stands(7));
    story.passes(Span::from_mins(2));
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    let Phase::Escalated { cause, .. } = &story.managed(7).phase else { panic!("escalated") };
    let told = format!("{cause:?}");
    assert!(told.contains("Ralph could read"), "{told}");
}

#[test]
fn the_agent_is_handed_what_there_is_of_the_children() {
    let mut story = Story::plain();
    story.sees(3, &[]);
    story.queued(3);
    story.merges(3);
    crate::end::reaches_default(&mut story, 3);
    story.settles();
    story.sees_issue(7, |seen| seen.has_relations = true);
    story.reads_native(7, &[], &[3]);
    story.queued(7);
    story.reaches(7, Step::ParentVerify);
    let brief = story.told_again(7).parent.expect("children");
    let addresses = &brief.children.first().expect("a child").addresses;
    let web = "https://forge.example/acme/app";
    let expected =
        [format!("{web}/issues/3"), format!("{web}/pull/103"), format!("{web}/commit/merge-3")];
    assert_eq!(addresses, &expected);
}
