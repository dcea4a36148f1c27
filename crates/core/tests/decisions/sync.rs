//! The sync of the default branch: its changes come into the bot branch by one pull request at a time, under the
//! required checks, or a person learns why not.

use crate::end::merged;
use crate::story::{Story, repo};
use insta::assert_snapshot;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::RepoObservation;
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::pull::{Check, CheckState, Checks, Mergeable, Pull, PullState, Required};
use ralph_core::repo::{Compared, Sync};
use ralph_core::standing::Standing;
use ralph_core::time::Span;
use ralph_core::watch::Resource;

pub(crate) const APP: &str = "acme/app";

pub(crate) fn sync(story: &Story) -> &Sync {
    &story.world.repo(&repo(APP)).expect("a known repository").sync
}

/// The forge compares the known heads with this result.
fn compares(story: &mut Story, is_behind: bool) {
    let branches = story.world.repo(&repo(APP)).and_then(|repo| repo.branches.clone());
    let branches = branches.expect("branches");
    let (default_head, bot_head) =
        (branches.default_head, branches.bot_head.expect("a bot branch"));
    let compared = Compared { default_head, bot_head, is_behind };
    story.reads_repo(APP, RepoObservation::Compared(compared));
}

/// The default branch has something that the bot branch lacks.
fn moved(mut story: Story) -> Story {
    story.reads_branches("main-5", Some("bot-5"));
    compares(&mut story, true);
    story
}

/// Its pull request is open.
pub(crate) fn opened(story: Story) -> Story {
    let mut story = moved(story);
    story.settles();
    assert!(sync(&story).open.is_some());
    story
}

/// The sync pull request of this head of the bot branch can be merged.
pub(crate) fn is_ready(story: &mut Story, bot_head: &str) {
    story.reads_branches("main-5", Some(bot_head));
    compares(story, true);
    story.performs(":branch:ralph/sync-");
    story.performs(":sync:");
    reads(story, |_| {});
}

/// The forge shows the pull request as Ralph left it, with green checks, and with this change.
pub(crate) fn reads(story: &mut Story, change: impl FnOnce(&mut Pull)) {
    let number = sync(story).open.as_ref().expect("an open sync pull request").number;
    let head = Sha::new("main-5");
    let checks = Some(checks(&head, CheckState::Pass));
    let (base, state, mergeable) =
        (Branch::new("bot/integration"), PullState::Open, Mergeable::Clean);
    let mut pull = Pull { number, head, base, state, mergeable, checks, read_at: story.now };
    change(&mut pull);
    story.reads_repo(APP, RepoObservation::Sync(pull));
}

pub(crate) fn checks(head: &Sha, state: CheckState) -> Checks {
    let check = Check { state, url: None };
    Checks { head: head.clone(), by_name: [("ci".to_owned(), vec![check])].into() }
}

pub(crate) fn body_of(story: &Story, wanted: &str) -> String {
    let found = story.wanted().into_iter().find_map(|effect| {
        let Effect::Repo(_, act) = effect else { return None };
        let (RepoAct::OpenSync { body, .. }
        | RepoAct::TellOfSync { body, .. }
        | RepoAct::EditRollup { body, .. }) = act
        else {
            return None;
        };
        Some(body)
    });
    found.unwrap_or_else(|| panic!("{wanted} is not wanted"))
}

fn is_asked_to_compare(story: &Story) -> bool {
    let watches = |resource: &Resource| *resource == Resource::Behind(repo(APP));
    story.repo_decision(APP).watch.iter().any(|watch| watches(&watch.resource))
}

#[test]
fn heads_that_differ_are_compared_once_for_each_head_of_the_default_branch() {
    let mut story = Story::plain();
    assert!(!is_asked_to_compare_after(&mut story, "main-0", "main-0"), "the same commit");
    assert!(!is_asked_to_compare_after(&mut story, "main-0", "bot-0"), "it had all of it before");
    assert!(is_asked_to_compare_after(&mut story, "main-1", "bot-1"));
    compares(&mut story, false);
    assert!(!is_asked_to_compare(&story));
    assert!(!is_asked_to_compare_after(&mut story, "main-1", "bot-2"), "what it has it keeps");
    assert!(is_asked_to_compare_after(&mut story, "main-2", "bot-2"));
    compares(&mut story, true);
    assert!(is_asked_to_compare_after(&mut story, "main-2", "bot-3"), "somebody may have synced");
    compares(&mut story, false);
    assert_eq!((story.wants_of_repo(APP), story.repo_stands(APP)), Default::default());
}

fn is_asked_to_compare_after(story: &mut Story, default: &str, bot: &str) -> bool {
    story.reads_branches(default, Some(bot));
    is_asked_to_compare(story)
}

#[test]
fn a_branch_is_made_then_its_pull_request_opened_and_merged_once_green() {
    let mut story = moved(Story::plain());
    assert_eq!(story.wants_of_repo(APP), "branch:ralph/sync-main-5");
    story.performs("branch:");
    assert_eq!(story.wants_of_repo(APP), "sync:main-5");
    assert_snapshot!(body_of(&story, "sync:"), @"
    `main` has changes that `bot/integration` lacks. This brings them over, up to main-5, so that the next rollup does not run into them.

    Ralph merges it with a merge commit once its required checks have passed, and says so here if it cannot. Closed unmerged, it is not offered again until `main` moves on.
    ");
    story.performs("sync:");
    assert_eq!(story.wants_of_repo(APP), "", "not read yet");
    reads(&mut story, |pull| pull.checks = None);
    assert_eq!(story.wants_of_repo(APP), "", "no check has reported");
    reads(&mut story, |pull| pull.checks = Some(checks(&pull.head, CheckState::Pending)));
    assert_eq!(story.wants_of_repo(APP), "", "checks are running");
    reads(&mut story, |pull| pull.mergeable = Mergeable::Blocked);
    assert_eq!(story.wants_of_repo(APP), "", "the forge does not let it be merged");
    reads(&mut story, |_| {});
    assert_eq!(story.wants_of_repo(APP), "sync-merge:#902");
    story.performs("sync-merge:");
    assert_eq!(story.wants_of_repo(APP), "rmbranch:ralph/sync-main-5", "nobody needs it any more");
    story.settles();
    assert_eq!((story.wants_of_repo(APP), story.repo_stands(APP)), Default::default());
    story.reads_branches("main-5", Some("bot-5"));
    assert!(!is_asked_to_compare(&story), "a lagging read of the bot branch proves nothing");
}

#[test]
fn required_checks_that_are_not_known_are_waited_for() {
    let mut story = opened(Story::with(|rules| rules.required_checks = None));
    reads(&mut story, |_| {});
    assert_eq!(story.wants_of_repo(APP), "");
    story.reads_repo(APP, RepoObservation::Required(Required::Nothing));
    assert_eq!(story.wants_of_repo(APP), "sync-merge:#902");
}

#[test]
fn what_cannot_be_read_of_it_is_told_when_its_time_is_up_and_never_taken_for_something_else() {
    let refused = "GET /check-runs was answered with 403";
    let unread = |story: &mut Story| {
        let (number, why) = (PullNumber(902), refused.to_owned());
        story.reads_repo(APP, RepoObservation::SyncUnread { number, why });
    };
    let required = |story: &mut Story| {
        reads(story, |_| {});
        let why = refused.to_owned();
        story.reads_repo(APP, RepoObservation::RequiredUnread { why });
    };
    let unknown: fn() -> Story = || Story::with(|rules| rules.required_checks = None);
    type Case<'a> = (&'a str, fn() -> Story, &'a dyn Fn(&mut Story));
    let cases: [Case<'_>; 4] = [
        ("it was never read", Story::plain, &unread),
        ("its checks are refused", Story::plain, &|story| {
            reads(story, |pull| pull.checks = None);
            unread(story);
        }),
        ("there is no answer at all", Story::plain, &|_| {}),
        ("required checks are refused", unknown, &required),
    ];
    for (name, begins, happens) in cases {
        let mut story = opened(begins());
        happens(&mut story);
        story.passes(Span(Span::from_mins(45).0 - 1));
        assert_eq!(story.wants_of_repo(APP), "", "{name}");
        let until = story.repo_decision(APP).standing.as_ref().and_then(Standing::deadline);
        assert_eq!(until, Some(story.now.plus(Span(1))), "{name}: a wait names its end");
        let why =
            if name.starts_with("there") { "The forge did not answer in time" } else { refused };
        assert_eq!(story.repo_stands(APP).contains(refused), why == refused, "{name}");
        story.passes(Span(1));
        assert_eq!(story.wants_of_repo(APP), "sync-told:#902", "{name}");
        let body = body_of(&story, "sync-told:");
        assert!(body.contains("cannot be read") && body.contains(why), "{name}: {body}");
        story.settles();
        assert!(story.repo_stands(APP).contains(why), "{name}: {}", story.repo_stands(APP));
        story.reads_repo(APP, RepoObservation::Required(Required::Nothing));
        reads(&mut story, |_| {});
        assert_eq!(story.wants_of_repo(APP), "sync-merge:#902", "{name}: once it may be read");
    }
}

/// An obstacle, by name.
type Trouble = (&'static str, fn(&mut Pull));

#[test]
fn whatever_is_in_its_way_is_told_once_and_to_a_person() {
    let troubles: [Trouble; 4] = [
        ("behind", |pull| pull.mergeable = Mergeable::Behind),
        ("red", |pull| pull.checks = Some(checks(&pull.head, CheckState::Fail))),
        ("pushed to", |pull| pull.head = Sha::new("by-hand")),
        ("moved", |pull| pull.base = Branch::new("main")),
    ];
    let mut told = String::new();
    for (name, trouble) in troubles {
        let mut story = opened(Story::plain());
        reads(&mut story, trouble);
        assert_eq!(story.wants_of_repo(APP), "sync-told:#902", "{name}");
        told.push_str(&format!("{name}: {}\n\n", body_of(&story, "sync-told:")));
        story.settles();
        story.passes(Span::from_mins(600));
        assert_eq!(story.wants_of_repo(APP), "", "{name}: told once, and never merged");
        assert!(story.repo_stands(APP).contains("needs a person"), "{name}");
    }
    assert_snapshot!(told, @"
    behind: <!-- ralph-sync:id=902 -->
    @acme Ralph needs a person here: the bot branch requires up-to-date heads, and this one is behind.

    Merge `bot/integration` into `ralph/sync-main-5` (no rebase, no force-push), push it, and merge this pull request with a merge commit.

    red: <!-- ralph-sync:id=902 -->
    @acme Ralph needs a person here: required checks failed: ci.

    Run the checks again, and Ralph merges it once they have passed. Or mend it on `ralph/sync-main-5`, and merge this pull request with a merge commit.

    pushed to: <!-- ralph-sync:id=902 -->
    @acme Ralph needs a person here: its head or its base was changed by hand, so a person has to merge it.

    Merge this pull request with a merge commit, or close it.

    moved: <!-- ralph-sync:id=902 -->
    @acme Ralph needs a person here: its head or its base was changed by hand, so a person has to merge it.

    Merge this pull request with a merge commit, or close it.
    ");
}

#[test]
fn checks_that_never_report_are_told_when_their_time_is_up() {
    let mut story = opened(Story::plain());
    reads(&mut story, |pull| pull.checks = Some(checks(&pull.head, CheckState::Pending)));
    story.passes(Span(Span::from_mins(45).0 - 1));
    assert_eq!(story.wants_of_repo(APP), "");
    story.passes(Span(1));
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902");
    assert!(story.repo_stands(APP).ends_with("did not report in time: ci"));
    story.settles();
    reads(&mut story, |_| {});
    assert_eq!(story.wants_of_repo(APP), "sync-merge:#902", "better late than never");
}

#[test]
fn a_merge_is_refused_five_times_at_most() {
    let mut story = opened(Story::plain());
    for _ in 0..5 {
        reads(&mut story, |_| {});
        story.passes(Span::from_mins(60));
        story.refuses("sync-merge:");
    }
    reads(&mut story, |_| {});
    story.passes(Span::from_mins(60));
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902");
    assert!(story.repo_stands(APP).ends_with("its merge was refused: not allowed"));
}

#[test]
fn the_open_rollup_says_which_pull_request_comes_first() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    story.settles();
    let mut story = opened(story);
    assert_eq!(story.wants_of_repo(APP), "");
    reads(&mut story, |pull| pull.mergeable = Mergeable::Behind);
    story.performs("sync-told:");
    assert_snapshot!(body_of(&story, "rollup-edit:"), @"
    <!-- ralph-rollup:id=acme/app-1 -->
    Ready for the default branch:

    - #107 for #7

    #918 comes first: it brings the default branch's changes into the bot branch, and waits for a person.

    Closes #7
    ");
    story.settles();
    reads(&mut story, |_| {});
    assert!(story.wants_of_repo(APP).contains("rollup-edit:"), "and takes it back");
}

#[test]
fn a_pull_request_that_a_person_closed_is_offered_again_only_for_a_new_head() {
    let mut story = opened(Story::plain());
    reads(&mut story, |pull| pull.state = PullState::Closed);
    story.passes(Span::from_mins(600));
    assert_eq!(story.wants_of_repo(APP), "");
    assert!(story.repo_stands(APP).contains("a person closed"));
    story.reads_branches("main-6", Some("bot-5"));
    compares(&mut story, true);
    assert_eq!(story.wants_of_repo(APP), "branch:ralph/sync-main-6");
}

#[test]
fn one_that_a_person_merged_is_done() {
    let mut story = opened(Story::plain());
    let state = PullState::Merged { commit: Sha::new("bot-6") };
    reads(&mut story, |pull| (pull.head, pull.state) = (Sha::new("by-hand"), state));
    assert_eq!((sync(&story).open.as_ref(), story.repo_stands(APP).as_str()), (None, ""));
}

#[test]
fn the_next_one_waits_until_this_one_is_over_and_ten_minutes_have_passed() {
    let mut story = opened(Story::plain());
    story.reads_branches("main-6", Some("bot-5"));
    assert!(!is_asked_to_compare(&story), "one at a time");
    reads(&mut story, |_| {});
    story.settles();
    story.reads_branches("main-6", Some("bot-synced"));
    compares(&mut story, true);
    story.passes(Span(Span::from_mins(10).0 - 1));
    assert_eq!(story.wants_of_repo(APP), "");
    story.passes(Span(1));
    assert_eq!(story.wants_of_repo(APP), "branch:ralph/sync-main-6");
}

#[test]
fn what_was_begun_for_one_head_is_finished_for_that_head() {
    let mut story = moved(Story::plain());
    story.performs("branch:");
    story.reads_branches("main-6", Some("bot-5"));
    compares(&mut story, true);
    assert_eq!(story.wants_of_repo(APP), "sync:main-5");
    story.refuses("sync:");
    assert_eq!(story.wants_of_repo(APP), "branch:ralph/sync-main-6", "but not again and again");
}

#[test]
fn without_a_bot_branch_of_its_own_nothing_is_synced() {
    let mut story = Story::with(|rules| rules.bot_branch = Branch::new("main"));
    story.reads_branches("main-5", Some("bot-5"));
    assert!(!is_asked_to_compare(&story));
}

#[test]
fn a_lagging_read_does_not_open_it_again() {
    let mut story = opened(Story::plain());
    let number = sync(&story).open.as_ref().map(|open| open.number);
    assert_eq!(number, Some(PullNumber(902)));
    reads(&mut story, |_| {});
    let earlier = story.now;
    story.passes(Span::from_secs(30));
    reads(&mut story, |pull| pull.mergeable = Mergeable::Behind);
    reads(&mut story, |pull| pull.read_at = earlier);
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902");
}
