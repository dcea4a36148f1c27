//! A page of numbers in the text format that Prometheus reads.

/// The format and its version.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Only grows, from zero at the start of the daemon.
    Counter,
    Gauge,
}

/// Labels and a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    labels: Vec<(&'static str, String)>,
    value: f64,
}

impl Sample {
    pub(crate) const fn of(value: f64) -> Self {
        Self { labels: Vec::new(), value }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a count beyond 2^53 does not fit the format either"
    )]
    pub(crate) const fn count(count: u64) -> Self {
        Self::of(count as f64)
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.labels.push((name, value.to_owned()));
        self
    }
}

#[derive(Debug, Default)]
pub(crate) struct Page(String);

impl Page {
    /// All samples of one name. Without any, only its description is there.
    pub(crate) fn family(
        &mut self,
        kind: Kind,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = Sample>,
    ) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        self.line(&format!("# HELP {name} {help}"));
        self.line(&format!("# TYPE {name} {kind}"));
        for Sample { labels, value } in samples {
            let labels: Vec<_> = labels
                .iter()
                .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
                .collect();
            match labels.as_slice() {
                [] => self.line(&format!("{name} {value}")),
                labels => self.line(&format!("{name}{{{}}} {value}", labels.join(","))),
            }
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_the_text_format() {
        let mut page = Page::default();
        page.family(Kind::Gauge, "ralph_workers_busy", "Processes at work.", [Sample::count(3)]);
        let samples = [
            Sample::count(5).with("method", "GET").with("code", "304"),
            Sample::of(0.25).with("method", "a\"b\\c\nd"),
        ];
        page.family(Kind::Counter, "ralph_requests_total", "Requests.", samples);
        insta::assert_snapshot!(page.into_text(), @r#"
        # HELP ralph_workers_busy Processes at work.
        # TYPE ralph_workers_busy gauge
        ralph_workers_busy 3
        # HELP ralph_requests_total Requests.
        # TYPE ralph_requests_total counter
        ralph_requests_total{method="GET",code="304"} 5
        ralph_requests_total{method="a\"b\\c\nd"} 0.25
        "#);
    }
}
