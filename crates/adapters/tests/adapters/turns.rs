//! The turns of each role: what an agent is given, and what its answer amounts to.

use crate::stage::{BASE, Kept, Set, Stage, changed, commit_to_forge, containments, git};
use ralph_adapters::jobs::Report;
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer as Said, Outcome};
use ralph_core::ids::Sha;
use ralph_core::job::{Job, Role, Turn};
use ralph_core::turn_end::Usage;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const PLAN: &str = "# Intent\nDo it.\n# Risk\nNone.\n# Reuse\nAll.\n";

fn base(stage: &Stage) -> Sha {
    Sha::new(git(&stage.forge(), &["rev-parse", BASE]).trim())
}

fn turn(stage: &mut Stage, role: Role, script: &str) -> (Outcome, Vec<(Digest, String)>) {
    stage.script(script);
    let job = Job::Turn(Box::new(stage.turn(role, &base(stage), None)));
    stage.start(&job, "The prompt");
    stage.finished()
}

#[test]
fn a_plan_is_kept_by_its_digest() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        let script = format!(
            "cat > /dev/null; printf '{PLAN}'; echo '{{\"session\":\"s-1\",\"tokens\":{{\"input\":2,\"output\":3}}}}' > \"$RALPH_RESULT_FILE\""
        );
        let (outcome, texts) = turn(&mut stage, Role::Plan, &script);
        let Outcome::Turn { answer: Said::Plan { text, .. }, session, usage } = outcome else {
            panic!("{kept:?}: {outcome:?}")
        };
        assert_eq!(texts, [(text, PLAN.to_owned())]);
        assert_eq!((session.as_deref(), usage.map(Usage::tokens)), (Some("s-1"), Some(5)));
    }
}

#[test]
fn a_plan_without_its_headings_is_none_and_says_what_is_missing() {
    let mut stage = Stage::new();
    stage.prepare();
    let (outcome, texts) = turn(&mut stage, Role::Plan, "echo I would just start.");
    let Outcome::Turn { answer: Said::NoVerdict { why, .. }, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(why.contains("no heading `Intent`"), "{why}");
    assert_eq!(texts, []);
}

#[test]
fn a_review_reads_a_clean_checkout_and_what_it_changes_there_is_noted_and_goes() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        let head = changed(stage.implement("echo new > a.txt; echo dirt >> ignored.log"));
        fs::write(stage.worktree_path().join("half-done.txt"), "x").expect("a file");
        stage.script(
            "set -e; test ! -e half-done.txt; git rev-parse HEAD; git diff --stat \"$RALPH_BASE\"...HEAD\n\
             echo meddled > a.txt; git add -A; git commit -qm Meddled; echo more > more.txt\n\
             echo 'RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"fine\"}'",
        );
        let job = Job::Turn(Box::new(stage.turn(Role::ProductReview, &base(&stage), Some(&head))));
        let outcome = stage.run(&job, "");
        let Outcome::Turn { answer: Said::Verdict { pass, reason, said, .. }, .. } = &outcome
        else {
            panic!("{kept:?}: {outcome:?}")
        };
        assert_eq!((*pass, reason.as_str()), (true, "fine"), "{kept:?}");
        assert!(said.is_some(), "{kept:?}: what it printed before the verdict is kept");
        let folder = stage.run_folder().join("3-product_review");
        let response = fs::read_to_string(folder.join("response.txt")).expect("a transcript");
        assert!(response.starts_with(head.commit.as_str()), "{response}");
        assert!(response.contains(" a.txt "), "{response}");
        let noted = fs::read_to_string(folder.join("discarded.txt")).expect("a note");
        assert!(noted.contains("a.txt") && noted.contains("more.txt"), "{noted}");
        let work = git(&stage.mirror(), &["rev-parse", "refs/ralph/work/ralph/issue-7-do-it"]);
        assert_eq!(work.trim(), head.commit.as_str());
        let scratch = stage.home.join("worktrees/acme__widgets/scratch");
        assert_eq!(fs::read_dir(scratch).expect("a folder").count(), 0, "nothing is left");
    }
}

#[test]
fn a_reviewer_is_shown_the_change_and_a_plan_reviewer_the_claims() {
    let mut stage = Stage::new();
    let claims = "{\"claim\":\"the button is red\"}\n";
    fs::create_dir_all(stage.folder.join("seed/claims")).expect("a folder");
    commit_to_forge(&stage, BASE, "claims/canonical.jsonl", claims);
    stage.prepare();
    let script = "mkdir tests; echo check > tests/new.sh; echo four >> src/one.txt; git add -A; \
                  git commit -qm 'A test, so that four stays'";
    let head = changed(stage.implement(script));
    let mut shown = |role, head| {
        stage.script("cat");
        let job = Job::Turn(Box::new(stage.turn(role, &base(&stage), head)));
        stage.run(&job, "Review this.\nEnd with a verdict.");
        let folder = stage.run_folder().join(format!("{}-{}", stage.attempt(), role.name()));
        fs::read_to_string(folder.join("response.txt")).expect("a transcript")
    };
    let request = shown(Role::ProductReview, Some(&head));
    for part in ["- tests/new.sh (added)\n", "A test, so that four stays", "\n+four\n", "+check\n"]
    {
        assert!(request.contains(part), "{part}: {request}");
    }
    assert!(request.trim_end().ends_with("End with a verdict."), "{request}");
    assert!(!request.contains("the button is red"), "{request}");
    let again = shown(Role::ProductReview, Some(&head));
    assert_eq!(request, again);
    assert!(shown(Role::PlanReview, None).contains("the button is red"));
}

#[test]
fn a_survey_reads_a_clean_checkout_of_the_published_commit_and_proposes() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo new > a.txt"));
    fs::write(stage.worktree_path().join("half-done.txt"), "x").expect("a file");
    let line = r#"RALPH_SURVEY: {"version":1,"proposals":[{"title":"Fix a typo","kind":"mechanical","files":["a.txt"]}]}"#;
    let mut survey = |script: &str| {
        stage.script(script);
        let job = Job::Turn(Box::new(stage.turn(Role::Survey, &base(&stage), Some(&head))));
        stage.run(&job, "")
    };
    let looks = "test ! -e half-done.txt && test \"$RALPH_ROLE\" = survey && echo meddled > a.txt";
    let outcome = survey(&format!("{looks} && echo '{line}'"));
    let Outcome::Turn { answer: Said::Survey(proposals), .. } = outcome else {
        panic!("{outcome:?}")
    };
    let titles: Vec<_> = proposals.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Fix a typo"]);
    for (script, why) in [
        ("echo All is well.".to_owned(), "no line starts with"),
        (format!("echo '{line}'; echo '{line}'"), "more than one line"),
        (format!("head -c 2000000 /dev/zero | tr '\\0' x; echo; echo '{line}'"), "too long"),
    ] {
        let outcome = survey(&script);
        let Outcome::Turn { answer: Said::NoVerdict { why: told, .. }, .. } = &outcome else {
            panic!("{outcome:?}")
        };
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_plan_review_without_verdict_says_why() {
    let mut stage = Stage::new();
    stage.prepare();
    let (outcome, texts) = turn(&mut stage, Role::PlanReview, "echo All is well.");
    let Outcome::Turn { answer: Said::NoVerdict { why, said, .. }, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(why, "no line starts with the verdict marker");
    assert_eq!(texts, [(said.expect("a digest"), "All is well.\n".to_owned())]);
    let verdict = "RALPH_PLAN_REVIEW: {\"status\":\"pass\",\"reason\":\"x\"}";
    let script = format!("echo '{verdict}'; yes | head -c 2M; echo '{verdict}'");
    let (outcome, texts) = turn(&mut stage, Role::PlanReview, &script);
    let Outcome::Turn { answer: Said::NoVerdict { why, .. }, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(why.contains("too long"), "a cut might hide a second verdict: {why}");
    assert!(texts.iter().all(|(_, text)| text.starts_with(verdict) && text.len() <= 64_000));
}

#[test]
fn a_repair_finds_its_reviewers_session_where_it_was_left() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        let base = stage.prepare();
        let verdict = "RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"x\"}";
        let known = format!("test -e ~/session-1 && echo '{verdict}' || echo Hello.");
        stage.script(&format!("{known}; echo > ~/session-1"));
        let repair = |role, session: Option<&str>| {
            let session = session.map(str::to_owned);
            Job::Turn(Box::new(Turn { session, is_repair: true, ..stage.turn(role, &base, None) }))
        };
        let jobs = [
            (repair(Role::ProductReview, None), false),
            (repair(Role::ProductReview, Some("1")), true),
            (repair(Role::DevexReview, Some("1")), false),
            (repair(Role::ProductReview, None), false),
        ];
        for (job, is_there) in jobs {
            let outcome = stage.run(&job, "");
            let Outcome::Turn { answer, .. } = outcome else { panic!("{outcome:?}") };
            let is_found = matches!(answer, Said::Verdict { .. });
            assert_eq!(is_found, is_there, "{kept:?}: {job:?}");
        }
    }
}

#[test]
fn a_turn_that_changes_nothing_says_so() {
    let mut stage = Stage::new();
    stage.prepare();
    for script in
        ["echo I did it all", "echo x > a; git add a; git commit -qm a; git revert --no-edit HEAD"]
    {
        let outcome = stage.implement(script);
        let answer = Said::Unchanged;
        assert_eq!(outcome, Outcome::Turn { answer, session: None, usage: None }, "{script}");
    }
    let head = changed(stage.implement("echo x > b.txt"));
    stage.script("echo Nothing is left to do.");
    let job = Job::Turn(Box::new(stage.turn(Role::Implement, &base(&stage), Some(&head))));
    let outcome = stage.run(&job, "");
    assert!(matches!(outcome, Outcome::Turn { answer: Said::Unchanged, .. }), "{outcome:?}");
}

#[test]
fn a_program_that_ends_without_an_answer_has_failed_whatever_its_status() {
    let mut stage = Stage::new();
    stage.prepare();
    let script = "cat > /dev/null; echo 'no key is set' >&2; exit 0";
    for role in [Role::Plan, Role::PlanReview, Role::Implement, Role::ProductReview] {
        let (outcome, _) = turn(&mut stage, role, script);
        let Outcome::AgentFailed { reason, .. } = outcome else { panic!("{role:?}: {outcome:?}") };
        assert_eq!(reason, "exit status 0: it ended without an answer\nno key is set");
    }
    changed(stage.implement("echo x > a.txt"));
}

#[test]
fn a_program_that_has_one_unusable_answer_for_all_issues_has_failed() {
    let mut stage = Stage::new();
    stage.prepare();
    let limit = |time: &str| format!("echo 'Usage limit reached, try again at {time}.'");
    let (outcome, _) = turn(&mut stage, Role::Plan, &limit("17:03"));
    assert!(matches!(outcome, Outcome::Turn { answer: Said::NoVerdict { .. }, .. }), "{outcome:?}");
    stage.issue.number = 8;
    stage.prepare();
    for role in [Role::Plan, Role::Implement, Role::PlanReview] {
        let (outcome, _) = turn(&mut stage, role, &limit("9:10"));
        let Outcome::AgentFailed { reason, .. } = outcome else { panic!("{role:?}: {outcome:?}") };
        assert!(reason.contains("is the one that acme/widgets#7 got"), "{reason}");
        assert!(reason.contains("Usage limit reached"), "{reason}");
    }
}

#[test]
fn the_environment_is_what_the_interface_names_and_nothing_else() {
    for kept in containments() {
        let agent_environment = vec![("MODEL_API_KEY", "sesame-open-up")];
        let mut stage = Stage::set(&Set { kept, agent_environment, ..Set::default() });
        stage.prepare();
        stage.script("env | sed 's/=.*//' > names; env > values; echo $MODEL_API_KEY");
        let base = base(&stage);
        let mut turn = stage.turn(Role::Implement, &base, None);
        (turn.session, turn.is_repair) = (Some("s-9".to_owned()), true);
        let head = changed(stage.run(&Job::Turn(Box::new(turn)), "P"));
        let show = |file: &str| git(&stage.mirror(), &["show", &format!("{}:{file}", head.commit)]);
        let names = show("names");
        let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
        let names: BTreeSet<&str> =
            names.lines().filter(|name| !of_the_shell.contains(name)).collect();
        let expected = "HOME LANG MODEL_API_KEY PATH RALPH_ATTEMPT RALPH_BASE RALPH_BRANCH RALPH_ISSUE \
                        RALPH_PROMPT_FILE RALPH_REPAIR RALPH_REPO RALPH_RESULT_FILE RALPH_ROLE RALPH_RUN \
                        RALPH_SESSION TMPDIR";
        assert_eq!(names, expected.split(' ').collect(), "{kept:?}");
        let values = show("values");
        for line in [
            "RALPH_ROLE=implement",
            "RALPH_REPO=acme/widgets",
            "RALPH_ISSUE=7",
            "RALPH_RUN=7-1",
            "RALPH_ATTEMPT=2",
            "RALPH_BRANCH=ralph/issue-7-do-it",
            "RALPH_SESSION=s-9",
            "RALPH_REPAIR=1",
            &format!("RALPH_BASE={base}"),
            &format!("HOME={}", stage.run_folder().join("home").display()),
        ] {
            assert!(values.lines().any(|it| it == line), "{line} in {values}");
        }
        assert!(!values.contains("a-token-of-the-forge"));
        let transcript = stage.run_folder().join("2-implement/response.txt");
        assert_eq!(fs::read_to_string(transcript).expect("a transcript"), "[redacted]\n");
    }
}

#[test]
fn prompts_and_titles_arrive_as_they_are_and_run_nothing() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        let nasty = "\"quotes\" 'and' $(touch owned) `touch owned`; touch owned\n\n🦀 \\n\t-- end";
        stage.script("cat > from-stdin; cat \"$RALPH_PROMPT_FILE\" > from-file; test ! -e owned");
        let mut turn = stage.turn(Role::Implement, &base(&stage), None);
        turn.title = nasty.to_owned();
        let head = changed(stage.run(&Job::Turn(Box::new(turn)), nasty));
        let show = |file: &str| git(&stage.mirror(), &["show", &format!("{}:{file}", head.commit)]);
        assert_eq!((show("from-stdin"), show("from-file")), (nasty.to_owned(), nasty.to_owned()));
        let subject = git(&stage.mirror(), &["log", "-1", "--format=%s", head.commit.as_str()]);
        assert_eq!(subject, "\"quotes\" 'and' $(touch owned) `touch owned`; touch owned\n");
    }
}

#[test]
fn transcripts_are_private_redacted_and_shown_as_they_grow() {
    let mut stage = Stage::new();
    stage.prepare();
    stage.script(
        "echo 'using ghp_0123456789abcdefghijABCDEFGHIJ012345'; echo log line >&2\n\
         printf -- '-----BEGIN RSA PRIVATE KEY-----\\nMIIEsecret\\n'; sleep 0.2; \
         printf 'MIIEmore\\n-----END RSA PRIVATE KEY-----\\nafter\\n'; echo x > a.txt",
    );
    let job = Job::Turn(Box::new(stage.turn(Role::Implement, &base(&stage), None)));
    stage.start(&job, "The prompt");
    let mut shown = Vec::new();
    for report in &stage.reports {
        match report {
            Report::Output { line, .. } => shown.push(line),
            Report::Used { .. } | Report::Suspected { .. } => {}
            Report::Finished { .. } => break,
        }
    }
    let folder = stage.run_folder().join("2-implement");
    let response = fs::read_to_string(folder.join("response.txt")).expect("a transcript");
    assert_eq!(response, "using [redacted]\n[redacted]\nafter\n");
    assert_eq!(fs::read_to_string(folder.join("log.txt")).expect("a log"), "log line\n");
    assert_eq!(fs::read_to_string(folder.join("prompt.md")).expect("a prompt"), "The prompt");
    for line in ["using [redacted]", "log line", "after"] {
        assert!(shown.iter().any(|it| it == line), "{line} in {shown:?}");
    }
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    for path in ["response.txt", "log.txt", "prompt.md"] {
        assert_eq!(mode(&folder.join(path)), 0o600, "{path}");
    }
    for path in [&folder, &stage.home, &stage.mirror(), &stage.worktree_path()] {
        assert_eq!(mode(path), 0o700, "{}", path.display());
    }
}

#[test]
fn a_role_may_have_an_agent_that_cannot_be_started() {
    let mut stage =
        Stage::set(&Set { kept: Kept::ByGuard, agent: Some("no-such-agent"), ..Set::default() });
    stage.prepare();
    let (outcome, _) = turn(&mut stage, Role::Plan, "");
    let (Outcome::Failed { reason } | Outcome::AgentFailed { reason, .. }) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(reason.contains("no-such-agent"), "{reason}");
}
