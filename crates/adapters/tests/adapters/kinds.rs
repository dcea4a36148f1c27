//! Turns of programs whose kind is known: a shell script plays what a program said, and does what it did.

use crate::stage::{BASE, Kept, Set, Stage, changed, containments, git};
use ralph_adapters::agent::{Event, Kind, LoginFile, Program};
use ralph_adapters::jobs::Report;
use ralph_core::fact::Outcome;
use ralph_core::ids::Sha;
use ralph_core::job::{Job, Role};
use ralph_core::messages::MessageId;
use ralph_core::turn_end::{EndClass, Usage};
use ralph_engine::ports::{Answer, Workers as _};
use std::fs;

/// Says that it has begun, in the words of Claude Code.
const BEGIN: &str = r#"
say() { printf '%s\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"u-1","model":"m-1"}'
say '{"type":"assistant","message":{"content":[{"type":"text","text":"I begin with sesame-sesame."}]}}'
"#;
const RESULT: &str = r#"
say '{"type":"result","subtype":"success","is_error":false,"result":"Done.","permission_denials":[],
 "model_usage_since_last_result":{"m-1":{"inputTokens":7,"outputTokens":2,"costUSD":0.5}}}' | tr -d '\n'
"#;

fn of(kind: Kind) -> Set {
    Set {
        program: Program { kind, ..Program::default() },
        agent_environment: vec![("MODEL_KEY", "sesame-sesame")],
        ..Set::default()
    }
}

fn base(stage: &Stage) -> Sha {
    Sha::new(git(&stage.forge(), &["rev-parse", BASE]).trim())
}

fn recording(path: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/agents/");
    format!("{folder}{path}")
}

#[test]
fn a_turn_of_a_known_program_is_kept_as_events_and_answers_with_its_final_text() {
    let mut stage = Stage::set(&of(Kind::Claude));
    stage.prepare();
    let script =
        format!("read -r prompt; {BEGIN} echo \"$prompt\" > a.txt; echo \"$@\" > b.txt; {RESULT}");
    let outcome = stage.implement(&script);
    let Outcome::Turn { session, usage, .. } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(session.as_deref(), Some("claude:u-1"));
    let used = Usage { input: 7, cached: 0, output: 2, micro_usd: Some(500_000) };
    assert_eq!(*usage, Some(used));
    changed(outcome);
    let read = |name: &str| fs::read_to_string(stage.worktree_path().join(name)).expect("a file");
    assert!(read("a.txt").contains(r#""text":"Do it""#), "{}", read("a.txt"));
    assert!(read("b.txt").contains("--strict-mcp-config"), "{}", read("b.txt"));
    let folder = stage.run_folder().join("2-implement");
    let events = fs::read_to_string(folder.join("events.jsonl")).expect("events");
    assert!(!events.contains("sesame"), "{events}");
    let events: Vec<Event> =
        events.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let message = Event::Message { text: "I begin with [redacted].".to_owned() };
    assert!(events.contains(&message) && events.contains(&Event::Usage(used)), "{events:?}");
    assert_eq!(fs::read_to_string(folder.join("response.txt")).expect("a file"), "Done.");
    let home = stage.run_folder().join("home");
    assert!(home.join(".claude/settings.json").is_file(), "its settings are Ralph's");
}

#[test]
fn words_of_the_operator_reach_a_program_while_it_works() {
    for kept in containments() {
        let mut stage = Stage::set(&Set { kept, ..of(Kind::Claude) });
        stage.prepare();
        let issue = stage.issue.clone();
        stage.script(&format!(
            "read -r prompt; {BEGIN} read -r words; echo \"$words\" > a.txt; {RESULT}"
        ));
        let turn = stage.turn(Role::Implement, &base(&stage), None);
        stage.start(&Job::Turn(Box::new(turn)), "Do it");
        loop {
            match stage.reports.recv().expect("a report") {
                Report::Output { line, .. } if line.contains("I begin") => break,
                Report::Output { .. } | Report::Used { .. } | Report::Suspected { .. } => {}
                Report::Finished { outcome, .. } => panic!("{kept:?}: {outcome:?}"),
            }
        }
        let (attempt, message) = (stage.attempt(), MessageId::Tell(1));
        let told = stage.adapters.workers.tell(&issue, attempt, message, "Mind the gap.");
        assert_eq!(told, Answer::Happened(()));
        let report = stage.reports.iter().find(|it| matches!(it, Report::Finished { .. }));
        let Some(Report::Finished { outcome, heard, .. }) = report else { panic!("{report:?}") };
        changed(outcome);
        assert_eq!(heard, [message], "the end names what the program was given");
        let words = fs::read_to_string(stage.worktree_path().join("a.txt")).expect("a file");
        assert!(words.contains("Mind the gap."), "{words}");
        let late = stage.adapters.workers.tell(&issue, attempt, MessageId::Tell(2), "Too late.");
        assert!(matches!(late, Answer::Refused(_)), "nobody is there to hear it: {late:?}");
    }
}

#[test]
fn a_failure_has_the_class_that_the_program_told() {
    for (kind, case, expected) in [
        (Kind::Claude, "claude/login-refused", EndClass::NeedsLogin),
        (Kind::Codex, "codex/overloaded", EndClass::Overloaded),
        (Kind::Gemini, "gemini/context-full", EndClass::ContextFull),
        (Kind::OpenCode, "opencode/permission-refused", EndClass::PermissionRefused),
        (Kind::Claude, "claude/permission-refused", EndClass::PermissionRefused),
    ] {
        let mut stage = Stage::set(&of(kind));
        stage.prepare();
        let (out, code) = (recording(&format!("{case}.out")), recording(&format!("{case}.code")));
        let script = format!("cat > /dev/null & cat '{out}'; exit $(cat '{code}')");
        let outcome = stage.implement(&script);
        let Outcome::AgentFailed { class, reason } = outcome else { panic!("{case}: {outcome:?}") };
        assert_eq!(class, expected, "{case}: {reason}");
    }
}

#[test]
fn a_session_that_is_gone_gives_way_to_a_fresh_one_and_another_programs_is_not_resumed() {
    let mut stage = Stage::set(&of(Kind::Codex));
    stage.prepare();
    let script = r#"
        echo "$@" >> "$HOME/../calls.txt"
        case "$*" in *resume*) echo 'no rollout found for thread id t-1' >&2; exit 1;; esac
        echo x >> a.txt
        echo '{"type":"thread.started","thread_id":"t-2"}'
        echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}'
        echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'"#;
    for (session, resumes) in [("codex:t-1", 1), ("claude:u-1", 0)] {
        let calls = stage.run_folder().join("calls.txt");
        fs::write(&calls, "").expect("a file");
        stage.script(script);
        let mut turn = stage.turn(Role::Implement, &base(&stage), None);
        turn.session = Some(session.to_owned());
        let outcome = stage.run(&Job::Turn(Box::new(turn)), "Do it");
        let Outcome::Turn { session: now, .. } = &outcome else { panic!("{outcome:?}") };
        assert_eq!(now.as_deref(), Some("codex:t-2"));
        let calls = fs::read_to_string(calls).expect("a file");
        assert_eq!(calls.matches("resume t-1").count(), resumes, "{session}: {calls}");
    }
}

#[test]
fn a_role_that_only_reads_cannot_write_in_its_place_and_finds_its_login() {
    for kept in containments() {
        let mut stage = Stage::set(&Set { kept, ..of(Kind::Codex) });
        let user = stage.folder.join("user/.codex");
        fs::create_dir_all(&user).expect("a folder");
        fs::write(user.join("auth.json"), r#"{"login":1}"#).expect("a file");
        fs::write(user.join("config.toml"), "the user's own").expect("a file");
        let (path, place) = (user.join("auth.json"), ".codex/auth.json".into());
        let logins = vec![LoginFile { path, place, is_refreshed: true }];
        let program = Program { kind: Kind::Codex, logins, ..Program::default() };
        stage.restart(&Set { kept, program, ..Set::default() });
        stage.prepare();
        stage.script(&format!(
            r#"cd "$(pwd)"; cat "$CODEX_HOME/auth.json" >&2; (echo x > a.txt) 2>/dev/null && echo wrote >&2
            cat '{}' >&2; echo '{{"login":2}}' > "$CODEX_HOME/auth.json"; exit 1"#,
            user.join("config.toml").display()
        ));
        let turn = stage.turn(Role::Plan, &base(&stage), None);
        stage.run(&Job::Turn(Box::new(turn)), "Plan it");
        let log = stage.run_folder().join(format!("{}-plan/log.txt", stage.attempt()));
        let log = fs::read_to_string(log).expect("a log");
        assert!(log.contains(r#"{"login":1}"#), "{kept:?}: {log}");
        let is_sandboxed = kept == Kept::ByBubblewrap;
        assert_eq!(log.contains("wrote"), !is_sandboxed, "{kept:?}: {log}");
        assert_eq!(log.contains("the user's own"), !is_sandboxed, "{kept:?}: {log}");
        let login = fs::read_to_string(user.join("auth.json")).expect("a file");
        assert_eq!(login.trim(), r#"{"login":2}"#, "{kept:?}: a refreshed login is kept");
    }
}
