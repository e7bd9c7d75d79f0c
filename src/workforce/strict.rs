//! The preset in the strict dialect: the same tags, matrix and budgets, with declared attributes.

use super::GRANTS;
use crate::protocol::{AttrSpec, Body, Budget, Protocol, ProtocolSpec, TagSpec, UnknownAttributes};

/// The protocol in the strict dialect: the tags, the matrix and the budgets of [`PROTOCOL`](super::PROTOCOL).
///
/// Attributes that the seed's messages require are required, and paths stay below their root. `EDIT_FILE` has a body of edit
/// blocks. Tags whose attributes the seed does not use keep all attributes.
pub const STRICT: Protocol<'static> = Protocol::checked(
    &ProtocolSpec::strict("workforce", TAGS)
        .about("A team of agents that plans, writes, reviews and tests code.")
        .budgets(&[Budget::new("tasks", 3), Budget::new("team", 3), Budget::new("knowledge", 3)])
        .grants(GRANTS),
);

const TAGS: &[TagSpec<'static>] = &[
    TagSpec::new("ASSIGN").attributes(&[
        AttrSpec::new("employee"),
        AttrSpec::new("pipeline"),
        AttrSpec::new("task_id"),
    ]),
    free(TagSpec::new("REJECT")),
    free(TagSpec::with_body("ASK_USER")),
    TagSpec::with_body("KNOWLEDGE")
        .budget("knowledge")
        .attributes(&[AttrSpec::new("kind").one_of(&["rule", "fact"]).default_value("rule"), AttrSpec::new("key")]),
    free(TagSpec::new("COMPLETE")),
    free(TagSpec::new("REVISE")),
    free(TagSpec::new("RESOLVE_ERROR")),
    free(TagSpec::new("CANCEL")),
    TagSpec::with_body("CREATE_TASK").budget("tasks").attributes(&[
        AttrSpec::new("title").required(),
        AttrSpec::new("kind").default_value("feature"),
        AttrSpec::new("priority").default_value("normal"),
        AttrSpec::new("depends_on"),
        AttrSpec::new("pipeline"),
    ]),
    free(TagSpec::new("PAUSE_TASK")),
    free(TagSpec::new("RESUME_TASK")),
    free(TagSpec::new("CANCEL_TASK")),
    TagSpec::new("HIRE").budget("team").attributes(TEAM_ATTRIBUTES),
    TagSpec::new("UPDATE_EMPLOYEE").budget("team").attributes(TEAM_ATTRIBUTES),
    TagSpec::new("FIRE").budget("team").attributes(TEAM_ATTRIBUTES),
    free(TagSpec::with_body("PLAN_SPEC")),
    free(TagSpec::with_body("SPLIT")),
    free(TagSpec::with_body("WORK_REPORT")),
    free(TagSpec::with_body("REVIEW_PASS")),
    free(TagSpec::with_body("REVIEW_CHANGES")),
    free(TagSpec::with_body("TEST_PASS")),
    free(TagSpec::with_body("TEST_FAIL")),
    TagSpec::new("READ_FILE").attributes(REQUIRED_PATH),
    TagSpec::with_body("WRITE_FILE").attributes(REQUIRED_PATH),
    TagSpec::new("EDIT_FILE").body(Body::Edits).attributes(REQUIRED_PATH),
    TagSpec::new("LIST_DIR").attributes(&[AttrSpec::new("path").path().default_value(".")]),
    TagSpec::new("SEARCH").attributes(&[AttrSpec::new("query").required()]),
    TagSpec::new("RUN").attributes(&[AttrSpec::new("cmd").required()]),
];

/// A tag that keeps all attributes.
const fn free(tag: TagSpec<'static>) -> TagSpec<'static> {
    tag.unknown_attributes(UnknownAttributes::Keep)
}

const TEAM_ATTRIBUTES: &[AttrSpec<'static>] = &[
    AttrSpec::new("name"),
    AttrSpec::new("role"),
    AttrSpec::new("tier"),
    AttrSpec::new("task_id"),
    AttrSpec::new("employee_id"),
];

const REQUIRED_PATH: &[AttrSpec<'static>] = &[AttrSpec::new("path").path().required()];
