//! From what an agent said to what it amounts to. The same functions read a real agent's answer and a
//! simulated one's.

use crate::digest::Digest;
use crate::excerpt::{ARTIFACT_BYTES_MAX, Excerpt};
use crate::fact::Answer;
use crate::parent_verify::{self, ParentVerify, TEXT_BYTES_MAX};
use crate::verdict::{self, VerdictKind};
use crate::{product_gap, routing, survey};

/// Headings without which a plan cannot be reviewed.
const PLAN_HEADINGS: [&str; 3] = ["Intent", "Risk", "Reuse"];

/// A plan as it is kept: its answer and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlan {
    pub answer: Answer,
    pub digest: Digest,
    pub text: String,
}

/// A review as it is kept: its answer and, without a verdict, the text that has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadReview {
    pub answer: Answer,
    pub said: Option<(Digest, String)>,
}

impl ReadReview {
    /// A response that comes to no verdict. It is kept, so that whoever is asked again sees it.
    #[must_use]
    pub fn without_verdict(why: String, response: &str) -> Self {
        let text = Excerpt::of(response, ARTIFACT_BYTES_MAX).as_str().to_owned();
        let digest = Digest::of(&text);
        let answer = Answer::NoVerdict { why, said: Some(digest) };
        Self { answer, said: Some((digest, text)) }
    }
}

/// Reads a planner's response. `Err` names the heading that is missing.
pub fn plan(response: &str) -> Result<ReadPlan, MissingHeading> {
    let heading = |wanted: &&&str| {
        !response
            .lines()
            .any(|line| line.trim_start_matches('#').trim().eq_ignore_ascii_case(wanted))
    };
    if let Some(missing) = PLAN_HEADINGS.iter().find(heading) {
        return Err(MissingHeading(missing));
    }
    let text = Excerpt::of(response, ARTIFACT_BYTES_MAX).as_str().to_owned();
    let digest = Digest::of(&text);
    let (routing, gap) = (routing::read(response), product_gap::read(response));
    Ok(ReadPlan { answer: Answer::Plan { text: digest, routing, gap }, digest, text })
}

/// Reads a reviewer's response by the strict rule.
#[must_use]
pub fn review(kind: VerdictKind, response: &str) -> ReadReview {
    match verdict::read(kind, response) {
        Ok(verdict) => {
            let reason = Excerpt::of(&verdict.reason, crate::excerpt::LOG_BYTES_MAX);
            let reason = reason.as_str().to_owned();
            let gap = product_gap::read(response);
            let answer = Answer::Verdict { pass: verdict.pass, reason, gap };
            ReadReview { answer, said: None }
        }
        Err(why) => ReadReview::without_verdict(why.to_string(), response),
    }
}

/// Reads the response of whoever verified a parent by the strict rule. What is kept of it is clean.
#[must_use]
pub fn parent(response: &str) -> Answer {
    let clean = |text: &mut String| *text = Excerpt::of(text, TEXT_BYTES_MAX).into();
    match parent_verify::read(response) {
        Ok(mut verdict) => {
            let ParentVerify { reason, why_satisfied, checked, evidence, .. } = &mut verdict;
            [reason, why_satisfied].into_iter().chain(checked).for_each(clean);
            evidence.retain(|it| Excerpt::of(&it.url, TEXT_BYTES_MAX).as_str() == it.url);
            evidence.iter_mut().for_each(|it| clean(&mut it.note));
            Answer::Parent(Box::new(verdict))
        }
        Err(why) => Answer::NoVerdict { why: why.to_string(), said: None },
    }
}

/// Reads the response of whoever looked for small fixes. What cannot be read proposes nothing.
#[must_use]
pub fn survey(response: &str) -> Answer {
    match survey::read(response) {
        Ok(proposals) => Answer::Survey(proposals),
        Err(why) => Answer::NoVerdict { why: why.to_string(), said: None },
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingHeading(pub &'static str);

impl std::fmt::Display for MissingHeading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the plan has no heading `{}`; it needs Intent, Risk and Reuse", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_without_a_required_heading_is_not_a_plan() {
        let whole = "# Intent\na\n## risk\nb\n# Reuse\nc\n";
        assert!(plan(whole).is_ok());
        assert_eq!(plan("# Intent\n# Reuse\n"), Err(MissingHeading("Risk")));
    }
}
