//! Typed views say what the seed's say, message for message, and over a reply they fail as a whole.
#![cfg(feature = "serde")]

mod support;

use serde_json::{Value, json};
use support::vectors;
use tagwire::workforce::{
    self, Assign, EditBlocks, KnowledgeItem, Mode, PIPELINES, PROTOCOL, Role, TagName, TaskDraft, TeamChange, View,
};
use tagwire::{Policy, TagError};

#[test]
fn every_view_is_the_seeds() {
    let mut seen = 0;
    for vector in vectors() {
        let reply = PROTOCOL.policy(&vector.role, &vector.mode).expect("a known pair");
        let reply = reply.parse(&vector.text);
        for (tag, expected) in reply.tags().iter().zip(&vector.tags) {
            let view = match View::read(tag, PIPELINES) {
                None => Value::Null,
                Some(Ok(view)) => serde_json::to_value(view).expect("a view"),
                Some(Err(error)) => serde_json::to_value(error).expect("an error"),
            };
            assert_eq!(view.to_string(), expected.view.to_string(), "{} in {}", tag, vector.id);
            seen += usize::from(!view.is_null());
        }
    }
    assert!(seen > 500, "the vectors hold views: {seen}");
}

#[test]
fn the_known_pipelines_are_the_hosts() {
    let reply = triage().parse("[[ASSIGN employee='Ada' pipeline=' ship_it '/]]");
    let tag = &reply.tags()[0];
    assert_error(Assign::try_from(tag), "unknown pipeline: ship_it", "ASSIGN");
    assert_error(Assign::read(tag, &[]), "unknown pipeline: ship_it", "ASSIGN");
    assert_eq!(Assign::read(tag, &["a", "ship_it"]).expect("known").pipeline, "ship_it");
}

#[test]
fn require_strips_and_refuses_what_is_blank() {
    let reply = triage().parse("[[ASSIGN employee=' Ada\u{1f}' task_id='\u{3000} '/]]");
    let tag = &reply.tags()[0];
    assert_eq!(tag.required_attr("employee").expect("there"), "Ada");
    assert_error(tag.required_attr("task_id"), "[[ASSIGN]] requires task_id=...", "ASSIGN");
    assert_error(tag.required_attr("pipeline"), "[[ASSIGN]] requires pipeline=...", "ASSIGN");
}

#[test]
fn a_view_of_another_tag_is_an_error() {
    let reply = chat().parse("[[FIRE employee_id='7'/]]");
    let tag = &reply.tags()[0];
    assert_error(Assign::try_from(tag), "[[FIRE]] is not [[ASSIGN]]", "FIRE");
    assert_error(TaskDraft::try_from(tag), "[[FIRE]] is not [[CREATE_TASK]]", "FIRE");
    assert_error(KnowledgeItem::try_from(tag), "[[FIRE]] is not [[KNOWLEDGE]]", "FIRE");
    assert_error(EditBlocks::try_from(tag), "[[FIRE]] is not [[EDIT_FILE]]", "FIRE");
    assert_eq!(TeamChange::try_from(tag).expect("a change").action, TagName::Fire);
    let reply = chat().parse("[[KNOWLEDGE]]k[[/KNOWLEDGE]]");
    assert_error(TeamChange::try_from(&reply.tags()[0]), "[[KNOWLEDGE]] is not [[HIRE]]", "KNOWLEDGE");
}

#[test]
fn each_view_has_a_function_of_its_name() {
    let reply = chat().parse("[[CREATE_TASK title='a'/]][[HIRE name='b'/]][[KNOWLEDGE key='k'/]]");
    let [task, hire, knowledge] = reply.tags() else { panic!("{reply:?}") };
    assert_eq!(TaskDraft::read(task).expect("a task"), TaskDraft::try_from(task).expect("a task"));
    assert_eq!(TeamChange::read(hire).expect("a change"), TeamChange::try_from(hire).expect("a change"));
    assert_eq!(KnowledgeItem::read(knowledge).expect("an item").key, "k");
    assert_error(TaskDraft::read(hire), "[[HIRE]] is not [[CREATE_TASK]]", "HIRE");
    assert_error(EditBlocks::read(hire), "[[HIRE]] is not [[EDIT_FILE]]", "HIRE");
}

#[test]
fn lists_keep_the_order_written_and_fail_at_the_first_unreadable_tag() {
    let text = "[[FIRE employee_id='1'/]][[CREATE_TASK title='a'/]][[HIRE name='b'/]][[CREATE_TASK/]]\
                [[KNOWLEDGE key='k']] v [[/KNOWLEDGE]]";
    let reply = chat().parse(text);
    let changes = workforce::team_changes(&reply).expect("all can be read");
    assert_eq!(changes.iter().map(|change| change.action).collect::<Vec<_>>(), [TagName::Fire, TagName::Hire]);
    assert_eq!(workforce::knowledge_items(&reply).expect("one")[0].content, "v");
    assert_error(workforce::task_drafts(&reply), "[[CREATE_TASK]] needs title=...", "CREATE_TASK");
    let error = workforce::task_drafts(&reply).unwrap_err();
    assert_eq!(&text[error.span().range()], "[[CREATE_TASK/]]");
    let each: Vec<_> = workforce::views::<TaskDraft<'_>>(&reply, &[TagName::CreateTask]).map(|d| d.is_ok()).collect();
    assert_eq!(each, [true, false]);
}

#[test]
fn views_borrow_the_text_and_outlive_the_reply() {
    let text = String::from("[[KNOWLEDGE key=' k ']] v [[/KNOWLEDGE]]");
    let item = {
        let reply = chat().parse(&text);
        KnowledgeItem::try_from(&reply.tags()[0]).expect("an item")
    };
    assert_eq!((item.kind, item.key, item.content), ("rule", "k", "v"));
}

#[test]
fn edit_blocks_write_as_pairs() {
    let policy = workforce::policy(Role::Developer, Mode::Work);
    let reply = policy.parse("[[EDIT_FILE path='a']]<<<OLD\na\n===\nb\nNEW>>>[[/EDIT_FILE]]");
    let blocks = EditBlocks::try_from(&reply.tags()[0]).expect("blocks");
    assert_eq!(serde_json::to_value(blocks).expect("json"), json!({"blocks": [["a", "b"]]}));
}

fn triage() -> Policy<'static> {
    workforce::policy(Role::Manager, Mode::Triage)
}

fn chat() -> Policy<'static> {
    workforce::policy(Role::Manager, Mode::Chat)
}

#[track_caller]
fn assert_error<T: std::fmt::Debug>(result: Result<T, TagError>, message: &str, tag: &str) {
    let error = result.expect_err("cannot be read");
    assert_eq!((error.to_string().as_str(), error.tag_name()), (message, tag));
}
