//! The rival of `tagwire batch`: reads the same input lines, and writes tagwire's own output lines, with serde_json, at the same
//! number of threads. It reads no tags: its output was read from a file before the clock starts.
//!
//! `json_lines INPUT OUTPUT THREADS` writes to standard output, and the seconds that it took to standard error.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::sync::Mutex;
use std::time::Instant;
use std::{env, thread};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [input, output, threads] = arguments.as_slice() else {
        return Err("usage: json_lines INPUT OUTPUT THREADS".into());
    };
    let lines = fs::read_to_string(output)?;
    let lines: Vec<Line> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let start = Instant::now();
    let source = Mutex::new(Source { file: BufReader::new(File::open(input)?), blocks: 0, lines: 0 });
    let sink = Mutex::new(Sink::default());
    thread::scope(|scope| {
        for _ in 0..threads.parse().expect("a number of threads") {
            scope.spawn(|| work(&source, &sink, &lines));
        }
    });
    eprintln!("{}", start.elapsed().as_secs_f64());
    Ok(())
}

/// Takes blocks until none is left.
fn work(source: &Mutex<Source>, sink: &Mutex<Sink>, lines: &[Line]) {
    let mut text = Vec::new();
    loop {
        let Some((block, first)) = source.lock().expect("no panic").next(&mut text) else { return };
        let mut written = Vec::with_capacity(2 * text.len());
        let inputs = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        for (input, line) in inputs.zip(&lines[first..]) {
            let input: Input<'_> = serde_json::from_slice(input).expect("a line that can be read");
            black_box(&input);
            serde_json::to_writer(&mut written, line).expect("a line that can be written");
            written.push(b'\n');
        }
        sink.lock().expect("no panic").put(block, written);
    }
}

/// Yields blocks of whole lines.
struct Source {
    file: BufReader<File>,
    blocks: usize,
    lines: usize,
}

impl Source {
    /// Reads the next block into `text`. Returns its number, and that of its first line.
    fn next(&mut self, text: &mut Vec<u8>) -> Option<(usize, usize)> {
        const BLOCK: u64 = 256 << 10;
        text.clear();
        (&mut self.file).take(BLOCK).read_to_end(text).expect("a file that can be read");
        self.file.read_until(b'\n', text).expect("a file that can be read");
        let numbers = (self.blocks, self.lines);
        self.blocks += 1;
        self.lines += memchr::memchr_iter(b'\n', text).count();
        (!text.is_empty()).then_some(numbers)
    }
}

/// Writes blocks in their order.
#[derive(Default)]
struct Sink {
    next: usize,
    waiting: BTreeMap<usize, Vec<u8>>,
}

impl Sink {
    fn put(&mut self, block: usize, written: Vec<u8>) {
        self.waiting.insert(block, written);
        while let Some(written) = self.waiting.remove(&self.next) {
            io::stdout().write_all(&written).expect("an output that can be written");
            self.next += 1;
        }
    }
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)] // it is only read
struct Input<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    #[serde(borrow)]
    role: Cow<'l, str>,
    #[serde(borrow)]
    mode: Cow<'l, str>,
    #[serde(borrow)]
    text: Cow<'l, str>,
}

#[derive(Deserialize, Serialize)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<RawValue>>,
    tags: Vec<Tag>,
    errors: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    prose: String,
}

#[derive(Deserialize, Serialize)]
struct Tag {
    name: String,
    attrs: serde_json::Map<String, Value>,
    body: String,
    raw: String,
    span: [usize; 2],
    view: Value,
}

#[derive(Deserialize, Serialize)]
struct Diagnostic {
    code: String,
    tag: Option<String>,
    span: [usize; 2],
    line: usize,
    column: usize,
    message: String,
}
