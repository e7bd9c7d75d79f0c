//! What goes to a terminal: nothing of a hostile text may act on it.

use std::borrow::Cow;
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process;

use anstream::AutoStream;
use clap::ColorChoice;

use crate::failure::Failure;

/// `text` on one line, with all that a terminal would act on, or show as nothing, in the form `\u{1b}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_hidden) else { return Cow::Borrowed(text) };
    let mut shown = text[..first].to_owned();
    text[first..].chars().for_each(|c| push_visible(&mut shown, c));
    Cow::Owned(shown)
}

/// Appends `c` as [`visible`] shows it.
pub(crate) fn push_visible(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        c if is_hidden(c) => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a String takes all"),
        c => shown.push(c),
    }
}

/// Controls (of C0 and C1), what changes the direction of writing, line ends that are no `\n`, and what has no width.
/// The joiners U+200C and U+200D are part of words and emoji, and do no harm.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Appends a line of text, or a part of one, as [`visible`] shows it; but a tab stays, which is as harmless as it is common.
pub(crate) fn push_visible_line(shown: &mut String, line: &str) {
    line.chars().for_each(|c| if c == '\t' { shown.push(c) } else { push_visible(shown, c) });
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
    let is_safe = env::args_os().all(|arg| matches!(visible(&arg.to_string_lossy()), Cow::Borrowed(_)));
    if is_safe || !error.use_stderr() {
        error.exit();
    }
    say_lines(&error.render().to_string());
    process::exit(error.exit_code());
}
