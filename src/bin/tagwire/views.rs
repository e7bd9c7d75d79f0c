//! The typed view of a tag, as JSON.

use serde::Serialize;
use tagwire::workforce::{PIPELINES, View};
use tagwire::{Tag, TagError};

/// The view of a tag, or the reason why it has none.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Reading<'t> {
    View(View<'t>),
    Unreadable(TagError),
}

/// The view of `tag`, with the pipelines of the seed; `None` if its name has no view.
pub(crate) fn view<'t>(tag: &Tag<'t>) -> Option<Reading<'t>> {
    match View::read(tag, PIPELINES) {
        Ok(view) => view.map(Reading::View),
        Err(error) => Some(Reading::Unreadable(error)),
    }
}
