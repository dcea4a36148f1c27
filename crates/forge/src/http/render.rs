//! GitHub's JSON, written straight from the model: one file per resource, no tree of values between.

pub(super) mod app;
pub(super) mod branch;
pub(super) mod cache;
pub(super) mod check;
pub(super) mod comment;
pub(super) mod commit;
pub(super) mod contents;
pub(super) mod hook;
pub(super) mod issue;
pub(super) mod label;
pub(super) mod protection;
pub(super) mod pull;
pub(super) mod repository;
pub(super) mod review;
pub(super) mod status;
pub(super) mod tag;
pub(super) mod timeline;
pub(super) mod user;

use serde::{Serialize, Serializer};

use crate::model::Forge;

/// The context that every object is rendered in: the base of links, the viewer, and the rest of the forge.
#[derive(Clone, Copy)]
pub(super) struct RenderContext<'a> {
    /// Without a slash at its end; API and pages share it.
    pub(super) base: &'a str,
    pub(super) forge: &'a Forge,
    pub(super) viewer: &'a str,
    pub(super) cache: &'a cache::RenderCache,
}

/// Writes an object: names beside their values, in the order given.
macro_rules! object {
    ($serializer:expr, { $($key:literal: $value:expr),* $(,)? }) => {{
        use serde::ser::SerializeMap;
        let mut map = $serializer.serialize_map(None)?;
        $(map.serialize_entry($key, &$value)?;)*
        map.end()
    }};
}
pub(super) use object;

/// Writes entries into an object that is being written.
macro_rules! entries {
    ($map:expr, { $($key:literal: $value:expr),* $(,)? }) => {{
        $($map.serialize_entry($key, &$value)?;)*
    }};
}
pub(super) use entries;

/// A list whose items are made one by one while it is written.
pub(super) fn each<'a, T, F, J>(items: &'a [T], make: F) -> Each<'a, T, F>
where
    F: Fn(&'a T) -> J,
    J: Serialize,
{
    Each(items, make)
}

pub(super) struct Each<'a, T, F>(&'a [T], F);

impl<'a, T, F, J> Serialize for Each<'a, T, F>
where
    F: Fn(&'a T) -> J,
    J: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(&self.1))
    }
}

/// A list without items, of whatever they would be.
pub(super) const NONE: [u8; 0] = [];

/// `{"href": ...}`.
pub(super) struct Href<'a>(pub(super) std::fmt::Arguments<'a>);

impl Serialize for Href<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "href": self.0 })
    }
}

/// `{"enabled": ...}`.
#[derive(Serialize)]
pub(super) struct Enabled {
    pub(super) enabled: bool,
}
