//! Calls of git: with Ralph's own configuration, in a git folder that the call names, and without any influence of the
//! system, the user or a worktree.

use ralph_contain::{
    Access, Capture, Ending, Input, Launcher, NotStarted, Process, Spec, Stream, Switch, Watch,
};
use ralph_core::excerpt::{Excerpt, LOG_BYTES_MAX};
use ralph_core::redact::REDACTED;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest output of git before the rest is cut: enough for a hundred thousand paths.
const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
const SAID_BYTES_MAX: usize = 16 * 1024;
/// For calls that touch this machine only.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// For calls that are over in a moment.
const QUICK_TIMEOUT: Duration = Duration::from_secs(2 * 60);

/// Settings of every call. They override configuration files.
const FIXED: [(&str, &str); 25] = [
    ("advice.detachedHead", "false"),
    ("checkout.workers", "0"),
    ("commit.gpgSign", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.autocrlf", "false"),
    ("core.excludesFile", "/dev/null"),
    ("core.fileMode", "true"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("core.sshCommand", "false"),
    ("core.untrackedCache", "false"),
    ("credential.helper", ""),
    ("diff.ignoreSubmodules", "all"),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("http.followRedirects", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "60"),
    ("init.defaultBranch", "main"),
    ("maintenance.auto", "false"),
    ("push.gpgSign", "false"),
    ("push.recurseSubmodules", "no"),
    ("safe.directory", "*"),
    ("submodule.recurse", "false"),
];

/// Environment of every call.
const ENVIRONMENT: [(&str, &str); 13] = [
    ("GIT_ALLOW_PROTOCOL", "file:http:https"),
    ("GIT_ASKPASS", "true"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_EDITOR", "true"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // With the user's home git would read `.netrc` in it.
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
];

/// The author of commits that Ralph makes.
#[derive(Debug, Clone)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Git {
    pub(crate) program: PathBuf,
    pub(crate) path: OsString,
    pub(crate) identity: Identity,
    pub(crate) launcher: Launcher,
}

/// One call of git.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    git: &'a Git,
    switch: &'a Switch,
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
    settings: Vec<(String, String)>,
    input: Input,
    timeout: Duration,
    secret: Option<String>,
}

/// The answer of git, a negative one included.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) ending: Ending,
    pub(crate) output: String,
    pub(crate) said: String,
}

/// A call that gave no answer, or the answer no.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("`git {command}` could not be run")]
    NotStarted { command: String, source: NotStarted },
    #[error("`git {command}`: {ending}: {said}")]
    Failed { command: String, ending: Ending, said: String },
    #[error("`git {command}` said more than {OUTPUT_BYTES_MAX} bytes")]
    TooMuch { command: String },
    #[error("{doing}")]
    File { doing: String, source: std::io::Error },
    #[error(
        "{path} has {bytes} bytes, more than the {limit} bytes that are allowed; remove it or leave it out of \
         the commit"
    )]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error(
        "{path} {why}, which must not be part of a change, not even of a commit that is undone later; \
         take it out: what was committed in this turn is uncommitted again"
    )]
    Forbidden { path: String, why: ralph_core::change::Forbidden },
    #[error("there is no token for the forge: {0}")]
    NoToken(String),
    #[error("the program could not be run: {0}")]
    Program(String),
    #[error("{0}")]
    Unusable(String),
    /// Something that the work needs is gone from this machine, and can be made again.
    #[error("{0}")]
    Lost(String),
}

impl Git {
    /// A call in a git folder, with the words after `git`.
    pub(crate) fn call<'a>(
        &'a self,
        switch: &'a Switch,
        git_dir: &Path,
        words: &[&str],
    ) -> Call<'a> {
        let mut environment: BTreeMap<OsString, OsString> =
            ENVIRONMENT.iter().map(|(name, value)| (name.into(), value.into())).collect();
        environment.insert("PATH".into(), self.path.clone());
        environment.insert("GIT_DIR".into(), git_dir.into());
        for role in ["AUTHOR", "COMMITTER"] {
            let Identity { name, email } = &self.identity;
            environment.insert(format!("GIT_{role}_NAME").into(), name.into());
            environment.insert(format!("GIT_{role}_EMAIL").into(), email.into());
        }
        Call {
            git: self,
            switch,
            arguments: words.iter().map(OsString::from).collect(),
            environment,
            settings: Vec::new(),
            input: Input::Null,
            timeout: LOCAL_TIMEOUT,
            secret: None,
        }
    }
}

impl Call<'_> {
    pub(crate) fn worktree(mut self, worktree: &Path, index: &Path) -> Self {
        self.environment.insert("GIT_WORK_TREE".into(), worktree.into());
        self.environment.insert("GIT_INDEX_FILE".into(), index.into());
        self
    }

    pub(crate) fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A setting that must not be seen: it goes by the environment, and is taken out of what git says.
    pub(crate) fn secret_setting(self, name: &str, value: String) -> Self {
        let call = self.setting(name, &value);
        Self { secret: Some(value), ..call }
    }

    pub(crate) fn input(mut self, file: &Path) -> Self {
        self.input = Input::File(file.to_owned());
        self
    }

    pub(crate) const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs a call that is over in a moment, so that nothing has to guard it.
    pub(crate) fn quick(self) -> Result<String, GitError> {
        let call = self.timeout(QUICK_TIMEOUT);
        call.exchange(call.spec().start_bare())?.or_failed(&call)
    }

    /// Runs a call that may take its time. It dies with Ralph.
    pub(crate) fn guarded(self) -> Result<String, GitError> {
        self.asked()?.or_failed(&self)
    }

    /// As `guarded`, for a call whose answer may be no.
    pub(crate) fn asked(&self) -> Result<Exchange, GitError> {
        self.exchange(self.git.launcher.guarded(&self.spec()))
    }

    /// Runs a call that reads what an agent has written, with no more rights than the agent had.
    pub(crate) fn confined(self, access: Access) -> Result<String, GitError> {
        let started = self.git.launcher.confined(&Spec { access, ..self.spec() });
        self.exchange(started)?.or_failed(&self)
    }

    /// Runs a call that only reads, and passes its output to `take`.
    pub(crate) fn stream(self, take: &mut dyn FnMut(&[u8])) -> Result<(), GitError> {
        let (ending, said) = self.run(self.spec().start_bare(), take)?;
        Exchange { ending, output: String::new(), said }.or_failed(&self).map(drop)
    }

    fn exchange(&self, started: Result<Process, NotStarted>) -> Result<Exchange, GitError> {
        let mut output = Capture::new(OUTPUT_BYTES_MAX, 0);
        let (ending, said) = self.run(started, &mut |bytes| output.take(bytes))?;
        if output.cut() > 0 {
            return Err(GitError::TooMuch { command: self.shown() });
        }
        Ok(Exchange { ending, output: output.text(), said })
    }

    fn run(
        &self,
        started: Result<Process, NotStarted>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(Ending, String), GitError> {
        let not_started = |source| GitError::NotStarted { command: self.shown(), source };
        let process = started.map_err(not_started)?;
        let mut said = Capture::new(SAID_BYTES_MAX, SAID_BYTES_MAX);
        let mut watch = Watch { time: self.timeout, switch: self.switch, monitor: None };
        let ending = process.follow(&mut watch, &mut |stream, bytes| match stream {
            Stream::Output => take(bytes),
            Stream::Error => said.take(bytes),
        });
        let ending = ending.map_err(GitError::file(format!("wait for `git {}`", self.shown())))?;
        let said = self.without_secret(&said.text());
        Ok((ending, Excerpt::of(said.trim(), LOG_BYTES_MAX).into()))
    }

    fn without_secret(&self, text: &str) -> String {
        self.secret.as_ref().map_or_else(|| text.to_owned(), |it| text.replace(it, REDACTED))
    }

    fn spec(&self) -> Spec {
        let mut spec = Spec::new(&self.git.program, Path::new("/")).arguments(&self.arguments);
        spec.environment.clone_from(&self.environment);
        spec.input = self.input.clone();
        let fixed = FIXED.iter().map(|(name, value)| (*name, *value));
        let own = self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut count = 0;
        for (name, value) in fixed.chain(own) {
            let mut set = |what: &str, value: &str| {
                let name = format!("GIT_CONFIG_{what}_{count}");
                spec.environment.insert(name.into(), value.into());
            };
            set("KEY", name);
            set("VALUE", value);
            count += 1;
        }
        spec.environment.insert("GIT_CONFIG_COUNT".into(), count.to_string().into());
        spec
    }

    /// The call as a person would write it, without what is fixed.
    fn shown(&self) -> String {
        let words: Vec<_> = self.arguments.iter().map(|word| word.to_string_lossy()).collect();
        Excerpt::of(&words.join(" "), ralph_core::excerpt::LINE_BYTES_MAX).into()
    }
}

impl Exchange {
    /// Returns the output of a call that succeeded.
    pub(crate) fn or_failed(self, call: &Call<'_>) -> Result<String, GitError> {
        if self.ending == Ending::Exited(0) {
            return Ok(self.output);
        }
        let Self { ending, said, .. } = self;
        Err(GitError::Failed { command: call.shown(), ending, said })
    }
}

impl GitError {
    /// Tells whether git itself ended with this exit code.
    pub(crate) fn is_exit(&self, code: i32) -> bool {
        matches!(self, Self::Failed { ending: Ending::Exited(exit), .. } if *exit == code)
    }

    pub(crate) fn file(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::File { doing, source }
    }

    /// The whole chain of causes in one line.
    pub(crate) fn in_full(&self) -> String {
        in_full(self)
    }
}

/// An error and its causes in one line.
pub(crate) fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(": ");
        text.push_str(&source.to_string());
        cause = source.source();
    }
    text
}
