//! Accounts, their limits, budgets and prices.

use super::words::{ACCOUNT_NAME, AGENT_KIND, HOME_FILE, LOGIN_VARIABLE, TEXT, list};
use crate::config::AgentKind;
use crate::config::kind::{Dollars, Length, Maybe, Number, Share};
use crate::config::setting::{Section, Setting};
use ralph_core::account::AccountName;
use ralph_core::books::LONGEST_WINDOW;
use ralph_core::budget::Budget;
use ralph_core::price::Price;
use ralph_core::throttle::Throttle;
use ralph_core::time::Span;

/// An account of a kind of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountConfig {
    pub(crate) name: AccountName,
    pub(crate) kind: AgentKind,
    pub(crate) env: Vec<LoginVariable>,
    /// May begin with `~/`.
    pub(crate) files: Vec<String>,
}

/// A variable of the program and the variable that its value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoginVariable {
    pub(crate) name: String,
    pub(crate) source: String,
}

impl Default for AccountConfig {
    fn default() -> Self {
        let (env, files) = (Vec::new(), Vec::new());
        Self { name: AccountName::new(""), kind: AgentKind::Command, env, files }
    }
}

pub(in crate::config) static ACCOUNT: Section<AccountConfig> = Section {
    heading: "[[accounts]]",
    says: "One table per account, where a kind of agents has several. New work goes to the account \
             with most left; a session that is resumed stays with its own. Roles with credentials of \
             their own do not use these.",
    settings: &[
        &Setting::new(
            "name",
            ACCOUNT_NAME,
            |account: &mut AccountConfig| &mut account.name,
            "Its name in `ralph usage` and `[[throttle.windows]]`. Required.",
        ),
        &Setting::new(
            "kind",
            AGENT_KIND,
            |account: &mut AccountConfig| &mut account.kind,
            "The kind of agents that uses it. Required.",
        ),
        &Setting::new(
            "env",
            list(LOGIN_VARIABLE),
            |account: &mut AccountConfig| &mut account.env,
            "Environment variables with its login: a name, or `NAME=SOURCE` if the program's \
             variable NAME gets its value from Ralph's variable SOURCE.",
        ),
        &Setting::new(
            "files",
            list(HOME_FILE),
            |account: &mut AccountConfig| &mut account.files,
            "Login files of it.",
        ),
    ],
    tables: &[],
    inherits: None,
};

const SHARE: Share = Share { min_milli: 10, max_milli: 1_000 };

pub(in crate::config) static THROTTLE: Section<Throttle> = Section {
    heading: "[throttle]",
    says: "Limits of accounts: those that programs report, and `[[throttle.windows]]`. The window of \
             which most is used counts.",
    settings: &[
        &Setting::new(
            "soft",
            SHARE,
            |throttle: &mut Throttle| &mut throttle.soft_milli,
            "The part of a limit from which nothing new is claimed.",
        ),
        &Setting::new(
            "hard",
            SHARE,
            |throttle: &mut Throttle| &mut throttle.hard_milli,
            "The part of a limit from which no turn is started.",
        ),
    ],
    tables: &["windows"],
    inherits: None,
};

/// The table `[[throttle.windows]]` as it stands in the file.
#[derive(Debug, Default)]
pub(in crate::config) struct WindowTable {
    pub(in crate::config) name: Option<String>,
    pub(in crate::config) length: Option<Span>,
    pub(in crate::config) tokens: Option<u64>,
    pub(in crate::config) account: Option<AccountName>,
}

/// A window shorter than this is over before a turn is.
const WINDOW_LENGTH: Length = Length { min: Span::from_mins(10), max: LONGEST_WINDOW };
const TOKENS: Number = Number { min: 1_000, max: 1_000_000_000_000 };

pub(in crate::config) static WINDOW: Section<WindowTable> = Section {
    heading: "[[throttle.windows]]",
    says: "A window in which Ralph counts the tokens of each account by itself. It moves with the time.",
    settings: &[
        &Setting::new(
            "name",
            Maybe(TEXT),
            |window: &mut WindowTable| &mut window.name,
            "`\"5h\"`, `\"weekly\"` or a name of your own. Required.",
        ),
        &Setting::new(
            "length",
            Maybe(WINDOW_LENGTH),
            |window: &mut WindowTable| &mut window.length,
            "Its length; `\"5h\"` and `\"weekly\"` have theirs.",
        ),
        &Setting::new(
            "tokens",
            Maybe(TOKENS),
            |window: &mut WindowTable| &mut window.tokens,
            "Tokens that an account may use in this time. Required.",
        ),
        &Setting::new(
            "account",
            Maybe(ACCOUNT_NAME),
            |window: &mut WindowTable| &mut window.account,
            "The only account that it is for. Not set: every one has a window of its own.",
        ),
    ],
    tables: &[],
    inherits: None,
};

/// More is no budget.
const DOLLARS: Dollars = Dollars { max: 1_000_000 };

pub(in crate::config) static BUDGET: Section<Budget> = Section {
    heading: "[budget]",
    says: "The most that may be spent. Before a turn as much is reserved as the largest turn of its \
             role in the repository used so far. What is not set has no limit.",
    settings: &[
        &Setting::new(
            "issue_usd",
            Maybe(DOLLARS),
            |budget: &mut Budget| &mut budget.issue.micro_usd,
            "Dollars for one issue. If the next turn may need more than is left, a person is asked, \
             with what was spent on what; one who asks for more work on it grants the same again.",
        ),
        &Setting::new(
            "day_usd",
            Maybe(DOLLARS),
            |budget: &mut Budget| &mut budget.day.micro_usd,
            "Dollars in any 24 hours, over all repositories. Above it nothing new is claimed.",
        ),
        &Setting::new(
            "issue_tokens",
            Maybe(TOKENS),
            |budget: &mut Budget| &mut budget.issue.tokens,
            "As `issue_usd`, in tokens.",
        ),
        &Setting::new(
            "day_tokens",
            Maybe(TOKENS),
            |budget: &mut Budget| &mut budget.day.tokens,
            "As `day_usd`, in tokens.",
        ),
        &Setting::new(
            "turn_usd",
            DOLLARS,
            |budget: &mut Budget| &mut budget.first_turn.micro_usd,
            "Dollars that are reserved for a turn of a role that has taken none yet, and counted for \
             one whose price is not known.",
        ),
        &Setting::new(
            "turn_tokens",
            TOKENS,
            |budget: &mut Budget| &mut budget.first_turn.tokens,
            "As `turn_usd`, in tokens.",
        ),
    ],
    tables: &[],
    inherits: None,
};

/// The table `[prices.<model>]` as it stands in the file.
#[derive(Debug, Default)]
pub(in crate::config) struct PriceTable {
    pub(in crate::config) input: Option<u64>,
    pub(in crate::config) output: Option<u64>,
    pub(in crate::config) cached: Option<u64>,
}

impl PriceTable {
    pub(in crate::config) fn price(&self) -> Option<Price> {
        Some(Price { input: self.input?, output: self.output?, cached: self.cached })
    }
}

pub(in crate::config) static PRICE: Section<PriceTable> = Section {
    heading: "[prices.<model>]",
    says: "The price of a model, in dollars for a million tokens, for programs that tell tokens and no \
             money. The longest name that the model's name begins with counts.",
    settings: &[
        &Setting::new(
            "input",
            Maybe(DOLLARS),
            |price: &mut PriceTable| &mut price.input,
            "Tokens read. Required.",
        ),
        &Setting::new(
            "output",
            Maybe(DOLLARS),
            |price: &mut PriceTable| &mut price.output,
            "Tokens written. Required.",
        ),
        &Setting::new(
            "cached",
            Maybe(DOLLARS),
            |price: &mut PriceTable| &mut price.cached,
            "Tokens read from the cache; as `input` if not set.",
        ),
    ],
    tables: &[],
    inherits: None,
};
