//! `tagwire stream`: one reply while it arrives, as events.
//!
//! A thread reads, so that Ctrl-C is heard while nothing comes.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::{io, mem, thread};

use tagwire::{InvalidUtf8, Utf8Decoder};

use self::session::{Finish, Session};
use crate::args::PolicyArgs;
use crate::failure::{Failure, Outcome};
use crate::input::Input;

mod session;

/// Read one reply while it arrives, and print events as soon as they are decided
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    /// Print how the body of an open tag grows, too
    #[arg(long)]
    pending: bool,
    /// Feed the input so many bytes at a time, as if it came that way; cuts characters too
    #[arg(long, value_name = "BYTES")]
    replay: Option<NonZeroUsize>,
    /// The reply; standard input if there is none, or for `-`
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let mut session = Session::new(args.policy.policy()?, args.pending);
    let input = Input::new(args.file);
    let reader = input.open()?;
    let (sender, messages) = mpsc::sync_channel(4);
    let is_interrupted = Arc::new(AtomicBool::new(false));
    watch_for_interrupt(Arc::clone(&is_interrupted), sender.clone())?;
    thread::spawn(move || read(reader, &sender));

    let mut feed = Feed { decoder: Utf8Decoder::strict(), step: args.replay.map(NonZeroUsize::get), held: Vec::new() };
    let finish = feed.all(&messages, &is_interrupted, &mut session, &input)?;
    session.end(finish)?;
    Ok(if finish == Finish::Interrupted { 130 } else { 0 })
}

/// What the reading thread and the one that hears of Ctrl-C say.
enum Message {
    Bytes(Vec<u8>),
    End,
    Failed(io::Error),
    Interrupted,
}

fn watch_for_interrupt(is_interrupted: Arc<AtomicBool>, sender: SyncSender<Message>) -> Result<(), Failure> {
    let handler = move || {
        if is_interrupted.swap(true, Ordering::Relaxed) {
            // Asked twice: whoever reads the output does not.
            process::exit(130);
        }
        let sender = sender.clone();
        // Of its own, so that the second Ctrl-C is heard while this one waits.
        thread::spawn(move || sender.send(Message::Interrupted));
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Unusable(format!("cannot listen for Ctrl-C: {error}")))
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

/// The way of the bytes to the session.
struct Feed {
    decoder: Utf8Decoder,
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
        is_interrupted: &AtomicBool,
        session: &mut Session,
        input: &Input,
    ) -> Result<Finish, Failure> {
        loop {
            // The sender of interrupts lives as long as the program.
            let message = messages.recv().unwrap_or(Message::End);
            if is_interrupted.load(Ordering::Relaxed) {
                return Ok(Finish::Interrupted);
            }
            match message {
                Message::Bytes(bytes) => self.take(bytes, is_interrupted, session, input)?,
                Message::End => return self.end(session, input),
                Message::Failed(error) => return Err(input.unreadable(&error)),
                Message::Interrupted => return Ok(Finish::Interrupted),
            }
        }
    }

    fn take(
        &mut self,
        bytes: Vec<u8>,
        is_interrupted: &AtomicBool,
        session: &mut Session,
        input: &Input,
    ) -> Result<(), Failure> {
        let Some(step) = self.step else { return self.chunk(&bytes, session, input) };
        let mut held = mem::take(&mut self.held);
        held.extend_from_slice(&bytes);
        let mut steps = held.chunks_exact(step);
        for chunk in &mut steps {
            if is_interrupted.load(Ordering::Relaxed) {
                break;
            }
            self.chunk(chunk, session, input)?;
        }
        self.held = steps.remainder().to_vec();
        Ok(())
    }

    /// One chunk: what it decides is printed, and how far what is open has come.
    fn chunk(&mut self, bytes: &[u8], session: &mut Session, input: &Input) -> Result<(), Failure> {
        for piece in self.decoder.decode(bytes) {
            feed(piece, session, input)?;
        }
        session.show()
    }

    fn end(&mut self, session: &mut Session, input: &Input) -> Result<Finish, Failure> {
        let rest = mem::take(&mut self.held);
        self.chunk(&rest, session, input)?;
        for piece in self.decoder.finish() {
            feed(piece, session, input)?;
        }
        Ok(Finish::Complete)
    }
}

/// Feeds a piece of text. What came before bytes that are none is printed first.
fn feed(piece: Result<&str, InvalidUtf8>, session: &mut Session, input: &Input) -> Result<(), Failure> {
    match piece {
        Ok(text) => session.feed(text),
        Err(error) => {
            session.show()?;
            Err(input.not_utf8(error.offset()))
        }
    }
}
