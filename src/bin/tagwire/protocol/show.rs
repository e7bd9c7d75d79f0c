//! `tagwire protocol show`: a protocol as a table.

use std::fmt::Write as _;

use tagwire::{
    AttrSpec, AttrType, Body, Dialect, Policy, Protocol, TagSpec, TagsInCode, UnknownAttributes, UnknownTags,
};

use super::preset::push_wrapped;
use crate::terminal::visible;

/// All of a protocol.
pub(super) fn protocol(protocol: Protocol<'_>) -> String {
    let mut text = String::new();
    line(&mut text, [protocol.name(), protocol.about().unwrap_or_default()].join(": ").trim_end_matches(": "));
    line(&mut text, rules(protocol));
    for region in protocol.regions() {
        let (open, close) = (region.opening(), region.closing());
        line(&mut text, format!("Nothing is read from {open} to {close} ({}).", region.name()));
    }
    text.push('\n');
    push_matrix(&mut text, protocol);
    text.push('\n');
    push_tags(&mut text, protocol, protocol.tags());
    text
}

/// What a role may use in a mode.
pub(super) fn policy(policy: &Policy<'_>) -> String {
    let protocol = policy.protocol();
    let mut text = String::new();
    let role = policy.role().unwrap_or("any role");
    let mode = policy.mode().map_or(String::new(), |mode| format!(" in mode {mode}"));
    let nothing = policy.granted().next().is_none();
    line(&mut text, format!("{role}{mode} may use{}", if nothing { " nothing." } else { ":" }));
    push_tags(&mut text, protocol, policy.granted());
    text
}

fn rules(protocol: Protocol<'_>) -> &'static str {
    match (protocol.dialect(), protocol.unknown(), protocol.code()) {
        (Dialect::Seed, ..) => "Seed dialect.",
        (_, UnknownTags::Report, TagsInCode::Prose) => "Strict dialect. Unknown tags are reported, and code is prose.",
        (_, UnknownTags::Report, _) => "Strict dialect. Unknown tags are reported, and tags in code are read.",
        (_, _, TagsInCode::Prose) => "Strict dialect. Unknown tags and code are prose.",
        _ => "Strict dialect. Unknown tags are prose, and tags in code are read.",
    }
}

fn push_matrix(text: &mut String, protocol: Protocol<'_>) {
    if protocol.is_open() {
        line(text, "Everybody may use every tag.");
        return;
    }
    let cell = |name: Option<&str>| visible(name.unwrap_or("any")).to_string();
    let rows: Vec<_> = protocol.grants().map(|grant| (cell(grant.role()), cell(grant.mode()), grant)).collect();
    let role_width = rows.iter().map(|(role, ..)| role.chars().count()).fold(4, usize::max);
    let mode_width = rows.iter().map(|(_, mode, _)| mode.chars().count()).fold(4, usize::max);
    line(text, format!("{:role_width$}  {:mode_width$}  MAY USE", "ROLE", "MODE"));
    for (role, mode, grant) in &rows {
        push_wrapped(text, &format!("{role:role_width$}  {mode:mode_width$}  "), grant.tags());
    }
}

fn push_tags<'p>(text: &mut String, protocol: Protocol<'_>, tags: impl Iterator<Item = TagSpec<'p>>) {
    let tags: Vec<_> = tags.collect();
    let names = tags.iter().map(|tag| tag.name().len());
    let keys = tags.iter().flat_map(|tag| tag.attribute_specs().map(|attribute| attribute.name().len() + 2));
    let width = names.chain(keys).max().unwrap_or(0);
    for tag in &tags {
        line(text, format!("{:width$}  {}", tag.name(), tag_facts(protocol, tag).join("; ")));
        for attribute in tag.attribute_specs() {
            line(text, format!("  {:width$}{}", attribute.name(), attribute_facts(tag, &attribute).join("; ")));
        }
    }
}

fn tag_facts(protocol: Protocol<'_>, tag: &TagSpec<'_>) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(tag.about_text().map(|about| about.trim_end_matches('.').to_owned()));
    match tag.body_kind() {
        Body::None => {}
        Body::Sections => {
            let section = |name: &str, is_required| if is_required { name.to_owned() } else { format!("[{name}]") };
            let names = tag.section_specs().map(|it| section(it.name(), it.is_required())).collect::<Vec<_>>();
            facts.push(format!("body: sections {}", names.join(" ")));
        }
        body => facts.push(format!("body: {}", body.as_str())),
    }
    let budget = protocol.budgets().find(|budget| tag.budget_name() == Some(budget.name()));
    facts.extend(budget.map(|budget| format!("at most {} {} a reply", budget.max(), budget.name())));
    match tag.unknown_attribute_rule() {
        UnknownAttributes::Keep if protocol.dialect() == Dialect::Strict => {
            facts.push("any other attribute".to_owned())
        }
        UnknownAttributes::Warn => facts.push("any other attribute, with a warning".to_owned()),
        _ => {}
    }
    facts
}

fn attribute_facts(tag: &TagSpec<'_>, attribute: &AttrSpec<'_>) -> Vec<String> {
    let mut facts = vec![kind(attribute.kind())];
    if attribute.is_required() {
        facts.push("required".to_owned());
    }
    if tag.argument_name() == Some(attribute.name()) {
        facts.push("the argument".to_owned());
    }
    facts.extend(attribute.default_text().map(|default| format!("{default:?} if absent")));
    let aliases: Vec<_> = attribute.alias_names().collect();
    if !aliases.is_empty() {
        facts.push(format!("also {}", aliases.join(", ")));
    }
    facts.extend(attribute.about_text().map(|about| about.trim_end_matches('.').to_owned()));
    facts
}

fn kind(kind: AttrType<'_>) -> String {
    match kind {
        AttrType::Enum(values) => values.iter().collect::<Vec<_>>().join(" or "),
        AttrType::Integer { min, max } => {
            let (min, max) = ((min != i64::MIN).then_some(min), (max != i64::MAX).then_some(max));
            in_range("integer", min.map(|min| min.to_string()), max.map(|max| max.to_string()))
        }
        AttrType::Number { min, max } => {
            let (min, max) = (min.is_finite().then_some(min), max.is_finite().then_some(max));
            in_range("number", min.map(|min| min.to_string()), max.map(|max| max.to_string()))
        }
        other => other.as_str().to_owned(),
    }
}

fn in_range(kind: &str, min: Option<String>, max: Option<String>) -> String {
    match (min, max) {
        (None, None) => kind.to_owned(),
        (Some(min), None) => format!("{kind} from {min}"),
        (None, Some(max)) => format!("{kind} up to {max}"),
        (Some(min), Some(max)) => format!("{kind} from {min} to {max}"),
    }
}

/// Appends a line without what could act on a terminal.
fn line(text: &mut String, line: impl AsRef<str>) {
    writeln!(text, "{}", visible(line.as_ref().trim_end())).expect("a String takes everything");
}
