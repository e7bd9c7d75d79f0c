//! The typed reading of a tag, as JSON.

use serde::Serialize;
use tagwire::workforce::{PIPELINES, View};
use tagwire::{Tag, TagError};

/// A view, or why the tag can't be read as one.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Reading<'t> {
    View(View<'t>),
    Unreadable(TagError),
}

/// The view of `tag`, as the seed reads it; none where it has no typed one.
pub(crate) fn view<'t>(tag: &Tag<'t>) -> Option<Reading<'t>> {
    Some(match View::read(tag, PIPELINES)? {
        Ok(view) => Reading::View(view),
        Err(error) => Reading::Unreadable(error),
    })
}
