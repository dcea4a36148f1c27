//! The programs of agents as the adapters need them: their kind, its settings, and the logins that were found.

use crate::config::{AccountConfig, AgentConfig, AgentKind, LoginVariable};
use ralph_adapters::agent::{AccountLogin, LoginFile, Program};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Names another folder with the configuration of `OpenCode`.
const OPENCODE_CONFIG_DIR: &str = "RALPH_OPENCODE_CONFIG_DIR";

/// The environment of this process.
pub(crate) type Variables = BTreeMap<OsString, OsString>;

/// The names of the variables with a login that may be handed on, set or not.
pub(crate) fn login_variables(agent: &AgentConfig) -> Vec<String> {
    let usual = || agent.kind.login_variables().iter().copied().map(str::to_owned).collect();
    agent.credentials.env.clone().unwrap_or_else(usual)
}

/// Those of them that are set.
pub(crate) fn logins_set(agent: &AgentConfig, variables: &Variables) -> Vec<String> {
    let is_set =
        |name: &String| variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
    login_variables(agent).into_iter().filter(is_set).collect()
}

/// The program of an agent with the login files that exist. A file is looked for by itself only where no variable has a
/// login, because it serves one turn at a time.
pub(crate) fn program(agent: &AgentConfig, variables: &Variables) -> Program {
    let home = variables.get(OsStr::new("HOME")).map(PathBuf::from);
    let usual = agent.kind.login_file().filter(|_| logins_set(agent, variables).is_empty());
    let named = match &agent.credentials.files {
        Some(files) => files.clone(),
        None => usual.map(|file| format!("~/{file}")).into_iter().collect(),
    };
    let logins = named.iter().filter_map(|file| login(agent.kind, file, home.as_deref()));
    let folder = variables.get(OsStr::new(OPENCODE_CONFIG_DIR)).filter(|it| !it.is_empty());
    Program {
        kind: agent.kind,
        model: agent.model.clone(),
        effort: agent.effort.clone(),
        arguments: agent.args.clone(),
        logins: logins.filter(|login| login.path.is_file()).collect(),
        opencode: agent.opencode_config_dir.clone().or_else(|| folder.map(PathBuf::from)),
    }
}

/// The login of a named account, as far as its variables are set and its files exist.
pub(crate) fn account_login(account: &AccountConfig, variables: &Variables) -> AccountLogin {
    let home = variables.get(OsStr::new("HOME")).map(PathBuf::from);
    let value = |it: &LoginVariable| {
        let value = variables.get(OsStr::new(&it.source)).filter(|value| !value.is_empty())?;
        Some((OsString::from(&it.name), value.clone()))
    };
    let files = account.files.iter().filter_map(|file| login(account.kind, file, home.as_deref()));
    AccountLogin {
        environment: account.env.iter().filter_map(value).collect(),
        files: files.filter(|login| login.path.is_file()).collect(),
    }
}

/// A file in the user's home has the same place in the private one. Any other is the login of the program.
fn login(kind: AgentKind, file: &str, home: Option<&Path>) -> Option<LoginFile> {
    let path = match file.strip_prefix("~/") {
        Some(below) => home?.join(below),
        None => PathBuf::from(file),
    };
    let usual = kind.login_file().map(PathBuf::from);
    let below = home.and_then(|home| path.strip_prefix(home).ok()).map(Path::to_owned);
    let place = below.or_else(|| usual.clone()).or_else(|| path.file_name().map(PathBuf::from))?;
    let is_refreshed = usual.as_ref() == Some(&place);
    Some(LoginFile { path, place, is_refreshed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn found(text: &str, key: &str) -> (Vec<String>, Vec<(String, bool)>) {
        let home = tempfile::tempdir().unwrap();
        for file in [".codex/auth.json", "elsewhere.json"] {
            std::fs::create_dir_all(home.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(home.path().join(file), "{}").unwrap();
        }
        let config = Config::parse(text).unwrap();
        let variables: Variables =
            [("HOME".into(), home.path().into()), ("OPENAI_API_KEY".into(), key.into())].into();
        let agent = config.agent("implement");
        let files = program(agent, &variables).logins.into_iter();
        let files = files.map(|it| (it.place.display().to_string(), it.is_refreshed)).collect();
        (logins_set(agent, &variables), files)
    }

    #[test]
    fn a_login_file_is_used_where_no_variable_has_a_login() {
        let codex = "[agent]\nkind = \"codex\"";
        let file = (".codex/auth.json".to_owned(), true);
        assert_eq!(found(codex, ""), (vec![], vec![file.clone()]));
        assert_eq!(found(codex, "sk-1"), (vec!["OPENAI_API_KEY".to_owned()], vec![]));
        let both = format!("{codex}\n[agent.credentials]\nfiles = \"~/.codex/auth.json\"");
        assert_eq!(found(&both, "sk-1").1, [file]);
    }

    #[test]
    fn named_logins_replace_the_usual_ones() {
        let named = "[agent]\nkind = \"codex\"\n[agent.credentials]\nenv = [\"OTHER\"]\n\
                     files = [\"~/elsewhere.json\", \"~/missing.json\"]";
        assert_eq!(found(named, "sk-1"), (vec![], vec![("elsewhere.json".to_owned(), false)]));
    }
}
