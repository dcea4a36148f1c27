//! Reads accounts, their limits, budgets and prices, and says which account a role uses.

use super::reading::refuse_secrets;
use super::settings::spending::{self as table, AccountConfig, PriceTable, WindowTable};
use super::sheet::{Book, Sheet};
use super::{AgentKind, Config};
use ralph_core::account::AccountName;
use ralph_core::books::Amount;
use ralph_core::budget::Budget;
use ralph_core::price::Prices;
use ralph_core::role::Role;
use ralph_core::throttle::{Throttle, WindowRule};
use ralph_core::time::Span;

/// The windows whose length is known by their name.
const KNOWN_WINDOWS: [(&str, Span); 2] =
    [("5h", Span::from_mins(5 * 60)), ("weekly", Span::from_mins(7 * 24 * 60))];

impl Config {
    /// The accounts of a role: those that are named for its kind, unless the role has its own login. A kind without named
    /// ones has a single account.
    pub(super) fn accounts_of(&self, role: Role) -> Vec<AccountName> {
        let (all, own) = (self.agent(""), self.agent(role.name()));
        let kind = own.kind.name();
        if own.kind == all.kind && own.credentials != all.credentials {
            return vec![AccountName::new(&format!("{kind} ({role})", role = role.name()))];
        }
        let named: Vec<_> = self.accounts_of_kind(own.kind).map(|it| it.name.clone()).collect();
        if named.is_empty() { vec![AccountName::new(kind)] } else { named }
    }

    pub(crate) fn accounts_of_kind(&self, kind: AgentKind) -> impl Iterator<Item = &AccountConfig> {
        self.accounts.iter().filter(move |account| account.kind == kind)
    }
}

pub(super) fn accounts(
    book: &mut Book<'_>,
    top: Sheet<'_>,
    secrets: &[String],
) -> Vec<AccountConfig> {
    let mut accounts: Vec<AccountConfig> = Vec::new();
    for (at, one) in top.tables(book, "accounts") {
        let sheet = Sheet::open(book, &table::ACCOUNT, Some(one));
        let mut account = AccountConfig::default();
        let prefix = |account: &AccountConfig| format!("accounts.{}.", account.name);
        sheet.fill(book, &table::ACCOUNT, &mut account, &prefix);
        for name in ["name", "kind"] {
            if sheet.place_of(name).is_none() {
                book.complain(at, format!("this [[accounts]] has no `{name}`"));
            }
        }
        if sheet.place_of("env").is_none() && sheet.place_of("files").is_none() {
            let says = "this [[accounts]] has no login; name `env` or `files`".to_owned();
            book.complain(at, says);
        }
        if accounts.iter().any(|known| known.name == account.name) {
            let says = format!("the account {} is there twice; keep one of them", account.name);
            book.complain(at, says);
        }
        let sources: Vec<_> = account.env.iter().map(|it| it.source.clone()).collect();
        refuse_secrets(book, (sheet, "env"), &sources, secrets);
        accounts.push(account);
    }
    accounts
}

pub(super) fn throttle(
    book: &mut Book<'_>,
    top: Sheet<'_>,
    accounts: &[AccountConfig],
) -> Throttle {
    let place = top.table(book, "throttle");
    let sheet = Sheet::open(book, &table::THROTTLE, place);
    let mut throttle = Throttle::default();
    sheet.fill(book, &table::THROTTLE, &mut throttle, &|_| "throttle.".to_owned());
    if throttle.soft_milli > throttle.hard_milli {
        let at = sheet.place_of("soft").or_else(|| sheet.place_of("hard")).unwrap_or_default();
        book.complain(at, "`soft` is above `hard`; it has to come first".to_owned());
    }
    for (at, one) in sheet.tables(book, "windows") {
        let own = Sheet::open(book, &table::WINDOW, Some(one));
        let mut window = WindowTable::default();
        let prefix = |window: &WindowTable| {
            format!("throttle.windows.{}.", window.name.as_deref().unwrap_or_default())
        };
        own.fill(book, &table::WINDOW, &mut window, &prefix);
        throttle.windows.extend(rule(book, (own, at), window, accounts));
    }
    throttle
}

fn rule(
    book: &mut Book<'_>,
    (sheet, at): (Sheet<'_>, usize),
    window: WindowTable,
    accounts: &[AccountConfig],
) -> Option<WindowRule> {
    for name in ["name", "tokens"] {
        if sheet.place_of(name).is_none() {
            book.complain(at, format!("this [[throttle.windows]] has no `{name}`"));
        }
    }
    let name = window.name?;
    let known = KNOWN_WINDOWS.iter().find(|(known, _)| *known == name).map(|(_, length)| *length);
    let length = window.length.or(known);
    if length.is_none() && sheet.place_of("length").is_none() {
        book.complain(at, format!("the window {name:?} has no `length`"));
    }
    // Accounts without a table have the names of kinds.
    let is_known = |account: &AccountName| {
        let is_kind = AgentKind::ALL.iter().any(|kind| account.as_str().starts_with(kind.name()));
        is_kind || accounts.iter().any(|known| known.name == *account)
    };
    if let Some(account) = window.account.as_ref().filter(|account| !is_known(account)) {
        let at = sheet.place_of("account").unwrap_or(at);
        book.complain(at, format!("there is no account {account}; add it as [[accounts]]"));
    }
    Some(WindowRule { name, length: length?, tokens: window.tokens?, account: window.account })
}

pub(super) fn budget(book: &mut Book<'_>, top: Sheet<'_>) -> Budget {
    let place = top.table(book, "budget");
    let sheet = Sheet::open(book, &table::BUDGET, place);
    let mut budget = Budget::default();
    sheet.fill(book, &table::BUDGET, &mut budget, &|_| "budget.".to_owned());
    let Amount { tokens, micro_usd } = budget.first_turn;
    for (name, limit, turn, reserve) in [
        ("issue_usd", budget.issue.micro_usd, "turn_usd", micro_usd),
        ("issue_tokens", budget.issue.tokens, "turn_tokens", tokens),
    ] {
        if let (Some(at), true) = (sheet.place_of(name), limit.is_some_and(|it| it < reserve)) {
            let says = format!(
                "`{name}` is less than `{turn}`, which is reserved for a first turn, so that no issue could begin; raise \
                 the one or lower the other"
            );
            book.complain(at, says);
        }
    }
    budget
}

pub(super) fn prices(book: &mut Book<'_>, top: Sheet<'_>) -> Prices {
    let mut prices = Prices::default();
    for (model, at, one) in top.table(book, "prices").map(Sheet::named_tables).unwrap_or_default() {
        let Some(one) = one else {
            book.complain(at, format!("`prices.{model}` is a table; write [prices.{model:?}]"));
            continue;
        };
        let sheet = Sheet::open(book, &table::PRICE, Some(one));
        let mut price = PriceTable::default();
        sheet.fill(book, &table::PRICE, &mut price, &|_| format!("prices.{model}."));
        for name in ["input", "output"] {
            if sheet.place_of(name).is_none() {
                book.complain(at, format!("`[prices.{model:?}]` has no `{name}`"));
            }
        }
        price.price().into_iter().for_each(|price| prices.insert(model, price));
    }
    prices
}
