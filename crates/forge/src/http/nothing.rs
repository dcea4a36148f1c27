//! Fields of things that are not kept here: the only value that can be sent is that there is none.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Null, false, or a text, a list or an object with nothing in it.
#[derive(Debug)]
pub(super) struct Nothing;

impl<'de> Deserialize<'de> for Nothing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let is_nothing = match &value {
            Value::Null => true,
            Value::Bool(flag) => !flag,
            Value::String(text) => text.is_empty(),
            Value::Array(values) => values.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            Value::Number(_) => false,
        };
        if is_nothing {
            return Ok(Self);
        }
        Err(D::Error::custom(format!("{value} is not kept here, so that nothing else can be sent")))
    }
}
