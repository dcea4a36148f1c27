//! `Gemfile` and `Rakefile`: `rspec`, the tests of Rails, or rake; `rubocop` where it is set up.

use super::{Commands, Listing, Suggested};

pub(super) fn commands(files: &Listing) -> Commands {
    let (has_gems, has_rake) = (files.has("Gemfile"), files.has("Rakefile"));
    if !has_gems && !has_rake {
        return Commands::default();
    }
    let run = |line: &str| if has_gems { format!("bundle exec {line}") } else { line.to_owned() };
    let rake = files.text("Rakefile");
    let has_tests =
        rake.contains("TestTask") || rake.contains("task :test") || rake.contains("task test");
    let test = if files.has(".rspec") || files.has_below("spec") && !files.has_below("test") {
        Some(Suggested::new(run("rspec"), "spec"))
    } else if files.has("bin/rails") && files.has_below("test") {
        Some(Suggested::new("bin/rails test", "bin/rails"))
    } else if has_rake {
        let line = if has_tests { "rake test" } else { "rake" };
        Some(Suggested::new(run(line), "Rakefile"))
    } else {
        None
    };
    let lint = files.has_any(&[".rubocop.yml"]).map(|file| Suggested::new(run("rubocop"), file));
    let setup = has_gems.then(|| Suggested::new("bundle install", "Gemfile"));
    Commands {
        setup: setup.into_iter().collect(),
        lint: lint.into_iter().collect(),
        test: test.into_iter().collect(),
        makes: None,
    }
}
