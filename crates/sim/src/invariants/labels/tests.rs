//! The promise about command labels, tried on a town in which two commands were refused.

use crate::ledger::Reply as Answer;
use crate::town::{BEGINNING, BOT, MAINTAINER, Town};
use crate::trace::Trace;
use crate::weather::Weather;
use ralph_core::command::{Command, Manner};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandResult};
use ralph_core::words;
use ralph_forge::{CloseReason, CommentCall, IssueCall, IssueEdit, LabelCall, StateChange};

const QUEUE: &str = "ralph:cmd:queue";

/// A closed issue was told to queue and then to pause, by label. The one result comment tells of the pause alone, and
/// the issue was reopened before Ralph could take the labels off.
fn reopened_after_two_commands() -> (Town, IssueKey, u64) {
    let mut town = Town::new(1, 1, Some(Weather::calm()), Trace::new(BEGINNING, false));
    let key = town.issues.first().cloned().expect("there is one issue");
    let number = key.number;
    let set = |town: &mut Town, state| {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        town.act(MAINTAINER, &key.repo, IssueCall::Edit { number, edit });
    };
    set(&mut town, StateChange::Close(CloseReason::Completed));
    for command in [Command::Queue, Command::Pause] {
        let names = vec![command.label().to_owned()];
        town.act(MAINTAINER, &key.repo, LabelCall::Add { number, names });
    }
    town.note_intent(&key);
    let orders = town.ledger.orders.get(&key).expect("both were given");
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
    town.act(BOT, &key.repo, CommentCall::Create { number, body });
    set(&mut town, StateChange::Reopen);
    for name in ["ralph:status:queued", QUEUE] {
        town.act(BOT, &key.repo, LabelCall::Remove { number, name: name.to_owned() });
    }
    let news = town.ledger.label_news.entry(key.clone()).or_default();
    news.shown = Some(news.happened);
    (town, key, queue)
}

fn broken(town: &Town) -> Vec<&'static str> {
    town.violations.iter().map(|violation| violation.rule).collect()
}

#[test]
fn a_refusal_that_a_later_command_replaced_in_the_comment_is_read_from_the_journal() {
    for (answer, expected) in
        [(Some(Answer::Refused), vec![]), (Some(Answer::Obeyed), vec!["C1"]), (None, vec!["C1"])]
    {
        let (mut town, key, queue) = reopened_after_two_commands();
        let orders = town.ledger.orders.get_mut(&key).expect("both were given");
        orders.get_mut(&queue).expect("queue was given").answer = answer;
        town.judge_cleared(&key, QUEUE);
        assert_eq!(broken(&town), Vec::<&str>::new(), "the comment alone does not tell");
        town.judge_unread_refusals();
        assert_eq!(broken(&town), expected, "{answer:?}");
    }
}
