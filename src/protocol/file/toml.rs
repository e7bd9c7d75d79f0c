//! Protocol files in TOML.

use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::Fault;
use super::node::{Entry, Node, Value};

/// Parses `text`.
pub(super) fn parse(text: &str) -> Result<Node, Vec<Fault>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(Node { span: table.span(), value: Value::Table(entries(table.into_inner())) });
    }
    Err(errors
        .iter()
        .take(MAX_ERRORS)
        .map(|error| Fault::at(error.span().unwrap_or(0..0), "", error.message().replace('\n', ", ")))
        .collect())
}

fn entries(table: DeTable<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry { span: key.span(), key: key.into_inner().into_owned(), node: node(value) })
        .collect();
    entries.sort_by_key(|entry| entry.span.start);
    entries
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let span: Range<usize> = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Long(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => Value::String(number.to_string()),
        },
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(values) => Value::List(values.into_iter().map(node).collect()),
        DeValue::Table(table) => Value::Table(entries(table)),
    };
    Node { span, value }
}

/// One mistake in the syntax may be the cause of all that follow.
const MAX_ERRORS: usize = 5;
