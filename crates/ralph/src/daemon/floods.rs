//! Floods: the same change over and over. That is a bug of Ralph's own, unless another program undoes it each time; it
//! is logged as one and shown while it lasts.

use crate::daemon_status::{Degraded, DegradedKind};
use ralph_engine::{Flood, REQUESTS_MAX, REQUESTS_WINDOW};
use std::collections::BTreeSet;

pub(super) fn shown(flood: &Flood) -> Degraded {
    let why = format!(
        "a bug of Ralph's, unless another program undoes it each time: this same change was asked for more than \
         {REQUESTS_MAX} times in {REQUESTS_WINDOW}, and nothing different was seen in between. It is held back"
    );
    let found = Degraded::new(DegradedKind::Effects, flood.key.clone(), why, Some(flood.until));
    Degraded { since: Some(flood.since), ..found }
}

/// Logs each flood once, and returns whether one has begun since the last time.
pub(super) fn log(floods: &[Flood], reported: &mut BTreeSet<String>) -> bool {
    let mut has_begun = false;
    for Flood { key, until, .. } in floods.iter().filter(|flood| !reported.contains(&flood.key)) {
        tracing::error!(effect = key, until = %until, "a bug: the same change was asked for over and over; it is held back");
        has_begun = true;
    }
    *reported = floods.iter().map(|flood| flood.key.clone()).collect();
    has_begun
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::time::Time;
    use std::fmt::{Debug, Write as _};
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

    fn flood() -> Flood {
        let key = "acme/app#7:label+ralph:status:queued".to_owned();
        Flood { key, since: Time(1), until: Time(600_000) }
    }

    /// Keeps every line, with its level and fields.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    struct Line(String);

    impl Visit for Line {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            write!(self.0, " {field}={value:?}").unwrap();
        }
    }

    impl<S: tracing::Subscriber> Layer<S> for Lines {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            let mut line = Line(event.metadata().level().to_string());
            event.record(&mut line);
            self.0.lock().unwrap().push(line.0);
        }
    }

    #[test]
    fn a_flood_is_shown_with_its_change_as_a_bug_since_when_and_until_when() {
        let shown = shown(&flood());
        assert_eq!((shown.kind, shown.what), (DegradedKind::Effects, flood().key));
        assert!(shown.why.starts_with("a bug of Ralph's, unless another program"), "{}", shown.why);
        assert!(shown.why.ends_with("It is held back"), "{}", shown.why);
        assert_eq!((shown.since, shown.until), (Some(flood().since), Some(flood().until)));
    }

    #[test]
    fn a_flood_is_logged_as_a_bug_once_while_it_lasts() {
        let (lines, mut reported) = (Lines::default(), BTreeSet::new());
        let subscriber = tracing_subscriber::registry().with(lines.clone());
        tracing::subscriber::with_default(subscriber, || {
            assert!(log(&[flood()], &mut reported));
            assert!(!log(&[flood()], &mut reported), "it lasts");
            assert!(!log(&[], &mut reported), "it is over");
            assert!(log(&[flood()], &mut reported), "it has begun again");
        });
        let lines = lines.0.lock().unwrap();
        let [first, again] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(first, again);
        assert!(first.starts_with("ERROR ") && first.contains("a bug: the same change"), "{first}");
        assert!(first.contains(&flood().key) && first.contains("until="), "{first}");
    }
}
