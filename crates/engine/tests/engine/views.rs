//! Views for people: status, gates and the story of one issue.

use crate::hand_forge::{QUEUED, ReplyMode};
use crate::harness::{Harness, key};
use crate::whole_run;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::issue::Seen;
use ralph_core::time::Span;
use ralph_engine::store::StatusReport;

/// One line per issue, then one per effect that waits.
fn lines(report: &StatusReport) -> String {
    let issues = report.issues.iter().map(|issue| {
        let (status, run) = (issue.status.as_deref(), issue.run.as_deref());
        format!(
            "{}#{} {:?} [{}] {} run {}, since {}: {}",
            issue.repo,
            issue.number,
            issue.title,
            status.unwrap_or("-"),
            issue.priority,
            run.unwrap_or("-"),
            issue.since,
            issue.says,
        )
    });
    let outbox = report.outbox.iter().map(|row| {
        let why = if row.reason.is_empty() { "new" } else { &row.reason };
        format!("{} {}, tries {}, due {}: {why}", row.key, row.state, row.tries, row.due)
    });
    let repos =
        report.repos.iter().map(|it| format!("{} since {}: {}", it.repo, it.since, it.says));
    let counts = report.by_status.iter().map(|(status, count)| format!("{count} {status}"));
    let until = report.writer_until.map(|at| format!("written to until {at}"));
    issues.chain(repos).chain(outbox).chain(counts).chain(until).collect::<Vec<_>>().join("\n")
}

fn status(harness: &Harness) -> String {
    lines(&harness.reader().status().unwrap())
}

fn story(harness: &Harness) -> String {
    let report = harness.reader().explain(&key(7)).unwrap().unwrap();
    let lines = report.story.iter().map(|line| format!("{} {}", line.at, line.says));
    lines.collect::<Vec<_>>().join("\n")
}

/// A queue with one issue of each kind: running, blocked, escalated, paused and unmanaged.
fn busy_desk() -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.forge.opens(&key(8), "Use the flag", "## Blocked by\n- #7\n");
    harness.forge.labels(&key(8), QUEUED);
    harness.forge.labels(&key(8), "ralph:priority:p0");
    harness.forge.opens(&key(9), "Think about flags", "");
    harness.forge.labels(&key(9), "ralph:status:escalated");
    harness.forge.opens(&key(10), "Flags of the world", "");
    harness.forge.labels(&key(10), "ralph:status:paused");
    harness.forge.opens(&key(11), "Not for Ralph", "");
    harness.reads();
    harness
}

#[test]
fn status_tells_where_every_managed_issue_stands_and_what_waits() {
    let mut harness = busy_desk();
    harness.forge.mode = ReplyMode::LosesChange;
    harness.works_off_one().unwrap();
    insta::assert_snapshot!(status(&harness), @r#"
    acme/widgets#7 "Add a flag" [in-progress] p2 run 7-1, since 2026-01-01 00:00:00Z: starting workspace
    acme/widgets#8 "Use the flag" [queued] p0 run -, since 2026-01-01 00:00:00Z: blocked by acme/widgets#7 [deps]
    acme/widgets#9 "Think about flags" [escalated] p2 run -, since 2026-01-01 00:00:00Z: needs a person: The issue carries the escalated label from before. [inherited]
    acme/widgets#10 "Flags of the world" [paused] p2 run -, since 2026-01-01 00:00:00Z: paused
    acme/widgets#9:comment:escalation-1 pending, tries 1, due 2026-01-01 00:01:00Z: no answer
    acme/widgets#7:label+ralph:status:in-progress pending, tries 0, due 2026-01-01 00:00:00Z: new
    acme/widgets#7:start:1 pending, tries 0, due 2026-01-01 00:00:00Z: new
    1 escalated
    1 in-progress
    1 paused
    1 queued
    written to until 2026-01-01 00:01:00Z
    "#);
}

#[test]
fn status_of_an_empty_store_is_empty() {
    insta::assert_snapshot!(status(&Harness::new()), @"written to until 2026-01-01 00:01:00Z");
}

#[test]
fn status_tells_what_a_repository_is_refused_and_when_it_is_asked_for_again() {
    let mut harness = whole_run::waiting_for_checks();
    harness.forge.ci = Some(ralph_core::pull::CheckState::Pass);
    let opens = harness.leases_next(":rollup:0");
    harness.forge.mode = ReplyMode::Refuses;
    let performed = harness.performs(&opens);
    harness.settles(opens.id, performed);
    insta::assert_snapshot!(status(&harness), @r#"
    acme/widgets#7 "Add a flag" [in-bot] p2 run 7-1, since 2026-01-01 00:04:00Z: in the bot branch, waits for the next rollup
    acme/widgets since 2026-01-01 00:09:00Z: the forge refused once to open the rollup of batch 1 (no), asked again from 2026-01-01 00:10:00Z on
    1 in-bot
    written to until 2026-01-01 00:10:00Z
    "#);
}

#[test]
fn status_as_json_has_these_names() {
    let mut harness = busy_desk();
    harness.works_off();
    harness.later(Span::from_secs(5));
    let mut report = harness.reader().status().unwrap();
    report.issues.retain(|issue| issue.number == 8);
    report.outbox.clear();
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap(), @r#"
    {
      "issues": [
        {
          "repo": "acme/widgets",
          "number": 8,
          "title": "Use the flag",
          "status": "queued",
          "priority": "p0",
          "standing": {
            "is": "blocked",
            "source": "deps",
            "by": [
              {
                "repo": "acme/widgets",
                "number": 7
              }
            ]
          },
          "blocked_source": "deps",
          "says": "blocked by acme/widgets#7 [deps]",
          "run": null,
          "since": 1767225600000
        }
      ],
      "by_status": {
        "escalated": 1,
        "in-progress": 1,
        "paused": 1,
        "queued": 1
      },
      "repos": [],
      "inbox": [],
      "outbox": [],
      "writer_until": 1767225660000,
      "draining": null,
      "outage": null,
      "held_accounts": [],
      "refused": []
    }
    "#);
}

#[test]
fn gates_tell_what_was_judged_on_which_commit() {
    let harness = whole_run::waiting_for_checks();
    let gates = harness.reader().gates(&key(7)).unwrap().unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&gates).unwrap(), @r#"
    {
      "repo": "acme/widgets",
      "issue": 7,
      "run": "7-1",
      "gates": {
        "ci": {
          "status": "pending",
          "url": "https://ci.example/1",
          "head": "head-1"
        },
        "devex_review": {
          "status": "pass",
          "reason": "it is fine",
          "head": "head-1",
          "attempt": 7,
          "started": 1767225750000,
          "ended": 1767225780000,
          "artifacts": [
            "runs/7-1/acme__widgets/7-devex_review"
          ]
        },
        "plan_review": {
          "status": "pass",
          "reason": "it is fine",
          "head": null,
          "attempt": 3,
          "started": 1767225630000,
          "ended": 1767225660000,
          "artifacts": [
            "runs/7-1/acme__widgets/3-plan_review"
          ]
        },
        "preflight": {
          "status": "pass",
          "command": "make check",
          "head": "head-1",
          "attempt": 5,
          "started": 1767225690000,
          "ended": 1767225720000,
          "artifacts": [
            "runs/7-1/acme__widgets/5-preflight"
          ]
        },
        "product_review": {
          "status": "pass",
          "reason": "it is fine",
          "head": "head-1",
          "attempt": 6,
          "started": 1767225720000,
          "ended": 1767225750000,
          "artifacts": [
            "runs/7-1/acme__widgets/6-product_review"
          ]
        },
        "test_integrity": {
          "status": "pass",
          "reason": "no test and no check definition of the base was changed",
          "head": "head-1"
        }
      },
      "ready_for_pr": true,
      "artifacts": [],
      "lanes": {},
      "red_checks": []
    }
    "#);
}

#[test]
fn gates_of_an_issue_without_a_run_are_all_pending() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.reads();
    let gates = harness.reader().gates(&key(7)).unwrap().unwrap();
    assert_eq!((gates.run.as_deref(), gates.ready_for_pr), (None, false));
    let pending = ralph_core::gate::GateStatus::Pending;
    assert!(gates.gates.len() == 6 && gates.gates.values().all(|gate| gate.status == pending));
}

#[test]
fn the_story_of_a_life_names_every_decision() {
    insta::assert_snapshot!(story(&whole_run::finished_run()), @"
    2026-01-01 00:00:00Z alice asks: queue
    2026-01-01 00:00:00Z command obeyed
    2026-01-01 00:00:00Z claimed
    2026-01-01 00:00:00Z attempt 1 of this issue: workspace
    2026-01-01 00:00:00Z label ralph:status:in-progress added
    2026-01-01 00:00:00Z attempt 1 is running
    2026-01-01 00:00:00Z label ralph:status:queued removed
    2026-01-01 00:00:00Z attempt 1: worktree ready at bot-1
    2026-01-01 00:00:00Z next step: plan
    2026-01-01 00:00:00Z attempt 2 of this issue: plan
    2026-01-01 00:00:00Z attempt 2 is running
    2026-01-01 00:00:30Z attempt 2: plan written
    2026-01-01 00:00:30Z next step: plan review
    2026-01-01 00:00:30Z attempt 3 of this issue: plan review
    2026-01-01 00:00:30Z attempt 3 is running
    2026-01-01 00:01:00Z attempt 3: reviewer says pass
    2026-01-01 00:01:00Z next step: implement
    2026-01-01 00:01:00Z attempt 4 of this issue: implement
    2026-01-01 00:01:00Z attempt 4 is running
    2026-01-01 00:01:30Z attempt 4: new head head-1
    2026-01-01 00:01:30Z next step: preflight
    2026-01-01 00:01:30Z attempt 5 of this issue: preflight
    2026-01-01 00:01:30Z attempt 5 is running
    2026-01-01 00:02:00Z attempt 5: commands passed
    2026-01-01 00:02:00Z next step: test integrity
    2026-01-01 00:02:00Z gate test_integrity: pass
    2026-01-01 00:02:00Z next step: product review
    2026-01-01 00:02:00Z attempt 6 of this issue: product review
    2026-01-01 00:02:00Z attempt 6 is running
    2026-01-01 00:02:30Z attempt 6: reviewer says pass
    2026-01-01 00:02:30Z next step: devex review
    2026-01-01 00:02:30Z attempt 7 of this issue: devex review
    2026-01-01 00:02:30Z attempt 7 is running
    2026-01-01 00:03:00Z attempt 7: reviewer says pass
    2026-01-01 00:03:00Z next step: publish
    2026-01-01 00:03:00Z pushed head-1
    2026-01-01 00:03:00Z pull request #50 opened
    2026-01-01 00:03:00Z next step: checks
    2026-01-01 00:03:30Z gate ci: pending
    2026-01-01 00:04:00Z gate ci: pass
    2026-01-01 00:04:00Z next step: merge
    2026-01-01 00:04:00Z #50 merged as merge-50
    2026-01-01 00:04:00Z #50 is in the bot branch
    2026-01-01 00:04:00Z label ralph:status:in-bot added
    2026-01-01 00:04:00Z label ralph:status:in-progress removed
    2026-01-01 00:09:30Z done: merge-50 is part of main-2
    2026-01-01 00:09:30Z issue closed
    2026-01-01 00:09:30Z label ralph:status:done added
    2026-01-01 00:09:30Z worktree removed
    2026-01-01 00:09:30Z label ralph:status:in-bot removed
    ");
}

#[test]
fn that_an_issue_is_closed_is_told_once() {
    let mut harness = whole_run::waiting_for_checks();
    let seen = harness.issue(7).seen.clone().unwrap();
    for (minute, open) in [(1, false), (2, false), (3, true), (4, false)] {
        let updated = seen.updated.plus(Span::from_mins(minute));
        let seen = Seen { open, updated, ..seen.clone() };
        harness.observes(vec![Fact::of(key(7), What::Seen(Observation::Issue(seen)))]);
    }
    let story = harness.reader().explain(&key(7)).unwrap().unwrap().story;
    let told = story.iter().filter(|line| line.says == "the issue is closed").count();
    assert_eq!(told, 2, "closed, reopened, and closed once more");
}

#[test]
fn explain_ends_with_what_comes_next() {
    let harness = whole_run::waiting_for_checks();
    let report = harness.reader().explain(&key(7)).unwrap().unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&report.issue).unwrap(), @r#"
    {
      "repo": "acme/widgets",
      "number": 7,
      "title": "Add a flag",
      "status": "in-progress",
      "priority": "p2",
      "standing": {
        "is": "waits_for_checks",
        "pending": [
          "CI"
        ],
        "until": 1767228480000
      },
      "says": "waits for checks: CI (until 2026-01-01 00:48:00Z)",
      "run": "7-1",
      "since": 1767225810000
    }
    "#);
}

#[test]
fn the_forge_is_asked_for_this_and_nothing_else() {
    let harness = whole_run::finished_run();
    let asked =
        format!("{}\n\n{}", harness.forge.asked.join("\n"), harness.work.asked().join("\n"));
    insta::assert_snapshot!(asked, @"
    acme/widgets#7 +ralph:status:in-progress
    acme/widgets#7 -ralph:status:queued
    pull ralph/issue-7-add-a-flag -> bot/integration
    pull #50 merge
    acme/widgets#7 +ralph:status:in-bot
    acme/widgets#7 -ralph:status:in-progress
    pull bot/integration -> main
    acme/widgets#7 close
    acme/widgets#7 +ralph:status:done
    acme/widgets#7 -ralph:status:in-bot

    start 1
    start 2
    start 3
    start 4
    start 5
    start 6
    start 7
    push head-1 to ralph/issue-7-add-a-flag
    remove /srv/worktrees/acme__widgets/slot-0/7/7-1
    ");
    let shown = harness.forge.shown(&key(7));
    assert_eq!(
        (shown.open, shown.labels.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
        (false, vec!["ralph:status:done"])
    );
}

#[test]
fn what_was_never_heard_of_is_not_known() {
    let harness = busy_desk();
    let reader = harness.reader();
    assert_eq!(reader.gates(&key(99)).unwrap(), None);
    assert_eq!(reader.explain(&key(99)).unwrap(), None);
    let unmanaged = reader.explain(&key(11)).unwrap().unwrap();
    assert_eq!((unmanaged.issue.says.as_str(), unmanaged.issue.status), ("not managed", None));
}
