//! One connection: a request is read, understood or refused, answered by the script and recorded.

use super::{Answer, Recorded, Shared, held};
use crate::failure::Failure;
use crate::http::{self, Request};
use crate::play::{Conversation, Next, Reply};
use crate::tools;
use crate::wire::{Answered, Events, Route, Wire};
use serde_json::{Value, json};
use std::io::{self, BufReader, Write};
use std::net::TcpStream;

/// Headers that carry credentials.
const SECRET_HEADERS: [&str; 4] = ["authorization", "x-api-key", "x-goog-api-key", "cookie"];
/// The answer to a request that is the agent's own.
const ASIDE: &str = "Scripted title";
/// The number of tokens in every conversation, as far as agents ask.
const TOKENS: u64 = 1000;

pub(super) fn connection(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut to = connection;
    let Some(request) = Request::read(&mut BufReader::new(connection), &mut to)? else {
        return Ok(());
    };
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let (role, answer, sending) = match Route::of(&request.method, &request.path) {
        Ok(Route::Probe) => (None, Answer::Told, Sending::Json(json!({}))),
        Ok(Route::Models) => (None, Answer::Told, Sending::Json(models())),
        Ok(Route::Count(wire)) => (None, Answer::Told, Sending::Json(count(wire))),
        Ok(Route::Model(wire)) => understood(shared, wire, &request.path, &body),
        Err(reason) => refused(None, reason),
    };
    let headers =
        request.headers.into_iter().filter(|(name, _)| !SECRET_HEADERS.contains(&&**name));
    held(&shared.recorded).push(Recorded {
        method: request.method,
        path: request.path,
        headers: headers.collect(),
        body,
        role,
        answer,
    });
    shared.news.notify_all();
    send(connection, sending)
}

/// An answer that is ready to be sent.
enum Sending {
    Json(Value),
    Refused(String),
    Events(Events),
    /// What is sent before it, and a failure.
    Failed(Box<Failing>),
}

struct Failing {
    wire: Wire,
    model: String,
    events: Events,
    streams: bool,
    failure: Failure,
}

fn understood(
    shared: &Shared,
    wire: Wire,
    path: &str,
    body: &Value,
) -> (Option<String>, Answer, Sending) {
    let asked = match wire.conversation(path, body) {
        Ok(asked) => asked,
        Err(reason) => return refused(None, reason),
    };
    let mut recorded = held(&shared.recorded).len();
    recorded += 1;
    if asked.tools.is_empty() {
        let reply = Reply { texts: vec![ASIDE.to_owned()], ..Reply::default() };
        let answered =
            Answered { id: recorded.to_string(), model: &asked.model, reply: &reply, call: None };
        return (None, Answer::Aside(wire), replied(wire, &asked, &answered));
    }
    let (role, next) = held(&shared.play).next(&asked);
    let id = format!("{recorded}-scripted");
    match next {
        Next::Refuse(reason) => refused(role, reason),
        Next::Fail(texts, failure) => {
            let reply = Reply { texts, ..Reply::default() };
            let answered = Answered { id, model: &asked.model, reply: &reply, call: None };
            let events = wire.events(&answered);
            let failing = Failing {
                wire,
                model: asked.model.clone(),
                events,
                streams: asked.streams,
                failure,
            };
            (role, Answer::Failed(wire), Sending::Failed(Box::new(failing)))
        }
        Next::Reply(mut reply) => {
            let call = match reply.act.take() {
                None => None,
                Some((position, step)) => match tools::call(&step, &asked.tools) {
                    Ok(call) => call.map(|call| (position, call)),
                    Err(reason) => return refused(role, reason),
                },
            };
            let answered = Answered { id, model: &asked.model, reply: &reply, call };
            (role, Answer::Reply(wire), replied(wire, &asked, &answered))
        }
    }
}

fn refused(role: Option<String>, reason: String) -> (Option<String>, Answer, Sending) {
    (role, Answer::Refused(reason.clone()), Sending::Refused(reason))
}

fn replied(wire: Wire, asked: &Conversation, answered: &Answered<'_>) -> Sending {
    if asked.streams {
        Sending::Events(wire.events(answered))
    } else {
        Sending::Json(wire.whole(answered))
    }
}

fn send(mut to: &TcpStream, sending: Sending) -> io::Result<()> {
    match sending {
        Sending::Json(body) => http::json(&mut to, 200, &[], &body),
        Sending::Refused(reason) => {
            let body = json!({ "error": { "type": "invalid_request_error", "message": reason } });
            http::json(&mut to, 400, &[], &body)
        }
        Sending::Events(Events { begin, end }) => {
            http::stream(&mut to)?;
            to.write_all(begin.concat().as_bytes())?;
            to.write_all(end.concat().as_bytes())
        }
        Sending::Failed(failing) => fail(to, &failing),
    }
}

fn fail(mut to: &TcpStream, failing: &Failing) -> io::Result<()> {
    let Failing { wire, model, events, streams, failure } = failing;
    if let Some(refusal) = failure.refusal(*wire, model, now_s()) {
        return http::json(&mut to, refusal.status, &refusal.headers, &refusal.body);
    }
    if *streams {
        http::stream(&mut to)?;
        to.write_all(events.begin.concat().as_bytes())?;
    } else {
        http::unfinished(&mut to)?;
    }
    match failure {
        Failure::Hang => {
            // Until the agent or the server closes the connection.
            io::copy(&mut to, &mut io::sink()).map(drop)
        }
        Failure::Garbage => {
            to.write_all(b"event: \xff\xfe\ndata: {\"unfinished\": [\n\n<html>\n\n")
        }
        Failure::Close
        | Failure::LoginRefused
        | Failure::UsageLimit { .. }
        | Failure::RateLimit { .. }
        | Failure::Overloaded
        | Failure::UnknownModel
        | Failure::ContextFull => to.write_all(b"event: "),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "providers say how long a pause is, not only until when"
)]
fn now_s() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

fn models() -> Value {
    json!({ "object": "list", "data": [], "models": [] })
}

fn count(wire: Wire) -> Value {
    match wire {
        Wire::Messages => json!({ "input_tokens": TOKENS }),
        Wire::Gemini => json!({ "totalTokens": TOKENS }),
        Wire::Responses | Wire::Chat => json!({}),
    }
}
