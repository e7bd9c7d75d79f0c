//! `tagwire stream`: the events of one reply while it arrives.
//!
//! ```text
//!    reading thread ──► Feed: whole reads, or steps ──► Source: the text of the reply ──► Session ──► Lines or Live
//! ```
//!
//! A thread reads, so that a signal is noticed while no input comes.

mod lines;
mod live;
mod session;
mod source;
mod totals;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::{io, mem, thread};

use self::lines::Lines;
use self::live::Live;
use self::session::{Finish, Session, Show};
use self::source::{End, From, Source};
use crate::args::{self, FINISH_HELP, FinishArg, Format, OutputArgs, PolicyArgs};
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::signals::{self, Signals};

/// Read one reply while it arrives, and print events as soon as they are decided
///
/// On a terminal it shows the reply while it grows. To read a chat API's answer: curl -N ... | tagwire stream --from auto ...
///
/// The last event, `end`, repeats the errors and the prose, if each has at most 1 MiB; else they are null.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    /// Read the event stream of a chat API, as `curl -N` prints it, instead of plain text; `auto` finds out which API
    #[arg(long, value_name = "API", value_parser = source::formats())]
    from: Option<From>,
    /// The number of the choice to read, if the answer has several
    #[arg(long, value_name = "N", requires = "from", default_value = "0")]
    choice: u64,
    #[command(flatten)]
    output: OutputArgs,
    /// Also print in JSON how the body of an open tag grows; text always shows it
    #[arg(long)]
    pending: bool,
    #[arg(long, value_enum, value_name = "HOW", default_value = "complete", conflicts_with = "from", long_help = FINISH_HELP)]
    #[arg(help = "How the reply ended; an event stream says so itself")]
    finish: FinishArg,
    /// The region that the reply begins in: its opening marker was written before it
    #[arg(long, value_name = "REGION")]
    begins_inside: Option<String>,
    /// Replace bytes that are not UTF-8 by U+FFFD; without it they are an error
    #[arg(long)]
    lossy: bool,
    /// Feed the input this many bytes at a time, as if it arrived that way, also cutting characters
    #[arg(long, value_name = "BYTES")]
    replay: Option<NonZeroUsize>,
    /// The reply; standard input if there is none, or if it is `-`
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let show: Box<dyn Show> = match args.output.format() {
        Format::Text => Box::new(Live::new(args.output.color)),
        Format::Json => Box::new(Lines::new(args.pending, args.policy.has_views())),
    };
    let policy = args.policy.policy()?;
    if let Some(region) = &args.begins_inside {
        args::check_region(policy.protocol(), region).map_err(Failure::Unusable)?;
    }
    let mut session = Session::new(policy, args.begins_inside.as_deref(), show);
    let source = match args.from {
        Some(from) => Source::events(from, args.choice, args.lossy),
        None => Source::plain(args.lossy),
    };
    let input = Input::new(args.file);
    let reader = input.open()?;
    let (sender, messages) = mpsc::sync_channel(4);
    let signals = Signals::install()?;
    thread::spawn(move || read(reader, &sender));

    let mut feed = Feed { source, step: args.replay.map(NonZeroUsize::get), held: Vec::new() };
    let mut end = feed.all(&messages, &signals, &mut session, &input)?;
    if end.finish == Finish::Complete && args.finish == FinishArg::Truncated {
        end.finish = Finish::Truncated;
    }
    let ended = session.end(&end);
    if end.finish == Finish::Interrupted {
        // The terminal or the reader may be gone, too: what ended the program is the signal.
        signals.check()?;
    }
    ended?;
    end.failure.map_or(Ok(0), Err)
}

/// A message of the reading thread.
enum Message {
    Bytes(Vec<u8>),
    End,
    Failed(io::Error),
}

/// Sends the input, one message for each read.
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

/// Feeds the input to the source.
struct Feed {
    source: Source,
    /// The number of bytes to feed at a time; `None` for whole reads.
    step: Option<usize>,
    /// Input that is shorter than a step.
    held: Vec<u8>,
}

impl Feed {
    /// Feeds the input up to its end, or to that of the reply.
    fn all(
        &mut self,
        messages: &Receiver<Message>,
        signals: &Signals,
        session: &mut Session,
        input: &Input,
    ) -> Result<End, Failure> {
        loop {
            let message = messages.recv_timeout(signals::POLL);
            if signals.is_interrupted() {
                return Ok(End::of(Finish::Interrupted));
            }
            let end = match message {
                Ok(Message::Bytes(bytes)) => self.take(bytes, signals, session, input)?,
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
        signals: &Signals,
        session: &mut Session,
        input: &Input,
    ) -> Result<Option<End>, Failure> {
        let Some(step) = self.step else { return self.source.feed(&bytes, session, input) };
        let mut held = mem::take(&mut self.held);
        held.extend_from_slice(&bytes);
        for chunk in held.chunks_exact(step) {
            if signals.is_interrupted() {
                break;
            }
            if let Some(end) = self.source.feed(chunk, session, input)? {
                return Ok(Some(end));
            }
        }
        // A step may be longer than all of the input: the rest is kept.
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
