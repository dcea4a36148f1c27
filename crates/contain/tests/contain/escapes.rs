//! Attempts to get out of the sandbox, one thing at a time: none succeeds, with network `Proxy` and with `None`. Each
//! attempt that does no harm is also made without a sandbox, where it has to succeed, so that it is known to be one; the
//! others refuse to be made there.

// Named by its path, as the tests of real agents name it too.
#[path = "escapes/attempts.rs"]
mod attempts;
mod refusals;
mod world;

use crate::proxy::proxy;
use crate::room::{Room, follow, launcher, sandbox};
use crate::tether::Tether;
use attempts::guard::Machine;
use attempts::{Attempt, all, misuse, processes};
use ralph_contain::{Containment, Network, Proxy, Spec};
use std::time::Duration;
use world::World;

/// Fewer attempts than this prove too little.
const ATTEMPTS_MIN: usize = 40;
/// For all attempts together, on the busiest machine.
const TIME: Duration = Duration::from_secs(600);
/// The part of an attempt's output that is shown.
const SAID_MAX: usize = 300;

/// A script that could harm the machine outside of a sandbox, and does nothing there.
pub(crate) fn guarded(script: &str) -> String {
    Machine::of_this_process().guarded_shell(script)
}

/// Makes every attempt that is `wanted`, one after the other in one sandbox. Gives those that succeeded, or were not made
/// to their end, with the end of their output.
fn make(
    containment: &Containment,
    network: &dyn Fn(&World) -> (Network, Option<Proxy>),
    wanted: fn(&Attempt) -> bool,
) -> Vec<(&'static str, String)> {
    let world = World::new();
    let (network, _proxy) = network(&world);
    let mut launcher = launcher(containment);
    launcher.view = world.view(launcher.view);
    let attempts: Vec<_> = all().filter(|attempt| wanted(attempt)).collect();
    let machine = Machine::of_this_process();
    let program = |attempt: &&Attempt| match containment {
        Containment::Bubblewrap(_) => (attempt.language, attempt.guarded(&machine)),
        Containment::Guard | Containment::Refused => {
            (attempt.language, attempt.control().expect("only harmless attempts"))
        }
    };
    let programs: Vec<_> = attempts.iter().map(program).collect();
    let spec = Spec { network, ..world.spec(&programs) };
    let output = follow(launcher.confined(&spec).expect("it starts"), TIME).1;
    let mut parts: Vec<_> = output.split(world::NEXT).skip(1).collect();
    parts.resize(attempts.len(), "");
    let said = attempts.into_iter().zip(parts);
    said.filter(|(_, said)| said.contains("ESCAPED") || !said.contains("tried"))
        .map(|(attempt, said)| (attempt.name, said.chars().take(SAID_MAX).collect()))
        .collect()
}

#[test]
fn no_attempt_succeeds_without_a_network() {
    let Some(sandbox) = sandbox() else { return };
    assert!(all().count() >= ATTEMPTS_MIN, "{}", all().count());
    let escaped = make(&sandbox, &|_| (Network::None, None), |_| true);
    assert!(escaped.is_empty(), "{escaped:#?}");
}

#[test]
fn no_attempt_succeeds_with_a_proxy() {
    let Some(sandbox) = sandbox() else { return };
    let with_proxy = |world: &World| {
        let proxy = proxy(&world.room, &world.listed());
        (proxy.network(), Some(proxy))
    };
    let escaped = make(&sandbox, &with_proxy, |_| true);
    assert!(escaped.is_empty(), "{escaped:#?}");
}

#[test]
fn the_attempts_are_real() {
    let harmless = |attempt: &Attempt| attempt.control().is_some();
    let escaped = make(&Containment::Guard, &|_| (Network::Host, None), harmless);
    let missing: Vec<_> = all()
        .filter(|attempt| harmless(attempt))
        .filter(|attempt| {
            !escaped.iter().any(|(name, said)| *name == attempt.name && said.contains("ESCAPED"))
        })
        .map(|attempt| attempt.name)
        .collect();
    assert!(missing.is_empty(), "these prove nothing: {missing:#?} {escaped:#?}");
}

#[test]
fn the_proxy_is_the_reason_why_its_misuse_fails() {
    let Some(sandbox) = sandbox() else { return };
    let with_proxy = |world: &World| {
        let mut listed = world.listed();
        listed.push(format!("127.0.0.1:{}", world.service.port));
        let proxy = proxy(&world.room, &listed);
        (proxy.network(), Some(proxy))
    };
    let direct = |attempt: &Attempt| misuse::REACHES_LISTED.contains(&attempt.name);
    let escaped = make(&sandbox, &with_proxy, direct);
    assert_eq!(escaped.len(), misuse::REACHES_LISTED.len(), "{escaped:#?}");
}

/// Processes that try to outlive their run, with a tether that all of them hold.
#[test]
fn nothing_outlives_its_run() {
    let Some(sandbox) = sandbox() else { return };
    for (name, daemon) in processes::OUTLIVING {
        for has_proxy in [true, false] {
            let room = Room::new();
            let (proxy, tether) = (proxy(&room, &[]), Tether::tie(&room.inside()));
            let script = format!("{}{daemon}\nexit 0", tether.hold());
            let script = guarded(&script);
            let network = if has_proxy { proxy.network() } else { Network::None };
            let spec = Spec { network, ..room.spec(&script) };
            follow(launcher(&sandbox).confined(&spec).expect("it starts"), TIME);
            assert!(room.inside().join("work/began").exists(), "{name}");
            tether.wait_until_released();
        }
    }
}
