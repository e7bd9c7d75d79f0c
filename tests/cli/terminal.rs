//! A pseudo-terminal for standard output.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::support::{tagwire, words};

/// A raw pseudo-terminal: the output shown on it, and the end that a program writes to.
fn open() -> (File, OwnedFd) {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("it is ours");
    let name = ptsname(&screen, Vec::new()).expect("a name");
    let inside = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it opens");
    let mut attributes = tcgetattr(&inside).expect("it is a terminal");
    attributes.make_raw();
    tcsetattr(&inside, OptionalActions::Now, &attributes).expect("set");
    (File::from(screen), inside)
}

/// The output of a run on a terminal.
fn shown(args: &str, input: &str) -> String {
    let (mut screen, inside) = open();
    let mut command = tagwire(args.split(' '));
    let mut child = command.stdout(inside).spawn().expect("it starts");
    // The other end closes with the program.
    drop(command);
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    // At the end it is an error on Linux.
    while let Ok(count @ 1..) = screen.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    String::from_utf8(shown).expect("it is text")
}

const HOSTILE: &str = "\u{7f}\u{85}\u{9b}31m\u{ad}\u{61c}\u{200b}\u{200f}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0041}";

#[test]
fn json_has_nothing_hostile_in_it() {
    let reply = format!("é {HOSTILE}[[NOTE{HOSTILE}]] [[RUN cmd='{HOSTILE}' {HOSTILE}]] [[/{HOSTILE}]]x");
    let line = format!(
        "{{\"id\": \"{HOSTILE}\",\r\"role\": \"developer\", \"mode\": \"work\", \"text\": {}}}\n",
        serde_json::to_string(&reply).expect("it is text")
    );
    let fault = format!("{{\"id\": [\"{HOSTILE}\"], \"role\": \"{HOSTILE}\", \"mode\": \"work\", \"text\": \"\"}}\n");
    for (args, input) in [
        ("parse --role developer --mode work --format json", &reply),
        ("batch", &line),
        ("stream --role developer --mode work --format json", &reply),
    ] {
        let (shown, piped) = (shown(args, input), words(args, input).succeeded().out);
        assert!(piped.contains('\u{7f}') && piped.contains('\u{202e}'), "{piped}");
        let raw = |c: &char| (c.is_control() && *c != '\n') || (!c.is_ascii() && *c != 'é');
        assert_eq!(shown.chars().find(raw), None, "{args}: {shown:?}");
        assert!(shown.contains("\\u007f\\u0085\\u009b31m\\u00ad") && shown.contains("\\udb40\\udc41"), "{shown}");
        let values = |lines: &str| -> Vec<serde_json::Value> {
            lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
        };
        assert_eq!(values(&shown), values(&piped), "{args}");
    }
    let piped = words("batch", &fault);
    assert!(piped.out.contains('\u{202e}'), "{}", piped.out);
}

#[test]
fn json_in_a_file_is_not_escaped_for_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let line = format!("{{\"role\": \"developer\", \"mode\": \"work\", \"text\": \"{HOSTILE}x\"}}\n");
    assert_eq!(shown(&format!("batch -o {}", out.display()), &line), "");
    let written = std::fs::read_to_string(&out).expect("it is there");
    assert_eq!(written, words("batch", &line).succeeded().out);
}
