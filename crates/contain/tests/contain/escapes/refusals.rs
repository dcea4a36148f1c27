//! The guard of the attempts itself, in front of a script that does no harm.

use super::attempts::guard::Machine;
use crate::room::{Room, sandbox};
use ralph_contain::Containment;

/// Leaves a mark, and nothing else.
const MARK: &str = ": > mark";
const MARK_IN_PYTHON: &str = "open('mark', 'w').close()";

/// Whether a script left its mark, and what it said.
fn made(containment: &Containment, script: &str) -> (bool, String) {
    let room = Room::new();
    let (_, said) = room.run(containment, script);
    (room.inside().join("work/mark").exists(), said)
}

#[test]
fn nothing_is_tried_in_the_namespaces_of_the_test() {
    let script = Machine::of_this_process().guarded_shell(MARK);
    let (is_made, said) = made(&Containment::Guard, &script);
    assert!(!is_made && said.contains("REFUSED: the namespace pid is the machine's"), "{said}");
}

#[test]
fn nothing_is_tried_where_the_namespaces_cannot_be_read() {
    let guarded = Machine::of_this_process().guarded_shell(MARK);
    let containments = [Some(Containment::Guard), sandbox()];
    for containment in containments.into_iter().flatten() {
        // Without programs there is none that reads them.
        let (is_made, said) = made(&containment, &format!("PATH=/nowhere\n{guarded}"));
        assert!(!is_made && said.contains("REFUSED: the namespace pid cannot be read"), "{said}");
    }
}

#[test]
fn nothing_is_tried_where_one_namespace_is_shared() {
    let Some(sandbox) = sandbox() else { return };
    for kind in ["pid", "mnt"] {
        // As if this namespace of the sandbox were the machine's.
        let guarded = Machine::with([kind, "other"]).guarded_shell(MARK);
        let script =
            guarded.replace(&format!("'{kind}'"), &format!("\"$(readlink /proc/self/ns/{kind})\""));
        let (is_made, said) = made(&sandbox, &script);
        let words = format!("REFUSED: the namespace {kind} is the machine's");
        assert!(!is_made && said.contains(&words), "{said}");
    }
}

#[test]
fn attempts_in_python_are_refused_alike() {
    let script = Machine::of_this_process().guarded_python(MARK_IN_PYTHON);
    let python = |script: &str| format!("python3 - <<'END'\n{script}\nEND");
    let (is_made, said) = made(&Containment::Guard, &python(&script));
    assert!(!is_made && said.contains("REFUSED: the namespace pid is the machine's"), "{said}");
    let Some(sandbox) = sandbox() else { return };
    assert_eq!(made(&sandbox, &python(&script)), (true, String::new()));
}

#[test]
fn a_sandbox_in_which_the_system_is_writable_is_refused() {
    let Some(sandbox) = sandbox() else { return };
    let script = Machine::of_this_process().guarded_shell(MARK);
    assert_eq!(made(&sandbox, &script), (true, String::new()), "the guard lets nothing through");
    let room = Room::new();
    // The folder of the test stands for one of the system.
    let (_, said) = room.run(&sandbox, &script.replace("/etc", "\"$PWD\""));
    assert!(said.contains("is writable") && !room.inside().join("work/mark").exists(), "{said}");
}
