//! `cargo run --release` measures tagwire beside its limits and its rivals and prints the table. It also writes the table into
//! `benches/README.md`, six of its rows into `README.md`, and the plot into `benches/plot.svg`. `-- --quick` takes fewer
//! rounds, and `-- --only PART` measures one part; neither writes a file.

mod end_to_end;
mod measure;
mod plot;
mod rows;
mod table;

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use rows::Measured;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (mut is_quick, mut only) = (false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => is_quick = true,
            "--only" => only = arguments.next(),
            _ => return Err(format!("no such argument: {argument}").into()),
        }
    }
    let rounds = if is_quick { 5 } else { 41 };
    let machine = machine();
    let mut full = format!("{machine}\n\n{}\n", table::head());
    let mut summary = format!("{machine}\n\n{}\n", table::summary_head());
    print!("{full}");
    let mut groups = Vec::new();
    rows::measure(rounds, only.as_deref(), &mut |measured| match measured {
        Measured::Row(row) => {
            println!("{row}");
            full.push_str(&format!("{row}\n"));
            if row.is_in_summary() {
                summary.push_str(&format!("{}\n", row.summary()));
            }
        }
        Measured::Bars(group) => groups.push(group),
    });
    if !is_quick && only.is_none() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        for (page, table) in [("README.md", &summary), ("benches/README.md", &full)] {
            let text = fs::read_to_string(root.join(page))?;
            let text = table::replaced(&text, table).ok_or_else(|| format!("{page} has no place for the table"))?;
            fs::write(root.join(page), text)?;
        }
        plot::draw(&root.join("benches/plot.svg"), &machine, &groups)?;
    }
    Ok(())
}

/// The machine, the compiler and the date.
fn machine() -> String {
    let output = |program: &str, argument: &str| {
        let output = Command::new(program).arg(argument).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cpu = cpu.map_or("an unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = output("rustc", "-V").unwrap_or_default();
    let day = output("date", "+%F").unwrap_or_default();
    format!("{cpu}, {cores} cores, {}, {rustc}, {day}", env::consts::OS)
}
