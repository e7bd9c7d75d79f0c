//! The same replies in other syntaxes. A tag is an element or an object; tokens that tagwire drops are prose.

use std::fmt::Write as _;

use crate::corpus::{Count, Item, Reply};

/// As XML, in one root. Bodies are CDATA, which is the quickest to read.
pub fn xml(reply: &Reply) -> String {
    let mut xml = String::from("<reply>");
    for item in &reply.items {
        match item {
            Item::Prose(text) | Item::Foreign(text) => xml.push_str(&escaped(text)),
            Item::Tag { name, attrs, body, .. } => {
                write!(xml, "<{name}").expect("a string");
                attrs.iter().for_each(|(key, value)| write!(xml, " {key}=\"{}\"", escaped(value)).expect("a string"));
                match body {
                    None => xml.push_str("/>"),
                    Some(body) => {
                        assert!(!body.contains("]]>"), "a body that CDATA can hold");
                        write!(xml, "><![CDATA[{body}]]></{name}>").expect("a string");
                    }
                }
            }
        }
    }
    xml.push_str("</reply>");
    xml
}

/// As HTML. Every element has an end tag, since unknown elements of HTML cannot close themselves.
pub fn html(reply: &Reply) -> String {
    let mut html = String::new();
    for item in &reply.items {
        match item {
            Item::Prose(text) | Item::Foreign(text) => html.push_str(&escaped(text)),
            Item::Tag { name, attrs, body, .. } => {
                write!(html, "<{name}").expect("a string");
                attrs.iter().for_each(|(key, value)| write!(html, " {key}=\"{}\"", escaped(value)).expect("a string"));
                write!(html, ">{}</{name}>", escaped(body.as_deref().unwrap_or_default())).expect("a string");
            }
        }
    }
    html
}

/// As JSON: `[{"text": "…"}, {"name": "…", "attrs": {…}, "body": "…"}, …]`.
pub fn json(reply: &Reply) -> String {
    let quoted = |text: &str| serde_json::to_string(text).expect("a string");
    let pieces = reply.items.iter().map(|item| match item {
        Item::Prose(text) | Item::Foreign(text) => format!("{{\"text\":{}}}", quoted(text)),
        Item::Tag { name, attrs, body, .. } => {
            let attrs: Vec<String> = attrs.iter().map(|(key, value)| format!("\"{key}\":{}", quoted(value))).collect();
            let body = quoted(body.as_deref().unwrap_or_default());
            format!("{{\"name\":\"{name}\",\"attrs\":{{{}}},\"body\":{body}}}", attrs.join(","))
        }
    });
    format!("[{}]", pieces.collect::<Vec<_>>().join(","))
}

/// The expected counts of the others, which have no grants and no budgets.
pub fn count(reply: &Reply) -> Count {
    counted(reply, str::len)
}

/// The expected counts of a reader that keeps references and returns bodies and prose alike as text.
pub fn html_count(reply: &Reply) -> Count {
    let mut count = counted(reply, |text| escaped(text).len());
    count.prose_bytes += std::mem::take(&mut count.body_bytes);
    count
}

fn counted(reply: &Reply, length: fn(&str) -> usize) -> Count {
    let mut count = Count::default();
    for item in &reply.items {
        match item {
            Item::Prose(text) | Item::Foreign(text) => count.prose_bytes += length(text),
            Item::Tag { attrs, body, .. } => {
                count.tags += 1;
                count.attr_bytes += attrs.iter().map(|(key, value)| key.len() + length(value)).sum::<usize>();
                count.body_bytes += body.as_deref().map_or(0, length);
            }
        }
    }
    count
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
