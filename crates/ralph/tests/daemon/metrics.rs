//! Numbers for Prometheus, asked for over HTTP while the daemon works.

use crate::forge::free_port;
use crate::stage::{SECRET, Stage, WORK};
use crate::waiting::until;
use http::{Request, Response};
use ralph_adapters::http_transport::{HttpSettings, HttpTransport};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;

struct Prometheus {
    transport: HttpTransport,
    url: String,
}

impl Prometheus {
    /// Has the daemon's settings say where it scrapes.
    fn of(stage: &Stage) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let path = stage.home.join("config.toml");
        let text = fs::read_to_string(&path).expect("settings");
        fs::write(path, format!("metrics_listen = {address:?}\n{text}")).expect("a file");
        let transport = HttpTransport::new(&HttpSettings::default()).expect("settings that work");
        Self { transport, url: format!("http://{address}") }
    }

    fn get(&self, path: &str) -> Response<Vec<u8>> {
        let request = Request::get(format!("{}{path}", self.url)).body(Vec::new());
        self.transport.send(request.expect("a request")).expect("an answer")
    }

    fn page(&self) -> String {
        let answer = self.get("/metrics");
        assert_eq!(answer.status(), 200);
        let kind = answer.headers()["content-type"].to_str().expect("a text").to_owned();
        assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
        String::from_utf8(answer.into_body()).expect("a text")
    }

    fn samples(&self) -> BTreeMap<String, f64> {
        let page = self.page();
        let lines = page.lines().filter(|line| !line.starts_with('#'));
        let sample = |line: &str| {
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            (name.to_owned(), value.parse().expect("a number"))
        };
        lines.map(sample).collect()
    }
}

#[test]
fn a_life_is_counted_and_what_stands_is_shown() {
    let stage = Stage::set(WORK);
    let prometheus = Prometheus::of(&stage);
    let issue = stage.forge.open_issue("Do it", "");
    stage.forge.fault(&json!([{"method": "POST", "path": "/pulls$", "status": 502, "times": 1}]));
    let mut daemon = stage.daemon();
    daemon.hear("ralph works in");
    until("an effect without an answer", || {
        let unknown = "ralph_effects_total{lane=\"forge\",outcome=\"unknown\"}";
        prometheus.samples().contains_key(unknown).then_some(())
    });
    let samples = prometheus.samples();
    for (name, expected) in [
        ("ralph_issues{status=\"in-progress\"}", 1.0),
        ("ralph_issues{status=\"queued\"}", 0.0),
        ("ralph_workers_max", 6.0),
        ("ralph_workers_busy", 0.0),
        ("ralph_draining", 0.0),
        ("ralph_steps_total{step=\"implement\",outcome=\"answered\"}", 1.0),
        ("ralph_steps_total{step=\"preflight\",outcome=\"passed\"}", 1.0),
        ("ralph_effects_total{lane=\"git\",outcome=\"happened\"}", 2.0),
        ("ralph_outbox_effects{lane=\"forge\"}", 1.0),
        ("ralph_forge_requests_total{method=\"POST\",code=\"502\"}", 1.0),
        ("ralph_forge_budget_limit", 5_000.0),
        ("ralph_degraded{kind=\"configuration\"}", 0.0),
        ("ralph_bugs_total", 0.0),
        ("ralph_log_lines_lost_total", 0.0),
    ] {
        assert_eq!(samples.get(name), Some(&expected), "{name}: {samples:#?}");
    }
    assert!(samples["ralph_facts_total"] > 20.0);
    assert!(samples["ralph_webhook_hints_total"] > 0.0);
    assert!(samples["ralph_start_time_seconds"] > 1.7e9);

    let path = stage.home.join("config.toml");
    fs::write(&path, "max_workers = none").expect("a file");
    until("settings that are not in force", || {
        let samples = prometheus.samples();
        let is_told = samples["ralph_degraded{kind=\"configuration\"}"] == 1.0;
        (is_told && samples["ralph_config_reloads_total{result=\"refused\"}"] >= 1.0).then_some(())
    });
    let page = prometheus.page();
    assert!(!page.contains(&stage.forge.bot_token) && !page.contains(SECRET), "{page}");
    assert_eq!(prometheus.get("/").status(), 404);
    assert_eq!(stage.forge.status(issue), ["in-progress"]);
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn an_address_that_is_taken_is_told_with_its_setting() {
    let stage = Stage::set(WORK);
    let prometheus = Prometheus::of(&stage);
    let address = prometheus.url.trim_start_matches("http://");
    let _taken = std::net::TcpListener::bind(address).expect("a port");
    let ran = stage.ralph(&["run", "--until-idle"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    for part in [address, "metrics_listen"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}
