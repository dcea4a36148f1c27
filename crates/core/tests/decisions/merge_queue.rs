//! Trial builds: changes that have to be tested again share one run of the checks, then each is merged as tested, or
//! the next trial build has fewer entries.

use crate::outside::changed;
use crate::story::{Story, Which, repo};
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, IssueAct, RepoAct};
use ralph_core::fact::{BuiltTrial, Fact, RepoObservation, RepoSettled, Settled, What};
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::issue::Phase;
use ralph_core::merge_queue::{Member, MergeQueue, Trial, TrialEnd};
use ralph_core::pull::{Check, CheckState, Checks, Mergeable, Pull, PullState};
use ralph_core::steps::Step;
use ralph_core::time::Span;

const APP: &str = "acme/app";

pub(crate) fn merge_queue(story: &Story) -> &MergeQueue {
    &story.world.repo(&repo(APP)).expect("a known repository").merge_queue
}

pub(crate) fn trial(story: &Story) -> &Trial {
    merge_queue(story).trial.as_ref().expect("a trial under way")
}

pub(crate) fn last_end(story: &Story) -> &TrialEnd {
    &merge_queue(story).last.as_ref().expect("a trial that is over").end
}

/// These issues are ready, and the bot branch has moved under all of them.
pub(crate) fn outrun(batch_max: u32, numbers: &[u64]) -> Story {
    let mut story = ready(batch_max, numbers);
    story.reads_branches("main-0", Some("bot-1"));
    story.told();
    story
}

/// These issues have passed their checks.
pub(crate) fn ready(batch_max: u32, numbers: &[u64]) -> Story {
    let mut story = at_checks(batch_max, Span::ZERO, numbers);
    for number in numbers {
        story.passes_checks(number.key());
    }
    story
}

/// These issues wait for their checks.
fn at_checks(batch_max: u32, batch_wait: Span, numbers: &[u64]) -> Story {
    let mut story = Story::with(|rules| {
        (rules.slots, rules.claims_max, rules.batch_max) = (8, 8, batch_max);
        rules.batch_wait = batch_wait;
    });
    story.policy.max_workers = 8;
    for number in numbers {
        story.queued(*number);
    }
    for number in numbers {
        story.reaches(*number, Step::Implement);
        story.finishes(*number, changed(&format!("work-{number}")));
        story.reaches(*number, Step::Checks);
    }
    story
}

/// Their trial build has its pull request.
pub(crate) fn tried(numbers: &[u64]) -> Story {
    let mut story = outrun(8, numbers);
    story.performs("trial-build:");
    story.performs("trial-push:");
    story.performs(":trial:");
    story
}

/// The forge shows the trial build's pull request as Ralph left it, with its check in this state and with this change.
pub(crate) fn shows(story: &mut Story, state: CheckState, change: impl FnOnce(&mut Pull)) {
    let (number, head) = {
        let trial = trial(story);
        (trial.pull().expect("a pull request").number, trial.commit.clone())
    };
    let by_name = [("ci".to_owned(), vec![Check { state, url: None }])].into();
    let mut pull = Pull {
        number,
        head: head.clone(),
        base: Branch::new("bot/integration"),
        state: PullState::Open,
        mergeable: Mergeable::Draft,
        checks: Some(Checks { head, by_name }),
        read_at: story.now,
    };
    change(&mut pull);
    story.reads_repo(APP, RepoObservation::Trial(pull));
}

pub(crate) fn merged_onto(story: &Story, which: u64) -> Option<String> {
    story.wanted().into_iter().find_map(|effect| {
        let Effect::Issue(key, IssueAct::Merge { onto, .. }) = effect else { return None };
        onto.filter(|_| key == which.key()).map(|onto| onto.to_string())
    })
}

/// The merge of this issue takes place and results in this tree.
pub(crate) fn merges(story: &mut Story, which: u64, tree: &str) {
    story.performs(&format!("#{which}:merge"));
    let commit = trial(story).merged.last().expect("a merge").commit.clone();
    story.reads_repo(APP, RepoObservation::Tree { commit, tree: tree.to_owned() });
}

pub(crate) fn tree_of(story: &Story, place: usize) -> String {
    trial(story).trees.get(place).expect("a tree").clone()
}

pub(crate) fn together(story: &Story) -> Vec<u64> {
    let acts = story.wanted().into_iter();
    let entries = acts.filter_map(|effect| match effect {
        Effect::Repo(_, RepoAct::BuildTrial { entries, .. }) => Some(entries),
        Effect::Repo(..) | Effect::Issue(..) | Effect::Machine(..) => None,
    });
    entries.flatten().map(|entry| entry.issue).collect()
}

pub(crate) fn is_tested_alone(story: &Story, which: u64) -> bool {
    story.managed(which).phase == Phase::Running { step: Step::Workspace }
}

#[test]
fn green_members_are_merged_one_by_one_as_they_were_tried() {
    let mut story = outrun(8, &[7, 8, 9]);
    assert_eq!(together(&story), [7, 8, 9]);
    assert_eq!(story.stands(8), "in-progress: waits to be tried together with others");
    story.performs("trial-build:");
    assert_eq!(story.wants_of_repo(APP), "trial-push:1");
    story.performs("trial-push:");
    let opens = story.wanted().into_iter().find_map(|effect| match effect {
        Effect::Repo(_, RepoAct::OpenTrial { head, title, body, .. }) => Some((head, title, body)),
        Effect::Repo(..) | Effect::Issue(..) | Effect::Machine(..) => None,
    });
    let (head, title, body) = opens.expect("a pull request to open");
    assert_eq!(
        (head.as_str(), title.as_str()),
        ("ralph/trial/1", "Trial 1: 3 pull requests together")
    );
    assert_snapshot!(body, @"
    <!-- ralph-trial:id=1 -->
    These pull requests are ready, and the checks run here once for all of them. They stand on bot-1 of `bot/integration`, in this order:

    - #107 at commit-wor
    - #108 at commit-wor
    - #109 at commit-wor

    If the checks pass, Ralph merges each of them by itself, in this order, and closes this. If not, it tries fewer at a time. This is never merged. Closing it sends them back to be tested on their own.
    ");
    story.performs(":trial:");
    assert_snapshot!(story.repo_stands(APP), @"compares the bot branch with the default branch; trial #939 tries #7, #8, #9 together");
    assert_snapshot!(story.stands(9), @"in-progress: waits for #939, in which several changes are tried together");

    shows(&mut story, CheckState::Pending, |_| {});
    assert_eq!([7, 8, 9].map(|which| merged_onto(&story, which)), [None, None, None]);
    shows(&mut story, CheckState::Pass, |_| {});
    let onto = [7, 8, 9].map(|which| merged_onto(&story, which));
    assert_eq!(onto, [Some("bot-1".to_owned()), None, None]);
    story.performs("#7:merge");
    assert_eq!(merged_onto(&story, 8), None, "what came of it is read first");
    let commit = trial(&story).merged.last().expect("a merge").commit.clone();
    let tree = tree_of(&story, 0);
    story.reads_repo(APP, RepoObservation::Tree { commit: commit.clone(), tree });
    assert_eq!(merged_onto(&story, 8), Some(commit.to_string()));
    let tree = tree_of(&story, 1);
    merges(&mut story, 8, &tree);
    let tree = tree_of(&story, 2);
    merges(&mut story, 9, &tree);
    assert_eq!(last_end(&story), &TrialEnd::Merged);
    assert!(story.wants_of_repo(APP).contains("trial-close:"), "{}", story.wants_of_repo(APP));
    story.performs("trial-close:");
    assert!(story.wants_of_repo(APP).contains("rmbranch:ralph/trial/1"));
    story.performs("rmbranch:");
    assert!(merge_queue(&story).left.is_empty());
}

#[test]
fn without_two_that_wait_for_a_test_there_is_no_trial() {
    for (batch_max, numbers) in [(1, &[7, 8][..]), (8, &[7])] {
        let story = outrun(batch_max, numbers);
        assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
        assert!(merge_queue(&story).trial.is_none() && together(&story).is_empty());
    }
}

#[test]
fn who_is_alone_waits_a_moment_for_others() {
    let wait = Span::from_secs(30);
    let ready = || {
        let mut story = at_checks(8, wait, &[7, 8]);
        story.reads_branches("main-0", Some("bot-1"));
        story.passes_checks(7.key());
        story
    };
    let mut story = ready();
    let until = story.now.plus(wait);
    let waits = "for others that are to be tested again with it";
    assert_eq!(story.stands(7), format!("in-progress: waits until {until} {waits}"));
    story.passes(Span::from_secs(29));
    story.passes_checks(8.key());
    assert_eq!(together(&story), [7, 8]);

    let mut story = ready();
    story.passes(Span::from_secs(29));
    assert!(!is_tested_alone(&story, 7), "{}", story.stands(7));
    story.passes(Span::from_secs(1));
    assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
}

#[test]
fn a_bot_branch_that_wants_up_to_date_heads_switches_batches_off() {
    let mut story = outrun(1, &[7, 8, 9, 10]);
    story.reads_pull(8, |pull| pull.mergeable = Mergeable::Behind);
    assert!(merge_queue(&story).is_strict);
    story.reads_pull(8, |pull| pull.mergeable = Mergeable::Clean);
    assert!(!merge_queue(&story).is_strict, "behind, and shown as mergeable all the same");
    story.reads_pull(10, |pull| pull.mergeable = Mergeable::Behind);
    let rules = story.policy.repos.get_mut(&repo(APP)).expect("a repository");
    rules.batch_max = 8;
    story.looks_at_everything();
    story.ordered(7, Command::Stop);
    assert!(together(&story).is_empty() && is_tested_alone(&story, 8), "{}", story.stands(8));
    assert_eq!(story.stands(9), "in-progress: waits for its turn, after #8");
}

#[test]
fn without_required_checks_nothing_is_tried_together() {
    let mut story = Story::with(|rules| {
        (rules.slots, rules.batch_max) = (3, 8);
        rules.required_checks = Some(Vec::new());
    });
    for number in [7, 8] {
        story.queued(number);
    }
    for number in [7, 8] {
        story.reaches(number, Step::Checks);
    }
    for number in [7, 8] {
        story.passes_checks(number.key());
    }
    story.reads_branches("main-0", Some("bot-1"));
    assert!(together(&story).is_empty());
    assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
}

#[test]
fn a_red_trial_is_halved_and_whoever_is_left_goes_alone() {
    let mut story = tried(&[7, 8, 9, 10]);
    shows(&mut story, CheckState::Fail, |_| {});
    assert_eq!(last_end(&story), &TrialEnd::ChecksFailed(vec!["ci".to_owned()]));
    assert_eq!(together(&story), [7, 8], "{}", story.told());
    story.performs("trial-build:");
    story.performs("trial-push:");
    story.performs(":trial:");
    shows(&mut story, CheckState::Fail, |_| {});
    assert!(is_tested_alone(&story, 7), "a single one is not split: {}", story.stands(7));
    assert_eq!(story.stands(8), "in-progress: waits for its turn, after #7");
    assert!(merge_queue(&story).trial.is_none());
}

#[test]
fn what_the_person_does_to_a_trial_ends_it_and_sends_its_members_back() {
    for (what, is_open, change) in [
        (TrialEnd::Closed, false, (|pull| pull.state = PullState::Closed) as fn(&mut Pull)),
        (TrialEnd::Changed, false, |pull| {
            pull.state = PullState::Merged { commit: Sha::new("by-hand") };
            pull.head = Sha::new("theirs");
        }),
        (TrialEnd::Changed, true, |pull| pull.head = Sha::new("theirs")),
        (TrialEnd::Changed, true, |pull| pull.base = Branch::new("main")),
    ] {
        let mut story = tried(&[7, 8]);
        shows(&mut story, CheckState::Pending, change);
        assert_eq!(last_end(&story), &what);
        assert!(is_tested_alone(&story, 7) && together(&story).is_empty(), "{what:?}");
        assert_eq!(story.wants_of_repo(APP).contains("trial-close:"), is_open, "{what:?}");
    }
}

#[test]
fn a_member_that_leaves_voids_the_rest() {
    let mut story = tried(&[7, 8, 9]);
    story.ordered(8, Command::Pause);
    assert_eq!(last_end(&story), &TrialEnd::MemberLeft(8));
    assert_eq!(together(&story), [7, 9]);

    let mut story = tried(&[7, 8, 9]);
    shows(&mut story, CheckState::Pass, |_| {});
    let tree = tree_of(&story, 0);
    merges(&mut story, 7, &tree);
    story.ordered(9, Command::Stop);
    assert_eq!(last_end(&story), &TrialEnd::MemberLeft(9));
    assert!(is_tested_alone(&story, 8), "{}", story.stands(8));
}

#[test]
fn a_merge_that_gives_something_else_than_was_tried_stops_the_rest() {
    let mut story = tried(&[7, 8, 9]);
    shows(&mut story, CheckState::Pass, |_| {});
    merges(&mut story, 7, "something else");
    assert_eq!(last_end(&story), &TrialEnd::TreeDiffers(7));
    assert_eq!([8, 9].map(|which| merged_onto(&story, which)), [None, None]);
    assert_eq!(together(&story), [8, 9]);
}

#[test]
fn a_bot_branch_that_moves_on_and_checks_that_are_late_void_a_trial() {
    let mut story = tried(&[7, 8]);
    story.reads_branches("main-0", Some("bot-2"));
    assert_eq!(last_end(&story), &TrialEnd::BaseMoved);

    let mut story = tried(&[7, 8]);
    shows(&mut story, CheckState::Pending, |_| {});
    story.passes(Span::from_mins(46));
    assert_eq!(last_end(&story), &TrialEnd::ChecksLate(vec!["ci".to_owned()]));
}

#[test]
fn a_head_that_conflicts_with_the_others_goes_alone() {
    let mut story = outrun(8, &[7, 8, 9]);
    let act = story.wanted().into_iter().find_map(|effect| match effect {
        Effect::Repo(_, RepoAct::BuildTrial { number, base, entries }) => {
            Some((number, base, entries))
        }
        Effect::Repo(..) | Effect::Issue(..) | Effect::Machine(..) => None,
    });
    let (number, base, mut entries) = act.expect("a trial to build");
    let apart = vec![entries.remove(1)];
    let entries = entries.into_iter().map(|entry| (entry, "tree".to_owned())).collect();
    let commit = Sha::new("trial-1");
    let built = BuiltTrial { number, base, commit, entries, apart };
    let what = What::Settled(Settled::Repo(RepoSettled::TrialBuilt(built)));
    story.tell(&Fact::of_repo(repo(APP), what));
    let taken: Vec<_> = trial(&story).entries.iter().map(|entry| entry.issue).collect();
    assert_eq!(taken, [7, 9]);
    assert_eq!(story.stands(8), "in-progress: waits to be tried together with others");
}

#[test]
fn trials_that_merge_nothing_are_given_a_rest_and_told_of() {
    let mut story = tried(&[7, 8]);
    for round in 1..=7 {
        assert_eq!(trial(&story).number, round);
        story.reads_branches("main-0", Some(&format!("person-{round}")));
        assert_eq!(last_end(&story), &TrialEnd::BaseMoved);
        if round < 7 {
            story.performs("trial-build:");
            story.performs("trial-push:");
            story.performs(":trial:");
        }
    }
    assert!(together(&story).is_empty());
    assert_snapshot!(story.stands(7), @"in-progress: waits: trials have merged nothing for too long, so nothing is tested again before 2026-01-05 09:15:00Z");
    story.passes(Span::from_mins(15));
    assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
}

#[test]
fn a_trial_that_the_forge_refuses_leaves_everybody_to_be_tested_alone() {
    let mut story = outrun(8, &[7, 8]);
    story.performs("trial-build:");
    story.performs("trial-push:");
    let open = story.wanted().into_iter().find(|effect| effect.key().contains(":trial:"));
    let refused = open.expect("a pull request to open").refused("no drafts here");
    story.tell(&refused);
    assert_eq!(last_end(&story), &TrialEnd::Refused("no drafts here".to_owned()));
    assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
    assert_eq!(story.wants_of_repo(APP), "rmbranch:ralph/trial/1");
    assert_snapshot!(story.repo_stands(APP), @"compares the bot branch with the default branch; trial 1 is over: the forge refused it (no drafts here)");
}

#[test]
fn what_arrives_after_its_trial_is_over_is_cleared_away() {
    let mut story = outrun(8, &[7, 8]);
    story.performs("trial-build:");
    story.reads_branches("main-0", Some("bot-2"));
    assert!(
        merge_queue(&story).planner.next(&[] as &[Member], 8)
            == ralph_core::merge_queue::Next::Nothing
    );
    story.settles_trial_branch();
    let settled = RepoSettled::TrialOpened { number: 1, pull: PullNumber(77) };
    story.tell(&Fact::of_repo(repo(APP), What::Settled(Settled::Repo(settled))));
    assert!(story.wants_of_repo(APP).contains("trial-close:#77"), "{}", story.wants_of_repo(APP));
}

impl Story {
    fn settles_trial_branch(&mut self) {
        while self.wants_of_repo(APP).contains("rmbranch:ralph/trial/1") {
            self.performs("rmbranch:ralph/trial/1");
        }
    }
}
