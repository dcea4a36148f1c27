//! A scripted model on loopback, for tests: real coding agents talk to it instead of a provider, and do what a script says.
//!
//! A [`Script`] is independent of the agent. It names roles, recognises each by its prompt, and lists the steps of each
//! turn: text, a file to write, a command to run, a failure of the provider. A [`Server`] speaks the wire formats of
//! Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, calls the tools that the requesting agent
//! offers, refuses requests that it does not understand, and records every request.
//!
//! # Examples
//!
//! ```
//! use ralph_model::{Script, Server, Turn, When};
//!
//! let turn = Turn::new().say("I write it.").write("DONE.txt", "done\n").say("It is written.");
//! let script = Script::new().role("implementer", When::contains("implement"), [turn]);
//! let server = Server::start(script).unwrap();
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! ```

mod script;

mod failure;

mod play;
mod position;

mod tools;

mod wire;

mod http;
mod server;

pub use failure::Failure;
pub use script::{ALWAYS, Act, Script, Turn, Usage, When};
pub use server::{Answer, Recorded, Server};
pub use wire::Wire;
