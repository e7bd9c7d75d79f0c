//! Typed views of tags.
//!
//! All values are without white space at their ends and with their escapes resolved, and borrowed from the reply if they have none. The
//! messages are the seed's. A host reads
//! views and never builds them, so they may get more fields.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use crate::reply::Reply;
use crate::tag::Tag;
use crate::tag_error::TagError;
use crate::whitespace;
use crate::workforce::TagName;
use crate::workforce::edit::{EditBlocks, edit_blocks};

/// The pipelines that the seed names. A host has its own: see [`Assign::with_pipelines`].
pub const PIPELINES: &[&str] = &["plan_code_test"];

/// The most characters (code points) that a [`TaskDraft`] keeps of its body.
pub const MAX_DESCRIPTION_CHARS: usize = 4_000;

/// The typed view of a tag of any name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "type"))]
#[non_exhaustive]
pub enum View<'a> {
    /// The view of `ASSIGN`.
    #[cfg_attr(feature = "serde", serde(rename = "AssignTag"))]
    Assign(Assign<'a>),
    /// The view of `CREATE_TASK`.
    TaskDraft(TaskDraft<'a>),
    /// The view of `HIRE`, `UPDATE_EMPLOYEE` and `FIRE`.
    TeamChange(TeamChange<'a>),
    /// The view of `KNOWLEDGE`.
    KnowledgeItem(KnowledgeItem<'a>),
    /// The view of `EDIT_FILE`.
    EditBlocks(EditBlocks<'a>),
}

impl<'a> View<'a> {
    /// Reads a tag as the view of its name; `None` if its name has no view. `pipelines` are those that an `ASSIGN` may name.
    ///
    /// # Errors
    ///
    /// Those of the view.
    pub fn read(tag: &Tag<'a>, pipelines: &[&str]) -> Result<Option<Self>, TagError> {
        let Ok(name) = tag.name().parse() else { return Ok(None) };
        match name {
            TagName::Assign => Assign::with_pipelines(tag, pipelines).map(View::Assign),
            TagName::CreateTask => TaskDraft::try_from(tag).map(View::TaskDraft),
            TagName::Hire | TagName::UpdateEmployee | TagName::Fire => TeamChange::try_from(tag).map(View::TeamChange),
            TagName::Knowledge => KnowledgeItem::try_from(tag).map(View::KnowledgeItem),
            TagName::EditFile => EditBlocks::try_from(tag).map(View::EditBlocks),
            _ => return Ok(None),
        }
        .map(Some)
    }
}

/// A typed view of the tags of some names, which is read by `TryFrom<&Tag>`. That fails for a tag of another name, with
/// `[[RUN]] is not [[ASSIGN]]`.
pub trait TagView<'t>: for<'r> TryFrom<&'r Tag<'t>, Error = TagError> {
    /// The names of its tags.
    const NAMES: &'static [TagName];
}

/// Reads all tags of a reply that have this view, in the order written.
///
/// ```
/// use tagwire::workforce::{self, Mode, Role, TaskDraft, TeamChange};
///
/// let policy = workforce::policy(Role::Manager, Mode::Chat);
/// let reply = policy.parse("[[HIRE name='Ada'/]] [[CREATE_TASK title='a'/]] [[CREATE_TASK/]] [[FIRE name='Bob'/]]");
///
/// let changes = workforce::views::<TeamChange>(&reply).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!([&*changes[0].name, &*changes[1].name], ["Ada", "Bob"]);
///
/// let mut drafts = workforce::views::<TaskDraft>(&reply);
/// assert_eq!(drafts.next().unwrap()?.title, "a");
/// assert_eq!(drafts.next().unwrap().unwrap_err().to_string(), "[[CREATE_TASK]] needs title=...");
/// # Ok::<(), tagwire::TagError>(())
/// ```
pub fn views<'r, 't, V: TagView<'t> + 'r>(reply: &'r Reply<'t>) -> impl Iterator<Item = Result<V, TagError>> + 'r {
    let is_wanted = |tag: &&Tag<'t>| V::NAMES.iter().any(|name| name.as_str() == tag.name());
    reply.tags().iter().filter(is_wanted).map(V::try_from)
}

/// `ASSIGN`: the employee who gets a task, and its pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Assign<'a> {
    /// The name of the employee; blank to have one picked.
    pub employee: Cow<'a, str>,
    /// The pipeline's name; blank for the host's default.
    pub pipeline: Cow<'a, str>,
    /// The task; blank for the current one.
    pub task_id: Cow<'a, str>,
}

impl<'a> Assign<'a> {
    /// Reads an `ASSIGN` that may name one of these pipelines. `TryFrom` knows [`PIPELINES`].
    ///
    /// # Errors
    ///
    /// `[[ASSIGN]] needs employee=... or task_id=...` if both are blank; `unknown pipeline: ...`, with the name as it is
    /// written, if the pipeline is neither blank nor one of `pipelines`; for a tag of another name.
    pub fn with_pipelines(tag: &Tag<'a>, pipelines: &[&str]) -> Result<Self, TagError> {
        expect_name::<Self>(tag)?;
        let (employee, task_id) = (tag.attr_trimmed("employee"), tag.attr_trimmed("task_id"));
        if employee.is_empty() && task_id.is_empty() {
            return Err(tag.error("[[ASSIGN]] needs employee=... or task_id=..."));
        }
        let pipeline = tag.attr_trimmed("pipeline");
        if !pipeline.is_empty() && !pipelines.contains(&&*pipeline) {
            return Err(tag.error(format!("unknown pipeline: {pipeline}")));
        }
        Ok(Assign { employee, pipeline, task_id })
    }
}

impl<'a> TagView<'a> for Assign<'a> {
    const NAMES: &'static [TagName] = &[TagName::Assign];
}

impl<'a> TryFrom<&Tag<'a>> for Assign<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        Assign::with_pipelines(tag, PIPELINES)
    }
}

/// `CREATE_TASK`: a new task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TaskDraft<'a> {
    /// Never blank.
    pub title: Cow<'a, str>,
    /// `feature` if the attribute is blank.
    pub kind: Cow<'a, str>,
    /// `normal` if the attribute is blank.
    pub priority: Cow<'a, str>,
    /// The tasks it waits for, split at commas; none is blank.
    pub depends_on: Vec<Cow<'a, str>>,
    /// The name of the pipeline; may be blank, and is not checked.
    pub pipeline: Cow<'a, str>,
    /// The trimmed body, truncated at [`MAX_DESCRIPTION_CHARS`] and not trimmed again.
    pub description: &'a str,
}

impl<'a> TagView<'a> for TaskDraft<'a> {
    const NAMES: &'static [TagName] = &[TagName::CreateTask];
}

/// Fails with `[[CREATE_TASK]] needs title=...` if the title is blank.
impl<'a> TryFrom<&Tag<'a>> for TaskDraft<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        expect_name::<Self>(tag)?;
        let title = tag.attr_trimmed("title");
        if title.is_empty() {
            return Err(tag.error("[[CREATE_TASK]] needs title=..."));
        }
        let body = whitespace::trim(tag.body());
        let end = body.char_indices().nth(MAX_DESCRIPTION_CHARS).map_or(body.len(), |(at, _)| at);
        Ok(TaskDraft {
            title,
            kind: or(tag.attr_trimmed("kind"), "feature"),
            priority: or(tag.attr_trimmed("priority"), "normal"),
            depends_on: list(tag.attr_trimmed("depends_on")),
            pipeline: tag.attr_trimmed("pipeline"),
            description: &body[..end],
        })
    }
}

/// `HIRE`, `UPDATE_EMPLOYEE` or `FIRE`: a change of the team.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TeamChange<'a> {
    /// The name of the tag.
    pub action: TagName,
    /// The name of the employee; may be blank, like every field below.
    pub name: Cow<'a, str>,
    /// The role of the employee.
    pub role: Cow<'a, str>,
    /// The tier of the employee.
    pub tier: Cow<'a, str>,
    /// The task it is about.
    pub task_id: Cow<'a, str>,
    /// The employee it is about.
    pub employee_id: Cow<'a, str>,
}

impl<'a> TagView<'a> for TeamChange<'a> {
    const NAMES: &'static [TagName] = super::TEAM_CHANGE_TAGS;
}

impl<'a> TryFrom<&Tag<'a>> for TeamChange<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        Ok(TeamChange {
            action: expect_name::<Self>(tag)?,
            name: tag.attr_trimmed("name"),
            role: tag.attr_trimmed("role"),
            tier: tag.attr_trimmed("tier"),
            task_id: tag.attr_trimmed("task_id"),
            employee_id: tag.attr_trimmed("employee_id"),
        })
    }
}

/// `KNOWLEDGE`: a rule or a fact to remember.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KnowledgeItem<'a> {
    /// `rule` if the attribute is blank.
    pub kind: Cow<'a, str>,
    /// May be blank.
    pub key: Cow<'a, str>,
    /// The trimmed body.
    pub content: &'a str,
}

impl<'a> TagView<'a> for KnowledgeItem<'a> {
    const NAMES: &'static [TagName] = &[TagName::Knowledge];
}

impl<'a> TryFrom<&Tag<'a>> for KnowledgeItem<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        expect_name::<Self>(tag)?;
        Ok(KnowledgeItem {
            kind: or(tag.attr_trimmed("kind"), "rule"),
            key: tag.attr_trimmed("key"),
            content: whitespace::trim(tag.body()),
        })
    }
}

impl<'a> TagView<'a> for EditBlocks<'a> {
    const NAMES: &'static [TagName] = &[TagName::EditFile];
}

/// Fails like [`edit_blocks`] on the body.
impl<'a> TryFrom<&Tag<'a>> for EditBlocks<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        expect_name::<Self>(tag)?;
        edit_blocks(tag.body()).map_err(|error| tag.error(error.as_str()))
    }
}

/// The name of the tag, if it has the view `V`.
fn expect_name<'a, V: TagView<'a>>(tag: &Tag<'a>) -> Result<TagName, TagError> {
    let found = V::NAMES.iter().find(|name| name.as_str() == tag.name());
    found.copied().ok_or_else(|| tag.error(format!("[[{}]] is not [[{}]]", tag.name(), V::NAMES[0])))
}

fn or<'a>(value: Cow<'a, str>, default: &'static str) -> Cow<'a, str> {
    if value.is_empty() { default.into() } else { value }
}

/// Splits a value at commas, without white space and blank parts.
fn list(value: Cow<'_, str>) -> Vec<Cow<'_, str>> {
    match value {
        Cow::Borrowed(text) => parts(text).map(Cow::Borrowed).collect(),
        Cow::Owned(text) => parts(&text).map(|part| Cow::Owned(part.into())).collect(),
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(whitespace::trim).filter(|part| !part.is_empty())
}
