//! Failures as Anthropic's API says them.

use super::{Failure, Refusal};
use serde_json::{Value, json};

pub(super) fn refusal(failure: &Failure, model: &str) -> Refusal {
    match failure {
        Failure::LoginRefused => {
            Refusal::new(401, error("authentication_error", "invalid x-api-key"))
        }
        Failure::UsageLimit { resets_at: Some(at) } => subscription_limit(*at),
        Failure::UsageLimit { resets_at: None } => Refusal::new(
            400,
            error(
                "invalid_request_error",
                "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade \
                 or purchase credits.",
            ),
        ),
        Failure::RateLimit { retry_after_s } => Refusal::new(
            429,
            error(
                "rate_limit_error",
                "This request would exceed your organization's rate limit of 50 requests per minute.",
            ),
        )
        .header("retry-after", retry_after_s.to_string())
        .header("anthropic-ratelimit-requests-limit", "50")
        .header("anthropic-ratelimit-requests-remaining", "0"),
        Failure::Overloaded => Refusal::new(529, error("overloaded_error", "Overloaded")),
        Failure::UnknownModel => {
            Refusal::new(404, error("not_found_error", &format!("model: {model}")))
        }
        Failure::ContextFull | Failure::Hang | Failure::Close | Failure::Garbage => Refusal::new(
            400,
            error("invalid_request_error", "prompt is too long: 214512 tokens > 200000 maximum"),
        ),
    }
}

/// The answer to a subscription whose window is used up: the headers say which window, and when it begins again.
fn subscription_limit(resets_at: u64) -> Refusal {
    let words = "This request would exceed your account's rate limit. Please try again later.";
    Refusal::new(429, error("rate_limit_error", words))
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header("anthropic-ratelimit-unified-reset", resets_at.to_string())
        .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        .header("anthropic-ratelimit-unified-5h-status", "rejected")
        .header("anthropic-ratelimit-unified-5h-reset", resets_at.to_string())
        .header("anthropic-ratelimit-unified-5h-utilization", "1.0")
        .header("anthropic-ratelimit-unified-overage-status", "rejected")
        .header("anthropic-ratelimit-unified-overage-disabled-reason", "org_level_disabled")
        .header("x-should-retry", "false")
}

fn error(kind: &str, message: &str) -> Value {
    json!({
        "type": "error",
        "error": { "type": kind, "message": message },
        "request_id": "req_011CScripted",
    })
}
