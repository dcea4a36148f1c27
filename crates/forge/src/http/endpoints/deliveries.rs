//! The deliveries of a hook, and sending one again.

use http::StatusCode;

use super::hooks::named;
use crate::http::answer::Answer;
use crate::http::hooks::Sent;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::hook::{DeliveryItem, DeliveryJson};
use crate::http::request_context::RequestContext;
use crate::model::paging::Listing;

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(context)?;
    let hook = context.site.hooks.get(&key, id).ok_or_else(Problem::not_found)?;
    let newest_first: Vec<&Sent> = hook.deliveries.iter().rev().collect();
    let listing = Listing::of(&newest_first, context.ask.page(), |sent| *sent);
    let body = each(&listing.items, |sent| DeliveryItem { sent });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(context)?;
    let delivery = context.ask.number("delivery_id")?;
    let hook = context.site.hooks.get(&key, id).ok_or_else(Problem::not_found)?;
    let sent = hook.sent(delivery).ok_or_else(Problem::not_found)?;
    Answer::ok(&DeliveryJson { hook, sent })
}

pub(in crate::http) fn redeliver(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (_key, id) = named(context)?;
    let (delivery, now) = (context.ask.number("delivery_id")?, context.ask.now);
    let repeated = context.site.hooks.repeat(id, delivery, now);
    context.deliveries.push(repeated.ok_or_else(Problem::not_found)?);
    Ok(Answer::empty_object(StatusCode::ACCEPTED))
}
