//! Ranges become text here, and nowhere else.

use crate::diagnostic::{Diagnostic, Kind, Name};
use crate::event::{Event, Span, Tag};
use crate::found::Found;
use crate::protocol::{Policy, Protocol};
use crate::window::Window;

/// What was found, as an event. The text of all that is found must be in sight, but for what is dropped.
#[inline(always)]
pub(crate) fn resolve<'a>(
    found: &Found,
    policy: &Policy<'_>,
    protocol: Protocol<'a>,
    window: &Window<'a>,
) -> Event<'a> {
    let say = |kind: Kind<'a>, span: Span| Event::Diagnostic(Diagnostic::new(kind, span));
    match *found {
        Found::Prose(span) => Event::Prose { text: window.text(span), span },
        Found::Tag { id, span, body, known } => {
            Event::Tag(Tag::new(protocol.name_of(id), window.text(span), span.start, body, known))
        }
        Found::Dropped(span) => Event::Dropped { span },
        Found::StrayClose { token, inner } => say(Kind::StrayClose { inner: window.text(inner) }, token),
        Found::UnknownTag { token, name } => say(Kind::UnknownTag { name: Name(window.text(name)) }, token),
        Found::NotAllowed { token, id } => {
            // Only a protocol with roles refuses anything.
            let (role, mode) =
                (policy.role_in(protocol).unwrap_or_default(), policy.mode_in(protocol).unwrap_or_default());
            say(Kind::NotAllowed { name: protocol.name_of(id), role, mode }, token)
        }
        Found::MalformedAttribute { id, fragment } => {
            say(Kind::MalformedAttribute { name: protocol.name_of(id), fragment: window.text(fragment) }, fragment)
        }
        Found::Unclosed { token, id } => say(Kind::Unclosed { name: protocol.name_of(id) }, token),
        Found::CutOff { token, id } => say(Kind::CutOff { name: protocol.name_of(id) }, token),
        Found::CutOffUnread { token, name } => say(Kind::CutOffUnread { name: Name(window.text(name)) }, token),
        Found::OverBudget { token, id, budget } => {
            say(Kind::OverBudget { name: protocol.name_of(id), max: protocol.budget_max(budget) }, token)
        }
        Found::TooLong { token, name } => {
            // Only a limit makes a tag too long.
            let max = policy.limits().max_tag_bytes.unwrap_or(usize::MAX);
            say(Kind::TooLong { name: Name(window.text(name)), max }, token)
        }
    }
}
