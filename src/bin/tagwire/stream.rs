//! `tagwire stream`: one reply while it arrives, as events.
//!
//! A thread reads, so that Ctrl-C is heard while nothing comes.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::{io, mem, thread};

use tagwire::{InvalidUtf8, Utf8Decoder};

use self::session::{Finish, Session};
use crate::args::PolicyArgs;
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::interrupt::{self, Interrupt};

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
    let interrupt = Interrupt::default();
    interrupt.watch()?;
    thread::spawn(move || read(reader, &sender));

    let mut feed = Feed { decoder: Utf8Decoder::strict(), step: args.replay.map(NonZeroUsize::get), held: Vec::new() };
    let finish = feed.all(&messages, &interrupt, &mut session, &input)?;
    session.end(finish)?;
    Ok(if finish == Finish::Interrupted { interrupt::CODE } else { 0 })
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
        interrupt: &Interrupt,
        session: &mut Session,
        input: &Input,
    ) -> Result<Finish, Failure> {
        loop {
            let message = messages.recv_timeout(interrupt::GLANCE);
            if interrupt.is_pressed() {
                return Ok(Finish::Interrupted);
            }
            match message {
                Ok(Message::Bytes(bytes)) => self.take(bytes, interrupt, session, input)?,
                Ok(Message::Failed(error)) => return Err(input.unreadable(&error)),
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return self.end(session, input),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn take(
        &mut self,
        bytes: Vec<u8>,
        interrupt: &Interrupt,
        session: &mut Session,
        input: &Input,
    ) -> Result<(), Failure> {
        let Some(step) = self.step else { return self.chunk(&bytes, session, input) };
        let mut held = mem::take(&mut self.held);
        held.extend_from_slice(&bytes);
        let mut steps = held.chunks_exact(step);
        for chunk in &mut steps {
            if interrupt.is_pressed() {
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
