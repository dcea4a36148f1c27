//! Requests to the forge and operations on a repository; each names the type of its reply.

use super::Forge;
use super::accounts::Account;
use super::context::Context;
use super::event::Event;
use super::refusal::Refusal;

/// A request, as the REST API would carry it.
pub trait Request {
    type Reply;

    /// Returns the reply and the events that the request caused.
    ///
    /// # Errors
    /// The request is refused and changed nothing.
    fn answer(
        self,
        forge: &mut Forge,
        actor: &Account,
        now: u64,
    ) -> Result<(Self::Reply, Vec<Event>), Refusal>;

    /// Returns whether the same request gets the same reply again while nothing else changes.
    fn is_final(_reply: &Self::Reply) -> bool {
        true
    }
}

/// An operation on one repository; [`on`] makes a request of it.
pub trait Operation {
    type Reply;

    /// Carries out the operation as the actor of the context.
    ///
    /// # Errors
    /// The operation is refused and changed nothing.
    fn run(self, context: &mut Context<'_>) -> Result<Self::Reply, Refusal>;

    /// Returns whether the same operation gets the same reply again while nothing else changes.
    fn is_final(_reply: &Self::Reply) -> bool {
        true
    }
}

/// Declares operations with their fields; the reply is named where the operation is implemented.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $(pub $field: $type,)*
        })*
    };
}
pub(super) use operations;

/// An operation and the repository it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct On<O> {
    repo: String,
    operation: O,
}

/// Returns the request for an operation on the repository `owner/name`, in any case:
/// `on("o/r", GetIssue { number: 1 })`.
#[must_use]
pub fn on<O: Operation>(repo: impl Into<String>, operation: O) -> On<O> {
    On { repo: repo.into(), operation }
}

impl<O: Operation> Request for On<O> {
    type Reply = O::Reply;

    fn answer(
        self,
        forge: &mut Forge,
        actor: &Account,
        now: u64,
    ) -> Result<(O::Reply, Vec<Event>), Refusal> {
        let id = forge.repository_id(&self.repo).ok_or_else(Refusal::not_found)?;
        let mut context = Context::new(forge, actor.login.clone(), now, id);
        context.view().need_read()?;
        let reply = self.operation.run(&mut context)?;
        Ok((reply, context.into_events()))
    }

    fn is_final(reply: &O::Reply) -> bool {
        O::is_final(reply)
    }
}

/// Returns the account of the actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetUser;

impl Request for GetUser {
    type Reply = Account;

    fn answer(
        self,
        _forge: &mut Forge,
        actor: &Account,
        _now: u64,
    ) -> Result<(Account, Vec<Event>), Refusal> {
        Ok((actor.clone(), Vec::new()))
    }
}
