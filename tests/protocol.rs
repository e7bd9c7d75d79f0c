//! Protocols as data: what is refused, and what a policy lets through.

use tagwire::workforce::{self, Mode, PROTOCOL, Role, TagName};
use tagwire::{
    AttrSpec, AttrType, Body, Budget, Dialect, EventReader, Grant, MAX_TAGS, OwnedEvent, Protocol, ProtocolBuf,
    ProtocolSpec, RegionSpec, SectionSpec, Select, StrictLimits, TagSpec, TagsInCode, UnknownAttributes, UnknownTags,
};

const A: TagSpec<'_> = TagSpec::new("A");
const B: TagSpec<'_> = TagSpec::with_body("B");

/// Checked when this test is compiled.
const CHECKED: Protocol<'_> = Protocol::checked(
    &ProtocolSpec::seed("checked", &[A, B.budget("few")]).budgets(&[Budget::new("few", 1)]).grants(&[
        Grant::new("x", "y", &["A"]),
        Grant::new("z", "y", &["A", "B"]),
        Grant::new("z", "w", &["A"]),
    ]),
);

/// Every part of a strict protocol, checked when this test is compiled.
const STRICT: Protocol<'_> = Protocol::checked(
    &ProtocolSpec::strict(
        "desk",
        &[
            TagSpec::with_body("WRITE_FILE")
                .about("Creates or replaces a file.")
                .budget("files")
                .unknown_attributes(UnknownAttributes::Warn)
                .attributes(&[
                    AttrSpec::new("path").about("Where.").path().required().aliases(&["file"]),
                    AttrSpec::new("mode").one_of(&["create", "replace"]).default_value("Create"),
                ])
                .example(&[("FILE", "a.py"), ("x", "y"), ("body", "x = 1\n")]),
            TagSpec::new("SEARCH").argument("query").attributes(&[
                AttrSpec::new("query").required(),
                AttrSpec::new("limit").integer(1, 100).default_value("+020"),
                AttrSpec::new("weight").number(0.0, 1.5).default_value("1.5e0"),
                AttrSpec::new("all").boolean().default_value(" TRUE"),
            ]),
            TagSpec::new("ACTION:append")
                .selected_by_argument()
                .sections(&[SectionSpec::new("FIND").required(), SectionSpec::new("LINK").repeat()]),
            TagSpec::new("ACTION:call").selected_by_argument().body(Body::Json).schema("{}"),
            TagSpec::new("item:read").selected_by("type").argument("path").attributes(&[AttrSpec::new("path").path()]),
            TagSpec::new("item:write")
                .selected_by("Type")
                .argument("path")
                .attributes(&[AttrSpec::new("path").path()])
                .body(Body::Edits),
        ],
    )
    .about("A help desk.")
    .unknown(UnknownTags::Prose)
    .code(TagsInCode::Tags)
    .regions(&[RegionSpec::new("think", "<think>", "</think>"), RegionSpec::new("plan", "[PLAN]", "[/PLAN]")])
    .limits(StrictLimits::DEFAULT.with_tags(3))
    .budgets(&[Budget::new("files", 3)])
    .grants(&[
        Grant::everybody(&["SEARCH"]),
        Grant::everybody(&["WRITE_FILE", "item:read"]).to_role("writer"),
        Grant::everybody(&["ACTION:append"]).in_mode("work"),
        Grant::new("writer", "work", &["item:write"]),
    ]),
);

#[test]
fn a_constant_states_all_parts() {
    let tags: Vec<_> = STRICT.tags().collect();
    let names: Vec<_> = tags.iter().map(|tag| (tag.name(), tag.word(), tag.selector())).collect();
    assert_eq!(names[0], ("WRITE_FILE", "WRITE_FILE", None));
    assert_eq!(names[2], ("ACTION:append", "ACTION", Some("append")));
    assert_eq!(names[5], ("item:write", "item", Some("write")));
    assert_eq!(tags[5].selection(), Some(Select::Attribute("Type")));
    assert_eq!(tags[2].selection(), Some(Select::Argument));
    let bodies = [Body::Text, Body::None, Body::Sections, Body::Json, Body::None, Body::Edits];
    assert!(tags.iter().map(TagSpec::body_kind).eq(bodies));
    assert_eq!(tags.iter().filter(|tag| tag.takes_argument()).count(), 5);
    assert_eq!(tags[0].unknown_attribute_rule(), UnknownAttributes::Warn);
    assert_eq!(tags[1].unknown_attribute_rule(), UnknownAttributes::Refuse);
    let attributes: Vec<_> = tags[0].attribute_specs().collect();
    assert_eq!(
        (attributes[0].name(), attributes[0].kind(), attributes[0].is_required()),
        ("path", AttrType::Path, true)
    );
    assert_eq!(attributes[0].alias_names().collect::<Vec<_>>(), ["file"]);
    assert_eq!(attributes[1].default_text(), Some("Create"));
    assert!(matches!(attributes[1].kind(), AttrType::Enum(values) if values.iter().eq(["create", "replace"])));
    let sections: Vec<_> = tags[2].section_specs().map(|it| (it.name(), it.is_required(), it.may_repeat())).collect();
    assert_eq!(sections, [("FIND", true, false), ("LINK", false, true)]);
    assert_eq!((STRICT.name(), STRICT.about(), STRICT.dialect()), ("desk", Some("A help desk."), Dialect::Strict));
    assert_eq!((STRICT.unknown(), STRICT.code(), STRICT.is_open()), (UnknownTags::Prose, TagsInCode::Tags, false));
    assert_eq!((STRICT.limits().tags, STRICT.limits().token_bytes, STRICT.limits().diagnostics), (3, 65_536, 256));
    assert_eq!(STRICT.regions().map(|region| region.closing()).collect::<Vec<_>>(), ["</think>", "[/PLAN]"]);
}

#[test]
fn a_protocol_that_says_nothing_has_the_defaults() {
    let tags = [A];
    let spec = ProtocolSpec::strict("bare", &tags).open();
    let protocol = Protocol::new(&spec).expect("valid");
    assert_eq!(
        (protocol.dialect(), protocol.unknown(), protocol.code()),
        (Dialect::Strict, UnknownTags::Report, TagsInCode::Prose)
    );
    assert_eq!(protocol.limits(), StrictLimits::default());
    assert_eq!((protocol.limits().tags, protocol.limits().body_bytes), (256, 8_388_608));
    assert_eq!((protocol.regions().len(), protocol.examples().len(), protocol.about()), (0, 0, None));
}

#[test]
fn the_names_of_tags_are_words() {
    let rule = "is not a word (a letter or _, then letters, digits, _, . and -, at most 64 bytes)";
    for name in ["", "2ND", "-x", ".x", "a b", "A:B", "é", &"x".repeat(65)] {
        let shown = if name.len() > 32 { format!("{}…", &name[..32]) } else { name.to_owned() };
        assert_tags_refused(&[TagSpec::new(name)], &format!("tag name \"{shown}\" {rule}"));
    }
    for name in ["_", "a", "a.b-c_2", &"x".repeat(64)] {
        assert_tags_accepted(&[TagSpec::new(name)]);
    }
}

#[test]
fn the_names_of_sections_are_words() {
    let rule = "of tag \"A\" is not a word (a letter or _, then letters, digits, _, . and -, at most 64 bytes)";
    assert_tags_refused(&[A.sections(&[SectionSpec::new("1")])], &format!("section name \"1\" {rule}"));
    assert_tags_accepted(&[A.sections(&[SectionSpec::new("s.1")])]);
}

#[test]
fn attributes_and_aliases_are_keys() {
    let rule = "of tag \"A\" is not a letter or _, then letters, digits, _ and -, at most 64 bytes";
    let long = "k".repeat(65);
    for name in ["", "1", "a.b", "a b", &*long] {
        let shown = if name.len() > 32 { format!("{}…", &name[..32]) } else { name.to_owned() };
        let message = format!("attribute name \"{shown}\" {rule}");
        assert_tags_refused(&[A.attributes(&[AttrSpec::new(name)])], &message);
        assert_tags_refused(&[A.attributes(&[AttrSpec::new("x").aliases(&[name])])], &message);
    }
    assert_tags_accepted(&[A.attributes(&[AttrSpec::new("a-b").aliases(&["_c", &long[..64]])])]);
    assert_tags_refused(
        &[TagSpec::new("A:x").selected_by("a.b")],
        "attribute name \"a.b\" of tag \"A:x\" is not a letter or _, then letters, digits, _ and -, at most 64 bytes",
    );
}

#[test]
fn the_value_of_a_selector_is_a_mark() {
    for (name, shown) in [("A:", ""), ("A", ""), ("A:a b", "a b"), ("A:a:b", "a:b")] {
        let message =
            format!("the value \"{shown}\" that selects tag \"A\" is not 1 to 64 letters, digits, _, . and -");
        assert_tags_refused(&[TagSpec::new(name).selected_by_argument()], &message);
        assert_tags_refused(&[TagSpec::new(name).selected_by("type")], &message);
    }
    assert_tags_accepted(&[TagSpec::new("A:2.x-_").selected_by_argument()]);
}

#[test]
fn there_is_at_least_one_tag() {
    assert_tags_refused(&[], "a protocol needs at least one tag");
}

#[test]
fn no_two_words_differ_in_case_alone() {
    assert_tags_refused(&[A, B, TagSpec::new("a")], "tag names \"A\" and \"a\" differ in case alone");
    let [first, second] = ["A:x", "a:y"].map(|name| TagSpec::new(name).selected_by_argument());
    assert_tags_refused(&[first, second], "tag names \"A\" and \"a\" differ in case alone");
}

#[test]
fn no_two_entries_have_one_name() {
    assert_tags_refused(&[A, B, A], "tag \"A\" is declared twice");
    let variant = TagSpec::new("A:x").selected_by_argument();
    assert_tags_refused(&[variant, variant], "tag \"A:x\" is declared twice");
    assert_tags_accepted(&[variant, TagSpec::new("A:X").selected_by_argument()]);
}

#[test]
fn no_two_keys_of_a_tag_are_the_same_in_any_case() {
    let message = |key| format!("tag \"A\" has two attributes or aliases \"{key}\" (compared in any case)");
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k"), AttrSpec::new("K")])], &message("K"));
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k"), AttrSpec::new("x").aliases(&["y", "K"])])], &message("K"));
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k").aliases(&["k"])])], &message("k"));
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k").aliases(&["y", "Y"])])], &message("Y"));
}

#[test]
fn no_two_sections_of_a_tag_are_the_same_in_any_case() {
    let sections = [SectionSpec::new("S"), SectionSpec::new("s")];
    assert_tags_refused(&[A.sections(&sections)], "tag \"A\" has two sections \"s\" (compared in any case)");
}

#[test]
fn no_two_values_of_an_enum_are_the_same_in_any_case() {
    let attributes = [AttrSpec::new("k").one_of(&["x", "y", "X"])];
    assert_tags_refused(
        &[A.attributes(&attributes)],
        "attribute \"k\" of tag \"A\" has two values \"X\" (compared in any case)",
    );
    assert_tags_accepted(&[A.attributes(&[AttrSpec::new("k").one_of(&["é", "É"])])]);
}

#[test]
fn no_two_budgets_have_one_name() {
    let few = Budget::new("few", 1);
    assert_refused(&ProtocolSpec::strict("p", &[A]).budgets(&[few, few]).open(), "budget \"few\" is declared twice");
}

#[test]
fn no_two_regions_have_one_name() {
    let regions = [RegionSpec::new("r", "<a>", "x"), RegionSpec::new("r", "<b>", "x")];
    assert_refused(&ProtocolSpec::strict("p", &[A]).regions(&regions).open(), "region \"r\" is declared twice");
}

#[test]
fn regions_budgets_roles_and_modes_are_not_empty() {
    let open = ProtocolSpec::strict("p", &[A]).open();
    assert_refused(&open.regions(&[RegionSpec::new("", "a", "b")]), "a region needs a name");
    assert_refused(&open.budgets(&[Budget::new("", 1)]), "a budget needs a name");
    let granted = |grant| ProtocolBuf::new(&ProtocolSpec::strict("p", &[A]).grants(&[grant])).unwrap_err().to_string();
    assert_eq!(granted(Grant::new("", "m", &["A"])), "a role needs a name; leave it out to grant to any role");
    assert_eq!(granted(Grant::new("r", "", &["A"])), "a mode needs a name; leave it out to grant in any mode");
}

#[test]
fn a_word_with_several_entries_is_told_apart_by_one_thing() {
    let message = "the tags named \"A\" need a select each, all by the argument or all by the same attribute";
    let [x, y] = ["A:x", "A:y"].map(TagSpec::new);
    assert_tags_refused(&[A, x.selected_by_argument()], message);
    assert_tags_refused(&[x.selected_by_argument(), A], message);
    assert_tags_refused(&[x.selected_by_argument(), y.selected_by("type")], message);
    assert_tags_refused(&[x.selected_by("kind"), y.selected_by("type")], message);
    assert_tags_accepted(&[x.selected_by("TYPE"), y.selected_by("type")]);
    assert_tags_accepted(&[x.selected_by_argument(), y.selected_by_argument()]);
}

#[test]
fn variants_take_the_same_argument_or_none() {
    let path = [AttrSpec::new("path"), AttrSpec::new("other")];
    let [x, y] = ["A:x", "A:y"].map(|name| TagSpec::new(name).selected_by("type").attributes(&path));
    let message = "the tags named \"A\" take the same argument, or all of them none";
    assert_tags_refused(&[x.argument("path"), y], message);
    assert_tags_refused(&[x, y.argument("path")], message);
    assert_tags_refused(&[x.argument("path"), y.argument("other")], message);
    assert_tags_accepted(&[x.argument("path"), y.argument("path")]);
}

#[test]
fn a_selecting_attribute_is_not_declared_again() {
    let attributes = [AttrSpec::new("Type")];
    assert_tags_refused(
        &[TagSpec::new("A:x").selected_by("type").attributes(&attributes)],
        "tag \"A:x\" has two attributes or aliases \"Type\" (compared in any case)",
    );
}

#[test]
fn an_argument_names_an_attribute_of_its_tag() {
    let attributes = [AttrSpec::new("path").aliases(&["file"])];
    for argument in ["other", "file", "PATH"] {
        let message = format!(
            "the argument of tag \"A\" is the value of \"{argument}\", which is not the name of an attribute of it"
        );
        assert_tags_refused(&[A.attributes(&attributes).argument(argument)], &message);
    }
}

#[test]
fn an_argument_does_not_stand_beside_a_selecting_one() {
    let attributes = [AttrSpec::new("path")];
    assert_tags_refused(
        &[TagSpec::new("A:x").selected_by_argument().attributes(&attributes).argument("path")],
        "the argument of tag \"A:x\" selects it, so it cannot be the value of an attribute too",
    );
}

#[test]
fn sections_go_with_a_body_of_sections() {
    assert_tags_refused(&[A.body(Body::Sections)], "tag \"A\" has a body of sections, and needs at least one section");
    assert_tags_refused(
        &[A.sections(&[SectionSpec::new("S")]).body(Body::Text)],
        "tag \"A\" has sections, which need body \"sections\"",
    );
}

#[test]
fn a_schema_goes_with_a_body_of_json() {
    assert_tags_refused(&[B.schema("{}")], "tag \"B\" has a schema, which needs body \"json\"");
    assert_tags_accepted(&[B.body(Body::Json).schema("{}")]);
}

#[test]
fn an_enum_has_at_least_one_value() {
    let attributes = [AttrSpec::new("k").one_of(&[])];
    assert_tags_refused(
        &[A.attributes(&attributes)],
        "attribute \"k\" of tag \"A\" is an enum, and needs at least one value",
    );
}

#[test]
fn min_and_max_are_in_order() {
    let message = "attribute \"k\" of tag \"A\" has a min above its max";
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k").integer(2, 1)])], message);
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k").number(0.2, 0.1)])], message);
    assert_tags_refused(&[A.attributes(&[AttrSpec::new("k").number(f64::NAN, 0.1)])], message);
    assert_tags_accepted(&[A.attributes(&[AttrSpec::new("k").integer(1, 1), AttrSpec::new("l").number(0.5, 0.5)])]);
}

#[test]
fn a_default_is_of_its_type_and_not_required() {
    let k = AttrSpec::new("k");
    assert_default_refused(k.required().default_value("x"), "\"x\" and is required: it cannot be both");
    assert_default_refused(k.integer(0, 9).default_value("10"), "\"10\", which is below its min or above its max");
    assert_default_refused(k.integer(0, 9).default_value("1.0"), "\"1.0\", which is not an integer of 64 bits");
    assert_default_refused(
        k.number(0.0, 0.3).default_value("0.30001"),
        "\"0.30001\", which is below its min or above its max",
    );
    assert_default_refused(k.number(0.0, 9.0).default_value("1e999"), "\"1e999\", which is not a finite number");
    assert_default_refused(k.boolean().default_value("yes"), "\"yes\", which is neither true nor false");
    assert_default_refused(k.one_of(&["a"]).default_value("b"), "\"b\", which is none of its values");
    assert_default_refused(
        k.path().default_value("../a"),
        "\"../a\", which is not a relative path with / and without ..",
    );
}

#[test]
fn a_tag_with_a_body_has_no_until_and_no_body() {
    for key in ["until", "UNTIL", "body", "Body"] {
        let message = format!("tag \"B\" has a body, so it cannot have an attribute \"{key}\"");
        assert_tags_refused(&[B.attributes(&[AttrSpec::new(key)])], &message);
        assert_tags_refused(&[B.attributes(&[AttrSpec::new("x").aliases(&[key])])], &message);
        assert_tags_accepted(&[A.attributes(&[AttrSpec::new(key)])]);
    }
    assert_tags_refused(
        &[TagSpec::with_body("B:x").selected_by("until")],
        "tag \"B:x\" has a body, so it cannot have an attribute \"until\"",
    );
}

#[test]
fn the_markers_of_a_region_are_1_to_64_bytes_without_line_breaks() {
    let long = "x".repeat(65);
    for marker in ["", "a\nb", "a\r", &long] {
        assert_region_refused(
            RegionSpec::new("r", marker, "x"),
            "region \"r\" opens with a marker that is not 1 to 64 bytes without line breaks",
        );
        assert_region_refused(
            RegionSpec::new("r", "x", marker),
            "region \"r\" closes with a marker that is not 1 to 64 bytes without line breaks",
        );
    }
}

#[test]
fn an_opening_marker_begins_with_nothing_that_opens_something_else() {
    for marker in [" x", "\tx", "[[x", ">x", "`x", "~x"] {
        let message =
            format!("region \"r\" opens with \"{marker}\"; a marker begins with none of white space, [[, >, ` and ~");
        assert_region_refused(RegionSpec::new("r", marker, "x"), &message);
    }
    for marker in ["[x", "<x", "\u{a0}x"] {
        let regions = [RegionSpec::new("r", marker, "[[x")];
        let spec = ProtocolSpec::strict("p", &[A]).regions(&regions).open();
        assert!(ProtocolBuf::new(&spec).is_ok(), "{marker}");
    }
}

#[test]
fn no_opening_marker_begins_with_another() {
    for (first, second) in [("<a", "<a>"), ("<a>", "<a"), ("<a", "<a")] {
        let regions = [RegionSpec::new("r", first, "x"), RegionSpec::new("s", second, "x")];
        assert_refused(
            &ProtocolSpec::strict("p", &[A]).regions(&regions).open(),
            &format!(
                "the marker \"{second}\" and the marker \"{first}\" begin alike: no opening marker begins with another"
            ),
        );
    }
}

#[test]
fn there_are_grants_or_everything_is_open() {
    assert_refused(
        &ProtocolSpec::strict("p", &[A]),
        "nothing is granted: a protocol needs grants, or open = true to grant everything to everybody",
    );
    let both = ProtocolSpec::strict("p", &[A]).grants(const { &[Grant::everybody(&["A"])] }).open();
    assert_refused(&both, "a protocol has grants or open = true, not both");
}

#[test]
fn a_grant_names_entries_at_least_one() {
    let refused = |grant, message: &str| assert_refused(&ProtocolSpec::strict("p", &[A]).grants(&[grant]), message);
    refused(Grant::everybody(&[]), "the grant needs at least one tag");
    refused(Grant::new("r", "m", &["C"]), "the grant to role \"r\" in mode \"m\" names the unknown tag \"C\"");
    refused(Grant::everybody(&["a"]).to_role("r"), "the grant to role \"r\" names the unknown tag \"a\"");
    refused(Grant::everybody(&["A:x"]).in_mode("m"), "the grant in mode \"m\" names the unknown tag \"A:x\"");
}

#[test]
fn a_budget_that_a_tag_names_is_declared() {
    assert_tags_refused(&[A.budget("few")], "tag \"A\" names the unknown budget \"few\"");
}

#[test]
fn a_budget_is_at_least_1() {
    let budgets = [Budget::new("few", 0)];
    assert_refused(
        &ProtocolSpec::strict("p", &[A]).budgets(&budgets).open(),
        "budget \"few\" has the max 0; it is at least 1",
    );
}

#[test]
fn a_limit_is_at_least_1() {
    let limits = StrictLimits::DEFAULT.with_tags(0).with_token_bytes(0).with_body_bytes(0).with_diagnostics(0);
    let error = ProtocolBuf::new(&ProtocolSpec::strict("p", &[A]).limits(limits).open()).unwrap_err();
    assert_eq!(error.messages().collect::<Vec<_>>(), ["a limit is at least 1; leave it out for the default"; 4]);
}

#[test]
fn an_example_has_the_attributes_of_its_tag() {
    let attributes = [AttrSpec::new("path").path().required().aliases(&["file"]), AttrSpec::new("n").integer(1, 3)];
    let tag = A.attributes(&attributes);
    assert_tags_accepted(&[tag.example(&[("FILE", "a.py"), ("n", "3")])]);
    let refused: &[(&[(&str, &str)], &str)] = &[
        (&[], "lacks the attribute \"path\""),
        (&[("path", " ")], "has \"path\" = \" \", which is required and blank"),
        (&[("path", "/a")], "has \"path\" = \"/a\", which is not a relative path with / and without .."),
        (&[("path", "a"), ("n", "4")], "has \"n\" = \"4\", which is below its min or above its max"),
        (&[("path", "a"), ("file", "a")], "has the attribute \"file\" twice"),
        (&[("path", "a"), ("x", "a")], "has \"x\", which is not an attribute of it"),
        (&[("path", "a"), ("body", "a")], "has \"body\", which is not an attribute of it"),
    ];
    for (example, message) in refused {
        assert_tags_refused(&[tag.example(example)], &format!("the example of tag \"A\" {message}"));
    }
    assert_tags_accepted(&[tag.body(Body::Text).example(&[("path", "a"), ("body", "a")])]);
    assert_tags_accepted(&[tag.unknown_attributes(UnknownAttributes::Keep).example(&[("path", "a"), ("x", "")])]);
}

#[test]
fn a_seed_protocol_has_upper_case_names() {
    for name in ["run", "Run", "A-B", "A.B"] {
        let message = format!(
            "tag name \"{name}\" is not in upper case (in the seed dialect, letters A to Z, _, and digits after the first)"
        );
        assert_refused(&ProtocolSpec::seed("p", &[TagSpec::new(name)]).open(), &message);
        assert_tags_accepted(&[TagSpec::new(name)]);
    }
}

#[test]
fn a_seed_protocol_has_plain_tags() {
    let attributes = [AttrSpec::new("x")];
    let refused = |tag: TagSpec<'_>, key: &str| {
        let error = ProtocolBuf::new(&ProtocolSpec::seed("p", &[tag]).open()).unwrap_err().to_string();
        let message = format!("has {key}; in the seed dialect a tag has only a name, about, a body and a budget");
        assert!(error.contains(&message), "{error}");
    };
    refused(A.attributes(&attributes), "attributes");
    refused(A.attributes(&attributes).argument("x"), "argument");
    refused(TagSpec::new("A:x").selected_by_argument(), "select");
    refused(A.unknown_attributes(UnknownAttributes::Refuse), "unknown_attributes");
    refused(A.example(&[]), "example");
    let message = "tag \"A\" has a body of json; in the seed dialect it is \"none\" or \"text\"";
    assert_refused(&ProtocolSpec::seed("p", &[A.body(Body::Json)]).open(), message);
    assert!(ProtocolBuf::new(&ProtocolSpec::seed("p", &[A.about("Does it."), B]).about("All.").open()).is_ok());
}

#[test]
fn a_seed_protocol_has_no_strict_settings() {
    let seed = ProtocolSpec::seed("p", &[A]).open();
    let message = "the seed dialect does not have this; it is for dialect \"strict\"";
    assert_refused(&seed.unknown(UnknownTags::Report), message);
    assert_refused(&seed.code(TagsInCode::Prose), message);
    assert_refused(&seed.regions(&[]), message);
    assert_refused(&seed.limits(StrictLimits::DEFAULT), message);
}

#[test]
fn several_faults_are_told_at_once() {
    let error = ProtocolBuf::new(&ProtocolSpec::strict("p", &[A.budget("x"), A, TagSpec::new("b c")])).unwrap_err();
    assert_eq!(error.to_string().lines().count(), 4, "{error}");
    let tags = [TagSpec::new("1"); 30];
    let error = ProtocolBuf::new(&ProtocolSpec::strict("p", &tags)).unwrap_err();
    assert_eq!(error.messages().last(), Some("there may be more faults"));
}

#[test]
fn the_longest_message_fits() {
    let long = "é".repeat(100);
    let cut = format!("\"{}…\"", "é".repeat(16));
    let expected = format!("the grant to role {cut} in mode {cut} names the unknown tag {cut}");
    assert_refused(&ProtocolSpec::strict("p", &[A]).grants(&[Grant::new(&long, &long, &[&long])]), &expected);
}

#[test]
fn at_most_512_tags() {
    let names: Vec<String> = (0..=MAX_TAGS).map(|i| format!("T{i}")).collect();
    let tags: Vec<TagSpec<'_>> = names.iter().map(|name| TagSpec::new(name)).collect();
    assert_tags_refused(&tags, "a protocol has at most 512 tags, and this one has 513");
    let spec = ProtocolSpec::seed("many", &tags[..MAX_TAGS]).open();
    let protocol = Protocol::new(&spec).expect("512 are fine");
    let policy = protocol.unrestricted();
    let text: String = names.iter().map(|name| format!("[[{name}]]")).collect();
    let reply = policy.parse(&text);
    assert!(reply.tag_names().eq(names[..MAX_TAGS].iter()));
    assert_eq!(reply.error_text(), "ERROR: unknown tag [[T512]] ignored");
}

#[test]
#[should_panic(expected = "tag \"A\" is declared twice")]
fn checked_panics_with_the_message() {
    let tags = [A, A];
    let _ = Protocol::checked(&ProtocolSpec::seed("p", &tags).open());
}

#[test]
fn a_policy_knows_the_roles_and_modes_of_the_grants() {
    assert_eq!(CHECKED.roles().collect::<Vec<_>>(), ["x", "z"]);
    assert_eq!(CHECKED.modes().collect::<Vec<_>>(), ["y", "w"]);
    assert_eq!(granted(CHECKED, "x", "y"), ["A"]);
    assert_eq!(granted(CHECKED, "z", "y"), ["A", "B"]);
    assert!(granted(CHECKED, "x", "w").is_empty(), "known names without a grant may do nothing");
    let unknown = CHECKED.policy("X", "y").unwrap_err();
    assert_eq!(unknown.to_string(), "unknown role \"X\" (known: x, z)");
    assert_eq!((unknown.name(), unknown.known().collect::<Vec<_>>()), ("X", vec!["x", "z"]));
    assert_eq!(CHECKED.policy("x", "").unwrap_err().to_string(), "unknown mode \"\" (known: y, w)");
}

#[test]
fn a_role_may_use_what_all_grants_that_fit_it_name() {
    assert_eq!(granted(STRICT, "writer", "work"), ["WRITE_FILE", "SEARCH", "ACTION:append", "item:read", "item:write"]);
    assert!(STRICT.policy("other", "work").is_err());
    let names = |role, mode| -> Vec<String> {
        let policy = STRICT.policy_for(role, mode).expect("known");
        policy.granted().map(|tag| tag.name().to_owned()).collect()
    };
    assert_eq!(names(None, None), ["SEARCH"]);
    assert_eq!(names(None, Some("work")), ["SEARCH", "ACTION:append"]);
    assert_eq!(names(Some("writer"), None), ["WRITE_FILE", "SEARCH", "item:read"]);
    let policy = STRICT.policy("writer", "work").expect("known");
    assert_eq!((policy.role(), policy.mode()), (Some("writer"), Some("work")));
    assert!(policy.allows("ITEM") && policy.allows("item:read") && !policy.allows("ACTION:call"));
    assert_eq!(STRICT.unrestricted().granted().count(), 6);
}

#[test]
fn a_role_that_no_grant_names_is_any() {
    let tags = [A, B];
    let grants = [Grant::everybody(&["A"]).in_mode("m"), Grant::everybody(&["B"])];
    let spec = ProtocolSpec::strict("p", &tags).grants(&grants);
    let protocol = Protocol::new(&spec).expect("valid");
    assert_eq!(granted(protocol, "anyone", "m"), ["A", "B"]);
    assert_eq!(protocol.policy("anyone", "n").unwrap_err().to_string(), "unknown mode \"n\" (known: m)");
}

#[test]
fn an_open_protocol_grants_everything() {
    let tags = [A, B];
    let spec = ProtocolSpec::seed("p", &tags).open();
    let protocol = Protocol::new(&spec).expect("valid");
    let policy = protocol.policy("anyone", "anyhow").expect("all are granted");
    assert_eq!((policy.role(), policy.mode()), (None, None));
    assert_eq!(policy.granted().count(), 2);
    assert!(policy.allows("a") && !policy.allows("C"));
    assert_eq!(policy.parse("[[A/]][[B]][[/B]]").tags().len(), 2);
}

#[test]
fn the_owned_form_lends_the_same_protocol() {
    let owned = ProtocolBuf::from(PROTOCOL);
    assert_eq!(owned.as_protocol(), PROTOCOL);
    assert_ne!(owned, ProtocolBuf::from(CHECKED));
    assert_eq!(ProtocolBuf::from(STRICT).as_protocol(), STRICT);
    let reply = {
        let policy = owned.as_protocol().policy("developer", "work").expect("known");
        policy.parse("[[run cmd='a'/]]")
    };
    assert_eq!(reply.tags()[0].name(), "RUN");
}

#[test]
fn an_owned_policy_outlives_where_it_was_made() {
    let policy = {
        let protocol = ProtocolBuf::from(PROTOCOL);
        protocol.policy("developer", "work").expect("known")
    };
    assert_eq!(policy.as_policy().parse("[[RUN cmd='a'/]]").tags()[0].name(), "RUN");
    assert_eq!(policy.as_policy().protocol(), PROTOCOL);
    let mut parser = tagwire::Parser::from(policy.clone());
    let thread = std::thread::spawn(move || {
        let events: Vec<String> = parser.feed("[[HIRE/]][[RUN/]]").map(|event| format!("{event:?}")).collect();
        (parser.policy().role().map(str::to_owned), events.len(), parser.policy().parse("[[RUN/]]").tags().len())
    });
    assert_eq!(thread.join().expect("no panic"), (Some("developer".to_owned()), 3, 1));
    fn check<T: Send + 'static>(_: &T) {}
    let mut reader = EventReader::new("[[RUN/]]".as_bytes(), policy);
    check(&reader);
    assert!(matches!(reader.next(), Some(Ok(OwnedEvent::Tag(tag))) if tag.as_tag().name() == "RUN"));
    assert_eq!(
        ProtocolBuf::from(CHECKED).policy("q", "y").unwrap_err().to_string(),
        "unknown role \"q\" (known: x, z)"
    );
    assert_eq!(ProtocolBuf::from(CHECKED).unrestricted().as_policy().granted().count(), 2);
}

#[test]
fn a_function_may_build_its_policy_and_return_the_reply() {
    fn read(text: &str) -> tagwire::Reply<'_> {
        workforce::policy(Role::Tester, Mode::Work).parse(text)
    }
    assert!(read("[[TEST_PASS]]ok[[/TEST_PASS]]").has_tag("test_pass"));
}

#[test]
fn the_preset_is_the_seeds() {
    assert_eq!(PROTOCOL.dialect(), Dialect::Seed);
    assert_eq!(PROTOCOL.tags().len(), 28);
    assert_eq!(PROTOCOL.tags().filter(TagSpec::has_body).count(), 12);
    assert_eq!(PROTOCOL.budgets().map(|budget| budget.max()).collect::<Vec<_>>(), [3, 3, 3]);
    assert_eq!(PROTOCOL.grants().len(), 8);
    assert!(PROTOCOL.tags().map(|tag| tag.name()).eq(TagName::ALL.iter().map(|tag| tag.as_str())));
    assert!(PROTOCOL.roles().eq(Role::ALL.iter().map(|role| role.as_str())));
    assert!(PROTOCOL.modes().eq(Mode::ALL.iter().map(|mode| mode.as_str())));
    assert!(PROTOCOL.tags().map(|tag| tag.has_body()).eq(TagName::ALL.iter().map(|tag| tag.has_body())));
    for role in [Role::Planner, Role::Developer, Role::Reviewer, Role::Tester] {
        let allowed: Vec<_> = workforce::allowed_tags(role, Mode::Work).collect();
        assert!(workforce::TOOL_TAGS.iter().all(|tag| allowed.contains(tag)), "{role}");
        assert_eq!(workforce::allowed_tags(role, Mode::Chat).count(), 0, "{role}");
    }
    let chat: Vec<_> = workforce::allowed_tags(Role::Manager, Mode::Chat).collect();
    assert!(workforce::TEAM_CHANGE_TAGS.iter().all(|tag| chat.contains(tag)));
    assert_eq!(chat.len(), 8);
}

#[test]
fn names_read_back_what_they_print() {
    for tag in TagName::ALL {
        assert_eq!(tag.to_string().parse(), Ok(*tag));
    }
    assert_eq!(format!("{:>9}|{:<6}", Role::Tester, Mode::Chat), "   tester|chat  ");
    let error = "Manager".parse::<Role>().unwrap_err();
    assert_eq!(error.to_string(), "unknown role (known: manager, planner, developer, reviewer, tester)");
    assert!("".parse::<Mode>().is_err() && "run".parse::<TagName>().is_err());
}

fn granted<'p>(protocol: Protocol<'p>, role: &str, mode: &str) -> Vec<&'p str> {
    let policy = protocol.policy(role, mode).expect("known");
    let names: Vec<String> = policy.granted().map(|tag| tag.name().to_owned()).collect();
    protocol.tags().map(|tag| tag.name()).filter(|name| names.iter().any(|it| it == name)).collect()
}

#[track_caller]
fn assert_default_refused(attribute: AttrSpec<'_>, message: &str) {
    let message = format!("attribute \"k\" of tag \"A\" has the default {message}");
    assert_tags_refused(&[A.attributes(&[attribute])], &message);
}

#[track_caller]
fn assert_region_refused(region: RegionSpec<'_>, message: &str) {
    assert_refused(&ProtocolSpec::strict("p", &[A]).regions(&[region]).open(), message);
}

#[track_caller]
fn assert_tags_refused(tags: &[TagSpec<'_>], message: &str) {
    assert_refused(&ProtocolSpec::strict("p", tags).open(), message);
}

#[track_caller]
fn assert_tags_accepted(tags: &[TagSpec<'_>]) {
    let spec = ProtocolSpec::strict("p", tags).open();
    assert!(Protocol::new(&spec).is_ok(), "{:?}", Protocol::new(&spec));
    assert_eq!(ProtocolBuf::new(&spec).expect("valid").as_protocol(), Protocol::new(&spec).expect("valid"));
}

/// Refused in each form, with this message alone.
#[track_caller]
fn assert_refused(spec: &ProtocolSpec<'_>, message: &str) {
    assert_eq!(Protocol::new(spec).expect_err("invalid").to_string(), message);
    assert_eq!(ProtocolBuf::new(spec).expect_err("invalid").to_string(), message);
}
