//! Faults on order: rules that make matching requests fail, wait or lose their answer.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use regex::Regex;
use serde::Deserialize;

use super::problem::Problem;

/// The rules in force, tried in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults(Vec<Rule>);

#[derive(Clone, Debug)]
struct Rule {
    method: Option<Regex>,
    path: Option<Regex>,
    /// The number of times it still strikes; none for always.
    times: Option<u32>,
    strike: Strike,
}

/// The effect of a rule on a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Strike {
    /// Answered with this instead of being done.
    pub(super) status: Option<StatusCode>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) delay: Duration,
    /// Done, but the answer is lost.
    pub(super) drop_response: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    method: Option<String>,
    path: Option<String>,
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    times: Option<u32>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    drop_response: bool,
}

impl Faults {
    /// Replaces all rules.
    pub(super) fn set(&mut self, body: &[u8]) -> Result<(), Problem> {
        let texts: Vec<RuleText> = serde_json::from_slice(body)?;
        self.0 = texts.into_iter().map(Rule::read).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The first rule that matches strikes and uses up one of its times.
    pub(super) fn strike(&mut self, method: &str, path: &str) -> Option<Strike> {
        let rule = self.0.iter_mut().find(|rule| rule.matches(method, path))?;
        rule.times = rule.times.map(|times| times.saturating_sub(1));
        Some(rule.strike.clone())
    }
}

impl Rule {
    fn read(text: RuleText) -> Result<Self, Problem> {
        let status = text.status.map(|status| {
            StatusCode::from_u16(status).map_err(|_bad| {
                Problem::unprocessable(format!("status {status} is none; use 100 to 999"))
            })
        });
        Ok(Self {
            method: pattern("method", text.method)?,
            path: pattern("path", text.path)?,
            times: text.times,
            strike: Strike {
                status: status.transpose()?,
                headers: text.headers,
                delay: Duration::from_millis(text.delay_ms),
                drop_response: text.drop_response,
            },
        })
    }

    fn matches(&self, method: &str, path: &str) -> bool {
        let fits = |pattern: &Option<Regex>, text| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
        };
        self.times != Some(0) && fits(&self.method, method) && fits(&self.path, path)
    }
}

fn pattern(field: &str, text: Option<String>) -> Result<Option<Regex>, Problem> {
    let read = |text: String| {
        Regex::new(&text).map_err(|error| {
            let words = format!("{field} {text:?} is no regular expression: {error}");
            Problem::unprocessable(words)
        })
    };
    text.map(read).transpose()
}
