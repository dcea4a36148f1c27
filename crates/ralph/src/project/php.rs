//! `composer.json`: its scripts, or `PHPUnit` and `PHPStan` where they are set up.

use super::{Commands, Listing, Suggested};

const FILE: &str = "composer.json";

pub(super) fn commands(files: &Listing) -> Commands {
    let composer = files.json(FILE);
    let unit = files.has_any(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
    if !composer.is_object() {
        return Commands::default();
    }
    let scripts = composer.get("scripts").cloned().unwrap_or_default();
    let script = |name: &str| {
        scripts
            .get(name)
            .is_some()
            .then(|| Suggested::new(format!("composer run-script {name}"), FILE))
    };
    let stan = || files.has_any(&["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"]);
    let lint = ["lint", "cs", "cs-check"].iter().find_map(|name| script(name));
    let lint = lint.or_else(|| Some(Suggested::new("vendor/bin/phpstan analyse", stan()?)));
    let test = script("test").or_else(|| Some(Suggested::new("vendor/bin/phpunit", unit?)));
    Commands {
        setup: vec![Suggested::new("composer install --no-interaction", FILE)],
        lint: lint.into_iter().collect(),
        test: test.into_iter().collect(),
        makes: Some("vendor"),
    }
}
