//! `ralph tell`: a message to the agents that work on an issue, left in the store's inbox, and the list of messages with
//! where each was delivered.

use super::{CommandContext, post};
use crate::args::TellArguments;
use crate::error::{CliError, ErrorKind};
use crate::moment::moment;
use crate::notify::{notify, wait_for};
use crate::screen::Paint;
use crate::table::Table;
use ralph_core::ids::IssueKey;
use ralph_core::messages::MESSAGE_BYTES_MAX;
use ralph_core::words;
use ralph_engine::local_command::{LocalCommand, Order};
use ralph_engine::store::{MessageReport, post_command};
use serde::Serialize;
use std::io::Read as _;

/// The longest part of a message in the list.
const SHOWN_CHARS_MAX: usize = 60;

#[derive(Serialize)]
struct Sent<'a> {
    issue: &'a str,
    entry: i64,
    /// `taken` by the daemon, or still in the `inbox`.
    state: &'static str,
}

#[derive(Serialize)]
struct List<'a> {
    issue: String,
    messages: &'a [MessageReport],
}

pub(super) fn run(context: &CommandContext<'_>, arguments: &TellArguments) -> Result<(), CliError> {
    match &arguments.text {
        Some(text) => send(context, arguments, &whole(text)?),
        None => list(context, &arguments.issue, arguments.json),
    }
}

fn send(
    context: &CommandContext<'_>,
    arguments: &TellArguments,
    text: &str,
) -> Result<(), CliError> {
    let key = &arguments.issue;
    if let Some(why) = words::message_unusable(text.len()) {
        return Err(CliError::new(ErrorKind::Request, why));
    }
    // Reading first: posting would make a store where there is none.
    let reader = context.reader()?;
    if !notify(&context.home) {
        post::look_at_repository(context, &key.repo)?;
    }
    let order = Order::Tell { issue: key.clone(), text: text.to_owned() };
    let command = LocalCommand { actor: context.login.clone(), key: arguments.key.clone(), order };
    let entry = post_command(&context.home.store(), context.now, &command)?;
    let is_awake = notify(&context.home);
    let answer = if is_awake {
        wait_for(|| reader.outcome(entry).transpose()).transpose()?
    } else {
        reader.outcome(entry)?
    };
    let is_taken = answer.is_some();
    if let Some(why) = answer.and_then(|answer| answer.refused) {
        return Err(CliError::new(ErrorKind::Request, format!("the message was refused: {why}")));
    }
    if arguments.json {
        let state = if is_taken { "taken" } else { "inbox" };
        return context.answer_json(&Sent { issue: &key.to_string(), entry, state });
    }
    let name = context.screen.paint(Paint::Bold, &key.to_string());
    let says = match (is_taken, is_awake) {
        (true, _) => {
            "It reaches the agent at work now if its program takes words, else the next turn."
        }
        (false, true) => "The daemon has not taken it yet.",
        (false, false) => "No daemon listens; it waits until one runs.",
    };
    context.screen.answer(&format!(
        "The message for {name} is entry {entry}. {says} `ralph tell {} {} --list` shows where it was delivered.\n",
        key.repo, key.number
    ))
}

fn list(context: &CommandContext<'_>, key: &IssueKey, json: bool) -> Result<(), CliError> {
    let messages = context.reader()?.messages(key)?;
    let messages = messages.ok_or_else(|| CommandContext::unknown_issue(key))?;
    if json {
        return context.answer_json(&List { issue: key.to_string(), messages: &messages });
    }
    if messages.is_empty() {
        return context.screen.answer(&format!("No message was sent to the agents of {key}.\n"));
    }
    let mut table = Table::headed(&["message", "from", "sent", "delivered", "text"]);
    for message in &messages {
        let first = message.text.lines().next().unwrap_or_default();
        table.text_row([
            (message.id.clone(), Paint::Bold),
            (message.from.clone(), Paint::Plain),
            (moment(context.now, message.at), Paint::Faint),
            (delivery(context, message), Paint::Plain),
            (first.chars().take(SHOWN_CHARS_MAX).collect(), Paint::Plain),
        ]);
    }
    context.screen.answer(&context.screen.table(&table))
}

fn delivery(context: &CommandContext<'_>, message: &MessageReport) -> String {
    let Some(delivered) = &message.delivered else {
        let is_posted = message.state == "inbox";
        return if is_posted { "no, in the inbox" } else { "no, waits for a turn" }.to_owned();
    };
    let (when, run, attempt) =
        (moment(context.now, delivered.at), &delivered.run, delivered.attempt);
    let way = if delivered.way == "prompt" { "in the prompt of" } else { "during" };
    let state = if message.state == "given" { ", which is under way" } else { "" };
    format!("{when}, {way} {} (run {run}, attempt {attempt}){state}", delivered.step)
}

/// The text of the message, from standard input if it is a dash.
fn whole(text: &str) -> Result<String, CliError> {
    if text != "-" {
        return Ok(text.trim().to_owned());
    }
    let mut read = String::new();
    // One byte more than fits shows that it is too long.
    let limit = u64::try_from(MESSAGE_BYTES_MAX + 1).unwrap_or(u64::MAX);
    std::io::stdin().take(limit).read_to_string(&mut read).map_err(|cause| {
        let says = "the message cannot be read from standard input";
        CliError::new(ErrorKind::Request, says).caused_by(&cause)
    })?;
    Ok(read.trim().to_owned())
}
