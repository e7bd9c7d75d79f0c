//! `tagwire protocol test`: the example replies of a file.

use std::fmt::Write as _;
use std::path::Path;

use tagwire::{ExampleSpec, Finish, Protocol, ProtocolBuf};

use crate::failure::{Failure, Outcome};
use crate::terminal;

pub(super) fn run(file: &Path) -> Outcome {
    let protocol = ProtocolBuf::read(file).map_err(Failure::Protocol)?;
    let protocol = protocol.as_protocol();
    let mut report = String::new();
    let mut failed = 0;
    for (i, example) in protocol.examples().enumerate() {
        let differences = differences(protocol, example);
        if !differences.is_empty() {
            failed += 1;
            writeln!(report, "examples[{i}]: {}", terminal::visible(first_line(example.reply()))).expect("a String");
            report.push_str(&differences);
        }
    }
    let count = protocol.examples().len();
    writeln!(report, "{} passed, {failed} failed", count - failed).expect("a String");
    terminal::print_plain(&report)?;
    Ok(u8::from(failed > 0))
}

/// The differences between the expected and the actual result, one per line.
fn differences(protocol: Protocol<'_>, example: ExampleSpec<'_>) -> String {
    let policy = match protocol.policy_for(example.role_name(), example.mode_name()) {
        Ok(policy) => policy,
        Err(unknown) => return format!("  {}\n", terminal::visible(&unknown.to_string())),
    };
    let finish = if example.is_truncated() { Finish::Truncated } else { Finish::Complete };
    let reply = policy.parse_with(example.reply(), finish);
    let tags: Vec<&str> = reply.tags().iter().map(|tag| tag.name()).collect();
    let codes: Vec<&str> = reply.diagnostics().iter().map(|diagnostic| diagnostic.code().as_str()).collect();
    let mut differences = String::new();
    push_difference(&mut differences, "tags", &example.tag_names().collect::<Vec<_>>(), &tags);
    push_difference(&mut differences, "diagnostics", &example.codes().collect::<Vec<_>>(), &codes);
    if !differences.is_empty() {
        for diagnostic in reply.diagnostics() {
            writeln!(differences, "    {}", terminal::visible(&diagnostic.to_string())).expect("a String");
        }
    }
    differences
}

fn push_difference(differences: &mut String, what: &str, expected: &[&str], read: &[&str]) {
    if expected != read {
        let list = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let lines = format!("  - {what}: {}\n  + {what}: {}\n", list(expected), list(read));
        for line in lines.lines() {
            terminal::push_visible_line(differences, line);
            differences.push('\n');
        }
    }
}

fn first_line(reply: &str) -> &str {
    reply.lines().find(|line| !line.trim().is_empty()).unwrap_or("")
}
