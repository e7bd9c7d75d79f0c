//! A turn of an agent, from the system prompt to its report: tags go to handlers as they arrive, mistakes go back to the model.
//!
//! ```text
//! cargo run --all-features --example agent_loop [TASK]
//! ```
//!
//! Its files are in a temporary folder, and it runs no commands. On a terminal it shows the open tag as it grows. `OPENAI_BASE_URL`,
//! `OPENAI_API_KEY` and `MODEL` select the server; the default is that of `serve_recording`, whose agent makes a mistake first. (`ureq` is built without TLS here: for an `https` URL turn on its feature `rustls`.)

use std::error::Error;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tagwire::sse::Answer;
use tagwire::workforce::edit::edit_blocks;
use tagwire::workforce::{self, Mode, Role};
use tagwire::{Event, Feedback, FeedbackLimits, OpenTag, Parser, Pending, Tag};

/// The most replies to wait for a report.
const MAX_REPLIES: usize = 8;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let task = env::args().nth(1).unwrap_or_else(|| "Write greet.py, and a test for it.".to_owned());
    let folder = tempfile::tempdir()?;
    let mut agent = Agent { folder: folder.path().to_owned(), view: View::new(), report: None };
    let mut messages =
        vec![json!({"role": "system", "content": system_prompt()}), json!({"role": "user", "content": task})];
    for _ in 0..MAX_REPLIES {
        let Reply { text, mut results, mistakes } = agent.reply(&messages)?;
        if !mistakes.is_empty() {
            results.push(mistakes.to_string());
        }
        // A report counts only without mistakes and results.
        if results.is_empty()
            && let Some(report) = agent.report.take()
        {
            agent.view.line(&format!("report: {report}"));
            return Ok(());
        }
        let next = if results.is_empty() { "Go on, or report.".to_owned() } else { results.join("\n") };
        agent.view.line(&format!("to the model: {next}"));
        messages.push(json!({"role": "assistant", "content": text}));
        messages.push(json!({"role": "user", "content": next}));
    }
    Err("no report".into())
}

fn system_prompt() -> String {
    let policy = workforce::policy(Role::Developer, Mode::Work);
    let tags: Vec<_> = policy.granted().map(|tag| tag.name()).collect();
    format!("You are a developer. Act by tags, such as [[READ_FILE path=\"...\"/]]. You have {}.", tags.join(", "))
}

/// Executes the tags.
struct Agent {
    folder: PathBuf,
    view: View,
    report: Option<String>,
}

/// A reply of the model, the results of its tags, and its mistakes.
struct Reply {
    text: String,
    results: Vec<String>,
    mistakes: Feedback,
}

impl Agent {
    /// Requests the next reply, and executes its tags as they arrive.
    fn reply(&mut self, messages: &[Value]) -> Result<Reply> {
        self.report = None;
        let mut body = ask(messages)?;
        let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
        let mut answer = Answer::auto();
        let mut reply =
            Reply { text: String::new(), results: Vec::new(), mistakes: Feedback::new(FeedbackLimits::default()) };
        let mut buffer = [0; 4096];
        let mut text = String::new();
        let ending = loop {
            text.clear();
            let count = body.read(&mut buffer)?;
            let ending = match count {
                0 => Some(answer.finish(&mut text)?),
                _ => answer.feed(&buffer[..count], &mut text).map(|()| None)?,
            };
            reply.text.push_str(&text);
            for event in parser.feed(&text) {
                self.take(event, &mut reply);
            }
            self.view.pending(parser.pending());
            if let Some(ending) = ending {
                break ending;
            }
        };
        // A truncated reply may end inside a file: then no tag in that is executed.
        let finish = ending.resolve(&parser);
        for event in parser.finish_with(finish) {
            self.take(event, &mut reply);
        }
        self.view.pending(None);
        Ok(reply)
    }

    fn take(&mut self, event: Event<'_>, reply: &mut Reply) {
        match event {
            Event::Prose { text, .. } => self.view.prose(text),
            Event::Tag(tag) => match self.handle(tag) {
                Ok(done) => {
                    self.view.line(&format!("{}: {}", tag.name(), done.lines().next().unwrap_or("done")));
                    if has_answer(tag.name()) {
                        reply.results.push(format!("{}: {done}", tag.name()));
                    }
                }
                Err(error) => reply.results.push(format!("ERROR: {}: {error}", tag.name())),
            },
            Event::Diagnostic(diagnostic) => reply.mistakes.add(&diagnostic),
            _ => {}
        }
    }

    fn handle(&mut self, tag: Tag<'_>) -> Result<String> {
        let path = || self.path(&tag.attr("path").ok_or("no path")?.text());
        match tag.name() {
            "READ_FILE" => Ok(fs::read_to_string(path()?)?),
            "WRITE_FILE" => {
                let body = tag.body().strip_prefix('\n').unwrap_or(tag.body());
                let path = path()?;
                fs::create_dir_all(path.parent().ok_or("no folder")?)?;
                fs::write(path, body)?;
                Ok(format!("{} written, {} bytes", tag.attr("path").unwrap_or_default(), body.len()))
            }
            "EDIT_FILE" => {
                let path = path()?;
                let edited = edit_blocks(tag.body())?.apply(&fs::read_to_string(&path)?)?;
                fs::write(path, edited)?;
                Ok(format!("{} edited", tag.attr("path").unwrap_or_default()))
            }
            "LIST_DIR" => {
                let names = fs::read_dir(path()?)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
                let mut names = names.collect::<Result<Vec<_>>>()?;
                names.sort_unstable();
                Ok(names.join(", "))
            }
            "WORK_REPORT" => {
                self.report = Some(tag.body().trim().to_owned());
                Ok("reported".to_owned())
            }
            _ => Err("not in this example".into()),
        }
    }

    /// A path inside the folder.
    fn path(&self, path: &str) -> Result<PathBuf> {
        let is_inside =
            Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err("the path leads out of the workspace".into());
        }
        Ok(self.folder.join(path))
    }
}

/// Whether the model waits for the result of such a tag.
fn has_answer(tag: &str) -> bool {
    matches!(tag, "READ_FILE" | "LIST_DIR" | "SEARCH" | "RUN")
}

fn ask(messages: &[Value]) -> Result<impl std::io::Read> {
    let var = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let request = json!({"model": var("MODEL", "agent"), "stream": true, "messages": messages});
    let response = ureq::post(format!("{}/chat/completions", var("OPENAI_BASE_URL", "http://127.0.0.1:8086/v1")))
        .config()
        .http_status_as_error(false)
        .build()
        .header("authorization", format!("Bearer {}", var("OPENAI_API_KEY", "none")))
        .send_json(&request)?;
    Ok(response.into_body().into_reader())
}

/// Text for a terminal or a message: one short line without control characters.
fn plain(text: &str) -> String {
    let mut plain: String = text.chars().take(300).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(300).is_some() {
        plain.push('…');
    }
    plain
}

/// The user's view: lines that stay, and on a terminal the open text below them.
struct View {
    bar: Option<ProgressBar>,
    /// A line of prose that has not ended.
    prose: String,
}

/// The number of lines shown of the open body.
const SHOWN: usize = 5;

/// Leaves only the lines on the terminal.
impl Drop for View {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl View {
    fn new() -> Self {
        let bar = std::io::stdout().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template"));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        View { bar, prose: String::new() }
    }

    fn prose(&mut self, text: &str) {
        self.prose.push_str(text);
        while let Some(end) = self.prose.find('\n') {
            let line: String = self.prose.drain(..=end).collect();
            self.print(line.trim_end());
        }
    }

    fn line(&mut self, line: &str) {
        let prose = std::mem::take(&mut self.prose);
        self.print(&prose);
        self.print(line);
    }

    fn print(&self, line: &str) {
        let line = plain(line);
        match &self.bar {
            _ if line.trim().is_empty() => {}
            Some(bar) => bar.suspend(|| println!("{line}")),
            None => println!("{line}"),
        }
    }

    fn pending(&self, pending: Option<Pending<'_>>) {
        let Some(bar) = &self.bar else {
            return;
        };
        bar.set_message(match pending {
            Some(Pending::Open(open)) => body(open),
            _ => plain(&self.prose),
        });
    }
}

/// The name of an open tag, and the last lines of its body.
fn body(open: OpenTag<'_>) -> String {
    let lines: Vec<_> = open.body().lines().collect();
    let mut shown =
        format!("{} {}, {} lines", open.name(), plain(&open.attr("path").unwrap_or_default().text()), lines.len());
    for line in &lines[lines.len().saturating_sub(SHOWN)..] {
        shown.push_str("\n  ");
        shown.push_str(&plain(line));
    }
    shown
}
