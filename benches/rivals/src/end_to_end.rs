//! `tagwire batch` from its input to its output, beside a program that only reads the same lines and writes the same lines. Both
//! write into nothing, so that no disk is measured. The binary is built, or the one that `TAGWIRE` in the environment names.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use serde_json::{Value, json};
use tagwire_rivals::corpus;

use crate::measure::median;
use crate::table::Row;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

pub fn rows(put: &mut dyn FnMut(Row)) {
    let given = env::var_os("TAGWIRE").map(PathBuf::from);
    let Some(tagwire) = given.or_else(|| built(ROOT, &["--features", "cli"], "tagwire")) else {
        eprintln!("`tagwire batch` is not measured: the binary can't be built");
        return;
    };
    let rival = built(env!("CARGO_MANIFEST_DIR"), &[], "json_lines").expect("the rival can be built");
    let folder = env::temp_dir().join(format!("tagwire-batch-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the lines");
    let measured = measure(&tagwire, &rival, &folder, put);
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    if let Err(error) = measured {
        eprintln!("`tagwire batch` is not measured: {error}");
    }
}

fn measure(tagwire: &Path, rival: &Path, folder: &Path, put: &mut dyn FnMut(Row)) -> Result<(), Box<dyn Error>> {
    let lines: Vec<String> = corpus::mixed(corpus::MIXED).iter().enumerate().map(line).collect();
    let [input, output, small, large] = ["input", "output", "small", "large"].map(|name| folder.join(name));
    write(&input, &lines, 0)?;
    let status = batch(tagwire, &input, 1).stdout(File::create(&output)?).status()?;
    if !status.success() {
        return Err(format!("it ends with {status}").into());
    }

    let mut ours = [Vec::new(), Vec::new()];
    let mut rivals = [Vec::new(), Vec::new()];
    for _ in 0..7 {
        for threads in [1, 2] {
            let start = Instant::now();
            batch(tagwire, &input, threads).stdout(Stdio::null()).status()?;
            ours[threads - 1].push(start.elapsed().as_secs_f64());
            let mut command = Command::new(rival);
            let run = command.args([&input, &output]).arg(threads.to_string()).stdout(Stdio::null()).output()?;
            rivals[threads - 1].push(String::from_utf8(run.stderr)?.trim().parse()?);
        }
    }
    let [ours, rivals] = [ours, rivals].map(|times| times.map(|mut times| median(&mut times)));
    for threads in [1, 2] {
        let (ours, rival) = (ours[threads - 1], rivals[threads - 1]);
        let what = if threads == 1 { "one thread" } else { "two threads" };
        let row = Row::new(
            format!("`tagwire batch`, mixed, {what}: lines a second over a program that only reads and writes JSON"),
            format!("{:.0} lines/s", lines.len() as f64 / ours),
            rival / ours,
        );
        put(row.more_is_better().must(0.6));
    }
    let row = Row::new("`tagwire batch`, mixed: two threads over one", String::new(), ours[0] / ours[1]);
    put(row.more_is_better().must(1.7));

    write(&small, &lines, 10_000_000)?;
    write(&large, &lines, 1_000_000_000)?;
    // A hundred times the input: twice the memory would still be flat.
    let [small, large] = [peak_memory(tagwire, &small)?, peak_memory(tagwire, &large)?];
    let speed = format!("{:.1} MiB at 1 GB", large / 1024.0);
    put(Row::new("`tagwire batch`, two threads: memory at 1 GB of input over 10 MB", speed, large / small)
        .reach(2.0, 1.1));
    Ok(())
}

fn line((id, reply): (usize, &corpus::Reply)) -> String {
    let (role, mode) = (reply.role.as_str(), reply.mode.as_str());
    json!({"id": id, "role": role, "mode": mode, "text": reply.text}).to_string()
}

/// Writes all lines, or repeats them up to this number of bytes.
fn write(path: &Path, lines: &[String], bytes: usize) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut written = 0;
    for (i, line) in lines.iter().cycle().enumerate() {
        if if bytes == 0 { i == lines.len() } else { written >= bytes } {
            break;
        }
        writeln!(file, "{line}")?;
        written += line.len() + 1;
    }
    Ok(file.flush()?)
}

fn batch(tagwire: &Path, input: &Path, threads: usize) -> Command {
    let mut command = Command::new(tagwire);
    command.arg("batch").arg(input).args(["--threads", &threads.to_string()]).stderr(Stdio::null());
    command
}

/// The peak of its memory, in KiB. The kernel keeps the peak, so reading it now and then is enough.
fn peak_memory(tagwire: &Path, input: &Path) -> Result<f64, Box<dyn Error>> {
    let mut child = batch(tagwire, input, 2).stdout(Stdio::null()).spawn()?;
    let mut peak = 0.0f64;
    while child.try_wait()?.is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
        peak = peak.max(mark.map_or(Ok(0.0), str::parse)?);
        thread::sleep(Duration::from_micros(500));
    }
    Ok(peak)
}

/// Builds a program of the package in `folder`, and returns its path.
fn built(folder: &str, arguments: &[&str], name: &str) -> Option<PathBuf> {
    let output = Command::new("cargo")
        .args(["build", "--release", "--message-format=json", "--bin", name])
        .args(arguments)
        .current_dir(folder)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}
