//! From the text of a file to a `Config`: each table in turn, then the rules that concern several of them.

use super::settings::words::AGENT_KIND;
use super::settings::{agent, forge, prompts, repos, sandbox, top};
use super::sheet::{Book, Problem, Sheet};
use super::spending;
use super::{
    AgentConfig, AgentKind, AppConfig, Config, Credentials, ForgeConfig, PromptConfig, RepoConfig,
    TokenSource,
};
use ralph_core::ids::{Login, RepoName};
use ralph_core::role::Role;
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
    let mut config = Config::default();
    let sheet = Sheet::open(book, &top::TOP, Some(table));
    sheet.fill(book, &top::TOP, &mut config, &|_| String::new());
    config.sandbox = sandbox(book, sheet);
    config.forge = forge(book, sheet);
    let secrets = secret_variables(&config.forge);
    config.agent = agent(book, sheet, &secrets);
    config.roles = roles(book, sheet, (&config.agent, &secrets));
    config.prompts = role_prompts(book, sheet);
    config.accounts = spending::accounts(book, sheet, &secrets);
    config.throttle = spending::throttle(book, sheet, &config.accounts);
    config.budget = spending::budget(book, sheet);
    config.prices = spending::prices(book, sheet);
    let table = sheet.table(book, "retention");
    let kept = Sheet::open(book, &top::RETENTION, table);
    kept.fill(book, &top::RETENTION, &mut config.retention, &|_| "retention.".to_owned());
    let allowed = (config.allowed_owners.as_deref(), config.sandbox.as_ref());
    config.repos = repos(book, sheet, allowed);
    config
}

fn forge(book: &mut Book<'_>, top: Sheet<'_>) -> ForgeConfig {
    let table = top.table(book, "forge");
    let sheet = Sheet::open(book, &forge::FORGE, table);
    let mut forge = forge::ForgeTable::default();
    sheet.fill(book, &forge::FORGE, &mut forge, &|_| "forge.".to_owned());
    if let (Some(at), Some(_)) = (sheet.place_of("token"), sheet.place_of("token_env")) {
        book.complain(at, "`token` and `token_env` are both given; keep one of them".to_owned());
    }
    forge.with(app(book, sheet))
}

fn app(book: &mut Book<'_>, forge: Sheet<'_>) -> Option<AppConfig> {
    let at = forge.place_of("app")?;
    let table = forge.table(book, "app");
    let sheet = Sheet::open(book, &forge::APP, table);
    let mut app = forge::AppTable::default();
    sheet.fill(book, &forge::APP, &mut app, &|_| "forge.app.".to_owned());
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
    Some(AppConfig {
        app_id: app.app_id?,
        installation_id: app.installation_id,
        private_key_path: app.private_key_path?,
    })
}

/// The variables that Ralph reads secrets from. No agent gets one of them.
fn secret_variables(forge: &ForgeConfig) -> Vec<String> {
    let token = match &forge.token {
        TokenSource::Environment(name) => Some(name.clone()),
        TokenSource::File(_) | TokenSource::App(_) => None,
    };
    token.into_iter().chain([forge.webhook_secret_env.clone()]).collect()
}

/// `setting` is the list that hands these on.
pub(super) fn refuse_secrets(
    book: &mut Book<'_>,
    (sheet, setting): (Sheet<'_>, &str),
    handed: &[String],
    secrets: &[String],
) {
    let Some(at) = sheet.place_of(setting) else { return };
    for name in handed.iter().filter(|name| secrets.contains(name)) {
        let says = format!(
            "`{setting}` names {name}, which Ralph reads its own secret from; no agent gets that. If the agent \
             needs a token, give it another one under another name"
        );
        book.complain(at, says);
    }
}

fn agent(book: &mut Book<'_>, top: Sheet<'_>, secrets: &[String]) -> AgentConfig {
    let table = top.table(book, "agent");
    let sheet = Sheet::open(book, &agent::AGENT, table);
    let mut agent = AgentConfig::default();
    sheet.fill(book, &agent::AGENT, &mut agent, &|_| "agent.".to_owned());
    refuse_secrets(book, (sheet, "pass_env"), &agent.pass_env, secrets);
    refuse_idle(book, sheet, &agent);
    let table = sheet.table(book, "credentials");
    let inner = Sheet::open(book, &agent::CREDENTIALS, table);
    let login = &mut agent.credentials;
    inner.fill(book, &agent::CREDENTIALS, login, &|_| "agent.credentials.".to_owned());
    refuse_secrets(book, (inner, "env"), login.env.as_deref().unwrap_or_default(), secrets);
    let table = sheet.table(book, "limits");
    let limits = Sheet::open(book, &agent::LIMITS, table);
    let place = &mut agent.isolation.limits;
    limits.fill(book, &agent::LIMITS, place, &|_| "agent.limits.".to_owned());
    agent
}

/// Refuses settings that the kind of program does not know.
fn refuse_idle(book: &mut Book<'_>, sheet: Sheet<'_>, agent: &AgentConfig) {
    let name = agent.kind.name();
    let mut refuse = |setting: &str, is_idle: bool| {
        if let (Some(at), true) = (sheet.place_of(setting), is_idle) {
            book.complain(at, format!("`{setting}` means nothing to an agent of kind `{name}`"));
        }
    };
    let has_effort = match agent.kind {
        AgentKind::Claude | AgentKind::Codex | AgentKind::OpenCode => true,
        AgentKind::Command | AgentKind::Gemini | AgentKind::Acp => false,
    };
    refuse("effort", !has_effort);
    refuse("model", agent.kind == AgentKind::Command);
    refuse("opencode_config_dir", agent.kind != AgentKind::OpenCode);
}

/// Roles that are not mentioned are left out: they are as the agent for all.
fn roles(
    book: &mut Book<'_>,
    top: Sheet<'_>,
    (base, secrets): (&AgentConfig, &[String]),
) -> BTreeMap<&'static str, AgentConfig> {
    let table = top.table(book, "roles");
    let sheet = Sheet::open(book, &agent::ROLES, table);
    let mut roles = BTreeMap::new();
    for name in agent::ROLE_NAMES {
        if let Some(table) = sheet.table(book, name) {
            let role = Sheet::open(book, &agent::ROLE, Some(table));
            roles.insert(name, one_role(book, (role, name), (base, secrets)));
        }
    }
    roles
}

/// The operator's own texts for roles. Files are read once everything else is known to be right.
fn role_prompts(book: &mut Book<'_>, top: Sheet<'_>) -> BTreeMap<Role, PromptConfig> {
    let table = top.table(book, "prompts");
    let sheet = Sheet::open(book, &prompts::PROMPTS, table);
    let mut all = BTreeMap::new();
    for role in Role::ALL {
        let name = role.name();
        let Some(table) = sheet.table(book, name) else { continue };
        let at = sheet.place_of(name).unwrap_or_default();
        let own = Sheet::open(book, &prompts::PROMPT, Some(table));
        let mut prompt = PromptConfig::default();
        own.fill(book, &prompts::PROMPT, &mut prompt, &|_| format!("prompts.{name}."));
        let is_one = prompt.text.is_some() != prompt.file.is_some();
        if !is_one && own.place_of("text").is_some() == own.place_of("file").is_some() {
            let says = format!("`[prompts.{name}]` needs either `text` or `file`");
            book.complain(at, says);
        }
        if let Some(Err(why)) = prompt.text.as_deref().map(|text| prompt.read(text)) {
            let at = own.place_of("text").unwrap_or(at);
            book.complain(at, format!("`text` of `[prompts.{name}]` cannot be used: {why}"));
        }
        all.insert(role, prompt);
    }
    all
}

fn one_role(
    book: &mut Book<'_>,
    (role, name): (Sheet<'_>, &str),
    (base, secrets): (&AgentConfig, &[String]),
) -> AgentConfig {
    let mut agent = base.clone();
    let kind = role.text_of("kind").and_then(AGENT_KIND.parse);
    if let Some(kind) = kind.filter(|kind| *kind != base.kind) {
        agent = agent.of_another_kind(kind);
    }
    role.fill(book, &agent::ROLE, &mut agent, &|_| format!("roles.{name}."));
    refuse_secrets(book, (role, "pass_env"), &agent.pass_env, secrets);
    refuse_idle(book, role, &agent);
    let table = role.table(book, "credentials");
    let inner = Sheet::open(book, &agent::ROLE_CREDENTIALS, table);
    let login = &mut agent.credentials;
    let prefix = |_: &Credentials| format!("roles.{name}.credentials.");
    inner.fill(book, &agent::ROLE_CREDENTIALS, login, &prefix);
    refuse_secrets(book, (inner, "env"), login.env.as_deref().unwrap_or_default(), secrets);
    agent
}

fn sandbox(book: &mut Book<'_>, top: Sheet<'_>) -> Option<Fence> {
    let at = top.place_of("sandbox")?;
    let table = top.table(book, "sandbox");
    let sheet = Sheet::open(book, &sandbox::SANDBOX, table);
    let mut limits = sandbox::SandboxTable::default();
    sheet.fill(book, &sandbox::SANDBOX, &mut limits, &|_| "sandbox.".to_owned());
    if sheet.place_of("owners").is_none() {
        let says = "`[sandbox]` has no `owners`; name those whose repositories may be written to";
        book.complain(at, says.to_owned());
    }
    Some(Fence::new(limits.owners?, &limits.name_prefix.unwrap_or_default()))
}

fn repos(
    book: &mut Book<'_>,
    top: Sheet<'_>,
    (allowed_owners, sandbox): (Option<&[Login]>, Option<&Fence>),
) -> BTreeMap<RepoName, RepoConfig> {
    let mut repos = BTreeMap::new();
    for (number, (at, table)) in top.tables(book, "repos").into_iter().enumerate() {
        let sheet = Sheet::open(book, &repos::REPO, Some(table));
        let repo = repo(book, sheet, number + 1);
        let at = sheet.place_of("name").unwrap_or(at);
        let Some(name) = repo.name.clone() else {
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

fn repo(book: &mut Book<'_>, sheet: Sheet<'_>, number: usize) -> RepoConfig {
    let mut repo = RepoConfig::default();
    let prefix = |repo: &RepoConfig| match &repo.name {
        Some(name) => format!("repos.{name}."),
        None => format!("repos.{number}."),
    };
    sheet.fill(book, &repos::REPO, &mut repo, &prefix);
    let table = sheet.table(book, "lanes");
    let lanes = Sheet::open(book, &repos::LANES, table);
    lanes.fill(book, &repos::LANES, &mut repo, &|repo| format!("{}lanes.", prefix(repo)));
    let table = sheet.table(book, "gates");
    let gates = Sheet::open(book, &repos::GATES, table);
    gates.fill(book, &repos::GATES, &mut repo, &|repo| format!("{}gates.", prefix(repo)));
    repo
}
