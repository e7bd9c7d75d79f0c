//! What a machine reads.

use crate::event::Finish;
use crate::protocol::Policy;
use crate::window::Window;

/// Everything one step reads. Passed by reference: copying its fields from call to call costs as much as reading a short token.
#[derive(Clone, Copy)]
pub(crate) struct Input<'s, 'a, 'p> {
    pub(crate) policy: &'s Policy<'p>,
    pub(crate) window: Window<'a>,
    /// How the reply ended, if the window reaches to its end.
    pub(crate) end: Option<Finish>,
}
