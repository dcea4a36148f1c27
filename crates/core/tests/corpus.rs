//! Replays the fuzzer's seed inputs, so that every test run covers what fuzzing once proved.

#[expect(unreachable_pub, reason = "the fuzz crate exports what is private here")]
#[path = "../../../fuzz/families.rs"]
mod families;

use std::path::Path;

fn replay(family: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(family);
    let mut replayed = 0;
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let input = std::fs::read(entry.path()).unwrap_or_default();
        check(&input);
        replayed += 1;
    }
    assert!(replayed >= 10, "{} has {replayed} inputs", folder.display());
}

#[test]
fn labels_converge_for_every_seed() {
    replay("labels", families::labels);
}

#[test]
fn dependencies_are_read_the_same_for_every_seed() {
    replay("dependencies", families::dependencies);
}

#[test]
fn markers_are_read_strictly_for_every_seed() {
    replay("markers", families::markers);
}

#[test]
fn hidden_markers_survive_every_seed() {
    replay("hidden_markers", families::hidden_markers);
}

#[test]
fn text_is_redacted_and_bounded_for_every_seed() {
    replay("text", families::text);
}

#[test]
fn logs_are_read_within_bounds_for_every_seed() {
    replay("logs", families::logs);
}
