//! Printing to a terminal, on which no hostile text may act.

use std::env;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use anstream::AutoStream;
use clap::ColorChoice;
use tagwire::Escaped;

use crate::failure::{Failure, Outcome};

/// A name or a message on one line, with the characters that deceive in the form `\u{1b}`.
pub(crate) fn visible(text: &str) -> impl fmt::Display {
    Escaped::line(text)
}

/// Appends a line of text as [`visible`] shows it; a tab stays.
pub(crate) fn push_visible_line(shown: &mut String, line: &str) {
    write!(shown, "{}", Escaped::line(line)).expect("a String takes everything");
}

/// Prints text with its styles, or without them.
pub(crate) fn print_styled(text: &str, color: ColorChoice) -> Result<(), Failure> {
    let choice = match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    let mut out = AutoStream::new(io::stdout().lock(), choice);
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// Prints text unchanged.
pub(crate) fn print_plain(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// Prints `message` to standard error.
pub(crate) fn complain(message: &str) {
    // If standard error is closed, too, there is nobody to tell.
    let _ = writeln!(io::stderr(), "tagwire: {}", visible(message));
}

/// Prints a message of several lines to standard error.
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

/// Prints what clap answers instead of a command: help on standard output, or on standard error how the usage is wrong.
pub(crate) fn print_usage(error: &clap::Error) -> Outcome {
    if !error.use_stderr() {
        print_styled(&error.render().ansi().to_string(), ColorChoice::Auto)?;
    } else if env::args_os().all(|arg| Escaped::line(&arg.to_string_lossy()).is_unchanged()) {
        // If standard error is closed too, nobody is left to tell.
        let _ = error.print();
    } else {
        // clap quotes the arguments unescaped.
        say_lines(&error.render().to_string());
    }
    Ok(u8::from(error.use_stderr()) * 2)
}
