//! What makes parts a protocol. All of it runs in a `const` too.
//!
//! Each check pushes its faults and goes on, so that a file is told all of them at once. The numbers of parts are checked first:
//! they bound what the checks of names against each other cost.

use super::error::{Faults, Path, Text};
use super::keyword::{Body, Dialect, UnknownAttributes};
use super::list::{Names, Regions};
use super::spec::{AttrSpec, AttrType, ProtocolSpec, Select, TagSpec};
use super::tag_set::MAX_TAGS;
use super::value::{self, InvalidValue};

/// The most budgets of a protocol.
pub(crate) const MAX_BUDGETS: usize = 128;

/// Checks a protocol. Finds several faults, but not all: those that others may have caused are left out.
pub(super) const fn validate(spec: &ProtocolSpec<'_>) -> Faults {
    let mut faults = Faults::new();
    let root = Path::ROOT;
    if spec.tags.len() == 0 {
        faults.push(root.key("tags"), Text::of("a protocol needs at least one tag"));
    }
    check_count(&mut faults, root.key("tags"), spec.tags.len(), MAX_TAGS, "a protocol has at most 512 tags");
    check_count(
        &mut faults,
        root.key("budgets"),
        spec.budgets.len(),
        MAX_BUDGETS,
        "a protocol has at most 128 budgets",
    );
    check_count(&mut faults, root.key("grants"), spec.grants.len(), MAX_GRANTS, "a protocol has at most 512 grants");
    if let Some(regions) = spec.regions {
        check_count(&mut faults, root.key("regions"), regions.len(), MAX_REGIONS, "a protocol has at most 64 regions");
    }
    let mut i = 0;
    while i < spec.tags.len() && faults.is_empty() {
        let (tag, path) = (spec.tags.at(i), root.key("tags").index(i));
        check_tag_counts(&mut faults, tag, path);
        i += 1;
    }
    let mut i = 0;
    while i < spec.grants.len() && faults.is_empty() {
        let path = root.key("grants").index(i).key("tags");
        check_count(&mut faults, path, spec.grants.at(i).tags.len(), MAX_TAGS, "a grant names at most 512 tags");
        i += 1;
    }
    if !faults.is_empty() {
        return faults;
    }
    check_limits(&mut faults, spec);
    check_tags(&mut faults, spec);
    check_budgets(&mut faults, spec);
    if let Some(regions) = spec.regions {
        check_regions(&mut faults, regions);
    }
    check_grants(&mut faults, spec);
    if matches!(spec.dialect, Dialect::Seed) {
        check_seed(&mut faults, spec);
    }
    faults
}

const fn check_count(faults: &mut Faults, path: Path, count: usize, most: usize, message: &str) {
    if count > most {
        faults.push(path, Text::of(message).push(", and this one has ").number(count));
    }
}

const fn check_tag_counts(faults: &mut Faults, tag: TagSpec<'_>, path: Path) {
    let mut keys = 0;
    let mut i = 0;
    while i < tag.attributes.len() {
        let attribute = tag.attributes.at(i);
        keys += 1 + attribute.aliases.len();
        if let AttrType::Enum(values) = attribute.kind {
            let path = path.key("attributes").index(i).key("values");
            check_count(faults, path, values.0.len(), MAX_VALUES, "an enum has at most 256 values");
        }
        i += 1;
    }
    check_count(faults, path.key("attributes"), keys, MAX_KEYS, "a tag has at most 256 attributes and aliases");
    check_count(faults, path.key("sections"), tag.sections.len(), MAX_SECTIONS, "a tag has at most 256 sections");
    if let Some(example) = tag.example {
        check_count(faults, path.key("example"), example.len(), MAX_KEYS, "an example has at most 256 values");
    }
}

const fn check_limits(faults: &mut Faults, spec: &ProtocolSpec<'_>) {
    let Some(limits) = spec.limits else { return };
    let path = Path::ROOT.key("limits");
    let zero = Text::of("a limit is at least 1; leave it out for the default");
    if limits.tags == 0 {
        faults.push(path.key("tags"), zero);
    }
    if limits.token_bytes == 0 {
        faults.push(path.key("token_bytes"), zero);
    }
    if limits.body_bytes == 0 {
        faults.push(path.key("body_bytes"), zero);
    }
    if limits.diagnostics == 0 {
        faults.push(path.key("diagnostics"), zero);
    }
}

const fn check_tags(faults: &mut Faults, spec: &ProtocolSpec<'_>) {
    let mut i = 0;
    while i < spec.tags.len() {
        let (tag, path) = (spec.tags.at(i), Path::ROOT.key("tags").index(i));
        if is_word(tag.word()) {
            check_variants(faults, spec, i);
        } else {
            let text = Text::of("tag name ").quote(tag.word());
            faults.push(path.key("name"), text.push(" is not a word").push(WORD_RULE));
        }
        check_select(faults, tag, path);
        check_budget_of(faults, spec, tag, path);
        check_attributes(faults, tag, path);
        check_sections(faults, tag, path);
        if tag.schema.is_some() && !matches!(tag.body, Body::Json) {
            let text = Text::of("tag ").quote(tag.name).push(" has a schema, which needs body \"json\"");
            faults.push(path.key("schema"), text);
        }
        check_example(faults, tag, path);
        i += 1;
    }
}

/// Checks the tag at `i` against those before it.
const fn check_variants(faults: &mut Faults, spec: &ProtocolSpec<'_>, i: usize) {
    let (tag, path) = (spec.tags.at(i), Path::ROOT.key("tags").index(i));
    let mut is_first = true;
    let mut j = 0;
    while j < i {
        let other = spec.tags.at(j);
        if other.word().eq_ignore_ascii_case(tag.word()) {
            if same(other.name, tag.name) {
                faults.push(path.key("name"), Text::of("tag ").quote(tag.name).push(" is declared twice"));
                return;
            }
            if is_first && !check_same_word(faults, other, tag, path) {
                return;
            }
            is_first = false;
        }
        j += 1;
    }
}

/// Checks a tag against the first one of its word.
const fn check_same_word(faults: &mut Faults, first: TagSpec<'_>, tag: TagSpec<'_>, path: Path) -> bool {
    if !same(first.word(), tag.word()) {
        let text = Text::of("tag names ").quote(first.word()).push(" and ").quote(tag.word());
        faults.push(path.key("name"), text.push(" differ in case alone"));
        return false;
    }
    let is_same_select = match (first.select, tag.select) {
        (Some(Select::Argument), Some(Select::Argument)) => true,
        (Some(Select::Attribute(first)), Some(Select::Attribute(second))) => first.eq_ignore_ascii_case(second),
        _ => false,
    };
    if !is_same_select {
        let text = Text::of("the tags named ")
            .quote(tag.word())
            .push(" need a select each, all by the argument or all by the same ");
        faults.push(path.key("select"), text.push("attribute"));
        return false;
    }
    let is_same_argument = match (first.argument, tag.argument) {
        (None, None) => true,
        (Some(first), Some(second)) => first.eq_ignore_ascii_case(second),
        _ => false,
    };
    if !is_same_argument {
        let text = Text::of("the tags named ").quote(tag.word()).push(" take the same argument, or all of them none");
        faults.push(path.key("argument"), text);
    }
    is_same_argument
}

const fn check_select(faults: &mut Faults, tag: TagSpec<'_>, path: Path) {
    let Some(selector) = tag.selector() else { return };
    if !is_mark(selector) {
        let text = Text::of("the value ").quote(selector).push(" that selects tag ").quote(tag.word());
        faults.push(path.key("select"), text.push(" is not 1 to 64 letters, digits, _, . and -"));
    }
    if matches!(tag.select, Some(Select::Argument)) && tag.argument.is_some() {
        let text = Text::of("the argument of tag ")
            .quote(tag.name)
            .push(" selects it, so it cannot be the value of an attribute too");
        faults.push(path.key("argument"), text);
    }
}

const fn check_budget_of(faults: &mut Faults, spec: &ProtocolSpec<'_>, tag: TagSpec<'_>, path: Path) {
    let Some(name) = tag.budget else { return };
    let mut i = 0;
    while i < spec.budgets.len() {
        if same(spec.budgets.at(i).name, name) {
            return;
        }
        i += 1;
    }
    faults.push(path.key("budget"), Text::of("tag ").quote(tag.name).push(" names the unknown budget ").quote(name));
}

const fn check_attributes(faults: &mut Faults, tag: TagSpec<'_>, path: Path) {
    if let Some(Select::Attribute(name)) = tag.select {
        check_key(faults, tag, name, path.key("select").key("attribute"));
    }
    let mut has_argument = tag.argument.is_none();
    let mut i = 0;
    while i < tag.attributes.len() {
        let (attribute, path) = (tag.attributes.at(i), path.key("attributes").index(i));
        if let Some(argument) = tag.argument {
            has_argument = has_argument || same(attribute.name, argument);
        }
        let mut k = 0;
        while k <= attribute.aliases.len() {
            let path = if k == 0 { path.key("name") } else { path.key("aliases").index(k - 1) };
            check_key(faults, tag, key_at(attribute, k), path);
            check_unused_key(faults, tag, i, k, path);
            k += 1;
        }
        check_type(faults, tag, attribute, path);
        i += 1;
    }
    if let (false, Some(argument)) = (has_argument, tag.argument) {
        let text = Text::of("the argument of tag ").quote(tag.name).push(" is the value of ").quote(argument);
        faults.push(path.key("argument"), text.push(", which is not the name of an attribute of it"));
    }
}

const fn check_key(faults: &mut Faults, tag: TagSpec<'_>, key: &str, path: Path) {
    if !is_key(key) {
        let text = Text::of("attribute name ").quote(key).push(" of tag ").quote(tag.name);
        faults.push(path, text.push(" is not a letter or _, then letters, digits, _ and -, at most 64 bytes"));
    } else if tag.has_body() && (key.eq_ignore_ascii_case("until") || key.eq_ignore_ascii_case("body")) {
        let text = Text::of("tag ").quote(tag.name).push(" has a body, so it cannot have an attribute ").quote(key);
        faults.push(path, text);
    }
}

/// Checks the key `k` of the attribute `i` against those before it.
const fn check_unused_key(faults: &mut Faults, tag: TagSpec<'_>, i: usize, k: usize, path: Path) {
    let key = key_at(tag.attributes.at(i), k);
    let mut is_used = match tag.select {
        Some(Select::Attribute(name)) => is_same_key(name, key),
        _ => false,
    };
    let mut j = 0;
    while j <= i && !is_used {
        let other = tag.attributes.at(j);
        let mut l = 0;
        while l <= other.aliases.len() && (j < i || l < k) {
            is_used = is_used || is_same_key(key_at(other, l), key);
            l += 1;
        }
        j += 1;
    }
    if is_used {
        let text = Text::of("tag ").quote(tag.name).push(" has two attributes or aliases ").quote(key);
        faults.push(path, text.push(" (compared in any case)"));
    }
}

/// Compares keys in any case. Long ones are no keys, and are not compared: names of megabytes cost no more than small ones.
const fn is_same_key(a: &str, b: &str) -> bool {
    a.len() <= MAX_NAME && a.eq_ignore_ascii_case(b)
}

/// The name of an attribute, and its aliases from 1.
const fn key_at<'p>(attribute: AttrSpec<'p>, k: usize) -> &'p str {
    if k == 0 { attribute.name } else { attribute.aliases.at(k - 1) }
}

const fn check_type(faults: &mut Faults, tag: TagSpec<'_>, attribute: AttrSpec<'_>, path: Path) {
    let subject = Text::of("attribute ").quote(attribute.name).push(" of tag ").quote(tag.name);
    let is_in_order = match attribute.kind {
        AttrType::Integer { min, max } => min <= max,
        AttrType::Number { min, max } => min <= max,
        _ => true,
    };
    if !is_in_order {
        faults.push(path.key("min"), subject.push(" has a min above its max"));
    }
    if let AttrType::Enum(values) = attribute.kind {
        if values.0.len() == 0 {
            faults.push(path.key("values"), subject.push(" is an enum, and needs at least one value"));
        }
        check_values(faults, subject, values.0, path.key("values"));
    }
    let Some(default) = attribute.default else { return };
    let text = subject.push(" has the default ").quote(default);
    if attribute.required {
        faults.push(path.key("default"), text.push(" and is required: it cannot be both"));
        return;
    }
    if is_in_order && let Err(invalid) = value::check(attribute.kind, default) {
        faults.push(path.key("default"), text.push(", which is ").push(fault_of(attribute.kind, invalid)));
    }
}

const fn check_values(faults: &mut Faults, subject: Text, values: Names<'_>, path: Path) {
    let mut i = 0;
    while i < values.len() {
        let mut j = 0;
        while j < i {
            if values.at(i).eq_ignore_ascii_case(values.at(j)) {
                let text = subject.push(" has two values ").quote(values.at(i)).push(" (compared in any case)");
                faults.push(path.index(i), text);
                break;
            }
            j += 1;
        }
        i += 1;
    }
}

const fn fault_of(kind: AttrType<'_>, invalid: InvalidValue) -> &'static str {
    match (invalid, kind) {
        (InvalidValue::Range, _) => "below its min or above its max",
        (InvalidValue::Enum, _) => "none of its values",
        (InvalidValue::Type, AttrType::Integer { .. }) => "not an integer of 64 bits",
        (InvalidValue::Type, AttrType::Number { .. }) => "not a finite number",
        (InvalidValue::Type, AttrType::Boolean) => "neither true nor false",
        (InvalidValue::Type, _) => "not a relative path with / and without ..",
    }
}

const fn check_sections(faults: &mut Faults, tag: TagSpec<'_>, path: Path) {
    let subject = Text::of("tag ").quote(tag.name);
    match (tag.body, tag.sections.len()) {
        (Body::Sections, 0) => {
            faults.push(path.key("sections"), subject.push(" has a body of sections, and needs at least one section"));
        }
        (Body::Sections, _) | (_, 0) => {}
        _ => faults.push(path.key("sections"), subject.push(" has sections, which need body \"sections\"")),
    }
    let mut i = 0;
    while i < tag.sections.len() {
        let (name, path) = (tag.sections.at(i).name, path.key("sections").index(i).key("name"));
        if !is_word(name) {
            let text = Text::of("section name ").quote(name).push(" of tag ").quote(tag.name);
            faults.push(path, text.push(" is not a word").push(WORD_RULE));
        }
        let mut j = 0;
        while j < i {
            if is_same_key(tag.sections.at(j).name, name) {
                let text = subject.push(" has two sections ").quote(name).push(" (compared in any case)");
                faults.push(path, text);
                break;
            }
            j += 1;
        }
        i += 1;
    }
}

/// Checks the attributes of an example. Its body is read by the parser.
const fn check_example(faults: &mut Faults, tag: TagSpec<'_>, path: Path) {
    let Some(values) = tag.example else { return };
    let (path, subject) = (path.key("example"), Text::of("the example of tag ").quote(tag.name));
    let mut is_given = [false; MAX_KEYS];
    let mut i = 0;
    while i < values.len() {
        let (key, text) = values.at(i);
        match attribute_of(tag, key) {
            _ if tag.has_body() && same(key, "body") => {}
            Some(at) if is_given[at] => {
                faults.push(path, subject.push(" has the attribute ").quote(key).push(" twice"));
            }
            Some(at) => {
                is_given[at] = true;
                check_example_value(faults, subject, tag.attributes.at(at), text, path);
            }
            None if matches!(tag.unknown_attribute_rule(), UnknownAttributes::Refuse) || !is_key(key) => {
                faults.push(path, subject.push(" has ").quote(key).push(", which is not an attribute of it"));
            }
            None => {}
        }
        i += 1;
    }
    let mut i = 0;
    while i < tag.attributes.len() {
        let attribute = tag.attributes.at(i);
        if attribute.required && !is_given[i] {
            faults.push(path, subject.push(" lacks the attribute ").quote(attribute.name));
        }
        i += 1;
    }
}

const fn check_example_value(faults: &mut Faults, subject: Text, attribute: AttrSpec<'_>, text: &str, path: Path) {
    let subject = subject.push(" has ").quote(attribute.name).push(" = ").quote(text);
    if attribute.required && value::trim(text).is_empty() {
        faults.push(path, subject.push(", which is required and blank"));
    } else if let Err(invalid) = value::check(attribute.kind, text) {
        faults.push(path, subject.push(", which is ").push(fault_of(attribute.kind, invalid)));
    }
}

/// The attribute with the name or alias `key`, in any case.
const fn attribute_of(tag: TagSpec<'_>, key: &str) -> Option<usize> {
    let mut i = 0;
    while i < tag.attributes.len() {
        let attribute = tag.attributes.at(i);
        let mut k = 0;
        while k <= attribute.aliases.len() {
            if is_same_key(key_at(attribute, k), key) {
                return Some(i);
            }
            k += 1;
        }
        i += 1;
    }
    None
}

const fn check_budgets(faults: &mut Faults, spec: &ProtocolSpec<'_>) {
    let mut i = 0;
    while i < spec.budgets.len() {
        let (budget, path) = (spec.budgets.at(i), Path::ROOT.key("budgets").index(i));
        if budget.name.is_empty() {
            faults.push(path.key("name"), Text::of("a budget needs a name"));
        }
        if budget.max == 0 {
            let text = Text::of("budget ").quote(budget.name).push(" has the max 0; it is at least 1");
            faults.push(path.key("max"), text);
        }
        let mut j = 0;
        while j < i {
            if same(spec.budgets.at(j).name, budget.name) {
                faults.push(path.key("name"), Text::of("budget ").quote(budget.name).push(" is declared twice"));
                break;
            }
            j += 1;
        }
        i += 1;
    }
}

const fn check_regions(faults: &mut Faults, regions: Regions<'_>) {
    let mut i = 0;
    while i < regions.len() {
        let (region, path) = (regions.at(i), Path::ROOT.key("regions").index(i));
        let subject = Text::of("region ").quote(region.name);
        if region.name.is_empty() {
            faults.push(path.key("name"), Text::of("a region needs a name"));
        }
        if !is_marker(region.open) {
            faults.push(
                path.key("open"),
                subject.push(" opens with a marker that is not 1 to 64 bytes without line breaks"),
            );
        } else if begins_otherwise(region.open) {
            let text = subject.push(" opens with ").quote(region.open);
            faults.push(path.key("open"), text.push("; a marker begins with none of white space, [[, >, ` and ~"));
        }
        if !is_marker(region.close) {
            faults.push(
                path.key("close"),
                subject.push(" closes with a marker that is not 1 to 64 bytes without line breaks"),
            );
        }
        let mut j = 0;
        while j < i {
            let other = regions.at(j);
            if same(other.name, region.name) {
                faults.push(path.key("name"), subject.push(" is declared twice"));
            }
            if is_prefix(other.open, region.open) || is_prefix(region.open, other.open) {
                let text = Text::of("the marker ").quote(region.open).push(" and the marker ").quote(other.open);
                faults.push(path.key("open"), text.push(" begin alike: no opening marker begins with another"));
            }
            j += 1;
        }
        i += 1;
    }
}

const fn check_grants(faults: &mut Faults, spec: &ProtocolSpec<'_>) {
    match (spec.grants.len(), spec.open) {
        (0, false) => {
            let text = Text::of(
                "nothing is granted: a protocol needs grants, or open = true to grant everything to everybody",
            );
            faults.push(Path::ROOT.key("grants"), text);
        }
        (0, true) | (_, false) => {}
        _ => faults.push(Path::ROOT.key("open"), Text::of("a protocol has grants or open = true, not both")),
    }
    let mut i = 0;
    while i < spec.grants.len() {
        let (grant, path) = (spec.grants.at(i), Path::ROOT.key("grants").index(i));
        if matches!(grant.role, Some(role) if role.is_empty()) {
            faults.push(path.key("role"), Text::of("a role needs a name; leave it out to grant to any role"));
        }
        if matches!(grant.mode, Some(mode) if mode.is_empty()) {
            faults.push(path.key("mode"), Text::of("a mode needs a name; leave it out to grant in any mode"));
        }
        let mut subject = Text::of("the grant");
        if let Some(role) = grant.role {
            subject = subject.push(" to role ").quote(role);
        }
        if let Some(mode) = grant.mode {
            subject = subject.push(" in mode ").quote(mode);
        }
        if grant.tags.len() == 0 {
            faults.push(path.key("tags"), subject.push(" needs at least one tag"));
        }
        let mut j = 0;
        while j < grant.tags.len() {
            if !has_tag(spec, grant.tags.at(j)) {
                let text = subject.push(" names the unknown tag ").quote(grant.tags.at(j));
                faults.push(path.key("tags").index(j), text);
            }
            j += 1;
        }
        i += 1;
    }
}

const fn has_tag(spec: &ProtocolSpec<'_>, name: &str) -> bool {
    let mut i = 0;
    while i < spec.tags.len() {
        if same(spec.tags.at(i).name, name) {
            return true;
        }
        i += 1;
    }
    false
}

/// Checks what the seed's dialect asks beyond the rest.
const fn check_seed(faults: &mut Faults, spec: &ProtocolSpec<'_>) {
    let only_strict = Text::of("the seed dialect does not have this; it is for dialect \"strict\"");
    let root = Path::ROOT;
    if spec.unknown.is_some() {
        faults.push(root.key("unknown"), only_strict);
    }
    if spec.code.is_some() {
        faults.push(root.key("code"), only_strict);
    }
    if spec.regions.is_some() {
        faults.push(root.key("regions"), only_strict);
    }
    if spec.limits.is_some() {
        faults.push(root.key("limits"), only_strict);
    }
    let mut i = 0;
    while i < spec.tags.len() {
        let (tag, path) = (spec.tags.at(i), root.key("tags").index(i));
        if is_word(tag.word()) && !is_upper_case(tag.word()) {
            let text = Text::of("tag name ")
                .quote(tag.word())
                .push(" is not in upper case (in the seed dialect, letters A to Z, _, and ");
            faults.push(path.key("name"), text.push("digits after the first)"));
        }
        if !matches!(tag.body, Body::None | Body::Text) {
            let text = Text::of("tag ").quote(tag.name).push(" has a body of ").push(tag.body.as_str());
            faults.push(path.key("body"), text.push("; in the seed dialect it is \"none\" or \"text\""));
        }
        let key = match tag {
            TagSpec { select: Some(_), .. } => Some("select"),
            TagSpec { argument: Some(_), .. } => Some("argument"),
            TagSpec { unknown_attributes: Some(_), .. } => Some("unknown_attributes"),
            TagSpec { example: Some(_), .. } => Some("example"),
            TagSpec { schema: Some(_), .. } => Some("schema"),
            _ if tag.attributes.len() > 0 => Some("attributes"),
            _ if tag.sections.len() > 0 => Some("sections"),
            _ => None,
        };
        if let Some(key) = key {
            let text = Text::of("tag ").quote(tag.name).push(" has ").push(key);
            faults.push(
                path.key(key),
                text.push("; in the seed dialect a tag has only a name, about, a body and a budget"),
            );
        }
        i += 1;
    }
}

/// `[A-Za-z_][A-Za-z0-9_.-]{0,63}`
const fn is_word(name: &str) -> bool {
    begins_name(name) && is_mark(name)
}

/// `[A-Za-z0-9_.-]{1,64}`
const fn is_mark(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > MAX_NAME {
        return false;
    }
    let mut i = 0;
    while i < bytes.len() {
        if !(bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'_' | b'.' | b'-')) {
            return false;
        }
        i += 1;
    }
    true
}

/// `[A-Za-z_][A-Za-z0-9_-]{0,63}`
const fn is_key(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut i = 0;
    while i < bytes.len() && i <= MAX_NAME {
        if bytes[i] == b'.' {
            return false;
        }
        i += 1;
    }
    is_word(name)
}

const fn begins_name(name: &str) -> bool {
    matches!(name.as_bytes().first(), Some(b'_' | b'A'..=b'Z' | b'a'..=b'z'))
}

/// `[A-Z_][A-Z0-9_]*`, of a word.
const fn is_upper_case(word: &str) -> bool {
    let bytes = word.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i].is_ascii_lowercase() || matches!(bytes[i], b'.' | b'-') {
            return false;
        }
        i += 1;
    }
    true
}

const fn is_marker(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > MAX_NAME {
        return false;
    }
    let mut i = 0;
    while i < bytes.len() {
        if matches!(bytes[i], b'\n' | b'\r') {
            return false;
        }
        i += 1;
    }
    true
}

/// Whether something else of the grammar could begin where this marker does.
const fn begins_otherwise(marker: &str) -> bool {
    matches!(marker.as_bytes(), [b' ' | b'\t' | b'\n' | b'\r' | b'>' | b'`' | b'~', ..] | [b'[', b'[', ..])
}

const fn is_prefix(start: &str, text: &str) -> bool {
    start.len() <= text.len() && text.is_char_boundary(start.len()) && same(start, text.split_at(start.len()).0)
}

/// `a == b`, which no `const fn` can say.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

const WORD_RULE: &str = " (a letter or _, then letters, digits, _, . and -, at most 64 bytes)";
/// The longest name, and the longest marker, in bytes.
const MAX_NAME: usize = 64;
const MAX_GRANTS: usize = 512;
const MAX_REGIONS: usize = 64;
/// Of the names and aliases of one tag.
const MAX_KEYS: usize = 256;
const MAX_VALUES: usize = 256;
const MAX_SECTIONS: usize = 256;
