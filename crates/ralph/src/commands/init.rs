//! `ralph init`: from a checkout to a configuration. It finds what can be found, asks for the rest, writes one file
//! after a yes, and ends with the next command.

mod agents;
mod existing;
mod page;
mod proposal;
mod questions;
mod remote;
mod report;
mod rights;
mod written;

use super::CommandContext;
use crate::args::InitArguments;
use crate::checkout::{self, GitSetting};
use crate::config::{Config, ConfigError};
use crate::environment::{self, Environment};
use crate::error::{CliError, ErrorKind};
use existing::Change;
use proposal::{Found, Proposal};
use questions::{GaveUp, is_yes};
use rights::View;
use std::path::{Path, PathBuf};

/// The way in which `ralph init` was called.
struct Call<'a> {
    context: &'a CommandContext<'a>,
    options: &'a InitArguments,
    /// The configuration to write.
    file: PathBuf,
}

pub(super) fn run(
    context: &CommandContext<'_>,
    environment: &Environment,
    options: &InitArguments,
) -> Result<(), CliError> {
    let file = options.config.clone().unwrap_or_else(|| context.home.config());
    let call = Call { context, options, file };
    let existing = call.existing()?;
    let existing = existing.as_ref().map(|(text, config)| (text.as_str(), config));
    let proposal = Proposal::new(call.look(environment)?, options, environment::is_set);
    let (proposal, view) = call.ask_forge(proposal, existing.map(|(_, config)| config));
    if options.format.json {
        let change = existing::change(&proposal, existing);
        return context.answer_json(&report::document(&call, &proposal, &change, view.as_ref()));
    }
    context.screen.answer(&report::findings(context, &proposal, view.as_ref()))?;
    let is_asking = !options.yes && context.screen.can_ask();
    let mut ask = |question: &str| context.screen.ask(question);
    let change = existing::change(&proposal, existing);
    let proposal = match change {
        Change::Create(_) | Change::Append { .. } if is_asking => {
            let has_agent = existing.is_some();
            questions::settle(proposal, options, has_agent, &mut ask).map_err(gave_up)?
        }
        Change::Create(_) | Change::Append { .. } => {
            call.refuse_missing(&proposal)?;
            proposal
        }
        Change::Nothing(_) | Change::ByHand(_) | Change::OtherForge(_) => proposal,
    };
    let change = existing::change(&proposal, existing);
    let Some(text) = call.text_to_write(&change)? else { return call.end(&proposal, existing) };
    context.screen.answer(&report::preview(&call, &change))?;
    let file = call.file.display();
    if is_asking && !is_yes(&format!("Write {file}?"), true, &mut ask) {
        return context.screen.answer("Nothing was written.\n");
    }
    written::write(&call.file, text)
        .map_err(|cause| CliError::file("written", &call.file, &cause))?;
    context.screen.answer(&format!("{file} is written.\n"))?;
    call.prepare_forge(&proposal, is_asking)?;
    call.end(&proposal, None)
}

fn gave_up(GaveUp: GaveUp) -> CliError {
    CliError::new(
        ErrorKind::Request,
        "the input ended before the last question, so nothing was written",
    )
    .with_hint("answer at a terminal, or use --yes with the options that `ralph init --help` lists")
}

impl Call<'_> {
    /// The configuration that is there, with its text. One that is wrong is nothing to add to.
    fn existing(&self) -> Result<Option<(String, Config)>, CliError> {
        match Config::load(&self.file) {
            Ok(config) => {
                let text = std::fs::read_to_string(&self.file);
                let text = text.map_err(|cause| CliError::file("read", &self.file, &cause))?;
                Ok(Some((text, config)))
            }
            Err(ConfigError::Missing { .. }) => Ok(None),
            Err(error) => Err(CliError::from(error).in_front("a configuration is there already")),
        }
    }

    fn look(&self, environment: &Environment) -> Result<Found, CliError> {
        let path = environment::program_path();
        let git = GitSetting { path: path.as_deref(), home: environment.user_home.as_deref() };
        let folder = &self.options.path;
        let shown = folder.display();
        let checkout =
            checkout::read(folder, git).map_err(CliError::internal("git cannot be run"))?;
        let checkout = checkout.ok_or_else(|| {
            CliError::new(ErrorKind::Request, format!("{shown} is not in a git checkout"))
                .with_hint("clone the repository, and name its folder: ralph init PATH")
        })?;
        let scratch =
            tempfile::tempdir().map_err(CliError::internal("there is no temporary folder"))?;
        let agents = agents::installed(&path.unwrap_or_default(), scratch.path());
        Ok(Found { checkout, agents })
    }

    /// The forge's word on the repository, where there is a token. An error is a note, since everything can be
    /// written without it.
    fn ask_forge(
        &self,
        mut proposal: Proposal,
        existing: Option<&Config>,
    ) -> (Proposal, Option<Result<View, String>>) {
        let Some(name) = proposal.repo.clone() else { return (proposal, None) };
        let config = existing.cloned().filter(|config| config.repos.contains_key(&name));
        let config = config.or_else(|| Config::parse(&page::whole(&proposal)).ok());
        let Some(config) = config else { return (proposal, None) };
        let view = match rights::client(&config) {
            Ok(None) => return (proposal, None),
            Ok(Some(mut client)) => {
                rights::look(&mut client, &config, &name).map_err(|unread| unread.why)
            }
            Err(why) => Err(why),
        };
        if let Ok(view) = &view {
            view.complete(&mut proposal);
        }
        (proposal, Some(view))
    }

    /// Questions that no option has answered, where no person can be asked.
    fn refuse_missing(&self, proposal: &Proposal) -> Result<(), CliError> {
        let missing = proposal.missing();
        if missing.is_empty() && self.options.yes {
            return Ok(());
        }
        let mut details: Vec<_> =
            missing.iter().map(|it| format!("{}: {}", it.option(), it.says())).collect();
        if !self.options.yes {
            details.push(
                "--yes: there is no terminal to ask at, so this takes the proposals above"
                    .to_owned(),
            );
        }
        let says = "some options are missing, so nothing was written";
        Err(CliError::new(ErrorKind::Request, says).with_details(details))
    }

    fn text_to_write<'c>(&self, change: &'c Change) -> Result<Option<&'c str>, CliError> {
        let file = self.file.display();
        match change {
            Change::Create(text) => Ok(Some(text)),
            Change::Append { whole, .. } => Ok(Some(whole)),
            Change::Nothing(differences) => {
                let mut text = format!("\nThe repository is in {file}; nothing is changed.\n");
                differences.iter().for_each(|it| text.push_str(&format!("  {it}\n")));
                self.context.screen.answer(&text)?;
                Ok(None)
            }
            Change::ByHand(added) => {
                let says = format!("{file} has its repositories in one line, so nothing was added");
                let details = added.trim().lines().map(str::to_owned).collect();
                let hint = "add these lines by hand, with the others as [[repos]] too";
                Err(CliError::new(ErrorKind::Config, says).with_details(details).with_hint(hint))
            }
            Change::OtherForge(url) => {
                let says =
                    format!("{file} is for the forge at {url}, and the checkout is of another one");
                let hint = "use another home for it, with --home DIR or RALPH_HOME";
                Err(CliError::new(ErrorKind::Config, says).with_hint(hint))
            }
        }
    }

    /// Makes the labels and the bot branch now, if a person wants that. `ralph run` makes them otherwise.
    fn prepare_forge(&self, proposal: &Proposal, is_asking: bool) -> Result<(), CliError> {
        let (Some(name), Ok(config)) = (&proposal.repo, Config::load(&self.file)) else {
            return Ok(());
        };
        let screen = self.context.screen;
        let Ok(Some(mut client)) = rights::client(&config) else { return Ok(()) };
        let to_make = match rights::look(&mut client, &config, name) {
            Ok(view) => view.to_make.join(" and "),
            Err(_) => return Ok(()),
        };
        if to_make.is_empty() {
            return Ok(());
        }
        let mut ask = |question: &str| screen.ask(question);
        let question = format!("Make {to_make} in {name} now?");
        if !is_asking || !is_yes(&question, false, &mut ask) {
            return screen.answer(&format!("`ralph run` makes {to_make} in {name}.\n"));
        }
        let made = rights::make(&mut client, &config, name);
        let lines = made.unwrap_or_else(|unread| vec![unread.why]);
        screen.answer(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
    }

    fn end(&self, proposal: &Proposal, existing: Option<(&str, &Config)>) -> Result<(), CliError> {
        let token_env = existing.and_then(|(_, config)| report::token_variable(config));
        let token_env = token_env.unwrap_or_else(|| proposal.token_env.clone());
        if let (Some(repo), Ok(config)) = (&proposal.repo, Config::load(&self.file))
            && let Some(cost) = report::cost(&config, repo)
        {
            self.context.screen.answer(&format!("\n{cost}\n"))?;
        }
        self.context.screen.answer(&report::next(self, proposal, &token_env))
    }

    fn has_program(&self, name: &str) -> bool {
        agents::is_on(&environment::program_path().unwrap_or_default(), name)
    }

    /// The option that names the file, where it is not the one of the home.
    fn config_option(&self) -> String {
        let is_usual = self.file == self.context.home.config();
        let option = |path: &Path| format!(" --config {}", path.display());
        if is_usual { String::new() } else { option(&self.file) }
    }
}
