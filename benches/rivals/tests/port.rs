//! The rivals are correct: the port agrees with the twin, and the others return the expected counts.

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::iter;

use support::twin::{self, TwinEvent, TwinProtocol};
use support::{generator, vectors};
use tagwire::workforce::edit::edit_blocks;
use tagwire_rivals::corpus::{self, Cuts, KIB};
use tagwire_rivals::port::{EditPort, Port};
use tagwire_rivals::{others, syntax};

#[test]
fn the_port_answers_as_the_twin() {
    let protocol = TwinProtocol::workforce();
    let cases = (0..4000).map(|seed| generator::workforce_case(&protocol, seed));
    let vectors = vectors().into_iter();
    let vectors =
        vectors.map(|vector| generator::Case { twin: protocol.twin(&vector.role, &vector.mode), text: vector.text });
    for generator::Case { twin, text } in vectors.chain(cases) {
        let mut port = Port::new(twin.role.parse().expect("a role"), twin.mode.parse().expect("a mode"));
        let parsed = port.parse(&text);
        let events = twin.events(&text);
        assert_eq!(parsed.prose, twin::prose(&text, &events), "{text:?}");
        assert_eq!(parsed.errors, twin::errors(&events), "{text:?}");
        let mut tags = parsed.tags.iter();
        for event in &events {
            if let TwinEvent::Tag { name, attrs, body, raw, .. } = event {
                let tag = tags.next().expect("one more tag");
                assert!(tag.attrs.iter().copied().eq(attrs.iter().map(|(key, value)| (&**key, &**value))), "{text:?}");
                assert_eq!((tag.name.as_str(), tag.body, tag.raw), (&**name, &**body, &**raw), "{text:?}");
            }
        }
        assert!(tags.next().is_none(), "{text:?}");
    }
}

#[test]
fn the_port_reads_edit_blocks_as_the_library() {
    let body = corpus::edit_body(64 * KIB);
    let blocks = edit_blocks(&body).expect("well-formed");
    assert!(EditPort::new().blocks(&body).into_iter().eq(blocks.iter().map(|block| (block.old, block.new))));
}

#[test]
fn the_others_count_what_there_is() {
    let mut replies = corpus::mixed(300);
    replies.extend(["prose", "plain", "code", "dense"].map(|name| corpus::corpus(name, 64 * KIB)));
    for reply in replies {
        let count = syntax::count(&reply);
        let (xml, html, json) = (syntax::xml(&reply), syntax::html(&reply), syntax::json(&reply));
        assert_eq!(others::quick_xml(&xml), count);
        assert_eq!(others::quick_xml_stream(Cuts::every(4, &xml).of(&xml), &mut Vec::new()), count);
        assert_eq!(others::serde_json(&json), count);
        assert_eq!(others::simd_json(&json, &mut Vec::new(), &mut simd_json::Buffers::default()), count);
        assert_eq!(others::lol_html(iter::once(&*html)), syntax::html_count(&reply));
        assert_eq!(others::lol_html(Cuts::every(4, &html).of(&html)), syntax::html_count(&reply));
    }
}
