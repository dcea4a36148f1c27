//! The cases: what the model does in a turn, and the rights and the account that the agent has.

use crate::program::{Account, Program, Rights, Started};
use crate::stage::{Ended, Stage, TURN_LIMIT};
use ralph_model::{Failure, Script, Turn, When};
use std::time::Duration;

/// A time in the future of every run, in seconds since 1970: the year 2033.
const RESETS_AT: u64 = 2_000_000_000;

/// The time that an agent gets for a case in which some agents never end.
const ENDLESS_LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    turn: Turn,
    how: How,
    limit: Duration,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Plain,
    /// A second turn in the session of the first.
    Resumed,
    Subscription,
    /// No credentials are there.
    LoggedOut,
    /// A session that was never begun is to be resumed.
    Strange,
    /// The agent is asked for a model that it does not know.
    Model,
    Denied,
    /// The agent is asked to end while the model hangs.
    Terminated,
}

impl Case {
    pub(crate) fn all() -> Vec<Self> {
        use Failure as F;
        let case = |name, turn, how| Self { name, turn, how, limit: TURN_LIMIT };
        let fails = |name, failure: Failure| case(name, Turn::new().fail(failure), How::Plain);
        let endless = |name, failure| Self { limit: ENDLESS_LIMIT, ..fails(name, failure) };
        vec![
            case("success", work(), How::Plain),
            case("recovered", recovered(), How::Plain),
            case("tool-failed", Turn::new().run("exit 3").say("The command failed."), How::Plain),
            case("resumed", Turn::new().say("I remember, and it is done."), How::Resumed),
            case("session-unknown", Turn::new(), How::Strange),
            case("login-missing", work(), How::LoggedOut),
            fails("login-refused", F::LoginRefused),
            case("login-expired", Turn::new().fail(F::LoginRefused), How::Subscription),
            fails("usage-limit", F::UsageLimit { resets_at: None }),
            case(
                "usage-limit-reset",
                Turn::new().fail(F::UsageLimit { resets_at: Some(RESETS_AT) }),
                How::Subscription,
            ),
            fails("rate-limit", F::RateLimit { retry_after_s: 1 }),
            fails("overloaded", F::Overloaded),
            case("unknown-model", Turn::new().fail(F::UnknownModel), How::Model),
            fails("model-refused", F::UnknownModel),
            endless("context-full", F::ContextFull),
            endless("closed", F::Close),
            fails("garbage", F::Garbage),
            case("permission-refused", work(), How::Denied),
            case("killed", Turn::new().say("I begin.").fail(F::Hang), How::Terminated),
            endless("hung", F::Hang),
            case("long-line", Turn::new().say(&long_line()), How::Plain),
        ]
    }

    /// Returns whether the agent is ended at a moment that is not the same in every run.
    pub(crate) const fn is_cut_off(&self) -> bool {
        matches!(self.how, How::Terminated)
    }

    /// Plays the case with an agent.
    pub(crate) fn play(&self, program: Program) -> (Stage, Ended) {
        let mut stage = Stage::new(self.script());
        stage.limit = self.limit;
        let ended = self.play_on(&stage, program);
        (stage, ended)
    }

    fn script(&self) -> Script {
        let turns = match self.how {
            How::Resumed => vec![work(), self.turn.clone()],
            How::Plain
            | How::Subscription
            | How::LoggedOut
            | How::Strange
            | How::Model
            | How::Denied
            | How::Terminated => vec![self.turn.clone()],
        };
        let script = Script::new().role("implementer", When::contains("implementer"), turns);
        // OpenCode shortens a conversation that is too long and continues it with other words.
        let again = When::contains("The conversation was compacted");
        script.always("compacted", again, Turn::new().fail(Failure::ContextFull))
    }

    fn play_on(&self, stage: &Stage, program: Program) -> Ended {
        let turn = stage.turn();
        match self.how {
            How::Plain => stage.run(program, &turn),
            How::Subscription => {
                stage.run(program, &Started { account: Account::Subscription, ..turn })
            }
            How::LoggedOut => stage.run(program, &Started { account: Account::None, ..turn }),
            How::Strange => {
                stage.run(program, &Started { session: Some(program.strange_session()), ..turn })
            }
            How::Model => stage.run(program, &Started { model: Some("no-such-model"), ..turn }),
            How::Denied => stage.run(program, &Started { rights: Rights::None, ..turn }),
            How::Terminated => stage.run_and_terminate(program, &turn),
            How::Resumed => {
                let first = stage.run(program, &turn);
                let session = program.session(&first.out).expect("a session");
                let prompt = "You are the implementer. Continue.";
                stage.run(program, &Started { session: Some(&session), prompt, ..turn })
            }
        }
    }
}

/// A turn that writes a file and runs a command.
pub(crate) fn work() -> Turn {
    Turn::new()
        .say("I write the file.")
        .write("GREETING.txt", "hello\n")
        .run("cat GREETING.txt")
        .say("The file is written.")
}

/// The same turn after one refusal, which every agent survives.
fn recovered() -> Turn {
    let refused = Turn::new().fail_times(Failure::RateLimit { retry_after_s: 1 }, 1);
    refused.write("GREETING.txt", "hello\n").say("The file is written.")
}

/// 300 KB without a line break.
pub(crate) fn long_line() -> String {
    "0123456789".repeat(30_000)
}
