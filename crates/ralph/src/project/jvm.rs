//! `pom.xml` and `build.gradle`: one command builds, checks and tests.

use super::{Commands, Listing, Suggested};

pub(super) fn maven(files: &Listing) -> Commands {
    if !files.has("pom.xml") {
        return Commands::default();
    }
    let program = if files.has("mvnw") { "./mvnw" } else { "mvn" };
    let test = Suggested::new(format!("{program} --batch-mode verify"), "pom.xml");
    Commands { test: vec![test], ..Commands::default() }
}

pub(super) fn gradle(files: &Listing) -> Commands {
    let files_of = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
    let Some(file) = files.has_any(&files_of) else { return Commands::default() };
    let program = if files.has("gradlew") { "./gradlew" } else { "gradle" };
    // Its background process would outlive the command.
    let test = Suggested::new(format!("{program} --no-daemon check"), file);
    Commands { test: vec![test], ..Commands::default() }
}
