//! Posts webhooks, one after the other, each once. A receiver that misses one asks for it again.

use std::io;
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use crate::clock;
use crate::http::{Delivery, DeliveryOutcome};
use crate::keeper::Keeper;

/// GitHub waits as long for a receiver.
const PATIENCE: Duration = Duration::from_secs(10);

/// The part of a receiver's answer that is kept, in bytes.
const ANSWER_BYTES_MAX: u64 = 16 * 1024;

/// Posts deliveries from the outbox and records their outcomes, until every sender is gone.
pub(crate) fn start(outbox: mpsc::Receiver<Delivery>, keeper: Keeper) -> io::Result<()> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(PATIENCE))
        .build()
        .into();
    let thread = Builder::new().name("forge-postman".to_owned());
    thread.spawn(move || {
        for delivery in outbox {
            let outcome = post(&agent, &delivery);
            let (hook, id) = (delivery.hook_id, delivery.id);
            if keeper.ask_and_wait(move |kept| kept.delivered(hook, id, outcome)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

fn post(agent: &ureq::Agent, delivery: &Delivery) -> DeliveryOutcome {
    let began = clock::now_ms();
    let mut request = agent.post(&delivery.url);
    for (name, value) in &delivery.headers {
        request = request.header(*name, value);
    }
    let (status, response_body) = match request.send(delivery.body.as_slice()) {
        Ok(mut response) => {
            let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
            (Some(response.status().as_u16()), body.ok())
        }
        Err(error) => (None, Some(error.to_string())),
    };
    let duration_ms = clock::now_ms().saturating_sub(began);
    DeliveryOutcome { status, duration_ms, response_body }
}
