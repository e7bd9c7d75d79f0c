//! Protocols from files: each rule of the format, and the message for a file that breaks it.

use std::fs;
use std::path::{Path, PathBuf};

use tagwire::workforce::{self, PROTOCOL};
use tagwire::{
    AttrType, Body, Dialect, ProtocolBuf, ProtocolFileError, Schema, Select, TagsInCode, UnknownAttributes, UnknownTags,
};

/// A protocol with one tag, to which tests add lines.
const HEAD: &str = "name = \"p\"\nopen = true\n\n[[tags]]\nname = \"A\"\n";

#[test]
fn every_protocol_of_the_data_is_read_and_read_back() {
    for name in ["actions", "desk", "tiny", "wiki", "workforce-strict"] {
        let protocol = ProtocolBuf::read(data(&format!("{name}.toml"))).unwrap_or_else(|error| panic!("{error}"));
        let toml = toml::to_string(&protocol).expect("TOML");
        assert_eq!(ProtocolBuf::from_toml(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}")), protocol, "{name}");
        let json = serde_json::to_string_pretty(&protocol).expect("JSON");
        assert_eq!(ProtocolBuf::from_json(&json).unwrap_or_else(|error| panic!("{error}\n{json}")), protocol, "{name}");
        assert_eq!(serde_json::from_str::<ProtocolBuf>(&json).expect("by serde"), protocol, "{name}");
        // TOML sorts the keys of an example.
        assert_eq!(
            toml::from_str::<ProtocolBuf>(&toml).expect("by serde").as_protocol().tags().len(),
            protocol.as_protocol().tags().len()
        );
    }
}

#[test]
fn a_file_has_the_same_keys_when_it_is_written_again() {
    for name in ["actions", "desk", "tiny", "wiki", "workforce-strict"] {
        let text = fs::read_to_string(data(&format!("{name}.toml"))).expect("a file");
        let mut value: serde_json::Value = toml::from_str(&text).expect("TOML");
        // Defaults may be omitted, and are written where they matter.
        value.as_object_mut().expect("a table").entry("dialect").or_insert("strict".into());
        let written = serde_json::to_value(ProtocolBuf::from_toml(&text).expect("a protocol")).expect("JSON");
        assert_eq!(written, value, "{name}");
    }
}

#[test]
fn the_strict_preset_is_its_file() {
    let file = ProtocolBuf::read(data("workforce-strict.toml")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(file.as_protocol(), workforce::STRICT);
    assert!(workforce::STRICT.tags().map(|tag| tag.name()).eq(PROTOCOL.tags().map(|tag| tag.name())));
    assert!(workforce::STRICT.grants().eq(PROTOCOL.grants()));
    let kinds = |protocol: tagwire::Protocol<'static>| protocol.tags().map(|tag| tag.has_body()).collect::<Vec<_>>();
    assert_eq!(kinds(workforce::STRICT), kinds(PROTOCOL));
}

#[test]
fn all_keys_are_read() {
    let desk = ProtocolBuf::read(data("desk.toml")).unwrap_or_else(|error| panic!("{error}"));
    let desk = desk.as_protocol();
    assert_eq!((desk.name(), desk.dialect(), desk.is_open()), ("desk", Dialect::Strict, false));
    assert_eq!((desk.unknown(), desk.code()), (UnknownTags::Report, TagsInCode::Prose));
    assert_eq!((desk.tags().len(), desk.budgets().len(), desk.grants().len(), desk.examples().len()), (16, 2, 6, 1));
    assert_eq!((desk.limits().tags, desk.limits().body_bytes), (256, 8_388_608));
    assert_eq!(desk.regions().map(|region| region.opening()).collect::<Vec<_>>(), ["<think>", "[PLAN]"]);
    let tag = |name: &str| desk.tags().find(|tag| tag.name() == name).expect("a tag");
    let write = tag("WRITE_FILE");
    assert_eq!((write.body_kind(), write.budget_name()), (Body::Text, Some("files")));
    assert_eq!(write.about_text(), Some("Creates or replaces a file. The body is its text."));
    let example: Vec<_> = write.example_values().expect("an example").collect();
    assert_eq!(example, [("path", "src/a.py"), ("mode", "replace"), ("body", "x = 1\n")]);
    let path = write.attribute_specs().next().expect("an attribute");
    assert_eq!(
        (path.kind(), path.is_required(), path.about_text()),
        (AttrType::Path, true, Some("Where, from the root of the workspace."))
    );
    assert_eq!(path.alias_names().collect::<Vec<_>>(), ["file", "filename"]);
    assert_eq!(tag("READ_FILE").argument_name(), Some("path"));
    assert_eq!(tag("NOTE").unknown_attribute_rule(), UnknownAttributes::Keep);
    assert_eq!(
        (tag("ACTION:append").selection(), tag("ITEM:read").selection()),
        (Some(Select::Argument), Some(Select::Attribute("type")))
    );
    let limit = tag("SEARCH").attribute_specs().nth(1).expect("limit");
    assert_eq!((limit.kind(), limit.default_text()), (AttrType::Integer { min: 1, max: 100 }, Some("20")));
    let weight = tag("TICKET").attribute_specs().nth(1).expect("weight");
    assert_eq!(weight.kind(), AttrType::Number { min: 0.0, max: 1.5 });
    let schema = tag("TICKET").schema_source().and_then(|schema| schema.json()).expect("a schema");
    assert_eq!(schema, r#"{"type":"object","required":["title"],"properties":{"title":{"type":"string"}}}"#);
    let links = tag("MAIL").section_specs().nth(2).expect("LINK");
    assert_eq!((links.name(), links.is_required(), links.may_repeat()), ("LINK", false, true));
    let example = desk.examples().next().expect("an example");
    assert_eq!(
        (example.role_name(), example.mode_name(), example.is_truncated()),
        (Some("developer"), Some("work"), false)
    );
    assert_eq!(example.codes().collect::<Vec<_>>(), ["tag-in-code"]);
}

#[test]
fn an_unknown_key_is_told_with_the_nearest() {
    assert_toml(&format!("{HEAD}bodi = \"text\"\n"), &["6:1: tags[0].bodi: unknown key; did you mean \"body\"?"]);
    let keys = "name, about, body, budget, argument, select, attributes, sections, unknown_attributes, example, schema";
    assert_toml(&format!("{HEAD}x = 1\n"), &[&format!("6:1: tags[0].x: unknown key; the keys here are {keys}")]);
    let tables = [
        ("limits = { tag = 1 }", "limits.tag: unknown key; did you mean \"tags\"?"),
        (
            "regions = [{ name = \"r\", open = \"a\", close = \"b\", x = 1 }]",
            "regions[0].x: unknown key; the keys here are name, open, close",
        ),
        ("budgets = [{ name = \"b\", max = 1, min = 1 }]", "budgets[0].min: unknown key"),
        ("examples = [{ reply = \"\", tags = [], codes = [] }]", "examples[0].codes: unknown key"),
        ("grant = []", "grant: unknown key; did you mean \"grants\"?"),
    ];
    for (line, message) in tables {
        assert_toml_contains(&format!("{line}\n{HEAD}"), message);
    }
    assert_toml_contains(
        &format!("{HEAD}attributes = [{{ name = \"k\", typ = \"path\" }}]\n"),
        "tags[0].attributes[0].typ: unknown key; did you mean \"type\"?",
    );
    assert_toml_contains(
        &format!("{HEAD}body = \"sections\"\nsections = [{{ name = \"k\", once = true }}]\n"),
        "tags[0].sections[0].once: unknown key",
    );
    assert_toml_contains(
        &format!("{HEAD}select = {{ argument = \"k\", by = \"x\" }}\n"),
        "tags[0].select.by: unknown key",
    );
    let grants = "name = \"p\"\ngrants = [{ tags = [\"A\"], user = \"x\" }]\ntags = [{ name = \"A\" }]\n";
    assert_toml_contains(grants, "grants[0].user: unknown key; the keys here are role, mode, tags");
}

#[test]
fn a_wrong_type_is_told_with_what_is_there() {
    let cases = [
        ("name = 1\ntags = []", "name: expected a string, found an integer"),
        ("name = \"p\"\ntags = {}", "tags: expected a list, found a table"),
        ("name = \"p\"\ntags = [\"A\"]", "tags[0]: expected a table, found a string"),
        ("name = \"p\"\ntags = []\nopen = \"yes\"", "open: expected true or false, found a string"),
        ("name = \"p\"\ntags = []\nlimits = 3", "limits: expected a table, found an integer"),
        ("name = \"p\"\ntags = []\nlimits = { tags = 1.5 }", "limits.tags: expected an integer, found a number"),
        ("name = \"p\"\ntags = []\nabout = [true]", "about: expected a string, found a list"),
        (
            "name = \"p\"\ntags = []\ngrants = [{ tags = [1] }]",
            "grants[0].tags[0]: expected a string, found an integer",
        ),
        (
            "name = \"p\"\ntags = [{ name = \"A\", schema = 1 }]",
            "tags[0].schema: expected a JSON Schema as a table, or the path of one as a string, found an integer",
        ),
        (
            "name = \"p\"\ntags = [{ name = \"A\", attributes = [{ name = \"n\", type = \"integer\", default = 20 }] }]",
            "tags[0].attributes[0].default: expected a string, as a model would write the value: put it in quotes, found an integer",
        ),
        (
            "name = \"p\"\ntags = [{ name = \"A\", example = { n = 1 } }]",
            "tags[0].example.n: expected a string, as a model would write the value",
        ),
        (
            "name = \"p\"\ntags = [{ name = \"A\", attributes = [{ name = \"n\", type = \"integer\", min = 1.0 }] }]",
            "tags[0].attributes[0].min: expected an integer, found a number",
        ),
        (
            "name = \"p\"\ntags = [{ name = \"A\", attributes = [{ name = \"n\", type = \"number\", max = inf }] }]",
            "tags[0].attributes[0].max: expected a finite number, found a number",
        ),
        ("name = 1979-05-27\ntags = 1\nregions = true", "regions: expected a list, found a boolean"),
    ];
    for (text, message) in cases {
        assert_toml_contains(text, message);
    }
    assert_json_contains("{\"name\": null, \"tags\": []}", "1:10: name: expected a string, found null");
    assert_json_contains("[1]", "1:1: expected a table, found a list");
    assert_json_contains(
        "{\"tags\": [{\"attributes\": [{\"name\": \"n\", \"type\": \"integer\", \"max\": 99999999999999999999}]}]}",
        "tags[0].attributes[0].max: an integer has at most 64 bits",
    );
}

#[test]
fn a_word_that_is_none_of_the_choices_is_told_with_the_nearest() {
    let cases = [
        ("dialect = \"strikt\"", "1:11: dialect: \"strikt\" is not one of seed, strict; did you mean \"strict\"?"),
        ("unknown = \"drop\"", "1:11: unknown: \"drop\" is not one of report, prose"),
        ("code = \"tag\"", "1:8: code: \"tag\" is not one of prose, tags; did you mean \"tags\"?"),
        (
            "examples = [{ reply = \"\", tags = [], finish = \"cut\" }]",
            "examples[0].finish: \"cut\" is not one of complete, truncated",
        ),
    ];
    for (line, message) in cases {
        assert_toml_contains(&format!("{line}\n{HEAD}"), message);
    }
    let tag = |line: &str, message: &str| assert_toml_contains(&format!("{HEAD}{line}\n"), message);
    tag(
        "body = \"Text\"",
        "tags[0].body: \"Text\" is not one of none, text, json, edits, sections; did you mean \"text\"?",
    );
    tag("unknown_attributes = \"ignore\"", "tags[0].unknown_attributes: \"ignore\" is not one of refuse, warn, keep");
    tag(
        "attributes = [{ name = \"k\", type = \"int\" }]",
        "tags[0].attributes[0].type: \"int\" is not one of string, integer, number, boolean, enum, path; did you mean \"integer\"?",
    );
}

#[test]
fn a_missing_key_is_told_at_its_table() {
    assert_toml("tags = [{ name = \"A\" }]\nopen = true\n", &["1:1: \"name\" is missing"]);
    assert_toml("name = \"p\"\nopen = true\n", &["1:1: \"tags\" is missing"]);
    assert_toml_contains("name = \"p\"\n[[tags]]\nabout = \"x\"\n", "2:1: tags[0]: \"name\" is missing");
    assert_toml_contains(&format!("budgets = [{{ name = \"b\" }}]\n{HEAD}"), "1:12: budgets[0]: \"max\" is missing");
    assert_toml_contains(&format!("budgets = [{{ max = 1 }}]\n{HEAD}"), "budgets[0]: \"name\" is missing");
    assert_toml_contains(
        &format!("regions = [{{ name = \"b\", open = \"x\" }}]\n{HEAD}"),
        "regions[0]: \"close\" is missing",
    );
    assert_toml_contains(&format!("examples = [{{ tags = [] }}]\n{HEAD}"), "examples[0]: \"reply\" is missing");
    assert_toml_contains(&format!("examples = [{{ reply = \"\" }}]\n{HEAD}"), "examples[0]: \"tags\" is missing");
    assert_toml_contains(
        "name = \"p\"\ngrants = [{ role = \"r\" }]\ntags = [{ name = \"A\" }]\n",
        "grants[0]: \"tags\" is missing",
    );
    assert_toml_contains(
        &format!("{HEAD}attributes = [{{ type = \"path\" }}]\n"),
        "tags[0].attributes[0]: \"name\" is missing",
    );
    assert_toml_contains(
        &format!("{HEAD}attributes = [{{ name = \"k\", type = \"enum\" }}]\n"),
        "tags[0].attributes[0]: \"values\" is missing",
    );
}

#[test]
fn a_key_twice_is_told() {
    assert_toml_contains(&format!("{HEAD}name = \"B\"\n"), "6:1: duplicate key");
    assert_json_contains(
        "{\"name\": \"p\",\n \"open\": true, \"open\": true, \"tags\": [{\"name\": \"A\"}]}",
        "2:16: open: this key is there twice",
    );
}

#[test]
fn a_name_twice_is_told_at_the_second() {
    assert_toml(&format!("{HEAD}\n[[tags]]\nname = \"A\"\n"), &["8:8: tags[1].name: tag \"A\" is declared twice"]);
    assert_toml(
        &format!("{HEAD}\n[[tags]]\nname = \"a\"\n"),
        &["8:8: tags[1].name: tag names \"A\" and \"a\" differ in case alone"],
    );
    assert_toml(
        &format!("{HEAD}attributes = [{{ name = \"k\" }}, {{ name = \"l\", aliases = [\"m\", \"K\"] }}]\n"),
        &[
            "6:61: tags[0].attributes[1].aliases[1]: tag \"A\" has two attributes or aliases \"K\" (compared in any case)",
        ],
    );
}

#[test]
fn a_name_of_nothing_is_told_with_the_nearest() {
    assert_toml(
        &format!("budgets = [{{ name = \"files\", max = 1 }}]\n{HEAD}budget = \"file\"\n"),
        &["7:10: tags[0].budget: tag \"A\" names the unknown budget \"file\"; did you mean \"files\"?"],
    );
    assert_toml(
        "name = \"p\"\ntags = [{ name = \"WRITE\" }]\n[[grants]]\ntags = [\"WRITE\", \"Wrote\"]\n",
        &["4:18: grants[0].tags[1]: the grant names the unknown tag \"Wrote\"; did you mean \"WRITE\"?"],
    );
    assert_toml(
        &format!("{HEAD}argument = \"paht\"\nattributes = [{{ name = \"path\" }}]\n"),
        &[
            "6:12: tags[0].argument: the argument of tag \"A\" is the value of \"paht\", which is not the name of an attribute of it",
        ],
    );
}

#[test]
fn a_selector_is_an_argument_or_an_attribute_with_its_value() {
    for select in
        ["{}", "{ attribute = \"k\" }", "{ value = \"k\" }", "{ argument = \"a\", attribute = \"b\", value = \"c\" }"]
    {
        assert_toml(
            &format!("{HEAD}select = {select}\n"),
            &["6:10: tags[0].select: expected either argument, or attribute and value"],
        );
    }
    assert_toml(
        &format!("{HEAD}select = {{ argument = \"a b\" }}\n"),
        &["6:10: tags[0].select: the value \"a b\" that selects tag \"A\" is not 1 to 64 letters, digits, _, . and -"],
    );
    assert_toml_contains(
        "name = \"p\"\nopen = true\ntags = [{ name = \"A:b\" }]",
        "tags[0].name: \"A:b\" is not a word; a variant has its value in select",
    );
}

#[test]
fn values_min_and_max_go_with_their_types() {
    let cases = [
        ("values = [\"a\"]", "values goes with type \"enum\", and the type is \"string\""),
        ("type = \"path\", values = [\"a\"]", "values goes with type \"enum\", and the type is \"path\""),
        ("min = 1", "min goes with type \"integer\" or \"number\", and the type is \"string\""),
        ("type = \"boolean\", max = 1", "max goes with type \"integer\" or \"number\", and the type is \"boolean\""),
        ("type = \"enum\", values = []", "is an enum, and needs at least one value"),
        ("type = \"integer\", min = 2, max = 1", "has a min above its max"),
    ];
    for (keys, message) in cases {
        assert_toml_contains(&format!("{HEAD}attributes = [{{ name = \"k\", {keys} }}]\n"), message);
    }
    let number = format!("{HEAD}attributes = [{{ name = \"k\", type = \"number\", min = 1, max = 2.5 }}]\n");
    let number = ProtocolBuf::from_toml(&number).expect("valid");
    let kind = number.as_protocol().tags().next().and_then(|tag| tag.attribute_specs().next()).map(|it| it.kind());
    assert_eq!(kind, Some(AttrType::Number { min: 1.0, max: 2.5 }));
}

#[test]
fn sections_and_schemas_go_with_their_bodies() {
    let tag = |lines: &str, message: &str| assert_toml_contains(&format!("{HEAD}{lines}\n"), message);
    tag("sections = []", "tags[0].sections: expected at least one section");
    tag("body = \"sections\"", "tags[0].sections: tag \"A\" has a body of sections, and needs at least one section");
    tag(
        "body = \"text\"\nsections = [{ name = \"S\" }]",
        "tags[0].sections: tag \"A\" has sections, which need body \"sections\"",
    );
    tag("body = \"text\"\nschema = {}", "tags[0].schema: tag \"A\" has a schema, which needs body \"json\"");
}

#[test]
fn a_limit_of_0_is_an_error() {
    for key in ["tags", "token_bytes", "body_bytes", "diagnostics"] {
        for number in ["0", "-1"] {
            assert_toml_contains(
                &format!("{HEAD}[limits]\n{key} = {number}\n"),
                &format!("limits.{key}: expected an integer of 1 or more"),
            );
        }
    }
    assert_toml_contains(
        &format!("budgets = [{{ name = \"b\", max = 0 }}]\n{HEAD}"),
        "1:32: budgets[0].max: expected an integer of 1 or more",
    );
    let many = "{\"name\": \"p\", \"open\": true, \"tags\": [{\"name\": \"A\"}], \"limits\": {\"tags\": 1000000000000000000000}}";
    assert_eq!(ProtocolBuf::from_json(many).expect("valid").as_protocol().limits().tags, u32::MAX);
    let some = ProtocolBuf::from_toml(&format!("{HEAD}[limits]\ntags = 7\n")).expect("valid");
    assert_eq!((some.as_protocol().limits().tags, some.as_protocol().limits().token_bytes), (7, 65_536));
}

#[test]
fn there_are_grants_or_open_and_not_both() {
    let tags = "name = \"p\"\ntags = [{ name = \"A\" }]\n";
    let nothing =
        "grants: nothing is granted: a protocol needs grants, or open = true to grant everything to everybody";
    assert_toml(tags, &[&format!("1:1: {nothing}")]);
    assert_toml(&format!("{tags}open = false\n"), &[&format!("1:1: {nothing}")]);
    assert_toml(
        &format!("{tags}open = true\ngrants = [{{ tags = [\"A\"] }}]\n"),
        &["3:8: open: a protocol has grants or open = true, not both"],
    );
    assert_toml(
        &format!("{tags}grants = [{{ tags = [] }}]\n"),
        &["3:20: grants[0].tags: the grant needs at least one tag"],
    );
    assert_toml(
        &format!("{tags}grants = [{{ role = \"\", tags = [\"A\"] }}]\n"),
        &["3:20: grants[0].role: a role needs a name; leave it out to grant to any role"],
    );
}

#[test]
fn a_seed_protocol_has_plain_tags_and_no_settings() {
    let seed = |lines: &str| format!("dialect = \"seed\"\n{lines}");
    let protocol = ProtocolBuf::from_toml(&seed(&format!("{HEAD}about = \"x\"\nbody = \"text\"\n"))).expect("valid");
    assert_eq!(protocol.as_protocol().dialect(), Dialect::Seed);
    for line in ["unknown = \"report\"", "code = \"prose\"", "regions = []", "limits = {}"] {
        let message = "the seed dialect does not have this; it is for dialect \"strict\"";
        assert_toml_contains(&seed(&format!("{line}\n{HEAD}")), message);
    }
    let keys = ["unknown_attributes = \"refuse\"", "attributes = []", "example = {}", "select = { argument = \"x\" }"];
    for line in keys {
        let key = line.split(' ').next().expect("a key");
        let message = format!("tags[0].{key}: in the seed dialect a tag has only a name, about, a body and a budget");
        assert_toml_contains(&seed(&format!("{HEAD}{line}\n")), &message);
    }
    assert_toml_contains(
        &seed(&format!("{HEAD}body = \"edits\"\n")),
        "tags[0].body: tag \"A\" has a body of edits; in the seed dialect it is \"none\" or \"text\"",
    );
    assert_toml_contains(&seed("name = \"p\"\nopen = true\ntags = [{ name = \"run\" }]"), "is not in upper case");
}

#[test]
fn several_faults_are_told_at_once_in_the_order_of_the_file() {
    let text =
        "name = \"p\"\ncolour = 1\nunknown = \"x\"\n[[tags]]\nname = 3\nbody = \"txt\"\n[[tags]]\nbodi = \"text\"\n";
    let error = ProtocolBuf::from_toml(text).unwrap_err();
    let lines: Vec<_> =
        error.faults().iter().map(|fault| (fault.place().expect("a place").line, fault.key())).collect();
    assert_eq!(
        lines,
        [(2, "colour"), (3, "unknown"), (5, "tags[0].name"), (6, "tags[0].body"), (7, "tags[1]"), (8, "tags[1].bodi")]
    );
    let text = format!("{HEAD}budget = \"b\"\n[[tags]]\nname = \"A\"\n[[tags]]\nname = \"1\"\n");
    let error = ProtocolBuf::from_toml(&text).unwrap_err();
    assert_eq!(
        error.faults().iter().map(|fault| fault.key()).collect::<Vec<_>>(),
        ["tags[0].budget", "tags[1].name", "tags[2].name"]
    );
}

#[test]
fn columns_count_characters_and_a_byte_order_mark_is_none() {
    assert_toml("\u{feff}name = \"é\"; open = 1", &["1:11: unexpected key or value, expected newline, `#`"]);
    assert_json_contains("\u{feff}{\"näme\": 1}", "1:2: näme: unknown key");
    assert_json_contains("{\"name\": \"é\", \"open\": 1}", "1:23: open: expected true or false");
}

#[test]
fn text_of_another_format_is_told() {
    assert_toml_contains("name: p\ntags:\n  - name: A\n", "1:5: ");
    assert_toml_contains("{\"name\": \"p\"}", "1:1: ");
    assert_json_contains("name = \"p\"\n", "1:2: not JSON: expected ident");
    assert_json_contains("{\"name\": \"p\",\n \"tags\": [}", "2:11: not JSON: expected value");
    assert_json_contains("", "1:1: not JSON: EOF while parsing a value");
    assert!(ProtocolBuf::from_toml("").is_err());
    assert!(ProtocolBuf::from_toml("\0\u{1}\u{fffd}").is_err());
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    assert_json_contains(&deep("[", "]", 100_000), "nested too deeply");
    assert_json_contains(&deep("{\"a\":", "1}", 100_000).replace("1}1}", "1}}").replace("1}}", "}}"), "");
    assert!(ProtocolBuf::from_toml(&format!("a = {}", deep("[", "]", 100_000))).is_err());
}

#[test]
fn ten_thousand_tags_are_too_many() {
    let mut text = String::from("name = \"p\"\nopen = true\n");
    for i in 0..10_000 {
        text.push_str(&format!("[[tags]]\nname = \"T{i}\"\n"));
    }
    assert_toml_contains(&text, "tags: a protocol has at most 512 tags, and this one has 10000");
    let refused = ProtocolBuf::from_toml(&text.replace("name = \"T", "nam = \"T")).unwrap_err();
    assert_eq!(refused.faults().len(), 50, "what is told ends somewhere");
}

#[test]
fn names_of_megabytes_are_refused_and_shortened() {
    let long = "x".repeat(10 << 20);
    let error = ProtocolBuf::from_toml(&format!("{HEAD}[[tags]]\nname = \"{long}\"\n[[tags]]\nname = \"{long}\"\n"))
        .unwrap_err();
    assert_eq!(error.faults().len(), 2);
    assert!(error.to_string().len() < 500, "{}", error.to_string().len());
    let error = ProtocolBuf::from_json(&format!("{{\"{long}\": \"{long}\"}}")).unwrap_err();
    assert!(error.to_string().len() < 2000, "{}", error.to_string().len());
    let path = std::env::temp_dir().join(format!("tagwire-long-{}.toml", std::process::id()));
    fs::write(&path, format!("name = \"{long}\"")).expect("written");
    let error = ProtocolBuf::read(&path).unwrap_err();
    fs::remove_file(&path).expect("removed");
    assert_eq!(error.to_string(), format!("{}: larger than 4 MiB", path.display()));
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let absent = ProtocolBuf::read(folder.path().join("absent.toml")).unwrap_err();
    assert!(absent.to_string().contains("absent.toml: cannot be read: "), "{absent}");
    assert_eq!((absent.faults().len(), absent.faults()[0].place()), (1, None));
    assert!(ProtocolBuf::read(folder.path()).unwrap_err().to_string().contains(": cannot be read: "));
    let path = folder.path().join("latin.toml");
    fs::write(&path, b"name = \"caf\xe9\"").expect("written");
    let error = ProtocolBuf::read(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: not UTF-8: the byte at offset 11 begins no character", path.display()));
    assert_eq!(error.file(), path.to_str());
}

#[test]
fn a_name_that_ends_in_json_is_read_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = r#"{"name": "p", "open": true, "tags": [{"name": "A"}]}"#;
    for name in ["p.json", "p.JSON"] {
        fs::write(folder.path().join(name), json).expect("written");
        assert!(ProtocolBuf::read(folder.path().join(name)).is_ok());
    }
    let path = folder.path().join("p.txt");
    fs::write(&path, HEAD).expect("written");
    assert!(ProtocolBuf::read(&path).is_ok());
    fs::write(&path, "name = 1\n").expect("written");
    let error = ProtocolBuf::read(&path).unwrap_err().to_string();
    let first = error.lines().next().expect("a line");
    assert!(first.starts_with(&format!("{}:1:", path.display())), "{error}");
}

#[test]
fn a_schema_may_be_a_file_beside() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.toml");
    fs::write(&path, format!("{HEAD}body = \"json\"\nschema = \"ticket.json\"\n")).expect("written");
    let error = ProtocolBuf::read(&path).unwrap_err().to_string();
    assert!(error.contains(":7:10: tags[0].schema: the schema ") && error.contains("cannot be read"), "{error}");
    fs::write(folder.path().join("ticket.json"), "{").expect("written");
    let error = ProtocolBuf::read(&path).unwrap_err().to_string();
    assert!(error.contains("is not JSON: EOF"), "{error}");
    fs::write(folder.path().join("ticket.json"), "{\"type\": \"object\"}").expect("written");
    let protocol = ProtocolBuf::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let schema = protocol.as_protocol().tags().next().and_then(|tag| tag.schema_source());
    assert_eq!(schema, Some(Schema::File { path: "ticket.json", json: Some("{\"type\": \"object\"}") }));
    assert!(toml::to_string(&protocol).expect("TOML").contains("schema = \"ticket.json\""));
}

#[test]
fn serde_tells_the_faults_with_their_keys() {
    for (json, message) in [
        (r#"{"name": "p", "open": true, "tags": [{"name": "a b"}]}"#, "tags[0].name: tag name \"a b\" is not a word"),
        (r#"{"name": "p", "tags": [], "grant": []}"#, "grant: unknown key; did you mean \"grants\"?"),
        (r#"{"name": "p", "open": true, "tags": [{"name": "A", "budget": "b"}]}"#, "names the unknown budget \"b\""),
        (r#"{}"#, "\"name\" is missing; \"tags\" is missing"),
    ] {
        let error = serde_json::from_str::<ProtocolBuf>(json).unwrap_err().to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}

#[test]
fn the_seeds_protocol_reads_back_what_it_writes() {
    let json = serde_json::to_string(&PROTOCOL).expect("written");
    let read: ProtocolBuf = serde_json::from_str(&json).expect("read");
    assert_eq!(read.as_protocol(), PROTOCOL);
}

#[test]
fn every_example_protocol_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/protocols");
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    assert!(files.len() >= 8);
    for file in files {
        let protocol = ProtocolBuf::read(&file).unwrap_or_else(|error| panic!("{error}"));
        assert!(protocol.as_protocol().examples().len() >= 3, "{}", file.display());
    }
}

#[test]
fn a_mangled_file_is_read_or_refused_with_faults() {
    let toml = fs::read_to_string(data("desk.toml")).expect("a file");
    let json = serde_json::to_string_pretty(&ProtocolBuf::from_toml(&toml).expect("valid")).expect("JSON");
    let mut state = 1_u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut refused = 0;
    for i in 0..1_000 {
        let whole = if i % 2 == 0 { &toml } else { &json };
        let mut text: Vec<char> = whole.chars().collect();
        for _ in 0..=below(3) {
            let at = below(text.len());
            match below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, ['"', '[', ']', '{', '}', '=', ',', '\n', '\0', 'é', '1', '#'][below(12)]),
                _ => drop(text.drain(at..(at + below(200)).min(text.len()))),
            }
        }
        let text: String = text.into_iter().collect();
        let read = if i % 2 == 0 { ProtocolBuf::from_toml(&text) } else { ProtocolBuf::from_json(&text) };
        if let Err(error) = read {
            refused += 1;
            let lines = text.lines().count();
            assert!(!error.faults().is_empty() && error.faults().iter().all(|fault| !fault.message().is_empty()));
            let in_text = |fault: &tagwire::FileFault| fault.place().is_some_and(|place| place.line <= lines + 1);
            assert!(error.faults().iter().all(in_text), "{error}");
        }
    }
    assert!(refused > 500, "{refused}");
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/protocols").join(name)
}

/// Refused with exactly these lines.
#[track_caller]
fn assert_toml(text: &str, lines: &[&str]) {
    let error = refused(ProtocolBuf::from_toml(text));
    assert_eq!(error.to_string().lines().collect::<Vec<_>>(), lines);
}

#[track_caller]
fn assert_toml_contains(text: &str, message: &str) {
    let error = refused(ProtocolBuf::from_toml(text)).to_string();
    assert!(error.contains(message), "{error}");
}

#[track_caller]
fn assert_json_contains(text: &str, message: &str) {
    let error = refused(ProtocolBuf::from_json(text)).to_string();
    assert!(error.contains(message), "{error}");
}

#[track_caller]
fn refused(read: Result<ProtocolBuf, ProtocolFileError>) -> ProtocolFileError {
    read.expect_err("it is not a protocol")
}
