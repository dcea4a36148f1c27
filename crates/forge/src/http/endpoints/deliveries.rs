//! What was sent to a hook, and sending it again.

use http::StatusCode;

use super::hooks::named;
use crate::http::answer::Answer;
use crate::http::desk::Desk;
use crate::http::hooks::Sent;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::hook::{DeliveryItem, DeliveryJson};
use crate::model::paging::Listing;

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(desk)?;
    let hook = desk.site.hooks.get(&key, id).ok_or_else(Problem::not_found)?;
    let newest_first: Vec<&Sent> = hook.deliveries.iter().rev().collect();
    let listing = Listing::of(&newest_first, desk.ask.page(), |sent| *sent);
    let body = each(&listing.items, |sent| DeliveryItem { sent });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(desk)?;
    let delivery = desk.ask.number("delivery_id")?;
    let hook = desk.site.hooks.get(&key, id).ok_or_else(Problem::not_found)?;
    let sent = hook.sent(delivery).ok_or_else(Problem::not_found)?;
    Answer::ok(&DeliveryJson { hook, sent })
}

pub(in crate::http) fn redeliver(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (_key, id) = named(desk)?;
    let (delivery, now) = (desk.ask.number("delivery_id")?, desk.ask.now);
    let repeated = desk.site.hooks.repeat(id, delivery, now);
    desk.deliveries.push(repeated.ok_or_else(Problem::not_found)?);
    Ok(Answer::empty_object(StatusCode::ACCEPTED))
}
