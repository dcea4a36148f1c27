//! Prices of models, for programs that tell tokens and no money.

use crate::turn_end::Usage;
use std::collections::BTreeMap;

/// Tokens that a price is named for.
const PER: u128 = 1_000_000;

/// The price of a million tokens, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    pub input: u64,
    pub output: u64,
    /// Input that came from the cache; as other input if not set.
    pub cached: Option<u64>,
}

impl Price {
    /// The money for this usage, in millionths of a dollar.
    #[must_use]
    pub fn of(self, usage: Usage) -> u64 {
        let cached = usage.cached.min(usage.input);
        let parts = [
            (usage.input - cached, self.input),
            (cached, self.cached.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        let sum: u128 = parts.iter().map(|(of, price)| u128::from(*of) * u128::from(*price)).sum();
        u64::try_from(sum.div_ceil(PER)).unwrap_or(u64::MAX)
    }
}

/// Prices by model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    pub fn insert(&mut self, model: &str, price: Price) {
        self.0.insert(model.to_owned(), price);
    }

    /// The price of a model: that of its own name, else of the longest name that it begins with, as a model's name often
    /// ends with a date.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<Price> {
        let known = self.0.iter().filter(|(name, _)| model.starts_with(name.as_str()));
        known.max_by_key(|(name, _)| name.len()).map(|(_, price)| *price)
    }

    /// The usage with its money, as the program told it or as the model's price makes it.
    #[must_use]
    pub fn complete(&self, usage: Usage, model: Option<&str>) -> Usage {
        let priced = || model.and_then(|model| self.of(model)).map(|price| price.of(usage));
        Usage { micro_usd: usage.micro_usd.or_else(priced), ..usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_follows_from_the_price_of_the_model_unless_the_program_tells_it() {
        let mut prices = Prices::default();
        let (input, output) = (3_000_000, 15_000_000);
        prices.insert("sonnet", Price { input, output, cached: Some(300_000) });
        prices.insert("sonnet-5", Price { input: 1, output: 1, cached: None });
        let usage = Usage { input: 1_000_000, cached: 400_000, output: 100_000, micro_usd: None };
        let money = |model| prices.complete(usage, model).micro_usd;
        assert_eq!(money(Some("sonnet")), Some(1_800_000 + 120_000 + 1_500_000));
        assert_eq!(money(Some("sonnet-5-20261001")), Some(2), "the longest name counts");
        assert_eq!((money(Some("opus")), money(None)), (None, None));
        let told = Usage { micro_usd: Some(7), ..usage };
        assert_eq!(prices.complete(told, Some("sonnet")).micro_usd, Some(7));
    }
}
