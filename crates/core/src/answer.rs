//! Parses an agent's response into an answer. The same functions read the responses of real and of simulated agents.

use crate::digest::Digest;
use crate::escalation::Cause;
use crate::excerpt::{ARTIFACT_BYTES_MAX, Excerpt};
use crate::fact::Answer;
use crate::parent_verify::{self, ParentVerify, TEXT_BYTES_MAX};
use crate::verdict::{self, VerdictKind};
use crate::{product_gap, routing, survey};

/// Headings that a plan needs to be reviewed.
const PLAN_HEADINGS: [&str; 3] = ["Intent", "Risk", "Reuse"];

/// Longest part of a failed review that is shown to a person; the whole is in the run's folder.
const FINDINGS_BYTES_MAX: usize = 2_000;
/// Longest part shown of a response that should have been a plan.
const NO_PLAN_BYTES_MAX: usize = 300;

/// Longest part of a response that is kept as its summary: a page, as the prompt asks for.
const SUMMARY_BYTES_MAX: usize = 4_000;

/// A plan in the form that is kept: its answer and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlan {
    pub answer: Answer,
    pub digest: Digest,
    pub text: String,
}

/// A review in the form that is kept: its answer and the text before the verdict, or in place of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadReview {
    pub answer: Answer,
    pub said: Option<(Digest, String)>,
}

impl ReadReview {
    /// A response without a verdict. It is kept, so that the repair prompt can show it.
    #[must_use]
    pub fn without_verdict(why: String, response: &str) -> Self {
        let said = kept(response);
        let (gap, excerpt) = (product_gap::read(response), excerpt(&said.1));
        let answer = Answer::NoVerdict { why, said: Some(said.0), excerpt, gap };
        Self { answer, said: Some(said) }
    }
}

fn kept(text: &str) -> (Digest, String) {
    let text = Excerpt::of(text, ARTIFACT_BYTES_MAX).as_str().to_owned();
    (Digest::of(&text), text)
}

/// The part of a review that is shown to a person.
fn excerpt(said: &str) -> String {
    Excerpt::of(said.trim(), FINDINGS_BYTES_MAX).into()
}

/// Returns everything before the verdict line: the reviewer's findings.
fn findings(response: &str) -> Option<(Digest, String)> {
    let (before, _) = response.trim_end().rsplit_once('\n')?;
    let before = before.trim();
    (!before.is_empty()).then(|| kept(before))
}

/// Reads a planner's response. `Err` names the missing heading. A planner who asks for a person needs no plan and so no
/// headings.
pub fn plan(response: &str) -> Result<ReadPlan, MissingHeading> {
    let (routing, gap) = (routing::read(response), product_gap::read(response));
    let asks_for_person = Cause::of_plan(&routing, &gap).is_some();
    let heading = |wanted: &&&str| {
        !response
            .lines()
            .any(|line| line.trim_start_matches('#').trim().eq_ignore_ascii_case(wanted))
    };
    let missing = PLAN_HEADINGS.iter().filter(|_| !asks_for_person).find(heading);
    if let Some(missing) = missing {
        let said = Excerpt::of(response.trim(), NO_PLAN_BYTES_MAX).into();
        return Err(MissingHeading { heading: missing, said });
    }
    let (digest, text) = kept(response);
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
            let findings = findings(response);
            let said = findings.as_ref().map(|(digest, _)| *digest);
            let of_failure = findings.as_ref().filter(|_| !verdict.pass);
            let excerpt = of_failure.map(|(_, text)| excerpt(text)).unwrap_or_default();
            let answer = Answer::Verdict { pass: verdict.pass, reason, gap, said, excerpt };
            ReadReview { answer, said: findings }
        }
        Err(why) => ReadReview::without_verdict(why.to_string(), response),
    }
}

/// Reads the response of a parent verification by the strict rule. The text that is kept is clean.
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
        Err(why) => Answer::no_verdict(why.to_string()),
    }
}

/// Reads the response of a survey for small fixes. A response that cannot be read proposes nothing.
#[must_use]
pub fn survey(response: &str) -> Answer {
    match survey::read(response) {
        Ok(proposals) => Answer::Survey(proposals),
        Err(why) => Answer::no_verdict(why.to_string()),
    }
}

/// The last words of a turn that changed files, as the pull request shows them. `None` if there are none.
#[must_use]
pub fn summary(response: &str) -> Option<(Digest, String)> {
    let text: String = Excerpt::tail(response.trim(), SUMMARY_BYTES_MAX).into();
    (!text.trim().is_empty()).then(|| (Digest::of(&text), text))
}

/// The heading that a response lacks to be a plan, and an excerpt of what it says instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingHeading {
    pub heading: &'static str,
    pub said: String,
}

impl std::fmt::Display for MissingHeading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { heading, said } = self;
        write!(
            f,
            "the plan has no heading `{heading}`; it needs Intent, Risk and Reuse. The answer was:\n{said}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_without_a_required_heading_is_not_a_plan() {
        let whole = "# Intent\na\n## risk\nb\n# Reuse\nc\n";
        assert!(plan(whole).is_ok());
        let missing = |response| plan(response).map_err(|missing| missing.heading).map(|_| ());
        assert_eq!(missing("# Intent\n# Reuse\n"), Err("Risk"));
        assert_eq!(missing("NO PRODUCT GAP: all is clear"), Err("Intent"));
        let told = plan("Usage limit reached.\n").map(|_| ()).unwrap_err().to_string();
        assert!(told.ends_with("The answer was:\nUsage limit reached."), "{told}");
    }

    #[test]
    fn a_planner_who_asks_for_a_person_needs_no_headings() {
        let escalate =
            r#"{"decision":"escalate","confidence":"high","escalation_reason":"who pays?"}"#;
        let breaking = r#"{"decision":"proceed","confidence":"high","escalation_reason":null,"contract_surface":"breaking"}"#;
        for response in ["Hm.\nPRODUCT GAP: who pays?\n", escalate, breaking] {
            let read = plan(response).map(|plan| plan.answer);
            let Ok(Answer::Plan { routing, gap, .. }) = read else {
                panic!("{response}: {read:?}")
            };
            assert!(Cause::of_plan(&routing, &gap).is_some(), "{response}");
        }
    }

    #[test]
    fn a_review_is_kept_without_its_verdict_secrets_and_what_is_too_much() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let verdict = "RALPH_REVIEW: {\"status\":\"fail\",\"reason\":\"see above\"}";
        let response =
            format!("1. `parse` loses the sign.\n2. {token} is in the log.\n{verdict}\n\n");
        let ReadReview { answer, said } = review(VerdictKind::Review, &response);
        let (digest, text) = said.unwrap();
        assert!(matches!(answer, Answer::Verdict { said: Some(said), .. } if said == digest));
        assert!(text.starts_with("1. `parse` loses the sign.\n2. "), "{text}");
        assert!(!text.contains(&token) && !text.contains("RALPH_REVIEW"), "{text}");
        let long = format!("{}\n{verdict}", "word ".repeat(ARTIFACT_BYTES_MAX));
        let (_, text) = review(VerdictKind::Review, &long).said.unwrap();
        assert!(text.len() <= ARTIFACT_BYTES_MAX);
        assert_eq!(review(VerdictKind::Review, &format!("\n{verdict}")).said, None);
    }
}
