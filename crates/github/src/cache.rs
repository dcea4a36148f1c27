//! Answers kept for conditional requests: what was last read at an address, already parsed, with the tag
//! that asks "still the same?". Least recently used goes first.

use http::HeaderValue;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A few hundred issues under way need a handful of addresses each.
const ENTRIES_MAX: usize = 4_000;
/// By the size of the bodies as sent; what is kept of them is a fraction. A full page of issues has about 300 KB,
/// and a hundred repositories want one each.
const BYTES_MAX: usize = 64 << 20;

/// One kept answer.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) etag: HeaderValue,
    /// The page's value, of the type that was asked for.
    pub(crate) value: Arc<dyn Any + Send + Sync>,
    /// The address of the next page.
    pub(crate) next: Option<Arc<str>>,
    /// Size of the body.
    pub(crate) bytes: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Cache {
    entries: BTreeMap<Arc<str>, Entry>,
    /// Addresses by when they were last used.
    by_use: BTreeMap<u64, Arc<str>>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    kept: Kept,
    used: u64,
}

impl Cache {
    pub(crate) fn get(&mut self, url: &str) -> Option<Kept> {
        let entry = self.entries.get_mut(url)?;
        if let Some(url) = self.by_use.remove(&entry.used) {
            self.uses += 1;
            entry.used = self.uses;
            self.by_use.insert(self.uses, url);
        }
        Some(entry.kept.clone())
    }

    pub(crate) fn put(&mut self, url: &str, kept: Kept) {
        self.remove(url);
        if kept.bytes > BYTES_MAX {
            return;
        }
        let url: Arc<str> = url.into();
        self.uses += 1;
        self.bytes += kept.bytes;
        self.by_use.insert(self.uses, Arc::clone(&url));
        self.entries.insert(url, Entry { kept, used: self.uses });
        while self.bytes > BYTES_MAX || self.entries.len() > ENTRIES_MAX {
            let Some(oldest) = self.by_use.first_key_value().map(|(_, url)| Arc::clone(url)) else {
                return;
            };
            self.remove(&oldest);
        }
    }

    pub(crate) fn remove(&mut self, url: &str) {
        if let Some(entry) = self.entries.remove(url) {
            self.by_use.remove(&entry.used);
            self.bytes -= entry.kept.bytes;
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({:?}, {} bytes)", self.etag, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: usize) -> Kept {
        let etag = HeaderValue::from_static("\"x\"");
        Kept { etag, value: Arc::new(()), next: None, bytes }
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let mut cache = Cache::default();
        for url in ["a", "b", "c"] {
            cache.put(url, kept(BYTES_MAX / 3));
        }
        assert!(cache.get("a").is_some());
        cache.put("d", kept(BYTES_MAX / 3));
        let there = ["a", "b", "c", "d"].map(|url| cache.get(url).is_some());
        assert_eq!(there, [true, false, true, true]);
    }

    #[test]
    fn it_stays_within_its_bounds() {
        let mut cache = Cache::default();
        for number in 0..ENTRIES_MAX + 10 {
            cache.put(&number.to_string(), kept(1));
        }
        assert_eq!((cache.entries.len(), cache.by_use.len()), (ENTRIES_MAX, ENTRIES_MAX));
        cache.put("huge", kept(BYTES_MAX + 1));
        assert!(cache.get("huge").is_none());
        cache.put("large", kept(BYTES_MAX));
        assert_eq!((cache.entries.len(), cache.bytes), (1, BYTES_MAX));
        cache.put("large", kept(7));
        assert_eq!((cache.entries.len(), cache.bytes), (1, 7));
    }
}
