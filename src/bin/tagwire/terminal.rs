//! What goes to a terminal: nothing of a hostile text may act on it.

use std::env;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::process;

use anstream::AutoStream;
use clap::ColorChoice;
use tagwire::Escaped;

use crate::failure::Failure;

/// A name or a message on one line, with all that a terminal would act on, or show as nothing, in the form `\u{1b}`.
pub(crate) fn visible(text: &str) -> impl fmt::Display {
    Escaped::line(text)
}

/// Appends a line of text, or a part of one, as [`visible`] shows it: a tab stays, which is as harmless as it is common.
pub(crate) fn push_visible_line(shown: &mut String, line: &str) {
    write!(shown, "{}", Escaped::line(line)).expect("a String takes all");
}

/// Prints text that has styles, or takes them off.
pub(crate) fn print_styled(text: &str, color: ColorChoice) -> Result<(), Failure> {
    let choice = match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    let mut out = AutoStream::new(io::stdout().lock(), choice);
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// Prints text as it is.
pub(crate) fn print_plain(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// Says `message` on standard error.
pub(crate) fn complain(message: &str) {
    // Where standard error is closed too, nobody is left to tell.
    let _ = writeln!(io::stderr(), "tagwire: {}", visible(message));
}

/// Says a message of several lines on standard error.
pub(crate) fn complain_at_length(message: &str) {
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    complain(first);
    say_lines(rest);
}

fn say_lines(text: &str) {
    for line in text.lines() {
        let _ = writeln!(io::stderr(), "{}", visible(line));
    }
}

/// Ends the program with what clap has to say: help on standard output, or how the usage is bad and exit code 2.
pub(crate) fn exit_with_usage(error: &clap::Error) -> ! {
    // It quotes the arguments as they are.
    let is_safe = env::args_os().all(|arg| Escaped::line(&arg.to_string_lossy()).is_unchanged());
    if is_safe || !error.use_stderr() {
        error.exit();
    }
    say_lines(&error.render().to_string());
    process::exit(error.exit_code());
}
