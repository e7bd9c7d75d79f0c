//! `tagwire stream`: one reply while it arrives, as events.
//!
//! ```text
//!    reading thread ──► Feed: as it comes, or in steps ──► Source: the text of the reply ──► Session ──► Lines or Live
//! ```
//!
//! A thread reads, so that Ctrl-C is heard while nothing comes.

mod lines;
mod live;
mod session;
mod source;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::{io, mem, thread};

use self::lines::Lines;
use self::live::Live;
use self::session::{Finish, Session, Show};
use self::source::{End, From, Source};
use crate::args::{Format, OutputArgs, PolicyArgs};
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::interrupt::{self, Interrupt};

/// Read one reply while it arrives, and print events as soon as they are decided
///
/// On a terminal it shows the reply while it grows. To read a chat API's answer: curl -N ... | tagwire stream --from auto ...
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    /// Read the event stream of a chat API, as `curl -N` prints it, instead of plain text; `auto` finds out which
    #[arg(long, value_name = "API", value_parser = source::formats())]
    from: Option<From>,
    /// The choice to read, of several
    #[arg(long, value_name = "N", requires = "from", default_value = "0")]
    choice: u64,
    #[command(flatten)]
    output: OutputArgs,
    /// Print in JSON how the body of an open tag grows, too; text always shows it
    #[arg(long)]
    pending: bool,
    /// Replace bytes that are not UTF-8 by U+FFFD; without it they are an error
    #[arg(long)]
    lossy: bool,
    /// Feed the input so many bytes at a time, as if it came that way; cuts characters too
    #[arg(long, value_name = "BYTES")]
    replay: Option<NonZeroUsize>,
    /// The reply; standard input if there is none, or for `-`
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let show: Box<dyn Show> = match args.output.format() {
        Format::Text => Box::new(Live::new(args.output.color)),
        Format::Json => Box::new(Lines::new(args.pending)),
    };
    let mut session = Session::new(args.policy.policy()?, show);
    let source = match args.from {
        Some(from) => Source::events(from, args.choice, args.lossy),
        None => Source::plain(args.lossy),
    };
    let input = Input::new(args.file);
    let reader = input.open()?;
    let (sender, messages) = mpsc::sync_channel(4);
    let interrupt = Interrupt::default();
    interrupt.watch()?;
    thread::spawn(move || read(reader, &sender));

    let mut feed = Feed { source, step: args.replay.map(NonZeroUsize::get), held: Vec::new() };
    let end = feed.all(&messages, &interrupt, &mut session, &input)?;
    session.end(&end)?;
    match end.failure {
        Some(failure) => Err(failure),
        None => Ok(if end.finish == Finish::Interrupted { interrupt::CODE } else { 0 }),
    }
}

/// What the reading thread says.
enum Message {
    Bytes(Vec<u8>),
    End,
    Failed(io::Error),
}

/// Sends what comes, as it comes.
fn read(mut reader: Box<dyn io::Read + Send>, sender: &SyncSender<Message>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let message = match reader.read(&mut buffer) {
            Ok(0) => Message::End,
            Ok(n) => Message::Bytes(buffer[..n].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Message::Failed(error),
        };
        let is_last = !matches!(message, Message::Bytes(_));
        if sender.send(message).is_err() || is_last {
            return;
        }
    }
}

/// The way of the bytes to the source.
struct Feed {
    source: Source,
    /// How many bytes are fed at a time; none for as they come.
    step: Option<usize>,
    /// What is not yet as many.
    held: Vec<u8>,
}

impl Feed {
    /// Feeds all that comes, up to the end.
    fn all(
        &mut self,
        messages: &Receiver<Message>,
        interrupt: &Interrupt,
        session: &mut Session,
        input: &Input,
    ) -> Result<End, Failure> {
        loop {
            let message = messages.recv_timeout(interrupt::GLANCE);
            if interrupt.is_pressed() {
                return Ok(End::of(Finish::Interrupted));
            }
            let end = match message {
                Ok(Message::Bytes(bytes)) => self.take(bytes, interrupt, session, input)?,
                Ok(Message::Failed(error)) => Some(self.broken(input.unreadable(&error), session, input)?),
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => Some(self.end(session, input)?),
                Err(RecvTimeoutError::Timeout) => None,
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    fn take(
        &mut self,
        bytes: Vec<u8>,
        interrupt: &Interrupt,
        session: &mut Session,
        input: &Input,
    ) -> Result<Option<End>, Failure> {
        let Some(step) = self.step else { return self.source.feed(&bytes, session, input) };
        let mut held = mem::take(&mut self.held);
        held.extend_from_slice(&bytes);
        for chunk in held.chunks_exact(step) {
            if interrupt.is_pressed() {
                break;
            }
            if let Some(end) = self.source.feed(chunk, session, input)? {
                return Ok(Some(end));
            }
        }
        // Only what was fed is moved away: a step may be larger than all there is.
        let fed = held.len() - held.len() % step;
        held.drain(..fed);
        self.held = held;
        Ok(None)
    }

    fn end(&mut self, session: &mut Session, input: &Input) -> Result<End, Failure> {
        let rest = mem::take(&mut self.held);
        match self.source.feed(&rest, session, input)? {
            Some(end) => Ok(end),
            None => self.source.end(session, input),
        }
    }

    fn broken(&mut self, failure: Failure, session: &mut Session, input: &Input) -> Result<End, Failure> {
        let rest = mem::take(&mut self.held);
        match self.source.feed(&rest, session, input)? {
            Some(end) => Ok(end),
            None => self.source.broken(failure),
        }
    }
}
