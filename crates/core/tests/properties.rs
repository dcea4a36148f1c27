//! Properties of all inputs, tried on inputs made of the pieces that matter to the parsers.

use proptest::prelude::*;
use proptest::sample::select;
use ralph_core::command::Command;
use ralph_core::dependency::{self, BodyEdge};
use ralph_core::excerpt::Excerpt;
use ralph_core::hidden_marker::{self, HiddenMarker, MarkerKind};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::label::{self, Correction, ManagedLabel, Priority, Status};
use ralph_core::parent_verify;
use ralph_core::product_gap::{self, ProductGap};
use ralph_core::redact::redact;
use ralph_core::routing::{self, Confidence, ContractSurface, Decision};
use ralph_core::triage::{RedCheck, triage};
use ralph_core::verdict::{self, MissingMarker, Verdict, VerdictKind};

/// Any text at all, or one put together from pieces that matter to the parsers.
fn text(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => select(pieces).prop_map(str::to_owned), 1 => ".{0,6}"];
    let pieced = prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => pieced, 1 => any::<String>()]
}

#[rustfmt::skip]
const LABELS: &[&str] = &[
    "ralph:status:queued", "RALPH:Status:Done", "ralph:status:in-bot", "ralph:status:paused",
    "ralph:status:", "ralph:status:mine", "ralph:queued", "ralph:Blocked", "ralph:done",
    "ralph:x", "ralph:cmd:stop", "ralph:priority:p0", "ralph:priority:P4", "bug", "status:done",
    "Ralph", "",
];

fn labels() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![6 => select(LABELS).prop_map(str::to_owned), 1 => "(ralph:)?.{0,8}"];
    prop::collection::vec(name, 0..12).prop_map(|mut names| {
        // The forge has no two labels that differ in case only.
        names.sort_by_key(|name| name.to_ascii_lowercase());
        names.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
        names
    })
}

fn shows_status(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_legacy = matches!(label::parse(&lower), Some(ManagedLabel::LegacyStatus(_)));
    is_legacy || lower.starts_with("ralph:status:")
}

const MARKDOWN: &[&str] = &[
    "## Blocked by\n",
    "## Blocks\r\n",
    "## Other\n",
    "# Top\n",
    "### Sub\n",
    "- [ ] #12 text\n",
    "- [x] #12\n",
    "* a/b#3\n",
    "+ #4\r\n",
    "- text #5\n",
    "```\n",
    "~~~\n",
    "````md\n",
    "<!--\n",
    "-->\n",
    "<!-- x -->\n",
    "\n",
    "Title\n",
    "---\n",
    "===\n",
    "  ",
    "> ",
    "#",
    "- ",
    "[x] ",
    "12",
];

const COMMENTS: &[&str] =
    &["-", "--", ">", "-->", "<!-- ", "%", " ", "\0", "🦀", "\n", "ralph-cmd:id=", "@", "#1"];

const REPLIES: &[&str] = &[
    "RALPH_REVIEW: ",
    "RALPH_PLAN_REVIEW:",
    "RALPH_PARENT_VERIFY: ",
    "{\"status\":\"pass\",\"reason\":\"r\"}",
    "{\"status\":\"fail\",\"reason\":\"\"}",
    "\n",
    "\r\n",
    " ",
    "{",
    "}",
    "\"",
    "[",
    "PRODUCT GAP: x",
    "no product gap: y",
    "- ",
    "* ",
    "> ",
    "```\n",
    "{\"decision\":\"escalate\"}",
    "\"decision\":",
    "{\"version\":1,\"work_remains\":false,\"reason\":\"r\",\"evidence\":[{\"url\":\"ftp://x\"}]}",
];

const SECRETS: &[&str] = &[
    "ghp_0123456789abcdef",
    "sk-0123456789abcdef0123",
    "token",
    "=",
    ": ",
    "\"",
    "'",
    "\\",
    " ",
    "\n",
    "&",
    "Authorization: ",
    "Bearer ",
    "abcDEF123456",
    "https://",
    "u:p@",
    "@",
    "/home/bob",
    "/root",
    "/",
    "x",
    "C:\\Users\\bob",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "[redacted]",
    "~",
    "]",
    "password",
    "_KEY",
    "api_key",
    "--secret ",
    "eyJhbGciOi.eyJzdWIi.x",
    "\u{1b}[0m",
    "\u{1b}]",
    "\r",
    "é🦀",
];

const SHAPES: &[&str] = &[
    "ghp_{}",
    "Bearer {}9",
    "api_key=\"{}\"",
    "https://u:{}@h",
    "--password {}",
    "\"token\": \"{}\"",
];

const LOGS: &[&str] = &[
    "error: ",
    "error[E0308]: ",
    "test a::b ... FAILED\n",
    "thread 'a::b' panicked at src/a.rs:1:2:\n",
    "E   ValueError: x\n",
    "--- FAIL: TestX (0.1s)\n",
    "src/a.ts(1,2): error TS1: x\n",
    "/tmp/x/y ",
    "/w/1/src/a.rs:3 ",
    "word ",
    "\n",
    "12 ",
    "1.5s ",
    "0xdead ",
    "\t",
    ": ",
    "failed ",
    "● a\n",
];

proptest! {
    #[test]
    fn labels_converge_to_exactly_one_status(
        names in labels(),
        desired in prop::option::of(select(&Status::ALL[..])),
    ) {
        let mut current = names.clone();
        let mut steps = 0;
        while let Some(step) = label::next_correction(current.iter().map(String::as_str), desired) {
            steps += 1;
            prop_assert!(steps <= names.len() + 1, "never settles: {current:?}");
            match step {
                Correction::Add(status) => current.push(status.label().to_owned()),
                Correction::Remove(gone) => {
                    prop_assert!(label::is_managed(&gone), "{gone:?} is foreign");
                    prop_assert!(current.contains(&gone));
                    current.retain(|name| *name != gone);
                }
            }
        }
        let (shown, others): (Vec<_>, Vec<_>) = current.iter().partition(|name| shows_status(name));
        let expected: Vec<_> = desired.map(Status::label).into_iter().collect();
        let shown: Vec<_> = shown.iter().map(|name| name.to_ascii_lowercase()).collect();
        prop_assert_eq!(shown, expected);
        let untouched: Vec<_> = names.iter().filter(|name| !shows_status(name)).collect();
        prop_assert_eq!(others, untouched);
    }

    #[test]
    fn label_names_are_read_without_case(name in select(LABELS), flips in any::<u64>()) {
        let flip = |(at, c): (usize, char)| match flips >> (at % 64) & 1 {
            1 => c.to_ascii_uppercase(),
            _ => c.to_ascii_lowercase(),
        };
        let flipped: String = name.chars().enumerate().map(flip).collect();
        prop_assert_eq!(label::parse(&flipped), label::parse(name));
        prop_assert_eq!(label::is_managed(&flipped), label::is_managed(name));
        prop_assert_eq!(Command::from_label(&flipped), Command::from_label(name));
    }

    #[test]
    fn the_most_urgent_priority_wins_in_any_order(
        ranks in prop::collection::vec(0..5_usize, 0..6),
    ) {
        let names: Vec<_> = ranks.iter().map(|rank| Priority::ALL[*rank].label()).collect();
        let expected = ranks.iter().min().map_or(Priority::P2, |rank| Priority::ALL[*rank]);
        prop_assert_eq!(label::priority_of(names.iter().copied()), expected);
        prop_assert_eq!(label::priority_of(names.iter().rev().copied()), expected);
    }

    #[test]
    fn edges_survive_being_written_and_read(
        numbers in prop::collection::btree_map(1..10_000_u64, any::<bool>(), 0..20),
        marks in prop::collection::vec(select(&["-", "*", "+", "  -"][..]), 20),
        end in select(&["\n", "\r\n"][..]),
    ) {
        let home = RepoName::parse("acme/app").unwrap();
        let mut edges = Vec::new();
        let mut items = String::new();
        for ((number, ticked), mark) in numbers.into_iter().zip(marks) {
            edges.push(BodyEdge { on: IssueKey::new(home.clone(), number), ticked });
            let tick = if ticked { "x" } else { " " };
            items += &format!("{mark} [{tick}] #{number} text{end}");
        }
        let body = format!("Intro{end}## Blocks{end}{items}## Blocked by{end}{items}");
        let read = dependency::parse_body(&home, &body);
        prop_assert_eq!(&read.blocks, &edges);
        prop_assert_eq!(&read.blocked_by, &edges);
    }

    #[test]
    fn bodies_are_bounded_and_line_ends_do_not_matter(body in text(MARKDOWN)) {
        let home = RepoName::parse("acme/app").unwrap();
        let edges = dependency::parse_body(&home, &body);
        prop_assert!(edges.blocked_by.len() <= dependency::EDGES_MAX);
        let normalised = body.replace("\r\n", "\n");
        prop_assert_eq!(&dependency::parse_body(&home, &normalised), &edges);
        let with_crlf = normalised.replace('\n', "\r\n");
        prop_assert_eq!(dependency::parse_body(&home, &with_crlf), edges);
    }

    #[test]
    fn a_fenced_or_commented_part_has_no_edges(body in text(MARKDOWN)) {
        let home = RepoName::parse("acme/app").unwrap();
        let hidden = body.replace(['`', '~'], "").replace("-->", "");
        for (open, close) in [("```", "```"), ("<!--", "-->")] {
            let body = format!("{open}\n{hidden}\n{close}\n## Blocked by\n- #77\n");
            let edges = dependency::parse_body(&home, &body);
            let seen = BodyEdge { on: IssueKey::new(home.clone(), 77), ticked: false };
            prop_assert_eq!((edges.blocked_by, edges.blocks), (vec![seen], vec![]));
        }
    }

    #[test]
    fn a_marker_survives_any_data(
        kind in select(&MarkerKind::ALL[..]),
        id in any::<String>(),
        data in prop::option::of(text(COMMENTS)),
        around in ".{0,20}",
    ) {
        let marker = HiddenMarker::new(kind, &id, data.as_deref());
        let rendered = marker.render();
        let found = hidden_marker::find(&format!("{around}{rendered}{around}"));
        prop_assert_eq!(found.as_ref(), Some(&marker));
        prop_assert_eq!(hidden_marker::all(&format!("{rendered}{rendered}")).count(), 2);
        let payload = &rendered["<!-- ".len()..rendered.len() - " -->".len()];
        prop_assert!(!payload.contains("--") && !payload.contains('>') && !payload.contains('\n'));
        if id.len() <= 80 {
            prop_assert_eq!(marker.id, id);
        }
        if data.as_ref().is_none_or(|data| data.len() <= 300) {
            prop_assert_eq!(marker.data, data);
        }
    }

    #[test]
    fn a_verdict_is_read_only_when_it_is_the_only_one(
        before in text(REPLIES),
        pass in any::<bool>(),
        reason in "[^\\s].{0,20}",
    ) {
        let status = if pass { "pass" } else { "fail" };
        let object = serde_json::json!({ "status": status, "reason": reason });
        let response = format!("{before}\nRALPH_REVIEW: {object}\n\n");
        let is_only = !before.lines().any(|line| line.starts_with("RALPH_REVIEW:"));
        let read = verdict::read(VerdictKind::Review, &response);
        let expected = Verdict { pass, reason: reason.trim().to_owned() };
        prop_assert_eq!(read, if is_only { Ok(expected) } else { Err(MissingMarker::Repeated) });
        let talks_on = verdict::read(VerdictKind::Review, &format!("{response}x"));
        prop_assert_eq!(talks_on, Err(MissingMarker::NotLast));
    }

    #[test]
    fn any_reply_is_read_within_bounds(reply in text(REPLIES)) {
        for kind in [VerdictKind::PlanReview, VerdictKind::Review] {
            if let Ok(verdict) = verdict::read(kind, &reply) {
                prop_assert!(!verdict.reason.trim().is_empty());
                prop_assert!(verdict.reason.len() <= verdict::REASON_BYTES_MAX);
            }
        }
        if let Ok(found) = parent_verify::read(&reply) {
            prop_assert!(found.evidence.iter().all(|evidence| evidence.url.starts_with("http")));
        }
        let reason = routing::read(&reply).escalation_reason.unwrap_or_default();
        prop_assert!(reason.len() <= routing::ESCALATION_REASON_BYTES_MAX);
    }

    #[test]
    fn a_denial_cancels_a_gap_and_quoting_disarms_both(reply in text(REPLIES)) {
        let plain = reply.replace(['`', '~'], "");
        let gap = product_gap::read(&format!("{plain}\nPRODUCT GAP: x"));
        prop_assert_ne!(gap, ProductGap::None);
        let denied = product_gap::read(&format!("PRODUCT GAP: x\n{plain}\nNo product gap: y"));
        prop_assert_eq!(denied, ProductGap::Denied);
        let quoted: String = reply.lines().map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(product_gap::read(&quoted), ProductGap::None);
    }

    #[test]
    fn the_last_routing_object_decides(
        before in text(REPLIES),
        after in "[^{}\"]{0,20}",
        reason in prop::option::of("[a-z]{1,9}"),
    ) {
        let routing = routing::Routing {
            decision: Decision::Escalate,
            confidence: Confidence::Medium,
            escalation_reason: reason,
            contract_surface: ContractSurface::Breaking,
        };
        let object = serde_json::to_string(&routing).unwrap();
        prop_assert_eq!(routing::read(&format!("{before}{object}{after}")), routing);
    }

    #[test]
    fn redacting_twice_changes_nothing_more(text in text(SECRETS)) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn no_planted_secret_survives(
        before in text(SECRETS),
        after in text(SECRETS),
        secret in "[A-Za-z0-9]{20}",
        limit in 0..400_usize,
        shape in select(SHAPES),
    ) {
        let planted = format!("{before}\n{}\n{after}", shape.replace("{}", &secret));
        prop_assert!(!redact(&planted).contains(&secret));
        prop_assert!(!Excerpt::of(&planted, limit).as_str().contains(&secret[..10]));
    }

    #[test]
    fn excerpts_are_bounded_and_clean(text in text(SECRETS), limit in 0..300_usize) {
        for excerpt in [Excerpt::of(&text, limit), Excerpt::tail(&text, limit)] {
            prop_assert!(excerpt.as_str().len() <= limit);
            let is_unwanted = |c: char| c.is_control() && c != '\n' && c != '\t';
            prop_assert!(!excerpt.as_str().contains(is_unwanted));
        }
        let whole = Excerpt::of(&text, usize::MAX);
        prop_assert_eq!(Excerpt::of(whole.as_str(), usize::MAX), whole);
    }

    #[test]
    fn a_signature_ignores_when_where_and_how_long(
        log in text(LOGS),
        day in 10..28_u8,
        millis in 0..10_000_u32,
        line in 1..5_000_u32,
        folder in select(&["work", "builds", "app", "home/runner", "tmp", "github"][..]),
    ) {
        let volatile = |day: u8, millis: u32, line: u32, folder: &str| {
            let place = format!("/{folder}/wt/src/a.rs:{line}:{line}");
            let tail = format!("error: {place} took {millis}ms for 0x{line:x}");
            let stamp = |text| format!("2026-01-{day}T03:04:05.{millis}Z {text}\n");
            log.split('\n').chain([tail.as_str()]).map(stamp).collect::<String>()
        };
        let signature = |name, log: &str| {
            triage(&RedCheck { name, conclusion: "failure", log }).signature
        };
        let one = signature("ci", &volatile(day, millis, line, folder));
        prop_assert_eq!(&one, &signature("ci", &volatile(28, 1, 1, "home")));
        prop_assert_ne!(one.hash, signature("other", &log).hash);
    }
}
