//! Failures as OpenAI's API says them, and as ChatGPT accounts get them.

use super::{Failure, Refusal};
use serde_json::{Value, json};

pub(super) fn refusal(failure: &Failure, model: &str, now_s: u64) -> Refusal {
    match failure {
        Failure::LoginRefused => {
            let words = "Incorrect API key provided: sk-scripted. You can find your API key at \
                         https://platform.openai.com/account/api-keys.";
            Refusal::new(401, error("invalid_request_error", "invalid_api_key", words))
        }
        Failure::UsageLimit { resets_at: Some(at) } => subscription_limit(*at, now_s),
        Failure::UsageLimit { resets_at: None } => {
            let words = "You exceeded your current quota, please check your plan and billing details. For more \
                         information on this error, read the docs: \
                         https://platform.openai.com/docs/guides/error-codes/api-errors.";
            Refusal::new(429, error("insufficient_quota", "insufficient_quota", words))
        }
        Failure::RateLimit { retry_after_s } => {
            let words = format!(
                "Rate limit reached for {model} in organization org-scripted on tokens per min (TPM): Limit 30000, \
                 Used 29000, Requested 5000. Please try again in {retry_after_s}s. Visit \
                 https://platform.openai.com/account/rate-limits to learn more."
            );
            Refusal::new(429, error("tokens", "rate_limit_exceeded", &words))
                .header("retry-after", retry_after_s.to_string())
        }
        Failure::Overloaded => {
            let words = "Our servers are currently overloaded. Please try again later.";
            Refusal::new(503, error("service_unavailable_error", "server_is_overloaded", words))
        }
        Failure::UnknownModel => {
            let words =
                format!("The model `{model}` does not exist or you do not have access to it.");
            Refusal::new(404, error("invalid_request_error", "model_not_found", &words))
        }
        Failure::ContextFull | Failure::Hang | Failure::Close | Failure::Garbage => {
            let words = "Your input exceeds the context window of this model. Please adjust your input and try again.";
            Refusal::new(400, error("invalid_request_error", "context_length_exceeded", words))
        }
    }
}

/// The answer to a ChatGPT account whose window is used up.
fn subscription_limit(resets_at: u64, now_s: u64) -> Refusal {
    let body = json!({ "error": {
        "type": "usage_limit_reached",
        "message": "The usage limit has been reached",
        "plan_type": "plus",
        "resets_at": resets_at,
        "resets_in_seconds": resets_at.saturating_sub(now_s),
    }});
    Refusal::new(429, body)
        .header("x-codex-primary-used-percent", "100")
        .header("x-codex-primary-window-minutes", "300")
        .header("x-codex-primary-reset-at", resets_at.to_string())
}

fn error(kind: &str, code: &str, message: &str) -> Value {
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}
