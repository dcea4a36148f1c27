//! `docs/configuration.md`, made from the table of settings.

use super::setting::{Row, Table, camel_case};
use super::settings::SECTIONS;

const INTRODUCTION: &str = "\
# Configuration

Made from the program's own table of settings.

Ralph reads `config.toml` in its home folder (`--home DIR`, else `RALPH_HOME`, else `~/.ralph`), or the file named by
`--config`. What is not a setting is an error that names the line and the nearest setting. Every name may also be
written in camelCase (`botBranch` for `bot_branch`), but not in both ways at once. Lengths of time are whole numbers with
their units, the larger one first: `\"30s\"`, `\"5m\"`, `\"1h30m\"`, `\"90d\"`. Where a list is taken, one item alone needs no
brackets, except in `command`. `ralph doctor` prints the value of every setting and where it comes from.

```toml
max_workers = 6
poll_interval = \"30s\"

[forge]
url = \"https://api.github.com\"
token_env = \"GITHUB_TOKEN\"

[agent]
kind = \"command\"
command = [\"my-agent\", \"--flag\"]

[roles.plan_review]
command = [\"my-reviewer\"]

[[repos]]
name = \"acme/widgets\"
setup = [\"npm ci\"]
preflight_command = [\"make check\"]
required_checks = [\"CI\"]
[repos.lanes]
ci_debug_attempts = 3
```
";

/// The whole page.
#[must_use]
pub fn page() -> String {
    let sections: String = SECTIONS.iter().map(|section| section_text(*section)).collect();
    format!("{INTRODUCTION}{sections}")
}

fn section_text(section: &dyn Table) -> String {
    let title = match section.heading() {
        "" => "Top level".to_owned(),
        heading => format!("`{heading}`"),
    };
    let rows = section.rows();
    let mut text = format!("\n## {title}\n\n{}\n", section.says());
    if rows.is_empty() {
        let tables: Vec<String> = section.tables().iter().map(|name| format!("`{name}`")).collect();
        text.push_str(&format!("\nTables: {}.\n", tables.join(", ")));
    } else {
        text.push_str("\n| setting | default | what it does | accepted |\n|---|---|---|---|\n");
    }
    for Row { name, default, says, accepts } in rows {
        let camel = camel_case(name);
        let alias = if camel == name { String::new() } else { format!(" (`{camel}`)") };
        let default = if default == "not set" { default } else { format!("`{default}`") };
        text.push_str(&format!("| `{name}`{alias} | {default} | {says} | {accepts} |\n"));
    }
    text
}
