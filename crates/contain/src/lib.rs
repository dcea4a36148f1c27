//! Contained processes: the only way in which agents, the operator's commands and the checks of the forge are started.
//!
//! This crate is the security boundary between Ralph and the code that it runs for other people. It knows nothing of
//! issues, git or agents. A [`Spec`] describes a process, a [`Launcher`] starts it, and the [`Process`] that results has
//! its standard streams, `end`, `wait` and `follow`.
//!
//! # Threat model
//!
//! The contained process is hostile: it runs text that anyone may have written into an issue, a repository or a prompt.
//! It tries to read secrets of the operator and of Ralph, to write outside its folders, to reach other processes,
//! and to live on after its run. The operator, this program, the kernel, `bwrap` and the folders of the system are
//! trusted.
//!
//! # Contained
//!
//! With [`Containment::Bubblewrap`]:
//!
//! - **Files.** The process begins with an empty root. It sees the folders of the system, toolchains and what the operator
//!   names, all read-only ([`View`]), and writes into [`Access::writable`] only. [`Access::hidden`], the keys and tokens of
//!   the user's home, sockets of container engines and [`View::secret`] stay out of sight in every folder that is shown.
//! - **Processes.** It has its own process, user and IPC namespaces, its own session and no capabilities, and sees and
//!   signals its own processes only. Settings of the kernel are read-only, for the superuser too.
//! - **Network.** [`Network::None`] leaves nothing but an unconnected loopback device. [`Network::Proxy`] adds the way to a
//!   [`Proxy`] in this process, which lets through the hosts of a list by name and port, resolves names itself, and
//!   refuses addresses of this machine and its network that are not on the list themselves. The relay in the sandbox that
//!   leads to it decides nothing. Every request is counted ([`Traffic`]).
//! - **Environment and descriptors.** It gets the variables of its [`Spec`] and three standard streams, and nothing else.
//! - **Limits.** [`Limits`] bounds the memory and the number of processes of a run, and the open files and the size of files
//!   of each process. A run over its limit ends with [`Ending::OverLimit`].
//! - **Lifetime.** No process outlives its run. A guard adopts every orphan, and ends everything below it when the end is
//!   asked for, when the command has ended, and when the starter is gone, SIGKILL included. A guard that is killed takes
//!   the sandbox with it; a guard that is stopped is killed by [`Process::follow`] with everything below it.
//!
//! With [`Containment::Guard`] only the lifetime is contained, and only as long as the process does not attack its guard,
//! which runs as the same user. [`Containment::Refused`] starts nothing that needs a sandbox.
//!
//! # Not contained
//!
//! - **Network access of [`Network::Host`]:** the process reaches what the machine reaches, loopback and sockets without a
//!   file included.
//! - **The words to a host that is allowed:** the proxy passes them on unread. A host that answers for other names (domain
//!   fronting), or takes uploads, takes what the process has seen.
//! - **Sockets between a virtual machine and its host** (`AF_VSOCK`), which belong to no network namespace.
//! - **Use of the machine between two looks of the guard:** memory and the number of processes have a limit only if
//!   [`Limits`] sets one, and are looked at twice a second. Memory of files in `/dev/shm` and `/tmp` is not counted.
//! - **Processor time and disk space** have no limit here. Wall-clock time has one ([`Watch`]), and output is bounded by its
//!   reader ([`Capture`], [`Monitor`]).
//! - **Flaws of the kernel** that an unprivileged user namespace can reach.
//! - **A starter that is killed while its guard is stopped:** only the same user can stop the guard, and the tree ends as
//!   soon as the guard continues.

mod address;
mod bubblewrap;
mod capture;
mod follow;
mod guard;
mod hosts;
mod launcher;
mod lifeline;
mod limits;
mod moment;
mod process;
mod process_tree;
mod proxy;
mod pump;
mod relay;
mod spec;
mod switch;
mod view;

pub use bubblewrap::Probe;
pub use capture::Capture;
pub use follow::{Monitor, Stream, Watch};
pub use guard::main as guard_main;
pub use hosts::{HostList, HostRule, NotAHost};
pub use launcher::{Containment, GuardProgram, Launcher};
pub use limits::{Limits, Overrun, Resource};
pub use moment::Moment;
pub use process::{Ending, NotStarted, Process};
pub use process_tree::ProcessTree;
pub use proxy::{Passed, Proxy, ProxyDoor, Refusal, Traffic};
pub use rustix::process::Pid;
pub use spec::{Access, Input, Network, Spec, Stderr};
pub use switch::Switch;
pub use view::{View, paths_in};
