//! The end of contained processes: by themselves, by a limit, by a request, and with their guard or starter.

use crate::room::{Room, containments, follow, launcher, sandbox};
use crate::tether::Tether;
use ralph_contain::{Containment, Ending, Launcher, NotStarted, Spec, Switch, Watch};
use rustix::process::{Signal, kill_process};
use std::time::Duration;

/// A process that ignores requests to end, with children that have left its group.
fn stubborn(tether: &Tether) -> String {
    format!(
        "{}trap '' TERM HUP INT\n(setsid sh -c 'trap \"\" TERM HUP; sleep 1000' &)\n\
         while :; do sleep 1000; done\n",
        tether.hold()
    )
}

#[test]
fn output_and_exit_status_are_passed_on() {
    for containment in containments() {
        let room = Room::new();
        let (ending, output) = room.run(&containment, "echo out; echo err >&2; pwd; exit 7");
        assert_eq!(ending, Ending::Exited(7), "{containment:?}");
        assert!(output.starts_with("out\nerr\n") && output.ends_with("inside/work\n"), "{output}");
        assert_eq!(room.run(&containment, "kill -9 $$").0, Ending::Signalled(9));
        let spec = Spec { program: "no-such-program".into(), ..room.spec("") };
        let process = launcher(&containment).confined(&spec).expect("the guard starts");
        let (ending, output) = follow(process, Duration::from_secs(60));
        let expected = match &containment {
            Containment::Bubblewrap(_) => Ending::Exited(1),
            Containment::Guard | Containment::Refused => Ending::Exited(127),
        };
        assert_eq!(ending, expected, "{output}");
        assert!(output.contains("no-such-program"), "{output}");
    }
}

#[test]
fn a_limit_ends_the_whole_family() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let process = room.start(&containment, &stubborn(&tether));
        assert_eq!(follow(process, Duration::from_millis(300)).0, Ending::TimedOut);
        tether.wait_until_released();
    }
}

#[test]
fn processes_in_the_background_end_with_their_command() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let daemons = "setsid sleep 1000 > /dev/null 2>&1 &\nsleep 1000 &\nexit 0";
        let (ending, _) = room.run(&containment, &format!("{}{daemons}", tether.hold()));
        assert_eq!(ending, Ending::Exited(0), "{containment:?}");
        tether.wait_until_released();
    }
}

#[test]
fn a_switch_ends_a_process_from_another_thread() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let process = room.start(&containment, &stubborn(&tether));
        let switch = Switch::new().expect("a switch");
        let ending = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut watch =
                    Watch { time: Duration::from_secs(60), switch: &switch, monitor: None };
                process.follow(&mut watch, &mut |_, _| {})
            });
            tether.wait_until_held();
            switch.flip();
            waiting.join().expect("no panic").expect("an end")
        });
        assert_eq!(ending, Ending::Ended, "{containment:?}");
        tether.wait_until_released();
    }
}

#[test]
fn a_dropped_process_ends() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let process = room.start(&containment, &stubborn(&tether));
        tether.wait_until_held();
        drop(process);
        tether.wait_until_released();
    }
}

#[test]
fn a_guard_that_is_stopped_does_not_save_its_processes_from_a_kill() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let mut process = room.start(&containment, &stubborn(&tether));
        tether.wait_until_held();
        kill_process(process.id(), Signal::STOP).expect("a guard to stop");
        process.kill();
        assert_eq!(process.wait().expect("an end"), Ending::Signalled(9), "{containment:?}");
        tether.wait_until_released();
    }
}

#[test]
fn a_guard_that_is_killed_takes_its_sandbox_with_it() {
    let Some(sandbox) = sandbox() else { return };
    let room = Room::new();
    let tether = Tether::tie(&room.inside());
    let process = room.start(&sandbox, &stubborn(&tether));
    tether.wait_until_held();
    kill_process(process.id(), Signal::KILL).expect("a guard to kill");
    tether.wait_until_released();
    assert_eq!(process.wait().expect("an end"), Ending::Signalled(9));
}

#[test]
fn a_process_gets_time_to_end_in_good_order() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let script = format!(
            "trap 'echo tidy > tidied; exit 3' TERM\n{}while :; do sleep 0.01; done",
            tether.hold()
        );
        let launcher = Launcher { grace: Duration::from_secs(60), ..launcher(&containment) };
        let mut process = launcher.confined(&room.spec(&script)).expect("it starts");
        tether.wait_until_held();
        process.end();
        assert_eq!(process.wait().expect("an end"), Ending::Exited(3), "{containment:?}");
        assert!(room.inside().join("work/tidied").exists(), "{containment:?}");
    }
}

#[test]
fn without_a_sandbox_nothing_is_started_that_needs_one() {
    let room = Room::new();
    let refused = launcher(&Containment::Refused).confined(&room.spec("touch ran"));
    assert!(matches!(refused, Err(NotStarted::Refused)), "{refused:?}");
    assert!(!room.inside().join("work/ran").exists());
}
