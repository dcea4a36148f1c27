//! The planner's routing object: the decision whether to proceed or to ask a person.

use crate::excerpt::Excerpt;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest reason that is kept.
pub const ESCALATION_REASON_BYTES_MAX: usize = 2_000;

/// Longest tail of a plan that is searched for the routing object, which ends it.
const TAIL_BYTES_MAX: usize = 64 * 1024;

/// Braces tried as the beginning of the object, from the last one back; a response made of nothing but braces must not
/// cost a parse for each.
const OBJECTS_TRIED_MAX: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    #[default]
    Proceed,
    Escalate,
}

/// An agent's stated confidence, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    #[default]
    Low,
    Medium,
    High,
}

impl Confidence {
    /// Reads the three words; anything else is the lowest confidence.
    pub(crate) fn read(value: &Value) -> Self {
        match value.as_str() {
            Some("high") => Self::High,
            Some("medium") => Self::Medium,
            Some(_) | None => Self::Low,
        }
    }
}

/// The effect of a plan on what others rely on: flags, exit codes, output, configuration, schemas, documented errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContractSurface {
    #[default]
    Untouched,
    /// It grows, and existing users notice nothing.
    Additive,
    /// Existing users have to change something.
    Breaking,
}

impl ContractSurface {
    /// Reads the two words; anything else means that nothing is touched.
    fn read(value: &Value) -> Self {
        match value.as_str() {
            Some("breaking") => Self::Breaking,
            Some("additive") => Self::Additive,
            Some(_) | None => Self::Untouched,
        }
    }
}

/// The planner's decision. Low confidence alone never escalates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Routing {
    pub decision: Decision,
    pub confidence: Confidence,
    pub escalation_reason: Option<String>,
    #[serde(default)]
    pub contract_surface: ContractSurface,
}

/// Reads the last JSON object with a decision, fenced or not; without one the plan proceeds.
#[must_use]
pub fn read(response: &str) -> Routing {
    let start = response.ceil_char_boundary(response.len().saturating_sub(TAIL_BYTES_MAX));
    let tail = response.get(start..).unwrap_or_default();
    let Some((before, _)) = tail.rsplit_once("\"decision\"") else { return Routing::default() };
    let mut starts = before.rmatch_indices('{').take(OBJECTS_TRIED_MAX);
    starts.find_map(|(at, _)| read_object(tail.get(at..)?)).unwrap_or_default()
}

/// Reads the object that `text` begins with.
fn read_object(text: &str) -> Option<Routing> {
    let wire: Wire = serde_json::Deserializer::from_str(text).into_iter().next()?.ok()?;
    let decision = match wire.decision.as_str()? {
        "proceed" => Decision::Proceed,
        "escalate" => Decision::Escalate,
        _ => return None,
    };
    let reason = wire.escalation_reason.as_str().map(str::trim).filter(|text| !text.is_empty());
    Some(Routing {
        decision,
        confidence: Confidence::read(&wire.confidence),
        escalation_reason: reason.map(|text| Excerpt::of(text, ESCALATION_REASON_BYTES_MAX).into()),
        contract_surface: ContractSurface::read(&wire.contract_surface),
    })
}

/// Lenient on purpose: a decision to escalate must not be lost because another field is malformed.
#[derive(Deserialize)]
struct Wire {
    decision: Value,
    #[serde(default)]
    confidence: Value,
    #[serde(default)]
    escalation_reason: Value,
    #[serde(default)]
    contract_surface: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_object_with_a_decision_counts() {
        use Confidence::{High, Low, Medium};
        use Decision::{Escalate, Proceed};
        for (response, decision, confidence, reason) in [
            (
                r#"{"decision":"escalate","confidence":"high","escalation_reason":" why "}"#,
                Escalate,
                High,
                Some("why"),
            ),
            (
                "Plan.\n```json\n{\n \"decision\": \"proceed\",\n \"confidence\": \"medium\",\n \"escalation_reason\": null\n}\n```\nBye {x}.",
                Proceed,
                Medium,
                None,
            ),
            (
                r#"{"decision":"escalate"} {"decision":"proceed","confidence":"low"}"#,
                Proceed,
                Low,
                None,
            ),
            (
                r#"{"decision":"escalate","confidence":0.9,"escalation_reason":["x"]} {"other":1}"#,
                Escalate,
                Low,
                None,
            ),
            (
                r#"{"routing":{"decision":"escalate","confidence":"high","escalation_reason":""}}"#,
                Escalate,
                High,
                None,
            ),
            (
                r#"{"decision":"escalate","confidence":"high"} {"decision":"proceed|escalate"}"#,
                Escalate,
                High,
                None,
            ),
        ] {
            let escalation_reason = reason.map(str::to_owned);
            let contract_surface = ContractSurface::Untouched;
            let expected = Routing { decision, confidence, escalation_reason, contract_surface };
            assert_eq!(read(response), expected, "{response}");
        }
    }

    #[test]
    fn only_the_two_words_say_that_a_contract_surface_is_touched() {
        use ContractSurface::{Additive, Breaking, Untouched};
        for (value, expected) in [
            (r#""breaking""#, Breaking),
            (r#""additive""#, Additive),
            (r#""none""#, Untouched),
            (r#""Breaking""#, Untouched),
            (r#""none|additive|breaking""#, Untouched),
            (r#"["breaking"]"#, Untouched),
            ("true", Untouched),
            ("null", Untouched),
        ] {
            let response = format!(r#"{{"decision":"proceed","contract_surface":{value}}}"#);
            assert_eq!(read(&response).contract_surface, expected, "{value}");
        }
        let quoted = "The flag is \"contract_surface\":\"breaking\".\n{\"decision\":\"proceed\"}";
        assert_eq!(read(quoted).contract_surface, Untouched);
    }

    #[test]
    fn a_reason_is_kept_without_secrets_and_bounded() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let asked = |reason: &str| {
            let response = format!(r#"{{"decision":"escalate","escalation_reason":"{reason}"}}"#);
            read(&response).escalation_reason.unwrap()
        };
        let reason = asked(&format!("who has {token}?"));
        assert!(reason.starts_with("who has ") && !reason.contains(&token), "{reason}");
        let long = asked(&"why ".repeat(ESCALATION_REASON_BYTES_MAX));
        assert!(long.len() <= ESCALATION_REASON_BYTES_MAX);
    }

    #[test]
    fn what_cannot_be_read_proceeds() {
        for response in [
            "",
            "{",
            "escalate",
            r#"{"decision":"Escalate!"}"#,
            r#"{"decision":"escalate""#,
            r#"{decision: escalate}"#,
            r#"["escalate"]"#,
            r#"{"decision":{"escalate":null}}"#,
            r#"{"decision":"escalate","decision":"proceed"}"#,
        ] {
            assert_eq!(read(response), Routing::default(), "{response}");
        }
    }

    #[test]
    fn braces_without_end_are_read_quickly() {
        let nested = r#"{"decision":["#.repeat(100_000);
        assert_eq!(read(&nested), Routing::default());
        assert_eq!(read(&"{".repeat(1_000_000)), Routing::default());
    }
}
