//! Typed views: what the host reads out of a tag.
//!
//! All values are stripped of the protocol's white space, and borrowed from the reply. The messages are the seed's. Views are
//! read and never built by a host, so they may get more fields.

use alloc::format;
use alloc::vec::Vec;

use crate::event::Tag;
use crate::reply::Reply;
use crate::space;
use crate::tag_error::TagError;
use crate::workforce::TagName;
use crate::workforce::edit::{EditBlocks, edit_blocks};

/// The pipelines that the Python original names. A host has its own: see [`Assign::read`].
pub const PIPELINES: &[&str] = &["plan_code_test"];

/// How many characters (code points) of its body a [`TaskDraft`] keeps.
pub const MAX_DESCRIPTION_CHARS: usize = 4_000;

/// A tag, read as what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "type"))]
#[non_exhaustive]
pub enum View<'a> {
    /// Of `ASSIGN`.
    #[cfg_attr(feature = "serde", serde(rename = "AssignTag"))]
    Assign(Assign<'a>),
    /// Of `CREATE_TASK`.
    TaskDraft(TaskDraft<'a>),
    /// Of `HIRE`, `UPDATE_EMPLOYEE` and `FIRE`.
    TeamChange(TeamChange<'a>),
    /// Of `KNOWLEDGE`.
    KnowledgeItem(KnowledgeItem<'a>),
    /// Of `EDIT_FILE`.
    EditBlocks(EditBlocks<'a>),
}

impl<'a> View<'a> {
    /// The view of a tag, with the pipelines that an `ASSIGN` may name; none where its kind has no view.
    ///
    /// # Errors
    ///
    /// As the view of its kind.
    pub fn read(tag: &Tag<'a>, pipelines: &[&str]) -> Option<Result<Self, TagError>> {
        Some(match tag.name().parse().ok()? {
            TagName::Assign => Assign::read(tag, pipelines).map(View::Assign),
            TagName::CreateTask => TaskDraft::read(tag).map(View::TaskDraft),
            TagName::Hire | TagName::UpdateEmployee | TagName::Fire => TeamChange::read(tag).map(View::TeamChange),
            TagName::Knowledge => KnowledgeItem::read(tag).map(View::KnowledgeItem),
            TagName::EditFile => EditBlocks::read(tag).map(View::EditBlocks),
            _ => return None,
        })
    }
}

/// `ASSIGN`: who gets the task, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Assign<'a> {
    /// The employee's name; blank for "pick one".
    pub employee: &'a str,
    /// The pipeline's name; blank for the host's default.
    pub pipeline: &'a str,
    /// The task; blank for the one at hand.
    pub task_id: &'a str,
}

impl<'a> Assign<'a> {
    /// Reads an `ASSIGN` that may name one of these pipelines.
    ///
    /// # Errors
    ///
    /// `[[ASSIGN]] needs employee=... or task_id=...` where both are blank; `unknown pipeline: ...` where the pipeline is
    /// neither blank nor one of `pipelines`; where the tag is no `ASSIGN`.
    pub fn read(tag: &Tag<'a>, pipelines: &[&str]) -> Result<Self, TagError> {
        expect(tag, &[TagName::Assign])?;
        let (employee, task_id) = (tag.attr_trimmed("employee"), tag.attr_trimmed("task_id"));
        if employee.is_empty() && task_id.is_empty() {
            return Err(tag.error("[[ASSIGN]] needs employee=... or task_id=..."));
        }
        let pipeline = tag.attr_trimmed("pipeline");
        if !pipeline.is_empty() && !pipelines.contains(&pipeline) {
            return Err(tag.error(format!("unknown pipeline: {pipeline}")));
        }
        Ok(Assign { employee, pipeline, task_id })
    }
}

/// As [`Assign::read`], with the preset's [`PIPELINES`].
impl<'a> TryFrom<&Tag<'a>> for Assign<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        Assign::read(tag, PIPELINES)
    }
}

/// `CREATE_TASK`: a new task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TaskDraft<'a> {
    /// Never blank.
    pub title: &'a str,
    /// `feature` where it is blank.
    pub kind: &'a str,
    /// `normal` where it is blank.
    pub priority: &'a str,
    /// What it waits for; none blank.
    pub depends_on: Vec<&'a str>,
    /// The pipeline's name; may be blank, and is not checked.
    pub pipeline: &'a str,
    /// The stripped body, cut at [`MAX_DESCRIPTION_CHARS`] and not stripped again.
    pub description: &'a str,
}

impl<'a> TaskDraft<'a> {
    /// Reads a `CREATE_TASK`.
    ///
    /// # Errors
    ///
    /// `[[CREATE_TASK]] needs title=...` where the title is blank; where the tag is no `CREATE_TASK`.
    pub fn read(tag: &Tag<'a>) -> Result<Self, TagError> {
        expect(tag, &[TagName::CreateTask])?;
        let title = tag.attr_trimmed("title");
        if title.is_empty() {
            return Err(tag.error("[[CREATE_TASK]] needs title=..."));
        }
        let body = space::trim(tag.body());
        let end = body.char_indices().nth(MAX_DESCRIPTION_CHARS).map_or(body.len(), |(at, _)| at);
        let depends_on = tag.attr("depends_on").unwrap_or_default().split(',');
        Ok(TaskDraft {
            title,
            kind: or(tag.attr_trimmed("kind"), "feature"),
            priority: or(tag.attr_trimmed("priority"), "normal"),
            depends_on: depends_on.map(space::trim).filter(|task| !task.is_empty()).collect(),
            pipeline: tag.attr_trimmed("pipeline"),
            description: &body[..end],
        })
    }
}

/// As [`TaskDraft::read`].
impl<'a> TryFrom<&Tag<'a>> for TaskDraft<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        TaskDraft::read(tag)
    }
}

/// `HIRE`, `UPDATE_EMPLOYEE` or `FIRE`: a change of the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TeamChange<'a> {
    /// Which of the three.
    pub action: TagName,
    /// May be blank, as all that follow.
    pub name: &'a str,
    /// The employee's role.
    pub role: &'a str,
    /// The employee's tier.
    pub tier: &'a str,
    /// The task it is about.
    pub task_id: &'a str,
    /// The employee it is about.
    pub employee_id: &'a str,
}

impl<'a> TeamChange<'a> {
    /// Reads a `HIRE`, an `UPDATE_EMPLOYEE` or a `FIRE`.
    ///
    /// # Errors
    ///
    /// Only where the tag is none of the three.
    pub fn read(tag: &Tag<'a>) -> Result<Self, TagError> {
        Ok(TeamChange {
            action: expect(tag, super::TEAM_CHANGE_TAGS)?,
            name: tag.attr_trimmed("name"),
            role: tag.attr_trimmed("role"),
            tier: tag.attr_trimmed("tier"),
            task_id: tag.attr_trimmed("task_id"),
            employee_id: tag.attr_trimmed("employee_id"),
        })
    }
}

/// As [`TeamChange::read`].
impl<'a> TryFrom<&Tag<'a>> for TeamChange<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        TeamChange::read(tag)
    }
}

/// `KNOWLEDGE`: a rule or a fact to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KnowledgeItem<'a> {
    /// `rule` where it is blank.
    pub kind: &'a str,
    /// May be blank.
    pub key: &'a str,
    /// The stripped body.
    pub content: &'a str,
}

impl<'a> KnowledgeItem<'a> {
    /// Reads a `KNOWLEDGE`.
    ///
    /// # Errors
    ///
    /// Only where the tag is no `KNOWLEDGE`.
    pub fn read(tag: &Tag<'a>) -> Result<Self, TagError> {
        expect(tag, &[TagName::Knowledge])?;
        Ok(KnowledgeItem {
            kind: or(tag.attr_trimmed("kind"), "rule"),
            key: tag.attr_trimmed("key"),
            content: space::trim(tag.body()),
        })
    }
}

/// As [`KnowledgeItem::read`].
impl<'a> TryFrom<&Tag<'a>> for KnowledgeItem<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        KnowledgeItem::read(tag)
    }
}

impl<'a> EditBlocks<'a> {
    /// Reads the body of an `EDIT_FILE`.
    ///
    /// # Errors
    ///
    /// As [`edit_blocks`]; where the tag is no `EDIT_FILE`.
    pub fn read(tag: &Tag<'a>) -> Result<Self, TagError> {
        expect(tag, &[TagName::EditFile])?;
        edit_blocks(tag.body()).map_err(|error| tag.error(error.as_str()))
    }
}

/// As [`EditBlocks::read`].
impl<'a> TryFrom<&Tag<'a>> for EditBlocks<'a> {
    type Error = TagError;

    fn try_from(tag: &Tag<'a>) -> Result<Self, TagError> {
        EditBlocks::read(tag)
    }
}

/// All `CREATE_TASK`s of a reply, in the order written.
///
/// # Errors
///
/// The first that cannot be read fails them all. [`each`] gives the result of each.
pub fn task_drafts<'t>(reply: &Reply<'t>) -> Result<Vec<TaskDraft<'t>>, TagError> {
    views(reply, &[TagName::CreateTask]).collect()
}

/// All changes of the team in a reply, of the three kinds, in the order written.
///
/// # Errors
///
/// As [`task_drafts`]; today every one can be read.
pub fn team_changes<'t>(reply: &Reply<'t>) -> Result<Vec<TeamChange<'t>>, TagError> {
    views(reply, super::TEAM_CHANGE_TAGS).collect()
}

/// All `KNOWLEDGE` of a reply, in the order written.
///
/// # Errors
///
/// As [`task_drafts`]; today every one can be read.
pub fn knowledge_items<'t>(reply: &Reply<'t>) -> Result<Vec<KnowledgeItem<'t>>, TagError> {
    views(reply, &[TagName::Knowledge]).collect()
}

/// The tags of these names in a reply, each read as a view, or its error.
///
/// ```
/// use tagwire::workforce::{self, Mode, Role, TagName, TaskDraft};
///
/// let policy = workforce::policy(Role::Manager, Mode::Chat);
/// let reply = policy.parse("[[CREATE_TASK title='a'/]] [[CREATE_TASK/]]");
/// let mut drafts = workforce::views::<TaskDraft>(&reply, &[TagName::CreateTask]);
/// assert_eq!(drafts.next().unwrap()?.title, "a");
/// assert_eq!(drafts.next().unwrap().unwrap_err().to_string(), "[[CREATE_TASK]] needs title=...");
/// # Ok::<(), tagwire::TagError>(())
/// ```
pub fn views<'r, 't, V>(reply: &'r Reply<'t>, names: &'r [TagName]) -> impl Iterator<Item = Result<V, TagError>> + 'r
where
    V: for<'v> TryFrom<&'v Tag<'t>, Error = TagError> + 'r,
{
    let is_wanted = |tag: &&Tag<'t>| names.iter().any(|name| name.as_str() == tag.name());
    reply.tags().iter().filter(is_wanted).map(V::try_from)
}

/// The name of the tag, if it is one of these.
fn expect(tag: &Tag<'_>, names: &[TagName]) -> Result<TagName, TagError> {
    let found = names.iter().find(|name| name.as_str() == tag.name());
    found.copied().ok_or_else(|| tag.error(format!("[[{}]] is not [[{}]]", tag.name(), names[0])))
}

fn or<'a>(value: &'a str, default: &'static str) -> &'a str {
    if value.is_empty() { default } else { value }
}
