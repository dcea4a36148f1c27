//! Failures as the Gemini API says them.

use super::{Failure, Refusal};
use serde_json::{Value, json};

pub(super) fn refusal(failure: &Failure, model: &str, now_s: u64) -> Refusal {
    match failure {
        Failure::LoginRefused => {
            let details = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": { "service": "generativelanguage.googleapis.com" },
            }]);
            let words = "API key not valid. Please pass a valid API key.";
            error(400, "INVALID_ARGUMENT", words, &details)
        }
        Failure::UsageLimit { resets_at: Some(at) } => {
            subscription_limit(model, at.saturating_sub(now_s))
        }
        Failure::UsageLimit { resets_at: None } => {
            quota(model, "GenerateRequestsPerDayPerProjectPerModel-FreeTier", None)
        }
        Failure::RateLimit { retry_after_s } => {
            let id = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
            quota(model, id, Some(*retry_after_s))
        }
        Failure::Overloaded => {
            let words = "The model is overloaded. Please try again later.";
            error(503, "UNAVAILABLE", words, &json!([]))
        }
        Failure::UnknownModel => {
            let words = format!(
                "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call \
                 ListModels to see the list of available models and their supported methods."
            );
            error(404, "NOT_FOUND", &words, &json!([]))
        }
        Failure::ContextFull | Failure::Hang | Failure::Close | Failure::Garbage => {
            let words = "The input token count (1214512) exceeds the maximum number of tokens allowed (1048576).";
            error(400, "INVALID_ARGUMENT", words, &json!([]))
        }
    }
}

/// The answer to a Google account whose plan is used up for some hours.
fn subscription_limit(model: &str, seconds: u64) -> Refusal {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let words = format!(
        "You have exhausted your capacity on this model. Your quota will reset after {hours}h{minutes}m{}s.",
        seconds % 60
    );
    let delay = format!("{seconds}s");
    let details = json!([
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "QUOTA_EXHAUSTED",
            "domain": "cloudcode-pa.googleapis.com",
            "metadata": { "model": model, "quotaResetDelay": delay },
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay },
    ]);
    error(429, "RESOURCE_EXHAUSTED", &words, &details)
}

fn quota(model: &str, id: &str, retry_after_s: Option<u32>) -> Refusal {
    let words = "You exceeded your current quota, please check your plan and billing details. For more information \
                 on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.";
    let mut details = vec![json!({
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            "quotaId": id,
            "quotaDimensions": { "location": "global", "model": model },
            "quotaValue": "50",
        }],
    })];
    details.extend(retry_after_s.map(|seconds| {
        json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s") })
    }));
    error(429, "RESOURCE_EXHAUSTED", words, &Value::Array(details))
}

fn error(status: u16, name: &str, message: &str, details: &Value) -> Refusal {
    let body = json!({
        "error": { "code": status, "message": message, "status": name, "details": details },
    });
    Refusal::new(status, body)
}
