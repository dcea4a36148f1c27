//! From the text of a file to a `Config`: each table in turn, then what only the whole can tell.

use super::kind::{Kind, Maybe};
use super::setting::Setting;
use super::settings::{agent, forge, repos, sandbox, top};
use super::sheet::{Book, Problem, Sheet};
use super::{
    AgentConfig, AppConfig, Config, ForgeConfig, GateRule, Isolation, RepoConfig, Retention,
    TokenSource,
};
use ralph_core::gate::Gate;
use ralph_core::ids::{Login, RepoName};
use ralph_github::Fence;
use std::collections::BTreeMap;
use toml::de::DeTable;

pub(super) fn read(text: &str) -> Result<Config, Vec<Problem>> {
    let mut book = Book::of(text);
    let parsed = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            // Only the message: the whole error repeats the line, which may hold a token.
            book.complain(at, format!("this is not TOML: {}", error.message()));
            return Err(book.problems);
        }
    };
    let config = whole(&mut book, parsed.get_ref());
    let mut problems = book.problems;
    if problems.is_empty() {
        return Ok(Config { effective: book.effective, ..config });
    }
    problems.sort_by_key(|problem| problem.line);
    Err(problems)
}

fn whole<'v>(book: &mut Book<'_>, table: &'v DeTable<'v>) -> Config {
    let sheet = Sheet::open(book, &top::TOP, Some(table));
    let allowed_owners = sheet.read(book, "", &top::ALLOWED_OWNERS);
    let sandbox = sandbox(book, sheet);
    let (base, isolation) = agent(book, sheet);
    Config {
        max_workers: sheet.read(book, "", &top::MAX_WORKERS),
        poll_interval: sheet.read(book, "", &top::POLL_INTERVAL),
        operator: sheet.read(book, "", &top::OPERATOR),
        claims_max: sheet.read(book, "", &top::CLAIMS_MAX),
        webhook_listen: sheet.read(book, "", &top::WEBHOOK_LISTEN),
        dashboard_listen: sheet.read(book, "", &top::DASHBOARD_LISTEN),
        metrics_listen: sheet.read(book, "", &top::METRICS_LISTEN),
        forge: forge(book, sheet),
        roles: roles(book, sheet, &base),
        agent: base,
        isolation,
        retention: retention(book, sheet),
        repos: repos(book, sheet, (allowed_owners.as_deref(), sandbox.as_ref())),
        sandbox,
        effective: Vec::new(),
    }
}

fn forge(book: &mut Book<'_>, top: Sheet<'_>) -> ForgeConfig {
    let table = top.table(book, "forge");
    let sheet = Sheet::open(book, &forge::FORGE, table);
    let token_env = sheet.read(book, "forge.", &forge::TOKEN_ENV);
    let token = sheet.read(book, "forge.", &forge::TOKEN);
    if let (Some(at), Some(_)) = (sheet.place_of("token"), sheet.place_of("token_env")) {
        book.complain(at, "`token` and `token_env` are both given; keep one of them".to_owned());
    }
    let app = app(book, sheet);
    ForgeConfig {
        url: sheet.read(book, "forge.", &forge::API_URL),
        token: match (app, token) {
            (Some(app), _) => TokenSource::App(app),
            (None, Some(token)) => TokenSource::File(token),
            (None, None) => TokenSource::Environment(token_env),
        },
        webhook_secret_env: sheet.read(book, "forge.", &forge::WEBHOOK_SECRET_ENV),
        read_lag: sheet.read(book, "forge.", &forge::READ_LAG),
    }
}

fn app(book: &mut Book<'_>, forge: Sheet<'_>) -> Option<AppConfig> {
    let at = forge.place_of("app")?;
    let table = forge.table(book, "app");
    let sheet = Sheet::open(book, &forge::APP, table);
    let app_id = sheet.read(book, "forge.app.", &forge::APP_ID);
    let installation_id = sheet.read(book, "forge.app.", &forge::INSTALLATION_ID);
    let private_key_path = sheet.read(book, "forge.app.", &forge::PRIVATE_KEY_PATH);
    for name in ["token", "token_env"] {
        if let Some(at) = forge.place_of(name) {
            let says = format!("`{name}` and `[forge.app]` are both given; keep one of them");
            book.complain(at, says);
        }
    }
    for name in ["app_id", "private_key_path"] {
        if sheet.place_of(name).is_none() {
            book.complain(at, format!("`[forge.app]` has no `{name}`, and cannot do without"));
        }
    }
    Some(AppConfig { app_id: app_id?, installation_id, private_key_path: private_key_path? })
}

fn agent(book: &mut Book<'_>, top: Sheet<'_>) -> (AgentConfig, Isolation) {
    let table = top.table(book, "agent");
    let sheet = Sheet::open(book, &agent::AGENT, table);
    let agent = AgentConfig {
        kind: sheet.read(book, "agent.", &agent::KIND),
        command: sheet.read(book, "agent.", &agent::COMMAND).unwrap_or_default(),
        turn_timeout: sheet.read(book, "agent.", &agent::TURN_TIMEOUT),
        idle_timeout: sheet.read(book, "agent.", &agent::IDLE_TIMEOUT),
        repeat_timeout: sheet.read(book, "agent.", &agent::REPEAT_TIMEOUT),
        edits_max: sheet.read(book, "agent.", &agent::EDITS_MAX),
        output_mb_max: sheet.read(book, "agent.", &agent::OUTPUT_MB_MAX),
        pass_env: sheet.read(book, "agent.", &agent::PASS_ENV),
    };
    let isolation = Isolation {
        sandbox: sheet.read(book, "agent.", &agent::SANDBOX),
        paths: sheet.read(book, "agent.", &agent::PATHS),
    };
    (agent, isolation)
}

/// Roles that are not mentioned are left out: they are as the agent for all.
fn roles(
    book: &mut Book<'_>,
    top: Sheet<'_>,
    base: &AgentConfig,
) -> BTreeMap<&'static str, AgentConfig> {
    let table = top.table(book, "roles");
    let sheet = Sheet::open(book, &agent::ROLES, table);
    let mut roles = BTreeMap::new();
    for name in agent::ROLE_NAMES {
        if let Some(table) = sheet.table(book, name) {
            let role = Sheet::open(book, &agent::ROLE, Some(table));
            roles.insert(*name, role_of(book, role, name, base));
        }
    }
    roles
}

fn role_of(book: &mut Book<'_>, sheet: Sheet<'_>, name: &str, base: &AgentConfig) -> AgentConfig {
    fn own<K: Kind>(
        book: &mut Book<'_>,
        (sheet, place): (Sheet<'_>, &str),
        setting: &Setting<Maybe<K>>,
        base: K::Value,
    ) -> K::Value {
        // What is not set here was noted where it is.
        match sheet.place_of(setting.name) {
            Some(_) => sheet.read(book, place, setting).unwrap_or(base),
            None => base,
        }
    }
    let place = format!("roles.{name}.");
    let here = (sheet, place.as_str());
    AgentConfig {
        kind: own(book, here, &agent::ROLE_KIND, base.kind),
        command: own(book, here, &agent::ROLE_COMMAND, base.command.clone()),
        turn_timeout: own(book, here, &agent::ROLE_TURN_TIMEOUT, base.turn_timeout),
        idle_timeout: own(book, here, &agent::ROLE_IDLE_TIMEOUT, base.idle_timeout),
        repeat_timeout: own(book, here, &agent::ROLE_REPEAT_TIMEOUT, base.repeat_timeout),
        edits_max: own(book, here, &agent::ROLE_EDITS_MAX, base.edits_max),
        output_mb_max: own(book, here, &agent::ROLE_OUTPUT_MB_MAX, base.output_mb_max),
        pass_env: own(book, here, &agent::ROLE_PASS_ENV, base.pass_env.clone()),
    }
}

fn retention(book: &mut Book<'_>, top: Sheet<'_>) -> Retention {
    let table = top.table(book, "retention");
    let sheet = Sheet::open(book, &top::RETENTION, table);
    Retention {
        runs: sheet.read(book, "retention.", &top::RUNS),
        logs: sheet.read(book, "retention.", &top::LOGS),
        facts: sheet.read(book, "retention.", &top::FACTS),
    }
}

fn sandbox(book: &mut Book<'_>, top: Sheet<'_>) -> Option<Fence> {
    let at = top.place_of("sandbox")?;
    let table = top.table(book, "sandbox");
    let sheet = Sheet::open(book, &sandbox::SANDBOX, table);
    let owners = sheet.read(book, "sandbox.", &sandbox::OWNERS);
    let name_prefix = sheet.read(book, "sandbox.", &sandbox::NAME_PREFIX);
    if sheet.place_of("owners").is_none() {
        let says = "`[sandbox]` has no `owners`; name those whose repositories may be written to";
        book.complain(at, says.to_owned());
    }
    Some(Fence::new(owners?, &name_prefix.unwrap_or_default()))
}

fn repos(
    book: &mut Book<'_>,
    top: Sheet<'_>,
    (allowed_owners, sandbox): (Option<&[Login]>, Option<&Fence>),
) -> BTreeMap<RepoName, RepoConfig> {
    let mut repos = BTreeMap::new();
    for (number, (at, table)) in top.tables(book, "repos").into_iter().enumerate() {
        let sheet = Sheet::open(book, &repos::REPO, Some(table));
        let name = sheet.read(book, &format!("repos.{}.", number + 1), &repos::NAME);
        let at = sheet.place_of("name").unwrap_or(at);
        let place = match &name {
            Some(name) => format!("repos.{name}."),
            None => format!("repos.{}.", number + 1),
        };
        let repo = repo(book, sheet, &place);
        let Some(name) = name else {
            if sheet.place_of("name").is_none() {
                book.complain(
                    at,
                    "this [[repos]] has no `name`; write it as \"owner/name\"".to_owned(),
                );
            }
            continue;
        };
        let is_allowed =
            |owners: &[Login]| owners.iter().any(|owner| owner.as_str() == name.owner());
        if !allowed_owners.is_none_or(is_allowed) {
            let owner = name.owner();
            let says =
                format!("{name} is not allowed: its owner `{owner}` is not in `allowed_owners`");
            book.complain(at, says);
        }
        if let Some(fence) = sandbox.filter(|fence| !fence.admits(&name)) {
            let extent = fence.extent();
            book.complain(at, format!("{name} is outside of the sandbox, which is {extent}"));
        }
        if repos.contains_key(&name) {
            book.complain(at, format!("{name} is configured twice; keep one [[repos]] of it"));
        }
        repos.insert(name, repo);
    }
    repos
}

fn repo(book: &mut Book<'_>, sheet: Sheet<'_>, place: &str) -> RepoConfig {
    let rules = gate_rules(book, &sheet, place);
    let gates_by = |rule: GateRule| {
        let gates = rules.iter().filter(|(_, its)| *its == rule).map(|(gate, _)| *gate);
        gates.collect::<std::collections::BTreeSet<Gate>>()
    };
    let lanes = sheet.table(book, "lanes");
    let lanes = Sheet::open(book, &repos::LANES, lanes);
    let lanes_place = format!("{place}lanes.");
    RepoConfig {
        bot_branch: sheet.read(book, place, &repos::BOT_BRANCH),
        setup: sheet.read(book, place, &repos::SETUP),
        preflight_command: sheet.read(book, place, &repos::PREFLIGHT_COMMAND),
        required_checks: sheet.read(book, place, &repos::REQUIRED_CHECKS),
        concurrency_slots: sheet.read(book, place, &repos::CONCURRENCY_SLOTS),
        scheduler_priority_milli: sheet.read(book, place, &repos::SCHEDULER_PRIORITY),
        rollup_batch_size: sheet.read(book, place, &repos::ROLLUP_BATCH_SIZE),
        rollup_idle: sheet.read(book, place, &repos::ROLLUP_IDLE),
        merge_method: sheet.read(book, place, &repos::MERGE_METHOD_OF_REPO),
        setup_timeout: sheet.read(book, place, &repos::SETUP_TIMEOUT),
        preflight_timeout: sheet.read(book, place, &repos::PREFLIGHT_TIMEOUT),
        ci_timeout: sheet.read(book, place, &repos::CI_TIMEOUT),
        setup_attempts: sheet.read(book, place, &repos::SETUP_ATTEMPTS),
        verdict_repairs: sheet.read(book, place, &repos::VERDICT_REPAIRS),
        plan_attempts: sheet.read(book, place, &repos::PLAN_ATTEMPTS),
        implement_attempts: sheet.read(book, place, &repos::IMPLEMENT_ATTEMPTS),
        stalls_max: sheet.read(book, place, &repos::STALLS_MAX),
        interruptions_max: sheet.read(book, place, &repos::INTERRUPTIONS_MAX),
        cache_dirs: sheet.read(book, place, &repos::CACHE_DIRS),
        test_globs: sheet.read(book, place, &repos::TEST_GLOBS),
        claims_file: sheet.read(book, place, &repos::CLAIMS_FILE),
        file_mb_max: sheet.read(book, place, &repos::FILE_MB_MAX),
        auto_queue: sheet.read(book, place, &repos::AUTO_QUEUE),
        survey: sheet.read(book, place, &repos::SURVEY),
        batch_max: sheet.read(book, place, &repos::BATCH_MAX),
        batch_wait: sheet.read(book, place, &repos::BATCH_WAIT),
        ci_debug_attempts: lanes.read(book, &lanes_place, &repos::CI_DEBUG_ATTEMPTS),
        merge_conflict_attempts: lanes.read(book, &lanes_place, &repos::MERGE_CONFLICT_ATTEMPTS),
        branch_update_attempts: lanes.read(book, &lanes_place, &repos::BRANCH_UPDATE_ATTEMPTS),
        conflict_looks: lanes.read(book, &lanes_place, &repos::CONFLICT_LOOKS),
        parent_verify_attempts: lanes.read(book, &lanes_place, &repos::PARENT_VERIFY_ATTEMPTS),
        skipped_gates: gates_by(GateRule::Skip),
        advisory_gates: gates_by(GateRule::Advisory),
    }
}

fn gate_rules(book: &mut Book<'_>, sheet: &Sheet<'_>, place: &str) -> Vec<(Gate, GateRule)> {
    let table = sheet.table(book, "gates");
    let gates = Sheet::open(book, &repos::GATES, table);
    let place = format!("{place}gates.");
    let rules = [
        (Gate::PlanReview, &repos::PLAN_REVIEW),
        (Gate::Preflight, &repos::PREFLIGHT),
        (Gate::TestIntegrity, &repos::TEST_INTEGRITY),
        (Gate::ProductReview, &repos::PRODUCT_REVIEW),
        (Gate::DevexReview, &repos::DEVEX_REVIEW),
        (Gate::Ci, &repos::CI),
    ];
    rules.map(|(gate, setting)| (gate, gates.read(book, &place, setting))).into()
}
