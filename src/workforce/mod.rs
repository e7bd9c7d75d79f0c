//! The first preset: a manager who plans and hires, and workers with a toolkit. The only module that knows a tag, a role or a
//! mode by name.
//!
//! *The seed*, in these sources, is the Python module that this protocol comes from. Its rules are the rules of this crate, and
//! its messages are those of this preset, to the byte: the tests compare with its answers to some 1,650 replies.

pub mod edit;
mod strict;
mod views;

use core::fmt;
use core::str::FromStr;

pub use edit::{EditBlock, EditBlocks, EditBlocksError, EditError, edit_blocks};
pub use strict::STRICT;
pub use views::{Assign, KnowledgeItem, MAX_DESCRIPTION_CHARS, PIPELINES, TagView, TaskDraft, TeamChange, View, views};

use crate::protocol::{Budget, Grant, Policy, Protocol, ProtocolSpec, TagSpec};

/// The protocol: 28 tags, 12 of them with bodies, eight pairs of role and mode, three budgets.
pub const PROTOCOL: Protocol<'static> =
    Protocol::checked(&ProtocolSpec::seed("workforce", TAGS).budgets(BUDGETS).grants(GRANTS));

/// The policy for `role` in `mode`. A pair that is not in the matrix may use no tag.
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

/// The tags that change the team. They share one budget.
pub const TEAM_CHANGE_TAGS: &[TagName] = &[TagName::Hire, TagName::UpdateEmployee, TagName::Fire];

/// The error for text that is no role, mode or tag of the protocol. Lists the names it could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseNameError {
    what: &'static str,
    known: &'static [&'static str],
}

impl fmt::Display for ParseNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} (known: ", self.what)?;
        for (i, name) in self.known.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            f.write_str(name)?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for ParseNameError {}

/// An enum of names, with its list, and the conversions to and from text.
macro_rules! names {
    ($(#[$doc:meta])* $type:ident, $what:literal: $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $type {
            /// All variants, in the order of the protocol.
            pub const ALL: &'static [$type] = &[$($type::$variant,)+];

            /// The name as replies and protocols spell it.
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

        /// Reads exactly the spelling of `as_str`.
        impl FromStr for $type {
            type Err = ParseNameError;

            fn from_str(name: &str) -> Result<Self, ParseNameError> {
                match name {
                    $($name => Ok($type::$variant),)+
                    _ => Err(ParseNameError { what: $what, known: &[$($name,)+] }),
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
    /// The author of a reply.
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
    /// The purpose of a reply.
    Mode, "mode":
    /// Looks at a new task.
    Triage = "triage",
    /// Judges a finished task.
    Final = "final",
    /// Handles a failure.
    Error = "error",
    /// Talks to the user.
    Chat = "chat",
    /// Works on a task.
    Work = "work",
}

names! {
    /// A tag of the protocol.
    TagName, "tag":
    /// Gives a task to an employee.
    Assign = "ASSIGN",
    /// Declines a task.
    Reject = "REJECT",
    /// Puts a question to the user.
    AskUser = "ASK_USER",
    /// Records a rule or a fact.
    Knowledge = "KNOWLEDGE",
    /// Accepts a finished task.
    Complete = "COMPLETE",
    /// Sends a finished task back.
    Revise = "REVISE",
    /// Resolves a failure.
    ResolveError = "RESOLVE_ERROR",
    /// Gives up the failed task.
    Cancel = "CANCEL",
    /// Creates a task.
    CreateTask = "CREATE_TASK",
    /// Pauses a task.
    PauseTask = "PAUSE_TASK",
    /// Resumes a paused task.
    ResumeTask = "RESUME_TASK",
    /// Cancels a task.
    CancelTask = "CANCEL_TASK",
    /// Adds an employee.
    Hire = "HIRE",
    /// Changes an employee.
    UpdateEmployee = "UPDATE_EMPLOYEE",
    /// Removes an employee.
    Fire = "FIRE",
    /// Submits a plan.
    PlanSpec = "PLAN_SPEC",
    /// Splits a task.
    Split = "SPLIT",
    /// Reports finished work.
    WorkReport = "WORK_REPORT",
    /// Approves.
    ReviewPass = "REVIEW_PASS",
    /// Asks for changes.
    ReviewChanges = "REVIEW_CHANGES",
    /// Reports that the tests pass.
    TestPass = "TEST_PASS",
    /// Reports that tests fail.
    TestFail = "TEST_FAIL",
    /// Reads a file.
    ReadFile = "READ_FILE",
    /// Writes its body into a file.
    WriteFile = "WRITE_FILE",
    /// Edits a file by the blocks in its body.
    EditFile = "EDIT_FILE",
    /// Lists a folder.
    ListDir = "LIST_DIR",
    /// Searches the workspace.
    Search = "SEARCH",
    /// Runs a command.
    Run = "RUN",
}

impl TagName {
    /// Whether the tag has a body, and so needs its close unless it closes itself.
    pub const fn has_body(self) -> bool {
        matches!(
            self,
            TagName::AskUser
                | TagName::Knowledge
                | TagName::CreateTask
                | TagName::PlanSpec
                | TagName::Split
                | TagName::WorkReport
                | TagName::ReviewPass
                | TagName::ReviewChanges
                | TagName::TestPass
                | TagName::TestFail
                | TagName::WriteFile
                | TagName::EditFile
        )
    }

    const fn spec(self) -> TagSpec<'static> {
        let spec = if self.has_body() { TagSpec::with_body(self.as_str()) } else { TagSpec::new(self.as_str()) };
        match self {
            TagName::CreateTask => spec.budget(NEW_TASKS),
            TagName::Hire | TagName::UpdateEmployee | TagName::Fire => spec.budget(TEAM_CHANGES),
            TagName::Knowledge => spec.budget(KNOWLEDGE_ITEMS),
            _ => spec,
        }
    }
}

const TAGS: &[TagSpec<'static>] = &{
    let mut tags = [TagSpec::new(""); TagName::ALL.len()];
    let mut i = 0;
    while i < tags.len() {
        tags[i] = TagName::ALL[i].spec();
        i += 1;
    }
    tags
};

const NEW_TASKS: &str = "new tasks";
const TEAM_CHANGES: &str = "team changes";
const KNOWLEDGE_ITEMS: &str = "knowledge items";

const BUDGETS: &[Budget<'static>] =
    &[Budget::new(NEW_TASKS, 3), Budget::new(TEAM_CHANGES, 3), Budget::new(KNOWLEDGE_ITEMS, 3)];

macro_rules! grant {
    ($role:ident, $mode:ident: $($tag:ident)+) => {
        Grant::new(Role::$role.as_str(), Mode::$mode.as_str(), &[$(TagName::$tag.as_str()),+])
    };
}

/// What a worker may do: its own tags, and those of [`TOOL_TAGS`].
macro_rules! worker {
    ($role:ident: $($tag:ident)+) => {
        grant!($role, Work: $($tag)+ ReadFile WriteFile EditFile ListDir Search Run)
    };
}

const GRANTS: &[Grant<'static>] = &[
    grant!(Manager, Triage: Assign Reject AskUser Knowledge),
    grant!(Manager, Final: Complete Revise Knowledge),
    grant!(Manager, Error: ResolveError Cancel Knowledge),
    grant!(Manager, Chat: CreateTask PauseTask ResumeTask CancelTask Hire UpdateEmployee Fire Knowledge),
    worker!(Planner: PlanSpec Split AskUser),
    worker!(Developer: WorkReport AskUser),
    worker!(Reviewer: ReviewPass ReviewChanges),
    worker!(Tester: TestPass TestFail),
];
