//! Sentences about red checks: what they say, what is to blame, and what to do about it.

use super::{one_line, quoted};
use crate::escalation::Cause;
use crate::lane::Lane;
use crate::triage::{Class, Triage, Triaged};
use serde_json::{Value, json};

/// One sentence on the likely cause of a red check.
pub(super) fn blamed(triage: &Triage) -> String {
    let looks_like = match triage.classified.class {
        Class::Regression => "a regression",
        Class::Flake => "a flake",
        Class::Infra => "a fault of the infrastructure",
    };
    let check = one_line(&triage.signature.check);
    format!("`{check}` looks like {looks_like}: {}", one_line(&triage.classified.why))
}

/// A red check as the latest failure of a run.
#[must_use]
pub fn red_check(red: &Triaged) -> String {
    let signature = &red.triage.signature;
    format!("{} (signature {signature})\n{}", blamed(&red.triage), red.triage.excerpt)
}

/// The latest reading of each check that this cause names, in the latest run.
pub(super) fn named<'a>(cause: &Cause, red_checks: &'a [Triaged]) -> Vec<&'a Triaged> {
    let Cause::LaneSpent { lane: Lane::CiDebug, failing: names, .. } = cause else {
        return Vec::new();
    };
    let latest = red_checks.last().map(|red| (red.run, &red.head));
    let of_latest = || red_checks.iter().filter(|red| Some((red.run, &red.head)) == latest);
    names.iter().filter_map(|name| of_latest().find(|red| red.check() == name)).collect()
}

/// The evidence for the comment: the sentence, the signature and the excerpt.
pub(super) fn evidence(red: &Triaged, red_checks: &[Triaged]) -> String {
    let before = red_checks.iter().position(|one| one == red).unwrap_or_default();
    let earlier = red_checks.get(..before).unwrap_or_default();
    let again =
        if red.repeats(earlier) { " It is the same failure as in the attempt before." } else { "" };
    let signature = &red.triage.signature;
    let sentence = format!("{} (signature `{signature}`).{again}", blamed(&red.triage));
    match red.triage.excerpt.as_str() {
        "" => sentence,
        excerpt => format!("{sentence}\n\n{}", quoted(excerpt)),
    }
}

/// The check in the machine-readable packet.
pub(super) fn machine(red: &Triaged) -> Value {
    let Triage { classified, signature, .. } = &red.triage;
    json!({
        "check": signature.check, "class": classified.class, "why": classified.why,
        "signature": signature.hash, "test": signature.test, "error": signature.class,
        "next": red.next,
    })
}
