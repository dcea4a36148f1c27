//! A forge with one repository for each case, and a daemon that works in all of them.

use super::case::Case;
use crate::process::{RALPH, Running, output};
use crate::{Outcome, say};
use ralph_cli::demo::owner::Owner;
use ralph_cli::home::Home;
use ralph_contain::GuardProgram;
use ralph_engine::store::{IssueReport, Reader};
use ralph_forge::Options;
use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const OWNER: &str = "you";
const SECRET: &str = "between two processes of one measurement";
const TOKEN_VARIABLE: &str = "RALPH_FIGURES_TOKEN";
const SECRET_VARIABLE: &str = "RALPH_FIGURES_SECRET";
/// Preparing this many repositories does not count against a budget.
const REQUESTS_PER_HOUR: u32 = 10_000_000;
const ISSUE: &str = "Please multiply two numbers";

/// The names of the scripts of the corpus, the sample project and the operator's own check.
pub(super) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/figures/liars")
}

pub(super) struct World {
    pub(super) home: Home,
    /// Belongs to the operator; no agent has anything to do there.
    pub(super) outside: PathBuf,
    pub(super) log: PathBuf,
    owner: Owner,
    pub(super) forge: ralph_forge::Running,
    listener: SocketAddr,
    pub(super) folder: TempDir,
}

impl World {
    pub(super) fn build(cases: &[Case]) -> Outcome<Self> {
        let folder = tempfile::Builder::new().prefix("ralph-figures-").tempdir()?;
        let path = folder.path();
        let (outside, data) = (path.join("checkout"), path.join("forge"));
        fs::create_dir_all(&outside)?;
        let options = || Options {
            data: Some(data.clone()),
            owner: OWNER.to_owned(),
            guard: GuardProgram { program: RALPH.into(), arguments: vec!["guard".into()] },
            requests_per_hour_max: REQUESTS_PER_HOUR,
            ..Options::default()
        };
        // A folder of a forge comes to be by its first start.
        ralph_forge::Running::start(options())?.stop();
        let project = bring_project(path)?;
        for case in cases {
            let private = ralph_forge::Visibility::Private;
            ralph_forge::import(&data, &project, &repository(case), private)?;
        }
        let forge = ralph_forge::Running::start(options())?;
        let owner = Owner::new(&forge.url, OWNER, &forge.owner.token)?;
        // Freed again at once, so that the daemon can have it.
        let listener = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
        let home = Home::at(path.join("home"));
        let log = path.join("daemon.log");
        let world = Self { home, outside, log, owner, forge, listener, folder };
        world.write_agent(cases)?;
        fs::create_dir_all(world.home.path())?;
        fs::write(world.home.config(), world.configuration(cases)?)?;
        Ok(world)
    }

    /// Opens an issue for every case, and a daemon takes them up.
    pub(super) fn begin(&mut self, cases: &[Case]) -> Outcome<Running> {
        let hook = format!("http://{}/", self.listener);
        for case in cases {
            let repository = repository(case);
            self.owner.client.add_hook(&repository, &hook, SECRET)?;
            let mut labels = case.labels.clone();
            labels.push("ralph:status:queued".to_owned());
            self.owner.client.open_issue(&repository, ISSUE, "`mul 6 7` gives 42.", &labels)?;
        }
        let token = self.forge.bot.token.as_str();
        let variables = [(TOKEN_VARIABLE, token), (SECRET_VARIABLE, SECRET)];
        Running::ralph(self.home.path(), &["run"], &variables, &self.log)
    }

    /// The issues by the names of their cases, once the daemon has a store.
    pub(super) fn issues(&self) -> Outcome<BTreeMap<String, IssueReport>> {
        if !self.home.store().exists() {
            return Ok(BTreeMap::new());
        }
        let issues = Reader::open(&self.home.store())?.status()?.issues.into_iter();
        Ok(issues.map(|issue| (name_of(&issue), issue)).collect())
    }

    /// Everything the forge has of a case, as a bare repository.
    pub(super) fn fetch(&self, case: &Case) -> Outcome<PathBuf> {
        let to = self.folder.path().join("fetched").join(format!("{}.git", case.name));
        let user = format!("//{OWNER}:{}@", self.forge.owner.token);
        let url = self.forge.url.replacen("//", &user, 1);
        let url = format!("{url}/{}.git", repository(case));
        let to_text = to.to_str().ok_or("no text")?;
        output("git", &["clone", "--quiet", "--mirror", &url, to_text], "")?;
        Ok(to)
    }

    fn write_agent(&self, cases: &[Case]) -> Outcome<()> {
        let folder = self.agents();
        fs::create_dir_all(&folder)?;
        let mut agent = format!(
            "OUTSIDE='{}'\nFORGE='{}'\nRALPH_HOME_PATH='{}'\nTOKEN_PATTERN='{}'\n",
            self.outside.display(),
            self.forge.url,
            self.home.path().display(),
            self.forge.bot.token.get(..8).ok_or("a short token")?,
        );
        agent += &fs::read_to_string(corpus().join("agent.sh"))?;
        fs::write(folder.join("agent"), agent)?;
        fs::copy(corpus().join("hidden.py"), folder.join("hidden"))?;
        for case in cases {
            fs::write(folder.join(format!("{}.sh", case.name)), &case.script)?;
        }
        Ok(())
    }

    pub(super) fn agents(&self) -> PathBuf {
        self.folder.path().join("agents")
    }

    fn configuration(&self, cases: &[Case]) -> Outcome<String> {
        let agents = self.agents();
        let agents = agents.to_str().ok_or("no text")?;
        let mut text = format!(
            "max_workers = 4\npoll_interval = \"60s\"\nwebhook_listen = \"{}\"\n\n\
             [forge]\nurl = {:?}\ntoken_env = \"{TOKEN_VARIABLE}\"\n\
             webhook_secret_env = \"{SECRET_VARIABLE}\"\nread_lag = \"0s\"\n\n\
             [agent]\nkind = \"command\"\ncommand = [\"bash\", \"{agents}/agent\", \"{agents}\"]\n\
             turn_timeout = \"20s\"\n",
            self.listener, self.forge.url,
        );
        for case in cases {
            text += &format!(
                "\n[[repos]]\nname = {:?}\nrequired_checks = [\"CI\"]\nrollup_idle = \"1d\"\n\
                 rollup_batch_size = 100\ntest_globs = [\"tests/**\", \"scripts/**\"]\n\
                 preflight_command = [\"sh scripts/check.sh\", \"python3 -B -I {agents}/hidden\"]\n",
                repository(case)
            );
        }
        Ok(text)
    }
}

fn repository(case: &Case) -> String {
    format!("{OWNER}/{}", case.name)
}

/// The sample project with a history of one commit.
fn bring_project(folder: &Path) -> Outcome<String> {
    let project = folder.join("project");
    let path = project.to_str().ok_or("no text")?;
    let sample = corpus().join("project");
    output("cp", &["-r", sample.to_str().ok_or("no text")?, path], "")?;
    let identity = ["-c", "user.name=you", "-c", "user.email=you@example.com"];
    say("taking in a repository for each case");
    output("git", &["-C", path, "init", "--quiet", "--initial-branch=main"], "")?;
    output("git", &["-C", path, "add", "--all"], "")?;
    let commit = ["commit", "--quiet", "--message", "A calculator"];
    output("git", &[["-C", path].as_slice(), &identity, &commit].concat(), "")?;
    Ok(path.to_owned())
}

/// The repository's name below its owner, which is that of the case.
fn name_of(issue: &IssueReport) -> String {
    let full = issue.repo.to_string();
    full.rsplit('/').next().unwrap_or_default().to_owned()
}
