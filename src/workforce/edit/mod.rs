//! Edit blocks: the replacements in the body of an `EDIT_FILE` tag, and their application to a text, all or nothing.
//!
//! ```
//! use tagwire::workforce::edit::edit_blocks;
//!
//! let blocks = edit_blocks("<<<OLD\nport = 80\n===\nport = 8080\nNEW>>>")?;
//! assert_eq!(blocks[0].old, "port = 80");
//!
//! let file = "host = \"a\"\nport = 80\n";
//! assert_eq!(blocks.apply(file)?, "host = \"a\"\nport = 8080\n");
//!
//! let error = blocks.apply("host = \"a\"\n\tport  = 80\n").unwrap_err();
//! assert_eq!((error.block(), error.found(), error.nearest_line()), (1, 0, Some(2)));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod apply;
mod automaton;
mod bigrams;
mod buffer;
mod error;
mod line_diff;
mod line_ends;
mod nearest;
mod parse;
mod quote;
mod search;

use core::{fmt, ops::Index, slice};

use smallvec::SmallVec;

use crate::whitespace::trim;

pub use error::EditError;

/// Reads the edit blocks of a body, in the order written.
///
/// A block is `<<<OLD`, white space ending in a newline, OLD, a newline, `===`, white space ending in a newline, NEW, a
/// newline, white space, `NEW>>>`; text between blocks is skipped. The choices are those of the Python original,
/// made from left to right:
/// the first white space longest, OLD shortest, the second white space longest, NEW shortest, each tried in that order
/// until the rest fits. So blank lines after a marker belong to the marker, and an empty NEW needs a blank line and
/// swallows the next block if there is one.
///
/// Takes time linear in the bytes of `body`, whatever it contains. OLD and NEW are slices of it, as written.
///
/// # Errors
///
/// [`EditBlocksError::NoBlock`] if no block is found, [`EditBlocksError::BlankOld`] if the OLD of any block contains
/// only white space (Python's).
pub fn edit_blocks(body: &str) -> Result<EditBlocks<'_>, EditBlocksError> {
    let blocks: SmallVec<[EditBlock<'_>; 2]> = parse::Blocks::new(body).collect();
    if blocks.is_empty() {
        return Err(EditBlocksError::NoBlock);
    }
    if blocks.iter().any(|block| trim(block.old).is_empty()) {
        return Err(EditBlocksError::BlankOld);
    }
    Ok(EditBlocks { blocks })
}

/// One replacement: OLD, which is looked for in a text, and NEW, which replaces it. Read from a body, never built by a
/// host.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EditBlock<'a> {
    /// The text to look for, without the newline before `===`.
    pub old: &'a str,
    /// The text to write, without the newline before `NEW>>>`.
    pub new: &'a str,
}

/// The edit blocks of a body, at least one, in the order written. Read by [`edit_blocks`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EditBlocks<'a> {
    /// Mostly one or two, which are kept inline.
    blocks: SmallVec<[EditBlock<'a>; 2]>,
}

impl<'a> EditBlocks<'a> {
    /// The number of blocks; never 0.
    #[expect(clippy::len_without_is_empty, reason = "there is always a block")]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The block at `index`, counted from 0; `None` if there is none.
    pub fn get(&self, index: usize) -> Option<EditBlock<'a>> {
        self.blocks.get(index).copied()
    }

    /// The blocks in order.
    pub fn iter(&self) -> slice::Iter<'_, EditBlock<'a>> {
        self.blocks.iter()
    }

    /// The blocks in order, as a slice.
    pub fn as_slice(&self) -> &[EditBlock<'a>] {
        &self.blocks
    }

    /// The edit that undoes this one: the blocks from last to first, OLD and NEW exchanged.
    ///
    /// Applied to the result of [`apply`](Self::apply), it returns the original text, provided that each NEW occurs exactly once
    /// in the text at its turn, and that the lines of the text all end in the same way. An empty NEW becomes an empty OLD,
    /// which cannot be applied.
    #[must_use]
    pub fn reversed(&self) -> EditBlocks<'a> {
        let exchanged = self.blocks.iter().rev().map(|&EditBlock { old, new }| EditBlock { old: new, new: old });
        EditBlocks { blocks: exchanged.collect() }
    }
}

/// The block at an index, counted from 0. Panics if there is none; [`EditBlocks::get`] does not.
impl<'a> Index<usize> for EditBlocks<'a> {
    type Output = EditBlock<'a>;

    fn index(&self, index: usize) -> &EditBlock<'a> {
        &self.blocks[index]
    }
}

impl<'s, 'a> IntoIterator for &'s EditBlocks<'a> {
    type Item = &'s EditBlock<'a>;
    type IntoIter = slice::Iter<'s, EditBlock<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Why a body cannot be read as edit blocks. Prints the message of the Python original.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EditBlocksError {
    /// The body contains no block.
    NoBlock,
    /// A block's OLD is empty, or white space only.
    BlankOld,
}

impl EditBlocksError {
    /// The message.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoBlock => "[[EDIT_FILE]] needs one or more <<<OLD ... === ... NEW>>> blocks",
            Self::BlankOld => "[[EDIT_FILE]] OLD block is empty",
        }
    }
}

impl fmt::Display for EditBlocksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::error::Error for EditBlocksError {}
