//! Lists come in pages of 30 unless asked otherwise, and never more than 100.

const PAGE_SIZE_DEFAULT: usize = 30;
/// GitHub's limit; a larger number is cut to it, not refused.
const PAGE_SIZE_MAX: usize = 100;

/// A page of a list, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub number: usize,
    pub size: usize,
}

impl Default for Page {
    fn default() -> Self {
        Self { number: 1, size: PAGE_SIZE_DEFAULT }
    }
}

impl Page {
    /// The first page, as long as pages get.
    #[must_use]
    pub const fn largest() -> Self {
        Self { number: 1, size: PAGE_SIZE_MAX }
    }

    fn effective(self) -> Self {
        let size = if self.size == 0 { PAGE_SIZE_DEFAULT } else { self.size.min(PAGE_SIZE_MAX) };
        Self { number: self.number.max(1), size }
    }
}

/// One page of a list, with what is needed to find the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    pub items: Vec<T>,
    /// The number of items on all pages.
    pub total: usize,
    /// The page as it was used, after defaults and limits.
    pub page: Page,
}

impl<T> Listing<T> {
    /// Cuts the page out and makes only its items.
    pub(crate) fn of<S>(all: &[S], page: Page, mut make: impl FnMut(&S) -> T) -> Self {
        let page = page.effective();
        let skipped = (page.number - 1).saturating_mul(page.size);
        let items = all.iter().skip(skipped).take(page.size).map(&mut make).collect();
        Self { items, total: all.len(), page }
    }

    /// The number of the last page, at least 1.
    #[must_use]
    pub fn last_page(&self) -> usize {
        self.total.div_ceil(self.page.size).max(1)
    }
}

/// Open, closed, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateFilter {
    #[default]
    Open,
    Closed,
    All,
}

impl StateFilter {
    pub(super) fn admits(self, open: bool) -> bool {
        match self {
            Self::Open => open,
            Self::Closed => !open,
            Self::All => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    /// Puts a list that is in ascending order into this one.
    pub(super) fn apply<T>(self, ascending: &mut [T]) {
        match self {
            Self::Ascending => {}
            Self::Descending => ascending.reverse(),
        }
    }
}
