//! Reading: one resource or all pages of a list, conditionally where it was read before.

use crate::budget::Purpose;
use crate::cache::Kept;
use crate::client::{Client, Declined, Exchanged, Outgoing, Reply};
use crate::complaint::{Complaint, sentence};
use crate::page::{self, PAGE_ITEMS, PAGES_MAX, Page};
use crate::route;
use crate::transport::Transport;
use http::header::{ETAG, HeaderValue};
use http::{Method, Response};
use ralph_core::ids::RepoName;
use ralph_core::time::Time;
use ralph_engine::ports::{Read, Skipped, Unread};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The reason why a read gave no value.
#[derive(Debug)]
pub(crate) enum Miss {
    /// The forge understood and declined, which may be an answer too.
    Refused {
        complaint: Complaint,
        why: String,
    },
    Unread(Unread),
}

impl Miss {
    fn unread(path: &str, what: &str) -> Self {
        Self::Unread(Unread::failed(sentence(&Method::GET, path, what)))
    }

    const fn later(until: Option<Time>, why: String) -> Self {
        Self::Unread(Unread { until, why, is_refused: false })
    }

    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Refused { complaint, .. } => matches!(complaint.status.as_u16(), 404 | 410),
            Self::Unread(_) => false,
        }
    }

    /// A commit that the forge does not know yet is answered like this.
    pub(crate) fn is_unprocessable(&self) -> bool {
        match self {
            Self::Refused { complaint, .. } => complaint.status.as_u16() == 422,
            Self::Unread(_) => false,
        }
    }

    /// Does the forge say that it is somewhere else by now?
    pub(crate) fn is_moved(&self) -> bool {
        match self {
            Self::Refused { complaint, .. } => complaint.status.is_redirection(),
            Self::Unread(_) => false,
        }
    }
}

impl From<Miss> for Unread {
    fn from(miss: Miss) -> Self {
        match miss {
            Miss::Refused { why, .. } => Self::refused(why),
            Miss::Unread(unread) => unread,
        }
    }
}

/// `None` where the forge says that there is no such thing.
pub(crate) fn if_there<V>(read: Result<V, Miss>) -> Read<Option<V>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(miss) if miss.is_missing() => Ok(None),
        Err(miss) => Err(miss.into()),
    }
}

/// A value that can be kept.
pub(crate) trait Value: DeserializeOwned + Send + Sync + 'static {}
impl<V: DeserializeOwned + Send + Sync + 'static> Value for V {}

/// One page as sent now, or as kept and still valid.
pub(crate) struct Fetched<V> {
    pub(crate) value: Arc<V>,
    next: Option<Arc<str>>,
    /// Entries that are missing from the value, because they make no sense.
    skipped: Vec<Skipped>,
}

/// Reads what it can of a page that does not make sense as a whole.
pub(crate) type Salvage<V> = fn(&[u8]) -> Option<(V, Vec<Skipped>)>;

impl<T: Transport> Client<T> {
    /// Reads one resource.
    pub(crate) fn get<V: Value>(&mut self, path: &str) -> Result<Arc<V>, Miss> {
        let (url, about) = (self.account.address.of(path), route::repository_of(path));
        let got = self.fetch((&url, about.as_ref()), None).map(|fetched| fetched.value);
        got.map_err(|miss| self.with_new_name(miss, about.as_ref()))
    }

    /// Reads a text. It is not kept: logs are long and read once.
    pub(crate) fn get_text(&mut self, path: &str) -> Result<String, Miss> {
        let (url, about) = (self.account.address.of(path), route::repository_of(path));
        let (method, purpose, tag, body) = (Method::GET, Purpose::Read, None, Vec::new());
        let outgoing = Outgoing { method, url: &url, about: about.as_ref(), purpose, tag, body };
        match self.exchange(&outgoing) {
            Exchanged::Happened(Reply::Fresh(response)) => {
                Ok(String::from_utf8_lossy(response.body()).into_owned())
            }
            Exchanged::Happened(Reply::Unchanged) => Err(Miss::unread(
                path,
                "was answered with 304, although nothing had been read before",
            )),
            Exchanged::Refused(Declined { complaint, why, .. }) => {
                Err(Miss::Refused { complaint, why })
            }
            Exchanged::Later { until, why } => Err(Miss::later(until, why)),
            Exchanged::Unknown { why } => Err(Miss::Unread(Unread::failed(why))),
        }
    }

    /// Reads what can never change: once read, it is not asked for again.
    pub(crate) fn get_final<V: Value>(&mut self, path: &str) -> Result<Arc<V>, Miss> {
        let kept = self.account.cache().get(&self.account.address.of(path));
        match kept.and_then(|kept| kept.value.downcast().ok()) {
            Some(value) => Ok(value),
            None => self.get(path),
        }
    }

    /// Reads all pages of a list, or fails.
    ///
    /// Every page is asked for in this very read. An unchanged page is what the forge would send now, so
    /// kept and new pages fit together as well as new ones alone would. After a last page that is full the next
    /// one is asked for too, empty as it is: the full page's tag would stay the same when another one begins.
    pub(crate) fn list<V: Value + Page>(&mut self, path: &str) -> Result<Vec<Arc<V>>, Miss> {
        let about = route::repository_of(path);
        let pages = self.pages(path, about.as_ref(), None);
        pages.map_err(|miss| self.with_new_name(miss, about.as_ref()))
    }

    /// The same for a list whose entries have nothing to do with each other: those that make no sense are left
    /// out, and reported by `skipped`.
    pub(crate) fn list_each<I: Value>(&mut self, path: &str) -> Result<Vec<Arc<Vec<I>>>, Miss> {
        self.list_salvaged(path, page::salvage::<I>)
    }

    /// The same for pages whose entries lie deeper.
    pub(crate) fn list_salvaged<V: Value + Page>(
        &mut self,
        path: &str,
        salvage: Salvage<V>,
    ) -> Result<Vec<Arc<V>>, Miss> {
        let about = route::repository_of(path);
        let pages = self.pages(path, about.as_ref(), Some(salvage));
        pages.map_err(|miss| self.with_new_name(miss, about.as_ref()))
    }

    /// The addresses of further pages name the repository by a number.
    fn pages<V: Value + Page>(
        &mut self,
        path: &str,
        about: Option<&RepoName>,
        salvage: Option<Salvage<V>>,
    ) -> Result<Vec<Arc<V>>, Miss> {
        let mut pages = Vec::new();
        let mut next = Some(Arc::<str>::from(self.account.address.of(path)));
        while let Some(url) = next {
            if pages.len() == PAGES_MAX {
                let what = format!("has more than {PAGES_MAX} pages, which is more than is read");
                let why = sentence(&Method::GET, path, &what);
                return Err(Miss::Unread(Unread::refused(why)));
            }
            let fetched: Fetched<V> = self.fetch((&url, about), salvage)?;
            let is_full = fetched.value.items() + fetched.skipped.len() >= PAGE_ITEMS;
            self.skipped.extend(fetched.skipped);
            next = fetched.next.or_else(|| is_full.then(|| page::after(&url).into()));
            pages.push(fetched.value);
        }
        Ok(pages)
    }

    pub(crate) fn fetch<V: Value>(
        &mut self,
        (url, about): (&str, Option<&RepoName>),
        salvage: Option<Salvage<V>>,
    ) -> Result<Fetched<V>, Miss> {
        let account = Arc::clone(&self.account);
        let kept: Option<(HeaderValue, Fetched<V>)> = account.cache().get(url).and_then(|kept| {
            let value = kept.value.downcast().ok()?;
            Some((kept.etag, Fetched { value, next: kept.next, skipped: Vec::new() }))
        });
        let (tag, kept) = kept.unzip();
        let (method, purpose) = (Method::GET, Purpose::Read);
        let body = Vec::new();
        let exchanged = self.exchange(&Outgoing { method, url, about, purpose, tag, body });
        let path = account.address.path_of(url);
        let response = match exchanged {
            Exchanged::Happened(Reply::Fresh(response)) => response,
            Exchanged::Happened(Reply::Unchanged) => {
                let what = "was answered with 304, although nothing had been read before";
                return kept.ok_or_else(|| Miss::unread(path, what));
            }
            Exchanged::Refused(Declined { complaint, why, .. }) => {
                return Err(Miss::Refused { complaint, why });
            }
            Exchanged::Later { until, why } => return Err(Miss::later(until, why)),
            Exchanged::Unknown { why } => return Err(Miss::Unread(Unread::failed(why))),
        };
        let fetched: Fetched<V> = self.parse(path, &response, salvage)?;
        // Left-out entries have to be reported at every read, so such a page is read in full each time.
        match response.headers().get(ETAG).cloned().filter(|_| fetched.skipped.is_empty()) {
            Some(etag) => {
                let value = Arc::clone(&fetched.value);
                let (next, bytes) = (fetched.next.clone(), response.body().len());
                account.cache().put(url, Kept { etag, value, next, bytes });
            }
            None => account.cache().remove(url),
        }
        Ok(fetched)
    }

    fn parse<V: Value>(
        &self,
        path: &str,
        response: &Response<Vec<u8>>,
        salvage: Option<Salvage<V>>,
    ) -> Result<Fetched<V>, Miss> {
        let read = serde_json::from_slice(response.body()).map(|value| (value, Vec::new()));
        let (value, mut skipped) = read.or_else(|source| {
            let salvaged = salvage.and_then(|salvage| salvage(response.body()));
            let what = format!("was answered with something unexpected: {source}");
            salvaged.ok_or_else(|| Miss::unread(path, &what))
        })?;
        for skipped in &mut skipped {
            let what = format!("lists something unexpected, which is left out: {}", skipped.why);
            skipped.why = sentence(&Method::GET, path, &what);
        }
        let next = match page::next_link(response.headers()) {
            None => None,
            Some(link) => Some(self.account.address.follow(link).ok_or_else(|| {
                Miss::unread(path, &format!("goes on at another host, which is not asked: {link}"))
            })?),
        };
        Ok(Fetched { value: Arc::new(value), next: next.map(Arc::from), skipped })
    }
}
