//! Ends of turns, through Ralph: what `ralph status` says of each, what it costs the issue, and how the work goes on until
//! the issue is merged.

use super::program::{Account, Program};
use super::theatre::{PLAN_REVIEW, Rules, Theatre, implementer, judges};
use crate::forge::REPO;
use crate::waiting::until;
use ralph_model::{Failure, Script, Turn, When};
use serde_json::{Value, json};

/// A time in the future of every run, in seconds since 1970: the year 2033.
const RESETS_AT: u64 = 2_000_000_000;
/// 300 KB in one line.
const LINE_PARTS: usize = 30_000;

/// What the story says of each failure after which the next turn is taken at once, by the words of the programs.
const REFUSED: [&str; 2] = ["tools were refused", "no valid verdict"];
const KILLED: [&str; 1] = ["the agent's program failed"];
const HUNG: [&str; 1] = ["stalled, idle"];
const GREETING: &str = "Hello.\n";

/// A test for each program and case.
macro_rules! ends {
    ($($module:ident is $program:ident: $($test:ident $case:literal),+ $(,)?;)+) => {
        $(mod $module {
            $(#[test]
            fn $test() {
                super::ends::play(super::program::Program::$program, $case);
            })+
        })+
    };
}

struct Case {
    name: &'static str,
    script: Script,
    rules: Rules,
    then: Then,
}

/// What Ralph does after the first failure.
enum Then {
    /// No turn is started with the account, which is said with these words. A person who asks for work makes one try.
    Held(&'static str),
    /// The same, and a try is made without a person.
    HeldForMoments(&'static str),
    /// The same until the time that was told, whatever a person asks for.
    HeldUntil(&'static str),
    /// The next turn is taken at once. The story has one of these.
    Again(&'static [&'static str]),
}

fn cases() -> Vec<Case> {
    use Failure as F;
    let case = |name, script, then| Case { name, script, rules: Rules::default(), then };
    let held = |name, failure, then| case(name, fails(Turn::new().fail(failure)), then);
    let subscriber = Rules { account: Account::Subscription, ..Rules::default() };
    let impatient = Rules { agent: "idle_timeout = \"15s\"".to_owned(), ..Rules::default() };
    let once = |failure| {
        let first = Turn::new().fail_times(failure, 1).write("GREETING.md", GREETING);
        implementer([first.say("The greeting is there."), work()])
    };
    let line = "0123456789".repeat(LINE_PARTS);
    vec![
        held("login-refused", F::LoginRefused, Then::Held("is not accepted by its provider")),
        held(
            "usage-limit",
            F::UsageLimit { resets_at: None },
            Then::Held("has reached its usage limit"),
        ),
        Case {
            rules: subscriber,
            ..held(
                "usage-limit-reset",
                F::UsageLimit { resets_at: Some(RESETS_AT) },
                Then::HeldUntil("has reached its usage limit"),
            )
        },
        held("overloaded", F::Overloaded, Then::HeldForMoments("its provider is overloaded")),
        held("garbage", F::Garbage, Then::Held("its provider is overloaded")),
        case("context-full", compacted(once(F::ContextFull)), Then::Again(&[])),
        case("permission-refused", refused(), Then::Again(&REFUSED)),
        case(
            "killed",
            implementer([Turn::new().run("kill -9 $PPID"), work()]),
            Then::Again(&KILLED),
        ),
        Case { rules: impatient, ..case("hung", once(F::Hang), Then::Again(&HUNG)) },
        case("long-line", implementer([work().say(&line)]), Then::Again(&[])),
    ]
}

fn work() -> Turn {
    Turn::new().write("GREETING.md", GREETING).say("The greeting is there.")
}

/// The implementer fails as this turn begins, and works once the failure is over.
fn fails(turn: Turn) -> Script {
    let turn = turn.write("GREETING.md", GREETING).say("The greeting is there.");
    Script::new().always("implement", When::contains("You are the implementer"), turn)
}

/// Some programs make a conversation shorter that is too long, and continue it with other words.
fn compacted(script: Script) -> Script {
    let summary = Turn::new().say("A greeting is wanted in GREETING.md.");
    Script::new()
        .always("summary", When::contains("Respond with TEXT ONLY"), summary)
        .always(
            "compacted by Claude Code",
            When::contains("This session is being continued"),
            work(),
        )
        .always("compacted by OpenCode", When::contains("The conversation was compacted"), work())
        .followed_by(script)
}

/// A reviewer of plans wants to write, and without that has nothing to say at first.
fn refused() -> Script {
    let first = Turn::new().run("touch WRITTEN.md").say("I could not do that.");
    let then = Turn::new().say(PLAN_REVIEW);
    let reviewer = When::contains("You are the reviewer of plans");
    implementer([work()]).role("plan_review_refused", reviewer, [first, then])
}

pub(crate) fn play(program: Program, name: &str) {
    let case = cases().into_iter().find(|case| case.name == name).expect("a case of this name");
    let theatre = Theatre::set(program, judges(case.script), &case.rules);
    let stage = &theatre.stage;
    let issue = stage.forge.open_issue("Greet", "There should be a greeting.");
    theatre.work();
    match case.then {
        Then::Again(words) => {
            let story = stage.explained(issue);
            let is_told = words.is_empty() || words.iter().any(|words| story.contains(words));
            assert!(is_told, "{words:?}: {story}");
        }
        Then::Held(says) | Then::HeldForMoments(says) | Then::HeldUntil(says) => {
            assert_held(&theatre, issue, says);
            theatre.model.recover();
            if matches!(case.then, Then::HeldUntil(_)) {
                return assert_kept(&theatre, issue);
            }
            if matches!(case.then, Then::HeldForMoments(_)) {
                let daemon = theatre.daemon(Vec::new());
                until("work that goes on by itself", || {
                    (stage.forge.status(issue) == ["in-bot"]).then_some(())
                });
                assert_eq!(daemon.stop().code, Some(0));
            } else {
                asks(&theatre, issue);
                theatre.work();
            }
        }
    }
    assert_eq!(stage.forge.status(issue), ["in-bot"], "{}", theatre.story(issue));
    let run = stage.json(&["runs", "show", "1-1"]);
    // A success clears what the failures before it have spent; no further attempt of a step was needed.
    let spent = ["plan", "implement", "verdict_repairs"].map(|name| run["spent"][name].as_u64());
    assert_eq!(spent, [Some(1), Some(1), None], "{run:#}");
    assert_eq!(stage.json(&["status"])["held_accounts"], json!([]));
    assert_never_a_person(&theatre, issue);
}

/// Nobody is blamed, and `ralph status` tells what a person has to know.
fn assert_held(theatre: &Theatre, issue: u64, says: &str) {
    let stage = &theatre.stage;
    let status = stage.ralph(&["status"]).stdout;
    let line = status.lines().find(|line| line.starts_with("Agents: ")).unwrap_or_default();
    assert!(line.contains(says), "{says}: {status}{}", theatre.story(issue));
    assert!(line.contains("no attempt is spent"), "{line}");
    assert_eq!(stage.forge.status(issue), ["in-progress"], "{}", theatre.story(issue));
    let run = stage.json(&["runs", "show", "1-1"]);
    assert_eq!(run["spent"]["implement"], Value::Null, "{run:#}");
    assert_never_a_person(theatre, issue);
}

/// Before the time that was told no model is asked, not even for a person.
fn assert_kept(theatre: &Theatre, issue: u64) {
    let asked = theatre.model.recorded().len();
    asks(theatre, issue);
    theatre.work();
    assert_eq!(theatre.model.recorded().len(), asked, "{}", theatre.story(issue));
    let status = theatre.stage.ralph(&["status"]).stdout;
    let line = status.lines().find(|line| line.starts_with("Agents: ")).unwrap_or_default();
    assert!(line.contains(", until 20"), "{status}");
}

fn asks(theatre: &Theatre, issue: u64) {
    let asked = theatre.stage.ralph(&["queue", REPO, &issue.to_string()]);
    assert_eq!(asked.code, Some(0), "{asked:?}");
}

fn assert_never_a_person(theatre: &Theatre, issue: u64) {
    let story = theatre.stage.explained(issue);
    assert!(!story.contains("escalated"), "{story}");
    let comments = theatre.stage.forge.list(&format!("issues/{issue}/comments"));
    assert!(
        !comments.iter().any(|one| one["body"].to_string().contains("escalat")),
        "{comments:?}"
    );
}
