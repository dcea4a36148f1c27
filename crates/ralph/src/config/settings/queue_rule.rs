//! The issues that come into the queue, as a kind of setting.

use crate::config::kind::{Kind, quoted};
use ralph_core::policy::AutoQueue;
use toml::de::DeValue;

/// One of three words. `true` and `false` mean the first two: that is how the setting began.
#[derive(Debug)]
pub(in crate::config) struct QueueRule;

const fn word(rule: AutoQueue) -> &'static str {
    match rule {
        AutoQueue::LabeledOnly => "labeled-only",
        AutoQueue::AllOpen => "all-open",
        AutoQueue::AllOpenDryRun => "all-open-dry-run",
    }
}

impl Kind for QueueRule {
    type Value = AutoQueue;

    fn read(&self, value: &DeValue<'_>) -> Option<AutoQueue> {
        let rules = [AutoQueue::LabeledOnly, AutoQueue::AllOpen, AutoQueue::AllOpenDryRun];
        match (value.as_bool(), value.as_str()) {
            (Some(false), _) => Some(AutoQueue::LabeledOnly),
            (Some(true), _) => Some(AutoQueue::AllOpen),
            (None, text) => rules.into_iter().find(|rule| Some(word(*rule)) == text),
        }
    }

    fn accepts(&self) -> String {
        "\"labeled-only\", \"all-open\" or \"all-open-dry-run\"".to_owned()
    }

    fn show(&self, value: &AutoQueue) -> String {
        quoted(word(*value))
    }
}
