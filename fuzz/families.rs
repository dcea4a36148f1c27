//! Properties that must hold for any input at all, one function per family of parsers. The fuzz targets and
//! `crates/core/tests/corpus.rs` share this file.

use ralph_core::dependency::{self, BodyEdge, BodyEdges};
use ralph_core::excerpt::{self, Excerpt};
use ralph_core::hidden_marker::{self, HiddenMarker, MarkerKind};
use ralph_core::ids::RepoName;
use ralph_core::label::{self, Correction, Status};
use ralph_core::parent_verify;
use ralph_core::product_gap::{self, ProductGap};
use ralph_core::redact::redact;
use ralph_core::routing::{self, Confidence, Decision};
use ralph_core::survey;
use ralph_core::triage::{RedCheck, triage};
use ralph_core::verdict::{self, VerdictKind};

const INPUT_BYTES_MAX: usize = 4096;
const LABELS_MAX: usize = 32;

pub fn labels(data: &[u8]) {
    let text = text_of(data);
    let mut labels: Vec<&str> = Vec::new();
    for name in text.lines().take(LABELS_MAX) {
        // The forge has no two labels that differ in case only.
        if !labels.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            labels.push(name);
        }
    }
    let status = data.first().and_then(|byte| Status::ALL.get(usize::from(*byte) % 8)).copied();
    converges(&labels, status);
    let adopted = label::adopted_status(labels.iter().copied());
    assert!(adopted.is_none() || labels.iter().any(|name| label::is_managed(name)));
    let priority = label::priority_of(labels.iter().copied());
    let named = labels.iter().any(|name| name.eq_ignore_ascii_case(priority.label()));
    assert!(named || priority == label::Priority::default());
}

/// Applies corrections until there is none.
fn converges(labels: &[&str], desired: Option<Status>) {
    let mut current: Vec<String> = labels.iter().map(|name| (*name).to_owned()).collect();
    let in_status_namespace =
        |name: &String| name.to_ascii_lowercase().starts_with("ralph:status:");
    for _ in 0..=labels.len() + 1 {
        match label::next_correction(current.iter().map(String::as_str), desired) {
            Some(Correction::Add(status)) => {
                assert_eq!(Some(status), desired);
                assert!(!current.iter().any(|name| name.eq_ignore_ascii_case(status.label())));
                current.push(status.label().to_owned());
            }
            Some(Correction::Remove(gone)) => {
                assert!(label::is_managed(&gone), "removed the foreign label {gone:?}");
                let before = current.len();
                current.retain(|name| *name != gone);
                assert_eq!(current.len() + 1, before, "removed what is not there");
                assert!(desired.is_none() || current.iter().any(in_status_namespace));
            }
            None => break,
        }
    }
    let shown: Vec<_> = current.iter().filter(|name| in_status_namespace(name)).collect();
    assert_eq!(shown.len(), usize::from(desired.is_some()), "{shown:?}");
    assert_eq!(label::adopted_status(current.iter().map(String::as_str)), desired);
    let kept = |name: &&&str| current.iter().any(|known| known == **name);
    let foreign = labels.iter().filter(|name| !label::is_managed(name));
    assert_eq!(foreign.clone().filter(kept).count(), foreign.count());
}

pub fn dependencies(data: &[u8]) {
    let Some(home) = RepoName::parse("acme/app") else { return };
    let text = text_of(data);
    let edges = dependency::parse_body(&home, &text);
    for section in [&edges.blocked_by, &edges.blocks] {
        assert!(section.len() <= dependency::EDGES_MAX);
        let mut issues: Vec<_> = section.iter().map(|edge| &edge.on).collect();
        issues.sort();
        issues.dedup();
        assert_eq!(issues.len(), section.len(), "an issue is named twice");
    }
    assert_eq!(dependency::parse_body(&home, &write_body(&edges)), edges);
    if !text.contains('\r') {
        assert_eq!(dependency::parse_body(&home, &text.replace('\n', "\r\n")), edges);
    }
    // A blocker before anything else can be neither hidden nor resolved by what follows.
    let blocked = dependency::parse_body(&home, &format!("## Blocked by\n- #1\n\n{text}"));
    assert!(blocked.blocked_by.iter().any(|edge| edge.on.number == 1 && !edge.ticked));
}

fn write_body(edges: &BodyEdges) -> String {
    let item = |edge: &BodyEdge| {
        let tick = if edge.ticked { 'x' } else { ' ' };
        format!("- [{tick}] {}\n", edge.on)
    };
    let items = |edges: &[BodyEdge]| edges.iter().map(item).collect::<String>();
    format!("## Blocked by\n{}## Blocks\n{}", items(&edges.blocked_by), items(&edges.blocks))
}

pub fn markers(data: &[u8]) {
    let text = text_of(data);
    for kind in [VerdictKind::PlanReview, VerdictKind::Review] {
        let marked = text.lines().filter(|line| line.starts_with(kind.prefix())).count();
        if let Ok(verdict) = verdict::read(kind, &text) {
            assert_eq!(marked, 1);
            assert!(!verdict.reason.trim().is_empty());
            assert!(verdict.reason.len() <= verdict::REASON_BYTES_MAX);
        }
        let line = format!("{text}\n{} {{\"status\":\"pass\",\"reason\":\"r\"}}", kind.prefix());
        assert_eq!(verdict::read(kind, &line).is_ok_and(|verdict| verdict.pass), marked == 0);
    }
    gaps(&text);
    let object = r#"{"decision":"escalate","confidence":"high","escalation_reason":"r"}"#;
    let read = routing::read(&format!("{text}{object}"));
    assert_eq!((read.decision, read.confidence), (Decision::Escalate, Confidence::High));
    let read = routing::read(&text);
    assert!(read == routing::Routing::default() || text.contains("\"decision\""));
    if let Ok(found) = survey::read(&text) {
        assert!(found.len() <= survey::PROPOSALS_MAX);
        let is_kept = |it: &survey::Proposal| {
            !it.title.is_empty()
                && it.body.len() <= survey::BODY_BYTES_MAX
                && it.files.len() <= survey::FILES_MAX
        };
        assert!(found.iter().all(is_kept));
    }
    if let Ok(found) = parent_verify::read(&text) {
        assert!(!found.reason.is_empty());
        assert!(found.checked.len() <= 20 && found.evidence.len() <= 20);
        let is_web = |url: &str| url.to_ascii_lowercase().starts_with("http");
        assert!(found.evidence.iter().all(|evidence| is_web(&evidence.url)));
        assert!(
            found.is_strong()
                || found.checked.is_empty()
                || found.evidence.is_empty()
                || found.why_satisfied.is_empty()
        );
    }
}

fn gaps(text: &str) {
    let gap = product_gap::read(text);
    let lower = text.to_ascii_lowercase();
    assert!(gap == ProductGap::None || lower.contains("product gap:"));
    let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(product_gap::read(&quoted), ProductGap::None);
    let denied = product_gap::read(&format!("NO PRODUCT GAP: x\n{text}"));
    assert_eq!(denied, ProductGap::Denied);
    let asked = product_gap::read(&format!(" - Product gap: x\n{text}"));
    let is_denied = gap == ProductGap::Denied;
    assert_eq!(asked, if is_denied { ProductGap::Denied } else { ProductGap::Gap("x".to_owned()) });
}

pub fn hidden_markers(data: &[u8]) {
    let text = text_of(data);
    for found in hidden_marker::all(&text) {
        survives(found.kind, &found.id, found.data.as_deref());
    }
    let kind = data.first().and_then(|byte| MarkerKind::ALL.get(usize::from(*byte) % 7)).copied();
    let (id, rest) = text.split_once('\n').unwrap_or((&text, ""));
    survives(kind.unwrap_or(MarkerKind::Command), id, Some(rest));
    survives(MarkerKind::Verify, rest, None);
}

fn survives(kind: MarkerKind, id: &str, data: Option<&str>) {
    let marker = HiddenMarker::new(kind, id, data);
    assert!(id.starts_with(&marker.id));
    assert!(id.len() > hidden_marker::ESCAPED_BYTES_MAX / 12 || id == marker.id);
    let rendered = HiddenMarker { kind, id: id.to_owned(), data: data.map(str::to_owned) }.render();
    assert_eq!(hidden_marker::find(&rendered).as_ref(), Some(&marker));
    assert_eq!(hidden_marker::find(&format!("{rendered}\n{id}")), Some(marker));
    let payload = rendered.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
    let payload = payload.unwrap_or("-->");
    assert!(!payload.contains("--") && !payload.contains(['<', '>']), "{payload:?}");
    assert!(payload.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{payload:?}");
    assert!(payload.len() <= 2 * hidden_marker::ESCAPED_BYTES_MAX + 64);
}

pub fn text(data: &[u8]) {
    let text = text_of(data);
    let once = redact(&text);
    assert_eq!(redact(&once), once, "redacting twice differs");
    let limit = data.first().map_or(0, |byte| usize::from(*byte) * 4);
    let middle = text.floor_char_boundary(text.len() / 2);
    let (before, after) = text.split_at_checked(middle).unwrap_or((&text, ""));
    // On a separate line: an unfinished escape before it would take its first letters.
    let secret = secret_for(data);
    let planted = format!("{before}\nghp_{secret}\n{after}");
    for excerpt in [Excerpt::of(&planted, limit), Excerpt::tail(&planted, limit)] {
        let excerpt = excerpt.as_str();
        assert!(excerpt.len() <= limit);
        assert!(!excerpt.contains(&secret), "{excerpt:?}");
        assert!(!excerpt.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')));
    }
}

pub fn logs(data: &[u8]) {
    let text = text_of(data);
    let middle = text.floor_char_boundary(text.len() / 2);
    let (before, after) = text.split_at_checked(middle).unwrap_or((&text, ""));
    let secret = secret_for(data);
    let planted = format!("{before}\nghp_{secret}\n{after}");
    let read = |log: &str| triage(&RedCheck { name: "check", conclusion: "failure", log });
    let found = read(&planted);
    assert!(found.excerpt.as_str().len() <= excerpt::LOG_BYTES_MAX);
    assert!(!found.classified.why.is_empty() && found.classified.why.len() <= 8_000);
    let signature = &found.signature;
    assert!(signature.message.len() <= 300 && signature.class.len() <= 300);
    assert!(signature.test.as_ref().is_none_or(|test| test.len() <= 300));
    assert_eq!(signature.hash.len(), 16);
    assert!(!format!("{found:?}").contains(&secret), "{found:?}");
    let stamp = |line: &str| format!("2026-01-02T03:04:05.678Z {line}\n");
    let stamped: String = planted.split('\n').map(stamp).collect();
    assert_eq!(read(&stamped), found, "time stamps change what is read");
}

/// Differs for each input, or the fuzzer would learn it and put it where it is no token.
fn secret_for(data: &[u8]) -> String {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", data.iter().fold(0xcbf2_9ce4_8422_2325, mix))
}

fn text_of(data: &[u8]) -> String {
    let data = data.get(..INPUT_BYTES_MAX).unwrap_or(data);
    String::from_utf8_lossy(data).into_owned()
}
