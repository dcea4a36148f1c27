//! The promise about command labels, tested on a world in which two commands were refused.

use crate::faults::FaultPlan;
use crate::oracle::record::Reply as Answer;
use crate::world::{BEGINNING, BOT, MAINTAINER, SimWorld};
use ralph_core::command::{Command, Manner};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandResult};
use ralph_core::words;
use ralph_forge::{
    AddLabels, CloseReason, CreateComment, EditIssue, IssueEdit, RemoveLabel, StateChange,
};

const QUEUE: &str = "ralph:cmd:queue";

/// A closed issue with the labels for queue and then pause. The one result comment shows the pause alone, and the
/// issue was reopened before Ralph could take the labels off.
fn reopened_after_two_commands() -> (SimWorld, IssueKey, u64) {
    let mut world = SimWorld::new(1, 1, Some(FaultPlan::calm()), false);
    let key = world.people.issues.first().cloned().expect("there is one issue");
    let number = key.number;
    let set = |world: &mut SimWorld, state| {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        world.act(MAINTAINER, &key.repo, EditIssue { number, edit });
    };
    set(&mut world, StateChange::Close(CloseReason::Completed));
    for command in [Command::Queue, Command::Pause] {
        let names = vec![command.label().to_owned()];
        world.act(MAINTAINER, &key.repo, AddLabels { number, names });
    }
    world.oracle.note_intent(&mut world.forge, &key);
    let orders = world.oracle.record.orders.get(&key).expect("both were given");
    let event_of = |command| {
        let mut given = orders.iter().filter(|(_, order)| order.command == command);
        *given.next_back().expect("it was given").0
    };
    let (queue, pause) = (event_of(Command::Queue), event_of(Command::Pause));
    let id = CommandId { id: pause, at: BEGINNING, is_local: false };
    let (actor, refused) = (Some(Login::new(MAINTAINER)), Some("Nothing to pause.".to_owned()));
    let result =
        CommandResult { id, command: Command::Pause, actor, refused, manner: Manner::Plain };
    let body = words::command_result(&key, &result);
    world.act(BOT, &key.repo, CreateComment { number, body });
    set(&mut world, StateChange::Reopen);
    for name in ["ralph:status:queued", QUEUE] {
        world.act(BOT, &key.repo, RemoveLabel { number, name: name.to_owned() });
    }
    let news = world.oracle.record.label_news.entry(key.clone()).or_default();
    news.shown = Some(news.happened);
    (world, key, queue)
}

fn broken(world: &SimWorld) -> Vec<&'static str> {
    world.oracle.violations.iter().map(|violation| violation.rule).collect()
}

#[test]
fn a_refusal_that_a_later_command_replaced_in_the_comment_is_read_from_the_journal() {
    for (answer, expected) in
        [(Some(Answer::Refused), vec![]), (Some(Answer::Obeyed), vec!["C1"]), (None, vec!["C1"])]
    {
        let (mut world, key, queue) = reopened_after_two_commands();
        let orders = world.oracle.record.orders.get_mut(&key).expect("both were given");
        orders.get_mut(&queue).expect("queue was given").answer = answer;
        world.oracle.judge_cleared(&mut world.forge, &world.machine, &key, QUEUE);
        assert_eq!(broken(&world), Vec::<&str>::new(), "the comment alone does not tell");
        world.oracle.judge_unread_refusals();
        assert_eq!(broken(&world), expected, "{answer:?}");
    }
}
