//! The live view of `tagwire stream`: as text on a pipe, and on a pseudo-terminal.

use std::fs;

use crate::support::{cases, finish, run, tagwire, words};

const STREAM: &str = "stream --role developer --mode work";

fn text(input: &str) -> String {
    words(&format!("{STREAM} --format text"), input).succeeded().out
}

#[test]
fn a_reply() {
    let reply = "\n On it.\n\n\n\n[[READ_FILE path=\"a.py\"/]] [[LIST_DIR]]\n\
                 [[NOTE]] and\r\n[[WRITE_FILE path='b' x]]\n\n  é\n\tf\n\n\
                 [[/WRITE_FILE]][[WRITE_FILE]][[/WRITE_FILE]] Done\n\n\n[[HIRE]]a[[/HIRE]]\n\n[[/RUN]]   \n";
    let expected = "\
\x20On it.

● READ_FILE path=\"a.py\"
● LIST_DIR
✗ 7:1 error[unknown-tag]: unknown tag [[NOTE]] ignored
and
✗ 8:23 error[malformed-attribute]: malformed attribute fragment 'x' (expected key=\"value\")
┌ WRITE_FILE path=\"b\"
│
│   é
│ \tf
└ WRITE_FILE path=\"b\"  5 lines, 11 bytes
● WRITE_FILE
Done

✗ 16:1 error[not-allowed]: tag [[HIRE]] is not allowed for role=developer mode=work
  18 bytes dropped

✗ 18:1 error[stray-close]: stray closing tag [[/RUN]] ignored
complete: 4 tags, 4 errors
";
    assert_eq!(text(reply), expected);
    assert_eq!(text(""), "complete: no tags, no errors\n");
}

#[test]
fn the_same_however_it_is_cut() {
    let cases = cases();
    for case in cases.iter().step_by(3) {
        let [role, mode, text] = ["role", "mode", "text"].map(|key| case[key].as_str().expect("a string"));
        let view = |n| {
            let args = ["stream", "--format", "text", "--role", role, "--mode", mode, "--replay", n];
            run(&args, text).succeeded().out
        };
        assert_eq!(view("1"), view("1000000"), "{}", case["id"]);
    }
}

/// A joiner is held until the next character is known, for all cuts.
#[test]
fn joiners_and_variation_selectors_stay_where_they_belong() {
    for (reply, shown) in [
        ("نمی\u{200c}خواهم 👩\u{200d}🔬 ❤\u{fe0f}", "نمی\u{200c}خواهم 👩\u{200d}🔬 ❤\u{fe0f}"),
        ("a\u{200d}[[RUN/]]b", "a\\u{200d}\n● RUN\nb"),
        ("a\u{200d}\nb\u{200c} c\u{200c}\rd", "a\\u{200d}\nb\\u{200c} c\\u{200c}\\rd"),
        ("a\u{200d}", "a\\u{200d}"),
        ("\u{200d}a\u{200d}\u{200d}b", "\\u{200d}a\\u{200d}\\u{200d}b"),
        ("a\u{fe0f}\u{fe0f} \u{fe0f}\n\u{fe0f}", "a\u{fe0f}\\u{fe0f} \\u{fe0f}\n\\u{fe0f}"),
        ("x\u{34f}\u{17b4}\u{fff0}\u{e0fff}\u{1bca0}", r"x\u{34f}\u{17b4}\u{fff0}\u{e0fff}\u{1bca0}"),
        (
            "[[WRITE_FILE]]ش\u{200c}ک\u{200d}[[/WRITE_FILE]]",
            "┌ WRITE_FILE\n│ ش\u{200c}ک\\u{200d}\n└ WRITE_FILE  1 line, 10 bytes",
        ),
    ] {
        for replay in ["1", "2", "3", "1000"] {
            let out = words(&format!("{STREAM} --format text --replay {replay}"), reply).succeeded().out;
            let (view, _) = out.rsplit_once("\ncomplete: ").expect("an end");
            assert_eq!(view.trim_end_matches('\n'), shown, "{replay}");
        }
    }
}

/// Long runs of white space are not held, and look the same.
#[test]
fn white_space_is_held_up_to_a_bound() {
    for len in [4_095, 4_096, 4_097, 10_000] {
        let (space, ends) = (" ".repeat(len), "\n".repeat(len));
        let bars = "│\n".repeat(len - 1);
        assert_eq!(text(&format!("a{space}b{ends}c")), format!("a{space}b\n\nc\ncomplete: no tags, no errors\n"));
        let body = text(&format!("[[WRITE_FILE]]a{ends}b{space}c[[/WRITE_FILE]]"));
        let summary = format!("└ WRITE_FILE  {} lines, {} bytes", len + 1, 2 * len + 3);
        let expected = format!("┌ WRITE_FILE\n│ a\n{bars}│ b{space}c\n{summary}\ncomplete: 1 tag, no errors\n");
        assert_eq!(body, expected, "{len}");
    }
}

/// The text after a tag that is never closed was shown as its body, and is prose.
#[test]
fn an_unclosed_body_is_shown_as_what_it_is() {
    let expected = "\
Hi
┌ WRITE_FILE path=\"a\"
│ text
✗ 1:4 error[unclosed]: unclosed tag [[WRITE_FILE]] ignored
text
complete: no tags, 1 error
";
    assert_eq!(text("Hi [[WRITE_FILE path='a']]text"), expected);
}

#[test]
fn a_reply_that_was_cut_off() {
    let body = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sse/openai-length.sse")).expect("it is there");
    let expected = "\
I write the file.
┌ WRITE_FILE path=\"deploy.md\"
│ # Deploy
│ Never run [[RUN cmd=\"rm -rf build\"/]] by hand.
│ Then
✗ 2:1 error[unclosed]: unclosed tag [[WRITE_FILE]] ignored (the reply was cut off)
  94 bytes dropped
truncated (length): no tags, 1 error
";
    let run = words(&format!("{STREAM} --from openai --format text"), body).succeeded();
    assert_eq!(run.out, expected);
}

#[test]
fn the_last_line_is_ended_before_a_complaint() {
    let run = words(&format!("{STREAM} --format text"), b"ab\xFF");
    run.refused(&["invalid UTF-8 at byte 2"]);
    assert_eq!(run.out, "ab\n");
}

fn hostile() -> (&'static str, String) {
    let hostile = "\u{1b}[2J\u{9b}31m\u{7}\u{8}\rx\u{7f}\u{0}\u{85}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{200b}\u{feff}\u{e0041}";
    let reply = format!(
        "{hostile}\n{hostile}[[NOTE]]{hostile}\n[[/{hostile}\n{hostile}]]\n[[RUN cmd='{hostile}' {hostile}x\n{hostile}]]\r\
         [[WRITE_FILE path=\"\n\"]]{hostile}\n{hostile}[[/WRITE_FILE]]\r[[WRITE_FILE]]{hostile}\r"
    );
    (hostile, reply)
}

#[track_caller]
fn assert_safe(shown: &str) {
    let is_raw = |c: &char| (c.is_control() && *c != '\n') || (!c.is_ascii() && !"…●┌│└✗".contains(*c));
    assert_eq!(shown.chars().find(is_raw), None, "{shown:?}");
}

/// Without colour sequences.
fn without_colors(shown: &str) -> String {
    let mut parts = shown.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain.push_str(rest.strip_prefix('m').expect(part));
    }
    plain
}

#[test]
fn nothing_hostile_reaches_the_terminal() {
    let (_, reply) = hostile();
    for replay in ["1", "3", "100000"] {
        let args = format!("{STREAM} --format text --replay {replay}");
        let shown = words(&args, &reply).succeeded().out;
        assert_safe(&shown);
        assert!(shown.contains(r"\u{1b}[2J\u{9b}31m\u{7}\u{8}\rx\u{7f}\u{0}\u{85}\u{202a}\u{202e}\u{2066}"), "{shown}");
        let colored = words(&format!("{args} --color always"), &reply).succeeded().out;
        assert_eq!(without_colors(&colored), shown);
    }
}

#[test]
fn what_is_quoted_is_short() {
    let long = "x".repeat(100_000);
    assert!(text(&format!("[[RUN cmd='{long}' {long}]]")).len() < 1_000);
}

#[test]
fn colour_is_as_asked_for() {
    let escapes = |args: &str, variables: &[(&str, &str)]| {
        let mut command = tagwire(format!("{STREAM} {args}").trim_end().split(' '));
        let run = finish(command.envs(variables.iter().copied()).spawn().expect("it starts"), b"[[RUN/]]");
        run.succeeded().out.contains('\u{1b}')
    };
    assert!(!escapes("--format text", &[]));
    assert!(escapes("--format text --color always", &[]));
    assert!(escapes("--format text", &[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes("--format text", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!escapes("--format text --color never", &[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes("--format json --color always", &[]));
}

#[cfg(unix)]
mod terminal {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::process::Child;

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};

    use serde_json::Value;
    use tagwire::is_deceptive;

    use super::{STREAM, assert_safe, hostile, text, without_colors};
    use crate::support::{tagwire, words};

    /// A stream that writes to a terminal.
    struct Terminal {
        child: Child,
        screen: File,
        shown: String,
    }

    impl Terminal {
        fn new(args: &str, variables: &[(&str, &str)]) -> Self {
            let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
            grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("it is ours");
            let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
            tcsetwinsize(&screen, size).expect("a size");
            let name = ptsname(&screen, Vec::new()).expect("a name");
            let inside = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it opens");
            let mut command = tagwire(format!("{STREAM} {args}").trim_end().split(' '));
            command.env("TERM", "xterm-256color").envs(variables.iter().copied()).stdout(inside);
            Terminal { child: command.spawn().expect("it starts"), screen: File::from(screen), shown: String::new() }
        }

        fn write(&mut self, text: &str) {
            self.child.stdin.as_mut().expect("it is open").write_all(text.as_bytes()).expect("it reads");
        }

        /// Reads until `text` is shown; blocks until then.
        fn wait_for(&mut self, text: &str) {
            while !self.shown.contains(text) {
                assert!(self.read(), "it has ended, without {text:?}: {:?}", self.shown);
            }
        }

        /// Whether there was more output.
        fn read(&mut self) -> bool {
            let mut buffer = [0; 4096];
            // At the end it is an error on Linux. Characters come in one piece, as they are printed.
            let count = self.screen.read(&mut buffer).unwrap_or(0);
            self.shown.push_str(&String::from_utf8_lossy(&buffer[..count]));
            count > 0
        }

        /// Everything shown, after the input has ended.
        fn end(mut self) -> String {
            drop(self.child.stdin.take());
            while self.read() {}
            assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
            self.shown.replace("\r\n", "\n")
        }
    }

    #[test]
    fn a_reply_grows() {
        let mut terminal = Terminal::new("", &[("NO_COLOR", "1")]);
        terminal.write("Hello");
        terminal.wait_for("Hello");
        terminal.write(" you.\n[[WRITE_FILE path='a']]\none");
        terminal.wait_for("Hello you.\r\n┌ WRITE_FILE path=\"a\"\r\n│ one");
        terminal.write(" two\nthr");
        terminal.wait_for("│ one two\r\n│ thr");
        terminal.write("ee[[/WRITE_FILE]]");
        terminal.wait_for("three\r\n└ WRITE_FILE path=\"a\"  3 lines, 14 bytes");
        let shown = terminal.end();
        assert!(shown.ends_with("14 bytes\ncomplete: 1 tag, no errors\n"), "{shown}");
    }

    #[test]
    fn in_colour() {
        let mut terminal = Terminal::new("", &[]);
        let reply = "Hello. [[RUN cmd='x'/]] [[/RUN]]";
        terminal.write(reply);
        let shown = terminal.end();
        assert!(shown.contains("\u{1b}[31m✗ 1:25 error[stray-close]\u{1b}[0m: stray"), "{shown:?}");
        assert_eq!(without_colors(&shown), text(reply));
    }

    #[test]
    fn what_is_held_has_a_status_that_goes_away() {
        let mut terminal = Terminal::new("", &[("NO_COLOR", "1")]);
        terminal.write("Hi [[NOTE]]secret");
        terminal.wait_for("NOTE is unknown, held until its close: 6 bytes");
        terminal.write("[[/NOTE]] there");
        terminal.wait_for("there");
        let shown = terminal.end();
        assert!(!shown.contains("secret"), "{shown}");
        let (_, after) = shown.rsplit_once("6 bytes").expect("the status");
        assert!(after.contains("\u{1b}[2K"), "it is cleared: {after:?}");
        assert!(after.ends_with("  23 bytes dropped\nthere\ncomplete: no tags, 1 error\n"), "{after:?}");
    }

    #[test]
    fn interrupted() {
        let mut terminal = Terminal::new("", &[("NO_COLOR", "1")]);
        terminal.write("Hi [[NOTE]]secret");
        terminal.wait_for("6 bytes");
        crate::support::interrupt(&terminal.child);
        terminal.wait_for("interrupted: no tags, 1 error");
        assert!(terminal.shown.contains("6 bytes\r\u{1b}[2Kinterrupted"), "{:?}", terminal.shown);
        assert_eq!(terminal.child.wait().expect("it ends").code(), Some(130));
    }

    #[test]
    fn json_if_asked_for() {
        let mut terminal = Terminal::new("--format json", &[]);
        terminal.write("Hi");
        assert!(terminal.end().starts_with("{\"event\":\"prose\""));
    }

    /// The values are those of the JSON on a pipe.
    #[test]
    fn json_escapes_what_deceives() {
        let (hostile, reply) = hostile();
        let reply = format!("{reply}[[ASSIGN task_id='1' pipeline='{hostile}'/]] نمی\u{200c}خواهم ❤\u{fe0f} \u{e0100}");
        let on_pipe = words(&format!("{STREAM} --replay 5"), &reply).succeeded().out;
        let mut terminal = Terminal::new("--format json --replay 5", &[]);
        terminal.write(&reply);
        let shown = terminal.end();
        for c in shown.chars() {
            assert!(c == '\n' || !is_deceptive("x", c, "x"), "{c:?}");
        }
        assert!(
            shown.contains(r"\u001b[2J\u009b31m") && shown.contains(r"\u202e") && shown.contains(r"\udb40\udc41"),
            "{shown}"
        );
        assert!(shown.contains("نمی\u{200c}خواهم ❤\u{fe0f}") && shown.contains(r"\udb40\udd00"), "{shown}");
        let values =
            |lines: &str| lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect::<Vec<Value>>();
        assert_eq!(values(&shown), values(&on_pipe));
    }

    #[test]
    fn terminated() {
        for (signal, code) in [("TERM", 143), ("HUP", 129)] {
            let mut terminal = Terminal::new("", &[("NO_COLOR", "1")]);
            terminal.write("Hi [[WRITE_FILE]]bo");
            terminal.wait_for("bo");
            crate::support::signal(&terminal.child, signal);
            terminal.wait_for("interrupted: no tags, no errors\r\n");
            assert_eq!(terminal.child.wait().expect("it ends").code(), Some(code));
        }
    }

    #[test]
    fn nothing_hostile_reaches_it() {
        let mut terminal = Terminal::new("--replay 5", &[]);
        let (_, reply) = hostile();
        // Without a status line, which has its own sequences.
        let reply = reply.replace("[[NOTE]]", "[[NOTE/]]");
        terminal.write(&reply);
        let shown = without_colors(&terminal.end());
        assert_safe(&shown);
        assert_eq!(shown, text(&reply));
    }
}
