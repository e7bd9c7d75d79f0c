//! Protocols as data: what is refused, and what a policy lets through.

use tagwire::workforce::{self, Mode, PROTOCOL, Role, TagName};
use tagwire::{Budget, Grant, MAX_TAGS, Protocol, ProtocolBuf, TagSpec};

const A: TagSpec<'_> = TagSpec::new("A");
const B: TagSpec<'_> = TagSpec::with_body("B");

/// Checked when this test is compiled.
const CHECKED: Protocol<'_> = Protocol::checked(
    &[A, B.budget("few")],
    &[Budget::new("few", 1)],
    &[Grant::new("x", "y", &["A"]), Grant::new("z", "y", &["A", "B"]), Grant::new("x", "w", &[])],
);

#[test]
fn each_mistake_has_its_error() {
    let lower = "tag name \"run\" is not in upper case (letters A to Z, _, and digits behind the first)";
    assert_refused(&[TagSpec::new("run")], &[], &[], lower);
    let digit = "tag name \"2ND\" is not in upper case (letters A to Z, _, and digits behind the first)";
    assert_refused(&[TagSpec::new("2ND")], &[], &[], digit);
    let empty = "tag name \"\" is not in upper case (letters A to Z, _, and digits behind the first)";
    assert_refused(&[TagSpec::new("")], &[], &[], empty);
    let other = "tag name \"A-B\" is not in upper case (letters A to Z, _, and digits behind the first)";
    assert_refused(&[TagSpec::new("A-B")], &[], &[], other);
    assert_refused(&[A, B, A], &[], &[], "tag \"A\" is there twice (names are compared in any case)");
    let twice = "tag \"a\" is there twice (names are compared in any case)";
    assert_refused(&[A, TagSpec::new("a")], &[], &[], twice);
    assert_refused(&[A.budget("few")], &[], &[], "tag \"A\" names the unknown budget \"few\"");
    let few = Budget::new("few", 1);
    assert_refused(&[A], &[few], &[], "budget \"few\" is used by no tag");
    assert_refused(&[A.budget("few")], &[few, few], &[], "budget \"few\" is there twice");
    let unknown = "role \"x\" mode \"y\" is granted the unknown tag \"C\"";
    assert_refused(&[A], &[], &[Grant::new("x", "y", &["A", "C"])], unknown);
    let case = "role \"x\" mode \"y\" is granted the unknown tag \"a\"";
    assert_refused(&[A], &[], &[Grant::new("x", "y", &["a"])], case);
    let pair = Grant::new("x", "y", &["A"]);
    assert_refused(&[A], &[], &[pair, pair], "role \"x\" mode \"y\" is granted twice");
    assert_refused(&[A], &[], &[Grant::new("", "y", &[])], "role \"\" mode \"y\": a role or mode needs a name");
    assert_refused(&[A], &[], &[Grant::new("x", "", &[])], "role \"x\" mode \"\": a role or mode needs a name");
}

#[test]
fn the_longest_message_fits() {
    let long = "é".repeat(100);
    let cut = format!("\"{}…\"", "é".repeat(10));
    let expected = format!("role {cut} mode {cut} is granted the unknown tag {cut}");
    assert_refused(&[A], &[], &[Grant::new(&long, &long, &[&long])], &expected);
}

#[test]
fn at_most_128_tags() {
    let names: Vec<String> = (0..=MAX_TAGS).map(|i| format!("T{i}")).collect();
    let tags: Vec<TagSpec<'_>> = names.iter().map(|name| TagSpec::new(name)).collect();
    assert_refused(&tags, &[], &[], "a protocol has at most 128 tags, and this one has more");
    let protocol = Protocol::new(&tags[..MAX_TAGS], &[], &[]).expect("128 are fine");
    let policy = protocol.policy("", "").expect("no roles");
    let text: String = names.iter().map(|name| format!("[[{name}]]")).collect();
    let reply = policy.parse(&text);
    assert!(reply.tag_names().eq(names[..MAX_TAGS].iter()));
    assert_eq!(reply.error_text(), "ERROR: unknown tag [[T128]] ignored");
}

#[test]
#[should_panic(expected = "tag \"A\" is there twice (names are compared in any case)")]
fn checked_panics_with_the_message() {
    let _ = Protocol::checked(&[A, A], &[], &[]);
}

#[test]
fn a_policy_knows_the_roles_and_modes_of_the_grants() {
    assert_eq!(CHECKED.roles().collect::<Vec<_>>(), ["x", "z"]);
    assert_eq!(CHECKED.modes().collect::<Vec<_>>(), ["y", "w"]);
    let granted =
        |role, mode| -> Vec<_> { CHECKED.policy(role, mode).expect("known").granted().map(|tag| tag.name()).collect() };
    assert_eq!(granted("x", "y"), ["A"]);
    assert_eq!(granted("z", "y"), ["A", "B"]);
    assert!(granted("x", "w").is_empty());
    assert!(granted("z", "w").is_empty(), "known names without a grant may do nothing");
    let unknown = CHECKED.policy("X", "y").unwrap_err();
    assert_eq!(unknown.to_string(), "unknown role \"X\" (known: x, z)");
    assert_eq!((unknown.name(), unknown.known().collect::<Vec<_>>()), ("X", vec!["x", "z"]));
    assert_eq!(CHECKED.policy("x", "").unwrap_err().to_string(), "unknown mode \"\" (known: y, w)");
}

#[test]
fn a_protocol_without_roles_grants_everything() {
    let protocol = Protocol::new(&[A, B], &[], &[]).expect("valid");
    let policy = protocol.policy("anyone", "anyhow").expect("all are granted");
    assert_eq!((policy.role(), policy.mode()), (None, None));
    assert_eq!(policy.granted().count(), 2);
    assert!(policy.allows("a") && !policy.allows("C"));
    assert_eq!(policy.parse("[[A/]][[B]][[/B]]").tags().len(), 2);
}

#[test]
fn a_budget_of_nothing_drops_the_first() {
    let protocol = Protocol::new(&[A.budget("none")], &[], &[]).map(|_| ());
    assert!(protocol.is_err());
    let tags = [A.budget("none"), TagSpec::new("C").budget("none")];
    let budgets = [Budget::new("none", 0)];
    let protocol = Protocol::new(&tags, &budgets, &[]).expect("valid");
    let reply = protocol.policy("", "").expect("no roles").parse("[[A]][[C]]");
    assert_eq!(reply.tags(), []);
    assert!(reply.error_text().starts_with("ERROR: too many [[A]] in one reply (max 0)"));
}

#[test]
fn the_owned_form_lends_the_same_protocol() {
    let owned = ProtocolBuf::from(PROTOCOL);
    assert_eq!(owned.as_protocol(), PROTOCOL);
    assert_ne!(owned, ProtocolBuf::from(CHECKED));
    let reply = {
        let policy = owned.as_protocol().policy("developer", "work").expect("known");
        policy.parse("[[run cmd='a'/]]")
    };
    assert_eq!(reply.tags()[0].name(), "RUN");
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
    assert_eq!(PROTOCOL.tags().len(), 28);
    assert_eq!(PROTOCOL.tags().filter(TagSpec::has_body).count(), 12);
    assert_eq!(PROTOCOL.budgets().map(|budget| budget.max()).collect::<Vec<_>>(), [3, 3, 3]);
    assert_eq!(PROTOCOL.grants().len(), 8);
    assert!(PROTOCOL.tags().map(|tag| tag.name()).eq(TagName::ALL.iter().map(|tag| tag.as_str())));
    assert!(PROTOCOL.roles().eq(Role::ALL.iter().map(|role| role.as_str())));
    assert!(PROTOCOL.modes().eq(Mode::ALL.iter().map(|mode| mode.as_str())));
    assert!(PROTOCOL.tags().map(|tag| tag.has_body()).eq(TagName::ALL.iter().map(|tag| tag.has_body())));
    let changes = PROTOCOL.tags().filter(|tag| tag.budget_name() == Some("team changes")).map(|tag| tag.name());
    assert!(changes.eq(workforce::TEAM_CHANGE_TAGS.iter().map(|tag| tag.as_str())));
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

#[cfg(feature = "serde")]
#[test]
fn a_protocol_reads_back_what_it_writes() {
    let json = serde_json::to_string(&PROTOCOL).expect("written");
    let read: ProtocolBuf = serde_json::from_str(&json).expect("read");
    assert_eq!(read.as_protocol(), PROTOCOL);
    let short: ProtocolBuf = serde_json::from_str(r#"{"tags": [{"name": "A"}]}"#).expect("the rest has defaults");
    assert_eq!(short.as_protocol().tags().collect::<Vec<_>>(), [A]);
    for (json, message) in [
        (r#"{"tags": [{"name": "a"}]}"#, "tag name \"a\" is not in upper case"),
        (r#"{"tags": [], "grant": []}"#, "unknown field `grant`"),
        (r#"{"tags": [{"name": "A", "budget": "b"}]}"#, "names the unknown budget"),
        (r#"{}"#, "missing field `tags`"),
    ] {
        let error = serde_json::from_str::<ProtocolBuf>(json).unwrap_err().to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}

#[track_caller]
fn assert_refused(tags: &[TagSpec<'_>], budgets: &[Budget<'_>], grants: &[Grant<'_>], message: &str) {
    assert_eq!(Protocol::new(tags, budgets, grants).expect_err("invalid").to_string(), message);
    assert_eq!(ProtocolBuf::new(tags, budgets, grants).expect_err("invalid").to_string(), message);
}
