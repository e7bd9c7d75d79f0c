//! The first preset: a manager who plans and hires, and workers with a toolkit. The only module that knows a tag, a role or a
//! mode by name.
//!
//! *The seed*, where these sources speak of it, is the Python module that this protocol comes from. Its rules are the rules of
//! this crate, and its messages are those of this preset, to the byte: the tests hold its answers to some 1,650 replies.

pub mod edit;
mod strict;
mod views;

use core::fmt;
use core::str::FromStr;

pub use edit::{EditBlock, EditBlocks, edit_blocks};
pub use strict::STRICT;
pub use views::{
    Assign, KnowledgeItem, MAX_DESCRIPTION_CHARS, PIPELINES, TaskDraft, TeamChange, View, each, knowledge_items,
    task_drafts, team_changes,
};

use crate::protocol::{Budget, Grant, Policy, Protocol, ProtocolSpec, TagSpec};

/// The protocol: 28 tags, 12 of them with bodies, eight pairs of role and mode, three budgets.
pub const PROTOCOL: Protocol<'static> =
    Protocol::checked(&ProtocolSpec::seed("workforce", TAGS).budgets(BUDGETS).grants(GRANTS));

/// What `role` may do in `mode`. A pair that is not in the matrix may do nothing.
pub fn policy(role: Role, mode: Mode) -> Policy<'static> {
    PROTOCOL.policy(role.as_str(), mode.as_str()).expect("every role and every mode has a grant")
}

/// The tags that `role` may use in `mode`, in the order of [`TagName::ALL`].
pub fn allowed_tags(role: Role, mode: Mode) -> impl Iterator<Item = TagName> {
    let policy = policy(role, mode);
    TagName::ALL.iter().copied().filter(move |tag| policy.allows(tag.as_str()))
}

/// The tags that reach into the workspace. Every working role has them, the manager never.
pub const TOOL_TAGS: &[TagName] =
    &[TagName::ReadFile, TagName::WriteFile, TagName::EditFile, TagName::ListDir, TagName::Search, TagName::Run];

/// The tags that change the team, which share one budget.
pub const TEAM_CHANGE_TAGS: &[TagName] = &[TagName::Hire, TagName::UpdateEmployee, TagName::Fire];

/// The tags with a body, which need their close unless they close themselves.
pub const BODY_TAGS: &[TagName] = &[
    TagName::WriteFile,
    TagName::EditFile,
    TagName::Knowledge,
    TagName::AskUser,
    TagName::CreateTask,
    TagName::Split,
    TagName::PlanSpec,
    TagName::WorkReport,
    TagName::ReviewPass,
    TagName::ReviewChanges,
    TagName::TestPass,
    TagName::TestFail,
];

/// A name was asked for that is none of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownVariant {
    what: &'static str,
    known: &'static [&'static str],
}

impl fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} (known: ", self.what)?;
        for (i, name) in self.known.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            f.write_str(name)?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for UnknownVariant {}

/// An enum of names, with its list, its spelling, and the way back.
macro_rules! names {
    ($(#[$doc:meta])* $type:ident, $what:literal: $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $type {
            /// All of them.
            pub const ALL: &'static [$type] = &[$($type::$variant,)+];

            /// As it is written.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        /// From exactly the name as it is written.
        impl FromStr for $type {
            type Err = UnknownVariant;

            fn from_str(name: &str) -> Result<Self, UnknownVariant> {
                match name {
                    $($name => Ok($type::$variant),)+
                    _ => Err(UnknownVariant { what: $what, known: &[$($name,)+] }),
                }
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

names! {
    /// Who writes a reply.
    Role, "role":
    /// Triages, gives the verdict, handles errors, chats.
    Manager = "manager",
    /// Plans and splits.
    Planner = "planner",
    /// Implements.
    Developer = "developer",
    /// Reviews.
    Reviewer = "reviewer",
    /// Tests.
    Tester = "tester",
}

names! {
    /// What a reply is for.
    Mode, "mode":
    /// A new task is looked at.
    Triage = "triage",
    /// A finished task is judged.
    Final = "final",
    /// A failure is handled.
    Error = "error",
    /// The user is talked to.
    Chat = "chat",
    /// A worker works.
    Work = "work",
}

names! {
    /// A tag of the protocol.
    TagName, "tag":
    /// Gives a task to an employee.
    Assign = "ASSIGN",
    /// Turns a task down.
    Reject = "REJECT",
    /// Puts a question to the user. Has a body.
    AskUser = "ASK_USER",
    /// Records a rule or a fact. Has a body.
    Knowledge = "KNOWLEDGE",
    /// Accepts a finished task.
    Complete = "COMPLETE",
    /// Sends a finished task back.
    Revise = "REVISE",
    /// Says how a failure is resolved.
    ResolveError = "RESOLVE_ERROR",
    /// Gives up the failed task.
    Cancel = "CANCEL",
    /// Creates a task. Has a body.
    CreateTask = "CREATE_TASK",
    /// Pauses a task.
    PauseTask = "PAUSE_TASK",
    /// Goes on with a paused task.
    ResumeTask = "RESUME_TASK",
    /// Cancels a task.
    CancelTask = "CANCEL_TASK",
    /// Adds an employee.
    Hire = "HIRE",
    /// Changes an employee.
    UpdateEmployee = "UPDATE_EMPLOYEE",
    /// Removes an employee.
    Fire = "FIRE",
    /// Hands in a plan. Has a body.
    PlanSpec = "PLAN_SPEC",
    /// Splits a task. Has a body.
    Split = "SPLIT",
    /// Reports finished work. Has a body.
    WorkReport = "WORK_REPORT",
    /// Approves. Has a body.
    ReviewPass = "REVIEW_PASS",
    /// Asks for changes. Has a body.
    ReviewChanges = "REVIEW_CHANGES",
    /// Reports that the tests pass. Has a body.
    TestPass = "TEST_PASS",
    /// Reports that they fail. Has a body.
    TestFail = "TEST_FAIL",
    /// Reads a file.
    ReadFile = "READ_FILE",
    /// Writes a file, its body. Has a body.
    WriteFile = "WRITE_FILE",
    /// Edits a file by the blocks in its body. Has a body.
    EditFile = "EDIT_FILE",
    /// Lists a folder.
    ListDir = "LIST_DIR",
    /// Searches the workspace.
    Search = "SEARCH",
    /// Runs a command.
    Run = "RUN",
}

const TAGS: &[TagSpec<'static>] = &[
    TagSpec::new("ASSIGN"),
    TagSpec::new("REJECT"),
    TagSpec::with_body("ASK_USER"),
    TagSpec::with_body("KNOWLEDGE").budget("knowledge items"),
    TagSpec::new("COMPLETE"),
    TagSpec::new("REVISE"),
    TagSpec::new("RESOLVE_ERROR"),
    TagSpec::new("CANCEL"),
    TagSpec::with_body("CREATE_TASK").budget("new tasks"),
    TagSpec::new("PAUSE_TASK"),
    TagSpec::new("RESUME_TASK"),
    TagSpec::new("CANCEL_TASK"),
    TagSpec::new("HIRE").budget("team changes"),
    TagSpec::new("UPDATE_EMPLOYEE").budget("team changes"),
    TagSpec::new("FIRE").budget("team changes"),
    TagSpec::with_body("PLAN_SPEC"),
    TagSpec::with_body("SPLIT"),
    TagSpec::with_body("WORK_REPORT"),
    TagSpec::with_body("REVIEW_PASS"),
    TagSpec::with_body("REVIEW_CHANGES"),
    TagSpec::with_body("TEST_PASS"),
    TagSpec::with_body("TEST_FAIL"),
    TagSpec::new("READ_FILE"),
    TagSpec::with_body("WRITE_FILE"),
    TagSpec::with_body("EDIT_FILE"),
    TagSpec::new("LIST_DIR"),
    TagSpec::new("SEARCH"),
    TagSpec::new("RUN"),
];

const BUDGETS: &[Budget<'static>] =
    &[Budget::new("new tasks", 3), Budget::new("team changes", 3), Budget::new("knowledge items", 3)];

const GRANTS: &[Grant<'static>] = &[
    Grant::new("manager", "triage", &["ASSIGN", "REJECT", "ASK_USER", "KNOWLEDGE"]),
    Grant::new("manager", "final", &["COMPLETE", "REVISE", "KNOWLEDGE"]),
    Grant::new("manager", "error", &["RESOLVE_ERROR", "CANCEL", "KNOWLEDGE"]),
    Grant::new(
        "manager",
        "chat",
        &["CREATE_TASK", "PAUSE_TASK", "RESUME_TASK", "CANCEL_TASK", "HIRE", "UPDATE_EMPLOYEE", "FIRE", "KNOWLEDGE"],
    ),
    Grant::new(
        "planner",
        "work",
        &["PLAN_SPEC", "SPLIT", "ASK_USER", "READ_FILE", "WRITE_FILE", "EDIT_FILE", "LIST_DIR", "SEARCH", "RUN"],
    ),
    Grant::new(
        "developer",
        "work",
        &["WORK_REPORT", "ASK_USER", "READ_FILE", "WRITE_FILE", "EDIT_FILE", "LIST_DIR", "SEARCH", "RUN"],
    ),
    Grant::new(
        "reviewer",
        "work",
        &["REVIEW_PASS", "REVIEW_CHANGES", "READ_FILE", "WRITE_FILE", "EDIT_FILE", "LIST_DIR", "SEARCH", "RUN"],
    ),
    Grant::new(
        "tester",
        "work",
        &["TEST_PASS", "TEST_FAIL", "READ_FILE", "WRITE_FILE", "EDIT_FILE", "LIST_DIR", "SEARCH", "RUN"],
    ),
];
