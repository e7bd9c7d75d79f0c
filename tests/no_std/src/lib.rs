//! A program without the standard library: if a dependency links it, there are two panic handlers, and the build fails.
#![no_std]

extern crate alloc;

use alloc::string::String;

use tagwire::workforce::{self, Mode, Role};
use tagwire::{Event, Feedback, FeedbackLimits, Parser};

/// The feedback on a whole reply.
pub fn whole(text: &str) -> String {
    workforce::policy(Role::Developer, Mode::Work).parse(text).feedback(FeedbackLimits::default())
}

/// The feedback on a reply in chunks, and the number of its tags.
pub fn stream<'a>(chunks: impl IntoIterator<Item = &'a str>) -> (usize, Feedback) {
    let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
    let (mut tags, mut feedback) = (0, Feedback::new(FeedbackLimits::default()));
    let mut take = |event: Event<'_>| match event {
        Event::Tag(_) => tags += 1,
        Event::Diagnostic(diagnostic) => feedback.add(&diagnostic),
        _ => {}
    };
    for chunk in chunks {
        parser.feed(chunk).for_each(&mut take);
    }
    parser.finish().for_each(&mut take);
    (tags, feedback)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
