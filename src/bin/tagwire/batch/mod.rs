//! `tagwire batch`: JSON Lines in, JSON Lines out.
//!
//! ```text
//!    input ──► Chunks: whole lines ──► Worker, one a thread ──► OrderedWriter ──► output
//! ```
//!
//! Each thread takes a chunk, reads its lines, and writes what it made of them when it is the chunk's turn. No thread only
//! reads or only writes: one thread does all of the work, two do it in half the time, and the lines of a slow pipe are
//! answered at once, while another thread waits for more.
//!
//! Memory is bounded by a small multiple of `--max-line-bytes`, whatever a line holds: a long reply is not collected
//! ([`LazyReply`](tagwire::serialize::LazyReply)), its output is written while it is made, and of the lines that take much
//! memory one is parsed at a time.

mod chunks;
mod input_line;
mod ordered_writer;
mod output;
mod worker;

use std::io::{self, IsTerminal as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

use self::chunks::{Chunk, Chunks};
use self::input_line::Keys;
use self::ordered_writer::OrderedWriter;
use self::output::Output;
use self::worker::{Policies, Setup, Stop, Totals, Worker};
use crate::args::{self, FinishArg, LimitArgs, ProtocolArgs};
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::signals::{self, Signals};
use crate::terminal;

/// Read many replies: JSON Lines in, JSON Lines out
///
/// Each input line is an object with "text", "role" and "mode", and "id" if you like; each output line is what `parse` prints
/// for it, in the same order. A line that can't be read becomes {"line": N, "fault": "..."}.
///
/// A line may say with "finish" whether its reply is "complete" or "truncated": see --finish for why it matters. For replies that
/// are stored with a provider's finish_reason or stop_reason, use --finish-key. With "begins_inside" it names the region of the
/// protocol that its reply begins in.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON Lines; standard input if there are none, or for `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write here instead of standard output; the file is replaced once all is written
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Number of threads; by default one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The role for lines that have none
    #[arg(long)]
    role: Option<String>,
    /// The mode for lines that have none
    #[arg(long)]
    mode: Option<String>,
    /// How replies ended, for lines without a finish or with a null
    #[arg(long, value_name = "END", value_enum, default_value = "complete", long_help = finish_help())]
    finish: FinishArg,
    /// The key of the reply
    #[arg(long, value_name = "KEY", default_value = "text")]
    text_key: String,
    /// The key of the role
    #[arg(long, value_name = "KEY", default_value = "role")]
    role_key: String,
    /// The key of the mode
    #[arg(long, value_name = "KEY", default_value = "mode")]
    mode_key: String,
    /// The key that tells how the reply ended, instead of "finish"; its values may also be a provider's own reasons, as "stop",
    /// "length", "end_turn" or "max_tokens"
    #[arg(long, value_name = "KEY")]
    finish_key: Option<String>,
    /// Don't read a line that is longer, but report it; 64 MiB by default
    #[arg(long, value_name = "BYTES", default_value = "67108864", hide_default_value = true)]
    max_line_bytes: usize,
    /// Add "tiles" to each line: what each part of the reply is
    #[arg(long)]
    tiles: bool,
    #[command(flatten)]
    protocol: ProtocolArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

fn finish_help() -> String {
    format!("{}\n\nThis is for lines without a finish, or with null.", args::FINISH_HELP)
}

pub(crate) fn run(args: Args) -> Outcome {
    let is_finish_a_reason = args.finish_key.is_some();
    let finish_key = args.finish_key.unwrap_or_else(|| "finish".to_owned());
    let keys = Keys { text: args.text_key, role: args.role_key, mode: args.mode_key, finish: finish_key };
    check(&keys)?;
    let policies = Policies::new(args.protocol.protocol()?, args.limits.limits());
    policies.check(args.role.as_deref(), args.mode.as_deref()).map_err(Failure::Unusable)?;
    let inputs = inputs(args.files);
    // A missing file is reported before anything is written.
    let lengths = inputs.iter().map(Input::check).collect::<Result<Vec<_>, _>>()?;
    // A file that is being written is removed before the program ends.
    let signals = if args.output.is_some() { Signals::install()? } else { Signals::default() };
    let output = Output::create(args.output, &signals)?;
    let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let progress = progress(lengths.into_iter().sum(), &output);
    let work = Work {
        chunks: Mutex::new(Chunks::new(inputs, args.max_line_bytes, progress.clone())),
        writer: OrderedWriter::new(output.writer()?),
        setup: Setup {
            keys,
            is_finish_a_reason,
            role: args.role,
            mode: args.mode,
            finish: args.finish.into(),
            has_tiles: args.tiles,
            has_views: args.protocol.is_preset(),
            max_line_bytes: args.max_line_bytes,
            escapes: output.escapes(),
            policies,
        },
        large: Mutex::new(()),
    };
    let work = Arc::new(work);
    let totals = work.run(threads, &signals, |error| output.unwritable(error));
    progress.finish_and_clear();
    let totals = totals?;
    if let Some(failure) = lock(&work.chunks).failure.take() {
        return Err(failure);
    }
    output.keep()?;
    Ok(summary(&totals))
}

fn check(keys: &Keys) -> Result<(), Failure> {
    let Keys { text, role, mode, finish } = keys;
    let mut all = ["id", "begins_inside", text, role, mode, finish];
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Failure::Unusable(format!(
            "the key {:?} would be used for two things; give each of --text-key, --role-key, --mode-key and --finish-key its own, neither \"id\" nor \"begins_inside\"",
            pair[0]
        ))),
        None => Ok(()),
    }
}

fn inputs(files: Vec<PathBuf>) -> Vec<Input> {
    if files.is_empty() {
        return vec![Input::Stdin];
    }
    files.into_iter().map(|file| Input::new(Some(file))).collect()
}

/// A progress bar, unless it would appear between the lines of the output.
fn progress(bytes: Option<u64>, output: &Output) -> ProgressBar {
    if matches!(output, Output::Stdout) && io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match bytes {
        Some(bytes) => (ProgressBar::new(bytes), "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} to go"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    bar.with_style(ProgressStyle::with_template(template).expect("the template is right"))
}

/// Reports which lines could not be read, and returns the exit code.
fn summary(totals: &Totals) -> u8 {
    let Totals { lines, faults, first } = totals;
    let Some(first) = first else { return 0 };
    let (location, fault) = (&first.location, &first.fault);
    terminal::complain(&format!("{faults} of {lines} lines could not be read; the first is {location}: {fault}"));
    1
}

/// The state that the threads share.
struct Work {
    chunks: Mutex<Chunks>,
    writer: OrderedWriter,
    setup: Setup,
    /// Locked while a large chunk is parsed, and by a thread that holds `chunks`: so large chunks come in order, and the thread that
    /// parses one needs no lock that another holds.
    large: Mutex<()>,
}

impl Work {
    /// Does the work with this number of threads, or as many as can be started.
    fn run(
        self: &Arc<Self>,
        threads: usize,
        signals: &Signals,
        unwritable: impl Fn(&io::Error) -> Failure,
    ) -> Result<Totals, Failure> {
        let (sender, results) = mpsc::channel();
        if self.spawn(threads, &sender) == 0 {
            let result = panic::catch_unwind(AssertUnwindSafe(|| self.work(signals)));
            sender.send(result).expect("it is received below");
        }
        drop(sender);
        let mut totals = Totals::default();
        loop {
            // The first failure ends the command, even if another thread still waits for input.
            let result = results.recv_timeout(signals::POLL);
            signals.check()?;
            match result {
                Ok(Ok(Ok(of_one))) => totals.add(of_one),
                Ok(Ok(Err(Stop::Unwritable(error)))) => return Err(unwritable(&error)),
                Ok(Ok(Err(Stop::OutOfMemory(location)))) => return Err(Failure::out_of_memory(&location)),
                Ok(Err(panic)) => panic::resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(totals),
            }
        }
    }

    /// Starts up to this number of threads, and returns how many.
    fn spawn(self: &Arc<Self>, threads: usize, sender: &Sender<ThreadResult>) -> usize {
        // Memory for the work of each thread, held while threads are started: their stacks must leave some.
        let mut reserve = Vec::new();
        for spawned in 0..threads {
            let (work, sender) = (Arc::clone(self), sender.clone());
            let work = move || {
                let result = panic::catch_unwind(AssertUnwindSafe(|| work.work(&Signals::default())));
                // Nobody receives it if another thread failed.
                let _ = sender.send(result);
            };
            let mut memory = Vec::<u8>::new();
            let reserved = memory.try_reserve_exact(MEMORY_OF_THREAD).map_err(io::Error::from);
            reserve.push(memory);
            if let Err(error) = reserved.and_then(|()| thread::Builder::new().spawn(work)) {
                let started = if spawned == 0 { "none".to_owned() } else { format!("only {spawned}") };
                terminal::complain(&format!("{started} of {threads} threads could be started: {error}"));
                return spawned;
            }
        }
        threads
    }

    /// The work of one thread.
    fn work(&self, signals: &Signals) -> Result<Totals, Stop> {
        let mut worker = Worker::default();
        let mut chunk = Chunk::default();
        while !signals.is_interrupted() {
            let mut chunks = lock(&self.chunks);
            if !chunks.next(&mut chunk) {
                break;
            }
            let is_alone = chunk.is_large().then(|| lock(&self.large));
            drop(chunks);
            let mut piece = self.writer.piece(chunk.sequence);
            worker.read(&self.setup, &chunk, &mut piece)?;
            piece.finish()?;
            chunk.clear();
            drop(is_alone);
        }
        Ok(worker.totals)
    }
}

/// A thread that panicked leaves nothing half done that another would need.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the work of a thread ended; the outer error is a panic.
type ThreadResult = thread::Result<Result<Totals, Stop>>;

/// What a thread needs for lines of ordinary length: buffers for its input and its output.
const MEMORY_OF_THREAD: usize = 8 << 20;
