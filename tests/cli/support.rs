//! Running the binary, and the cases of the vectors.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

/// How a run of the binary ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The lines of its output, as JSON.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    #[track_caller]
    pub(crate) fn succeeded(self) -> Run {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        self
    }

    /// Whether it ended with exit code 2, and standard error has all of `words`.
    #[track_caller]
    pub(crate) fn refused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in {}", self.err);
        }
    }
}

pub(crate) fn tagwire<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tagwire"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn run(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    finish(tagwire(args.iter().copied()).spawn().expect("it starts"), input.as_ref())
}

/// Runs `command` with words split at spaces.
pub(crate) fn words(command: &str, input: impl AsRef<[u8]>) -> Run {
    run(&command.split(' ').collect::<Vec<_>>(), input)
}

pub(crate) fn finish(mut child: Child, input: &[u8]) -> Run {
    let mut stdin = child.stdin.take();
    let mut stderr = child.stderr.take().expect("it is piped");
    thread::scope(|scope| {
        scope.spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input)));
        let err = scope.spawn(move || {
            let mut err = String::new();
            stderr.read_to_string(&mut err).map(|_| err)
        });
        let output = child.wait_with_output().expect("it runs");
        let err = err.join().expect("no panic").expect("it is text");
        Run { code: output.status.code(), out: String::from_utf8(output.stdout).expect("it is text"), err }
    })
}

/// A stream whose input is written piece by piece.
pub(crate) struct Dribble {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) events: BufReader<ChildStdout>,
}

impl Dribble {
    pub(crate) fn new(args: &str) -> Self {
        Self::of(tagwire(args.split(' ')).spawn().expect("it starts"))
    }

    pub(crate) fn of(mut child: Child) -> Self {
        let input = child.stdin.take();
        let events = BufReader::new(child.stdout.take().expect("it is piped"));
        Dribble { child, input, events }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("it reads");
    }

    /// The next line of the output; blocks until there is one.
    pub(crate) fn event(&mut self) -> Value {
        let mut line = String::new();
        self.events.read_line(&mut line).expect("it writes");
        serde_json::from_str(&line).expect("it is JSON")
    }
}

/// The vectors, with the answers of the seed.
pub(crate) fn cases() -> Vec<Value> {
    let files = [include_str!("../data/named.jsonl"), include_str!("../data/random.jsonl")];
    files.iter().flat_map(|file| file.lines()).map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The compared part of a reply: attributes as ordered pairs, no spans.
pub(crate) fn shape(tags: &[Value], errors: &Value, prose: &Value) -> Value {
    let tags = tags.iter().map(|tag| {
        let attrs = tag["attrs"].as_object().expect("an object").iter().map(|(key, value)| json!([key, value]));
        json!([tag["name"], attrs.collect::<Vec<_>>(), tag["body"], tag["raw"], tag["view"]])
    });
    json!([tags.collect::<Vec<_>>(), errors, prose])
}

/// The compared part of the seed's answer.
pub(crate) fn expected(case: &Value) -> Value {
    let expected = &case["expected"];
    shape(expected["tags"].as_array().expect("an array"), &expected["errors"], &expected["prose"])
}

/// A value in the order of the text.
pub(crate) fn at_span<'t>(text: &'t str, value: &Value) -> &'t str {
    let [start, end] = [0, 1].map(|i| value["span"][i].as_u64().expect("an offset") as usize);
    &text[start..end]
}

/// Presses Ctrl-C.
#[cfg(unix)]
#[track_caller]
pub(crate) fn interrupt(child: &Child) {
    signal(child, "INT");
}

/// Sends a signal, such as `TERM`.
#[cfg(unix)]
#[track_caller]
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

/// Runs `tagwire` with these words in a shell, after `setup`.
#[cfg(target_os = "linux")]
pub(crate) fn in_shell(setup: &str, words: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{setup}; exec \"$0\" {words}"), env!("CARGO_BIN_EXE_tagwire")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
