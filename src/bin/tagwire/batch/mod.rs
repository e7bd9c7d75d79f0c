//! `tagwire batch`: JSON Lines in, JSON Lines out.
//!
//! ```text
//!    input ──► Chunks: whole lines ──► Worker, one a thread ──► Ordered ──► output
//! ```
//!
//! Each thread takes a chunk, reads it, and hands in what it wrote. There is no thread that only reads or only writes, so that
//! one thread does all of the work of one and two do it in half the time, and what a slow pipe has delivered is answered at
//! once, while another thread waits for more: with a pool that is dealt rounds of work it would have to wait for the next
//! round.

mod chunks;
mod ordered;
mod output;
mod record;
mod worker;

use std::io::{self, IsTerminal as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

use self::chunks::{Chunk, Chunks};
use self::ordered::Ordered;
use self::output::Output;
use self::record::Keys;
use self::worker::{Setup, Totals, Worker};
use crate::args::{self, LimitArgs};
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::signals::{self, Signals};
use crate::terminal;

/// Read many replies: JSON Lines in, JSON Lines out
///
/// Each line in is an object with "text", "role" and "mode", and "id" if you like; each line out is what `parse` prints of it,
/// in the same order. A line that can't be read gives {"line": N, "fault": "..."} in its place.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON Lines; standard input if there are none, or for `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write here instead of standard output; the file is replaced when all is written
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// How many threads work; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The role for lines that have none
    #[arg(long, value_parser = args::roles())]
    role: Option<String>,
    /// The mode for lines that have none
    #[arg(long, value_parser = args::modes())]
    mode: Option<String>,
    /// The key that has the reply
    #[arg(long, value_name = "KEY", default_value = "text")]
    text_key: String,
    /// The key that has the role
    #[arg(long, value_name = "KEY", default_value = "role")]
    role_key: String,
    /// The key that has the mode
    #[arg(long, value_name = "KEY", default_value = "mode")]
    mode_key: String,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: Args) -> Outcome {
    let keys = Keys { text: args.text_key, role: args.role_key, mode: args.mode_key };
    check(&keys)?;
    let inputs = inputs(args.files);
    // What is missing is said before anything is written.
    let lengths = inputs.iter().map(Input::check).collect::<Result<Vec<_>, _>>()?;
    // A file that is being written is removed before the program ends.
    let signals = if args.output.is_some() { Signals::install()? } else { Signals::default() };
    let output = Output::create(args.output, &signals)?;
    let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let progress = progress(lengths.into_iter().sum(), &output);
    let work = Work {
        chunks: Mutex::new(Chunks::new(inputs, progress.clone())),
        ordered: Ordered::new(output.writer()?),
        setup: Setup::new(keys, args.role, args.mode, args.limits.limits()),
    };
    let work = Arc::new(work);
    let totals = work.run(threads, &signals, |error| output.unwritable(error));
    progress.finish_and_clear();
    let totals = totals?;
    if let Some(failure) = work.chunks.lock().unwrap_or_else(PoisonError::into_inner).failure.take() {
        return Err(failure);
    }
    output.keep()?;
    Ok(summary(&totals))
}

fn check(keys: &Keys) -> Result<(), Failure> {
    let Keys { text, role, mode } = keys;
    let mut all = ["id", text, role, mode];
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Failure::Unusable(format!(
            "the key {:?} would be used for two things; give each of --text-key, --role-key and --mode-key its own, not \"id\"",
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

/// A bar, where somebody sees it and it is not in the way of the output.
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

/// Says what could not be read, and gives the exit code.
fn summary(totals: &Totals) -> u8 {
    let Totals { lines, faults, first } = totals;
    let Some(first) = first else { return 0 };
    let (place, fault) = (&first.place, &first.fault);
    terminal::complain(&format!("{faults} of {lines} lines could not be read; the first is {place}: {fault}"));
    1
}

/// What the threads share.
struct Work {
    chunks: Mutex<Chunks>,
    ordered: Ordered,
    setup: Setup,
}

impl Work {
    /// Does the work with so many threads.
    fn run(
        self: &Arc<Self>,
        threads: usize,
        signals: &Signals,
        unwritable: impl Fn(&io::Error) -> Failure,
    ) -> Result<Totals, Failure> {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let (work, sender) = (Arc::clone(self), sender.clone());
            thread::spawn(move || {
                let result = panic::catch_unwind(AssertUnwindSafe(|| work.work()));
                // Nobody listens any more when another thread failed.
                let _ = sender.send(result);
            });
        }
        drop(sender);
        let mut totals = Totals::default();
        loop {
            // One failure is the end, also while another thread still waits for input.
            let result = results.recv_timeout(signals::POLL);
            signals.check()?;
            match result {
                Ok(Ok(of_one)) => totals.add(of_one.map_err(|error| unwritable(&error))?),
                Ok(Err(panic)) => panic::resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(totals),
            }
        }
    }

    /// The work of one thread.
    fn work(&self) -> io::Result<Totals> {
        let mut worker = Worker::default();
        let mut chunk = Chunk::default();
        let mut out = Vec::new();
        while self.chunks.lock().unwrap_or_else(PoisonError::into_inner).next(&mut chunk) {
            worker.read(&self.setup, &chunk, &mut out);
            out = self.ordered.put(chunk.sequence, out)?;
        }
        Ok(worker.totals)
    }
}
