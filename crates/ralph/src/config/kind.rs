//! The kinds of settings: how a value is read from the file, what is accepted in words, and how it is shown.

use super::length;
use ralph_core::time::Span;
use toml::de::DeValue;

/// Longest text or list that is taken: nothing a person writes by hand comes near.
const TEXT_BYTES_MAX: usize = 4_096;
const LIST_ITEMS_MAX: usize = 200;

pub(super) trait Kind {
    type Value;

    /// `None`: not acceptable.
    fn read(&self, value: &DeValue<'_>) -> Option<Self::Value>;

    /// The accepted values, to follow "write".
    fn accepts(&self) -> String;

    /// The value as one would write it in the file.
    fn show(&self, value: &Self::Value) -> String;

    /// Must this value never be repeated, not even in a complaint?
    fn is_secret(&self) -> bool {
        false
    }
}

/// A whole number within bounds.
#[derive(Debug)]
pub(super) struct Count {
    pub(super) min: u32,
    pub(super) max: u32,
}

impl Kind for Count {
    type Value = u32;

    fn read(&self, value: &DeValue<'_>) -> Option<u32> {
        let integer = value.as_integer()?;
        let number = u32::from_str_radix(integer.as_str(), integer.radix()).ok()?;
        (self.min..=self.max).contains(&number).then_some(number)
    }

    fn accepts(&self) -> String {
        format!("a whole number from {} to {}", self.min, self.max)
    }

    fn show(&self, value: &u32) -> String {
        value.to_string()
    }
}

/// A whole number within bounds, for counts of the machine.
#[derive(Debug)]
pub(super) struct Number {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Kind for Number {
    type Value = u64;

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        let integer = value.as_integer()?;
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
        (self.min..=self.max).contains(&number).then_some(number)
    }

    fn accepts(&self) -> String {
        format!("a whole number from {} to {}", self.min, self.max)
    }

    fn show(&self, value: &u64) -> String {
        value.to_string()
    }
}

/// An amount of memory or of a file, in bytes.
#[derive(Debug)]
pub(super) struct Bytes {
    pub(super) min: u64,
}

const MEGABYTE: u64 = 1_000_000;
const GIGABYTE: u64 = 1_000_000_000;

impl Kind for Bytes {
    type Value = u64;

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        let text = value.as_str()?;
        let (number, unit) = match (text.strip_suffix("MB"), text.strip_suffix("GB")) {
            (Some(number), _) => (number, MEGABYTE),
            (None, Some(number)) => (number, GIGABYTE),
            (None, None) => return None,
        };
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
        let bytes = number.parse::<u64>().ok().filter(|_| is_plain)?.checked_mul(unit)?;
        (bytes >= self.min).then_some(bytes)
    }

    fn accepts(&self) -> String {
        format!("an amount from {} such as \"500MB\" or \"4GB\"", self.show(&self.min))
    }

    fn show(&self, value: &u64) -> String {
        let (number, unit) = match value % GIGABYTE {
            0 => (value / GIGABYTE, "GB"),
            _ => (value / MEGABYTE, "MB"),
        };
        quoted(&format!("{number}{unit}"))
    }
}

/// Money in dollars, kept in millionths.
#[derive(Debug)]
pub(super) struct Dollars {
    pub(super) max: u32,
}

const MICRO: f64 = 1_000_000.0;

impl Kind for Dollars {
    type Value = u64;

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        let number: f64 = match (value.as_float(), value.as_integer()) {
            (Some(float), _) => float.as_str().parse().ok()?,
            (None, Some(integer)) => {
                i32::from_str_radix(integer.as_str(), integer.radix()).ok()?.into()
            }
            (None, None) => return None,
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number within bounds that are u32"
        )]
        (0.0..=f64::from(self.max)).contains(&number).then_some((number * MICRO).round() as u64)
    }

    fn accepts(&self) -> String {
        format!("dollars from 0 to {}, such as 2.5", self.max)
    }

    #[expect(clippy::cast_precision_loss, reason = "no sum here has that many digits")]
    fn show(&self, value: &u64) -> String {
        format!("{:?}", *value as f64 / MICRO)
    }
}

/// Yes or no.
#[derive(Debug)]
pub(super) struct Flag;

impl Kind for Flag {
    type Value = bool;

    fn read(&self, value: &DeValue<'_>) -> Option<bool> {
        value.as_bool()
    }

    fn accepts(&self) -> String {
        "true or false".to_owned()
    }

    fn show(&self, value: &bool) -> String {
        value.to_string()
    }
}

/// A share, kept in thousandths.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) min_milli: u32,
    pub(super) max_milli: u32,
}

impl Kind for Share {
    type Value = u32;

    fn read(&self, value: &DeValue<'_>) -> Option<u32> {
        let number: f64 = match (value.as_float(), value.as_integer()) {
            (Some(float), _) => float.as_str().parse().ok()?,
            (None, Some(integer)) => {
                i32::from_str_radix(integer.as_str(), integer.radix()).ok()?.into()
            }
            (None, None) => return None,
        };
        let milli = (number * 1_000.0).round();
        let bounds = f64::from(self.min_milli)..=f64::from(self.max_milli);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number within bounds that are u32"
        )]
        bounds.contains(&milli).then_some(milli as u32)
    }

    fn accepts(&self) -> String {
        let (min, max) = (self.show(&self.min_milli), self.show(&self.max_milli));
        format!("a number from {min} to {max}")
    }

    fn show(&self, value: &u32) -> String {
        format!("{:?}", f64::from(*value) / 1_000.0)
    }
}

/// A length of time within bounds.
#[derive(Debug)]
pub(super) struct Length {
    pub(super) min: Span,
    pub(super) max: Span,
}

impl Kind for Length {
    type Value = Span;

    fn read(&self, value: &DeValue<'_>) -> Option<Span> {
        let span = length::parse(value.as_str()?)?;
        (self.min..=self.max).contains(&span).then_some(span)
    }

    fn accepts(&self) -> String {
        let (min, max) = (length::text(self.min), length::text(self.max));
        format!("a length of time from \"{min}\" to \"{max}\", such as \"90s\" or \"1h30m\"")
    }

    fn show(&self, value: &Span) -> String {
        quoted(&length::text(*value))
    }
}

/// A text that means something: a login, a branch, an address, one of a few words.
#[derive(Debug)]
pub(super) struct Word<T> {
    pub(super) accepts: &'static str,
    pub(super) parse: fn(&str) -> Option<T>,
    pub(super) show: fn(&T) -> String,
}

impl<T> Kind for Word<T> {
    type Value = T;

    fn read(&self, value: &DeValue<'_>) -> Option<T> {
        let text = value.as_str()?;
        if text.len() > TEXT_BYTES_MAX || text.chars().any(char::is_control) {
            return None;
        }
        (self.parse)(text)
    }

    fn accepts(&self) -> String {
        self.accepts.to_owned()
    }

    fn show(&self, value: &T) -> String {
        (self.show)(value)
    }
}

/// A list; one item alone may stand for itself where that cannot be misunderstood.
#[derive(Debug)]
pub(super) struct List<K> {
    pub(super) of: K,
    pub(super) items_min: usize,
    pub(super) takes_one_alone: bool,
}

impl<K: Kind> Kind for List<K> {
    type Value = Vec<K::Value>;

    fn read(&self, value: &DeValue<'_>) -> Option<Self::Value> {
        let Some(items) = value.as_array() else {
            return self.takes_one_alone.then(|| self.of.read(value).map(|item| vec![item]))?;
        };
        let fits = (self.items_min..=LIST_ITEMS_MAX).contains(&items.len());
        let read = || items.iter().map(|item| self.of.read(item.get_ref())).collect();
        if fits { read() } else { None }
    }

    fn accepts(&self) -> String {
        let least = if self.items_min > 0 { " that is not empty" } else { "" };
        format!("a list{least}, each item {}", self.of.accepts())
    }

    fn show(&self, value: &Self::Value) -> String {
        let items: Vec<_> = value.iter().map(|item| self.of.show(item)).collect();
        format!("[{}]", items.join(", "))
    }
}

/// May be left out, and then means what the setting's description says.
#[derive(Debug)]
pub(super) struct Maybe<K>(pub(super) K);

impl<K: Kind> Kind for Maybe<K> {
    type Value = Option<K::Value>;

    fn read(&self, value: &DeValue<'_>) -> Option<Self::Value> {
        self.0.read(value).map(Some)
    }

    fn accepts(&self) -> String {
        self.0.accepts()
    }

    fn show(&self, value: &Self::Value) -> String {
        value.as_ref().map_or_else(|| "not set".to_owned(), |value| self.0.show(value))
    }

    fn is_secret(&self) -> bool {
        self.0.is_secret()
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}
