//! The parsers of other syntaxes, used as their documentation recommends for speed, and reading everything that tagwire reads:
//! names, keys and values, bodies, prose.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};

use lol_html::{HtmlRewriter, Settings, doc_text, element};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{EventReader, XmlVersion};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use simd_json::{Buffers, Node};

use crate::corpus::Count;

pub fn quick_xml(xml: &str) -> Count {
    let mut reader = EventReader::from_str(xml);
    let mut count = Count::default();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return count,
            event => xml_event(&event, &mut count),
        }
    }
}

/// Reads from a source that yields a chunk at a time.
pub fn quick_xml_stream<'t>(chunks: impl Iterator<Item = &'t str>, buffer: &mut Vec<u8>) -> Count {
    let mut reader = EventReader::from_reader(Chunks { chunks, chunk: &[] });
    let mut count = Count::default();
    loop {
        buffer.clear();
        match reader.read_event_into(buffer).expect("well-formed") {
            Event::Eof => return count,
            event => xml_event(&event, &mut count),
        }
    }
}

fn xml_event(event: &Event<'_>, count: &mut Count) {
    match event {
        Event::Start(start) | Event::Empty(start) => xml_tag(start, count),
        Event::Text(text) => count.prose_bytes += text.len(),
        Event::CData(body) => count.body_bytes += body.len(),
        // `&lt;` or `&amp;`.
        Event::GeneralRef(_) => count.prose_bytes += 1,
        _ => {}
    }
}

fn xml_tag(start: &BytesStart<'_>, count: &mut Count) {
    if start.name().as_ref() == "reply" {
        return;
    }
    count.tags += 1;
    for attr in start.attributes() {
        let attr = attr.expect("well-formed");
        let value = attr.normalized_value(XmlVersion::Implicit1_0).expect("well-formed");
        count.attr_bytes += attr.key.as_ref().len() + value.len();
    }
}

/// A source that yields a chunk at a time.
struct Chunks<'t, I> {
    chunks: I,
    chunk: &'t [u8],
}

impl<'t, I: Iterator<Item = &'t str>> BufRead for Chunks<'t, I> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.chunk.is_empty() {
            self.chunk = self.chunks.next().unwrap_or_default().as_bytes();
        }
        Ok(self.chunk)
    }

    fn consume(&mut self, length: usize) {
        self.chunk = &self.chunk[length..];
    }
}

impl<'t, I: Iterator<Item = &'t str>> Read for Chunks<'t, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.chunk[..length]);
        self.consume(length);
        Ok(length)
    }
}

/// Reads chunk by chunk; a whole text is one chunk. Bodies and prose are text to it, and references stay as they are.
pub fn lol_html<'t>(chunks: impl Iterator<Item = &'t str>) -> Count {
    let (tags, attr_bytes, text_bytes) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let settings = Settings::new()
        .append_element_content_handler(element!("*", |element| {
            tags.set(tags.get() + 1);
            for attr in element.attributes() {
                attr_bytes.set(attr_bytes.get() + attr.name().len() + attr.value().len());
            }
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|text| {
            text_bytes.set(text_bytes.get() + text.as_str().len());
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    chunks.for_each(|chunk| rewriter.write(chunk.as_bytes()).expect("within its memory"));
    rewriter.end().expect("within its memory");
    Count { tags: tags.get(), attr_bytes: attr_bytes.get(), prose_bytes: text_bytes.get(), ..Count::default() }
}

pub fn serde_json(json: &str) -> Count {
    let pieces: Vec<Piece<'_>> = serde_json::from_str(json).expect("valid");
    let mut count = Count::default();
    for piece in &pieces {
        match &piece.text {
            Some(text) => count.prose_bytes += text.len(),
            None => {
                count.tags += usize::from(!piece.name.is_empty());
                count.attr_bytes += piece.attrs.0.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
                count.body_bytes += piece.body.len();
            }
        }
    }
    count
}

#[derive(Deserialize)]
struct Piece<'t> {
    #[serde(borrow, default)]
    text: Option<Cow<'t, str>>,
    #[serde(default)]
    name: &'t str,
    #[serde(borrow, default)]
    attrs: Attrs<'t>,
    #[serde(borrow, default)]
    body: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

/// Keys and values in their order, borrowed where nothing is escaped.
#[derive(Default)]
struct Attrs<'t>(Vec<(&'t str, Cow<'t, str>)>);

impl<'de: 't, 't> Deserialize<'de> for Attrs<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Attrs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("attributes")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Attrs<'de>, M::Error> {
                let mut pairs = Vec::new();
                while let Some((key, Text(value))) = map.next_entry()? {
                    pairs.push((key, value));
                }
                Ok(Attrs(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Reads from a copy, since it unescapes in place.
pub fn simd_json(json: &str, copy: &mut Vec<u8>, buffers: &mut Buffers) -> Count {
    copy.clear();
    copy.extend_from_slice(json.as_bytes());
    let tape = simd_json::to_tape_with_buffers(copy, buffers).expect("valid");
    let mut nodes = tape.0.iter();
    let mut count = Count::default();
    let Some(Node::Array { len, .. }) = nodes.next() else { panic!("an array") };
    for _ in 0..*len {
        let Some(Node::Object { len, .. }) = nodes.next() else { panic!("an object") };
        for _ in 0..*len {
            match (nodes.next(), nodes.next()) {
                (Some(Node::String("text")), Some(Node::String(text))) => count.prose_bytes += text.len(),
                (Some(Node::String("name")), Some(Node::String(_))) => count.tags += 1,
                (Some(Node::String("body")), Some(Node::String(body))) => count.body_bytes += body.len(),
                (Some(Node::String("attrs")), Some(Node::Object { len, .. })) => {
                    for _ in 0..2 * len {
                        let Some(Node::String(text)) = nodes.next() else { panic!("a string") };
                        count.attr_bytes += text.len();
                    }
                }
                _ => panic!("a piece"),
            }
        }
    }
    count
}
