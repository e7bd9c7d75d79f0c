//! `tagwire protocol` without a command: who may use which tags of the preset.

use std::fmt::Write as _;

use serde::Serialize;
use tagwire::workforce::PROTOCOL;
use tagwire::{Budget, Policy, TagSpec};

use crate::failure::{Failure, Outcome};
use crate::json;

/// Which part of the matrix.
#[derive(Debug, clap::Args)]
pub(super) struct PresetArgs {
    /// Only this role
    #[arg(long, requires = "mode")]
    role: Option<String>,
    /// Only this mode
    #[arg(long, requires = "role")]
    mode: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: PresetArgs) -> Outcome {
    let mut out = Vec::new();
    match args.role.zip(args.mode) {
        None if args.json => json::push_line(&mut out, &PROTOCOL),
        None => out.extend(matrix().into_bytes()),
        Some((role, mode)) => {
            let policy = PROTOCOL.policy(&role, &mode).map_err(|unknown| Failure::Unusable(unknown.to_string()))?;
            if args.json {
                let (tags, budgets) = (policy.granted().map(TagLine::from).collect(), budgets(&policy).collect());
                json::push_line(&mut out, &PolicyLine { role: &role, mode: &mode, tags, budgets });
            } else {
                out.extend(one(&policy, &role, &mode).into_bytes());
            }
        }
    }
    json::print(&out)?;
    Ok(0)
}

#[derive(Serialize)]
struct PolicyLine<'p> {
    role: &'p str,
    mode: &'p str,
    tags: Vec<TagLine<'p>>,
    budgets: Vec<Budget<'p>>,
}

#[derive(Serialize)]
struct TagLine<'p> {
    name: &'p str,
    body: bool,
    budget: Option<&'p str>,
}

impl<'p> From<TagSpec<'p>> for TagLine<'p> {
    fn from(tag: TagSpec<'p>) -> Self {
        TagLine { name: tag.name(), body: tag.has_body(), budget: tag.budget_name() }
    }
}

/// The budgets that count a granted tag.
fn budgets<'p>(policy: &'p Policy<'p>) -> impl Iterator<Item = Budget<'p>> {
    let used = policy.granted().filter_map(|tag| tag.budget_name()).collect::<Vec<_>>();
    policy.protocol().budgets().filter(move |budget| used.contains(&budget.name()))
}

fn matrix() -> String {
    let mut table = format!("{:9}  {:7}MAY USE\n", "ROLE", "MODE");
    for grant in PROTOCOL.grants() {
        let head = format!("{:9}  {:7}", grant.role().unwrap_or("any"), grant.mode().unwrap_or("any"));
        push_wrapped(&mut table, &head, grant.tags());
    }
    table.push_str("Any other role and mode: nothing.\n\n");
    push_wrapped(&mut table, "With a body:      ", PROTOCOL.tags().filter(TagSpec::has_body).map(|tag| tag.name()));
    for budget in PROTOCOL.budgets() {
        let head = format!("{:18}", format!("At most {}, of:", budget.max()));
        push_wrapped(&mut table, &head, PROTOCOL.tags().filter_map(|tag| counted_in(tag, budget)));
    }
    table
}

fn counted_in<'p>(tag: TagSpec<'p>, budget: Budget<'_>) -> Option<&'p str> {
    (tag.budget_name() == Some(budget.name())).then(|| tag.name())
}

fn one(policy: &Policy<'_>, role: &str, mode: &str) -> String {
    let width = policy.granted().map(|tag| tag.name().len()).max();
    let Some(width) = width else { return format!("{role} in mode {mode} may use nothing.\n") };
    let mut list = format!("{role} in mode {mode} may use:\n");
    for tag in policy.granted() {
        let body = if tag.has_body() { "with a body" } else { "" };
        let budget = PROTOCOL.budgets().find(|budget| tag.budget_name() == Some(budget.name()));
        let budget =
            budget.map_or(String::new(), |budget| format!("at most {} {} a reply", budget.max(), budget.name()));
        let line = format!("  {:width$}  {body:11}  {budget}", tag.name());
        list.push_str(line.trim_end());
        list.push('\n');
    }
    list
}

/// `head` and the words, in lines that fit on a terminal.
pub(super) fn push_wrapped<'w>(table: &mut String, head: &str, words: impl Iterator<Item = &'w str>) {
    const WIDTH: usize = 80;
    let mut line = head.to_owned();
    for word in words {
        if line.len() + word.len() > WIDTH {
            writeln!(table, "{}", line.trim_end()).expect("a String takes all");
            line = " ".repeat(head.len());
        }
        line.push_str(word);
        line.push(' ');
    }
    writeln!(table, "{}", line.trim_end()).expect("a String takes all");
}
