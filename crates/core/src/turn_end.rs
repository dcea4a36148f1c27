//! The ends of turns in which an agent's program gave no answer, by their cause. A cause that lies with the account, the
//! provider or the operator's settings says nothing about the issue.

use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// The cause of a turn without an answer, as far as the output of the program tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndClass {
    /// The program could not be started, died, or said nothing that is understood.
    #[default]
    Crashed,
    /// The program refused to use a tool that the turn needed.
    PermissionRefused,
    /// The provider does not accept the login.
    NeedsLogin,
    /// The provider does not know the model.
    UnknownModel,
    /// The subscription or the prepaid amount is used up, until then if that is known.
    UsageLimit { until: Option<Time> },
    /// Too many requests in a short time.
    RateLimit { until: Option<Time> },
    /// The provider is overloaded or does not answer.
    Overloaded,
    /// The conversation no longer fits into the model.
    ContextFull,
    /// The program was told to stop.
    Cancelled,
}

impl EndClass {
    /// True if the account, the provider or the settings are at fault. Such a turn spends no attempt.
    #[must_use]
    pub const fn is_of_account(self) -> bool {
        match self {
            Self::NeedsLogin
            | Self::UnknownModel
            | Self::UsageLimit { .. }
            | Self::RateLimit { .. }
            | Self::Overloaded => true,
            Self::Crashed | Self::PermissionRefused | Self::ContextFull | Self::Cancelled => false,
        }
    }

    /// The time at which the limit ends, if the program told it.
    #[must_use]
    pub const fn until(self) -> Option<Time> {
        match self {
            Self::UsageLimit { until } | Self::RateLimit { until } => until,
            Self::Crashed
            | Self::PermissionRefused
            | Self::NeedsLogin
            | Self::UnknownModel
            | Self::Overloaded
            | Self::ContextFull
            | Self::Cancelled => None,
        }
    }
}

/// What a turn used and saw of its account, as far as its program tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnUse {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<SeenLimit>,
}

/// A limit of an account as its program reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenLimit {
    /// The name of its window: `5h`, `weekly`, or the program's own.
    pub window: String,
    pub length: Span,
    pub used: LimitUse,
    /// The time at which the window begins anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets: Option<Time>,
}

/// The part of a limit that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitUse {
    /// In thousandths.
    Milli(u32),
    /// The program warns that the limit is near.
    Near,
    /// The provider refuses further turns.
    Reached,
}

/// The tokens and the money that a turn used, as the program or its provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "StoredUsage")]
pub struct Usage {
    /// Tokens read, those from the cache included.
    pub input: u64,
    /// The part of `input` that came from the cache.
    pub cached: u64,
    pub output: u64,
    /// In millionths of a dollar; `None` if the price is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
}

impl Usage {
    /// Usage of which only the sum is known.
    #[must_use]
    pub const fn total(tokens: u64) -> Option<Self> {
        Some(Self { input: tokens, cached: 0, output: 0, micro_usd: None })
    }

    #[must_use]
    pub const fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// The forms in which usage is stored: a total by the first versions.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredUsage {
    Total(u64),
    Parts {
        input: u64,
        #[serde(default)]
        cached: u64,
        output: u64,
        #[serde(default)]
        micro_usd: Option<u64>,
    },
}

impl From<StoredUsage> for Usage {
    fn from(stored: StoredUsage) -> Self {
        match stored {
            StoredUsage::Total(input) => Self { input, ..Self::default() },
            StoredUsage::Parts { input, cached, output, micro_usd } => {
                Self { input, cached, output, micro_usd }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_that_an_earlier_version_stored_is_still_read() {
        let read = |text: &str| serde_json::from_str::<Usage>(text).map(Usage::tokens).ok();
        assert_eq!(read("1000"), Some(1_000));
        assert_eq!(read(r#"{"input":3,"output":4}"#), Some(7));
        let whole = Usage { input: 9, cached: 5, output: 2, micro_usd: Some(7) };
        let text = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<Usage>(&text).unwrap(), whole);
    }
}
