//! The typed reading of a tag, as JSON. The one place where views are plugged in.

use serde::Serialize;
use tagwire::Tag;

/// The view of `tag`, none where it has no typed one.
pub(crate) fn view<'t>(_tag: &Tag<'t>) -> Option<impl Serialize + use<'t>> {
    None::<()>
}
