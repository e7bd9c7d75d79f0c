//! Counts instructions under valgrind and compares them with a committed baseline: `cargo bench --bench instructions`.
//!
//! Time is noisy on a shared machine; instruction counts are reproducible. Each case runs once to warm up, and once more inside
//! [`tagwire_measured`], the only function that callgrind counts; it writes a dump after each call.
//!
//! ```text
//! cargo bench --bench instructions              counts, compares with benches/instructions.txt, fails if one grew
//! cargo bench --bench instructions -- --write   counts, and writes the new baseline
//! cargo bench --bench instructions -- --growth  counts only the adversarial shapes, and writes nothing
//! ```
//!
//! Counts are compared with the baseline only for the same compiler and processor features, since other code, or another copy
//! routine of the system's library, changes them. Growth is always checked.

mod corpus;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, thread};

use bumpalo::Bump;
use corpus::adversarial::{self, Shape};
use corpus::{Count, Cuts, KIB, Reply, count, strict};
use tagwire::{Event, Parser, Policy};

/// The growth of a count that is a failure.
const TOLERANCE: f64 = 1.05;

/// The length of a shape's shorter text. The longer one has four times that.
const SHAPE: usize = 16 * KIB;

/// Bounds on instructions(4n) / instructions(n): linear, or *n* log *n* if many names meet.
const GROWTH: f64 = 4.1;
const GROWTH_OF_NAMES: f64 = 4.6;
/// The strict dialect never looks back.
const STRICT_GROWTH: f64 = 4.03;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--work", group] => {
            works(group).into_iter().for_each(|(_, mut work)| run(&mut work));
            ExitCode::SUCCESS
        }
        [] => compare(&counts(&[CORPORA, SHAPES].concat())),
        ["--write"] => {
            let counts = counts(&[CORPORA, SHAPES].concat());
            fs::write(baseline_path(), written(&counts)).expect("the baseline can be written");
            ExitCode::SUCCESS
        }
        ["--growth"] => print_growth(&counts(SHAPES)),
        _ => panic!("unknown arguments: see the head of benches/instructions.rs"),
    }
}

/// A named case. Returns its counts, so that no work is optimized away.
type Work = Box<dyn FnMut() -> Count>;

const CORPORA: &[&str] = &["corpora", "strict corpora"];
const SHAPES: &[&str] = &["batch shapes", "stream shapes", "strict batch shapes", "strict stream shapes"];

fn works(group: &str) -> Vec<(String, Work)> {
    let (set, group) = match group.strip_prefix(STRICT.prefix) {
        Some(group) => (&STRICT, group),
        None => (&SEED, group),
    };
    match group {
        "corpora" => corpora(set),
        "batch shapes" => shapes(set, |text| {
            let (policy, mut arena) = ((set.policy)(), Bump::new());
            Box::new(move || {
                arena.reset();
                count::batch(&policy, &text, &arena)
            })
        }),
        "stream shapes" => shapes(set, |text| {
            let (mut parser, cuts) = (Parser::new((set.policy)()), Cuts::every(1, &text));
            Box::new(move || count::stream(&mut parser, cuts.of(&text)))
        }),
        _ => panic!("no group is called {group}"),
    }
}

/// What is counted of a dialect.
struct Set {
    /// Before the names of its counts.
    prefix: &'static str,
    corpora: &'static [&'static str],
    policy_of: fn(&Reply) -> Policy<'static>,
    shapes: &'static [Shape],
    /// What reads the shapes.
    policy: fn() -> Policy<'static>,
    growth: f64,
}

const SEED: Set = Set {
    prefix: "",
    corpora: &["prose", "code", "dense", "mixed"],
    policy_of: Reply::policy,
    shapes: &adversarial::SHAPES,
    policy: adversarial::policy,
    growth: GROWTH,
};

const STRICT: Set = Set {
    prefix: "strict ",
    corpora: &["prose", "code", "dense", "mixed", "links and fences"],
    policy_of: strict::policy_of,
    shapes: &strict::SHAPES,
    policy: strict::policy,
    growth: STRICT_GROWTH,
};

fn corpora(set: &'static Set) -> Vec<(String, Work)> {
    let mut works: Vec<(String, Work)> = Vec::new();
    for &name in set.corpora {
        let replies = || match name {
            "mixed" => corpus::mixed(32),
            "links and fences" => vec![strict::links_and_fences(64 * KIB)],
            _ => vec![corpus::corpus(name, 64 * KIB)],
        };
        works.push((format!("{}batch {name}", set.prefix), whole(set, replies())));
        works.push((format!("{}stream {name}", set.prefix), chunked(set, replies())));
    }
    if set.prefix.is_empty() {
        works.push(("stream prose, two clients".into(), two_clients()));
    }
    works
}

/// What must be counted in a reply. In the strict dialect other tokens are tags, so it is known of the tags that are given alone.
fn assert_counted(set: &Set, reply: &Reply, count: Count) {
    if set.prefix.is_empty() {
        assert_eq!(count, reply.count);
    } else {
        assert_eq!((count.tags, count.body_bytes), (reply.count.tags, reply.count.body_bytes));
    }
}

fn whole(set: &'static Set, replies: Vec<Reply>) -> Work {
    let policies: Vec<Policy<'_>> = replies.iter().map(set.policy_of).collect();
    let mut arena = Bump::new();
    Box::new(move || {
        let mut sum = Count::default();
        for (reply, policy) in replies.iter().zip(&policies) {
            arena.reset();
            let count = count::batch(policy, &reply.text, &arena);
            assert_counted(set, reply, count);
            sum.add(count);
        }
        sum
    })
}

/// In chunks of 4 bytes, about a token of a model.
fn chunked(set: &'static Set, replies: Vec<Reply>) -> Work {
    let mut parsers: Vec<Parser<'_>> = replies.iter().map(|reply| Parser::new((set.policy_of)(reply))).collect();
    let cuts: Vec<Cuts> = replies.iter().map(|reply| Cuts::every(4, &reply.text)).collect();
    Box::new(move || {
        let mut sum = Count::default();
        for ((reply, parser), cuts) in replies.iter().zip(&mut parsers).zip(&cuts) {
            let count = count::stream(parser, cuts.of(&reply.text));
            assert_counted(set, reply, count);
            sum.add(count);
        }
        sum
    })
}

/// Two loops over [`Parser::feed`] in one program, the second with [`Parser::pending`]: code inlined only into a single caller would
/// make the count too small.
fn two_clients() -> Work {
    let replies = [(); 2].map(|()| corpus::corpus("prose", 64 * KIB));
    let mut parsers = replies.each_ref().map(|reply| Parser::new(reply.policy()));
    let cuts = replies.each_ref().map(|reply| Cuts::every(4, &reply.text));
    Box::new(move || {
        let [one, other] = &mut parsers;
        let lengths = [
            read_prose(one, cuts[0].of(&replies[0].text)),
            read_prose_with_pending(other, cuts[1].of(&replies[1].text)),
        ];
        assert_eq!(lengths, replies.each_ref().map(|reply| reply.count.prose_bytes));
        Count { prose_bytes: lengths.iter().sum(), ..Count::default() }
    })
}

#[inline(never)]
fn read_prose<'t>(parser: &mut Parser<'_>, chunks: impl Iterator<Item = &'t str>) -> usize {
    parser.reset();
    let mut len = 0;
    for chunk in chunks {
        len += parser.feed(chunk).map(|event| prose_len(&event)).sum::<usize>();
    }
    len + parser.finish().map(|event| prose_len(&event)).sum::<usize>()
}

#[inline(never)]
fn read_prose_with_pending<'t>(parser: &mut Parser<'_>, chunks: impl Iterator<Item = &'t str>) -> usize {
    parser.reset();
    let mut len = 0;
    for chunk in chunks {
        for event in parser.feed(chunk) {
            len += prose_len(&event);
        }
        black_box(parser.pending().is_some());
    }
    len + parser.finish().map(|event| prose_len(&event)).sum::<usize>()
}

fn prose_len(event: &Event<'_>) -> usize {
    if let Event::Prose { text, .. } = event { text.len() } else { 0 }
}

/// Each shape at both lengths.
fn shapes(set: &'static Set, work: impl Fn(String) -> Work) -> Vec<(String, Work)> {
    let sizes = [("n", SHAPE), ("4n", 4 * SHAPE)];
    let each = set.shapes.iter().flat_map(|shape| sizes.map(|(mark, size)| (shape, mark, size)));
    each.map(|(shape, mark, size)| (format!("{}, {mark}", shape.name), work(shape.text(size)))).collect()
}

fn run(work: &mut Work) {
    // Several times: a reset arena keeps only its last chunk of memory, which may be too small for the next reply.
    let warm = [(); 3].map(|()| work());
    assert_eq!(tagwire_measured(work), warm[0]);
}

/// The function that callgrind counts. It is found by its exact name, so the name is not mangled.
#[unsafe(no_mangle)]
#[inline(never)]
fn tagwire_measured(work: &mut Work) -> Count {
    black_box(black_box(work)())
}

/// Instructions, by name.
type Counts = BTreeMap<String, u64>;

/// Counts these groups, each in its own process.
fn counts(groups: &[&str]) -> Counts {
    let each = groups.iter().map(|group| {
        let group = (*group).to_owned();
        thread::spawn(move || counts_of(&group))
    });
    let each: Vec<_> = each.collect();
    each.into_iter().flat_map(|counts| counts.join().expect("a group was counted")).collect()
}

fn counts_of(group: &str) -> Counts {
    let folder = env::temp_dir().join(format!("tagwire-{}-{}", std::process::id(), group.replace(' ', "-")));
    fs::create_dir_all(&folder).expect("a folder for the dumps");
    // `rep movsb`, used from 2 KiB on, counts as one instruction per byte: without this, long copies would seem expensive.
    let output = Command::new("valgrind")
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1073741824")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=tagwire_measured"])
        .args(["--dump-after=tagwire_measured", "--combine-dumps=no"])
        .arg(format!("--callgrind-out-file={}", folder.join("dump").display()))
        .arg(env::current_exe().expect("this program has a path"))
        .args(["--work", group])
        .output()
        .expect("valgrind can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Dumps are numbered from 1, in the order of the calls.
    let kind = group.strip_suffix(" shapes").map(|kind| format!("{kind} ")).unwrap_or_default();
    let names = works(group).into_iter().map(|(name, _)| format!("{kind}{name}"));
    let counts = names.enumerate().map(|(i, name)| (name, total(&folder.join(format!("dump.{}", i + 1))))).collect();
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    counts
}

/// The instructions in one dump.
fn total(dump: &Path) -> u64 {
    let text = fs::read_to_string(dump).unwrap_or_else(|error| panic!("{}: {error}", dump.display()));
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ")).expect("a dump has its totals");
    line.trim().parse().expect("a number")
}

/// The environment that the counts depend on.
fn conditions() -> String {
    let rustc = Command::new(env::var("RUSTC").unwrap_or_else(|_| "rustc".into())).arg("-V").output();
    let rustc = String::from_utf8(rustc.expect("rustc can be run").stdout).expect("a version");
    format!("{}, {}, {}", rustc.trim(), env::consts::ARCH, if has_avx2() { "avx2" } else { "no avx2" })
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

fn baseline_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.txt")
}

/// The baseline's format: the environment, then a line for each count.
fn written(counts: &Counts) -> String {
    let mut text = format!("{}\n", conditions());
    counts.iter().for_each(|(name, count)| writeln!(text, "{count:>12}  {name}").expect("a string"));
    text
}

fn read(baseline: &str) -> (&str, Counts) {
    let (conditions, lines) = baseline.split_once('\n').expect("the first line says what it was counted with");
    let line = |line: &str| {
        let (count, name) = line.trim().split_once("  ").expect("a count and a name");
        (name.to_owned(), count.parse().expect("a number"))
    };
    (conditions, lines.lines().map(line).collect())
}

fn compare(counts: &Counts) -> ExitCode {
    let baseline = fs::read_to_string(baseline_path()).expect("there is a baseline");
    let (baseline_conditions, baseline) = read(&baseline);
    let conditions = conditions();
    let is_alike = conditions == baseline_conditions;
    let mut faults = Vec::new();
    for (name, &count) in counts {
        let ratio = baseline.get(name).map(|&before| count as f64 / before as f64);
        println!("{count:>12}  {}  {name}", ratio.map_or("   new".into(), |ratio| format!("{ratio:6.3}")));
        match ratio {
            Some(ratio) if ratio > TOLERANCE => faults.push(format!("{name}: {ratio:.3} of the baseline")),
            Some(_) => {}
            None => faults.push(format!("{name}: not in the baseline")),
        }
    }
    if !is_alike {
        println!("\nThe baseline is of {baseline_conditions}; this is {conditions}: the counts are not compared.");
        faults.clear();
    }
    let growth = print_growth(counts);
    if faults.is_empty() {
        return growth;
    }
    println!("\nMore instructions than benches/instructions.txt allows:");
    faults.iter().for_each(|fault| println!("  {fault}"));
    println!("Where that is meant: cargo bench --bench instructions -- --write");
    ExitCode::FAILURE
}

/// One line per shape: instructions(4n) / instructions(n), whole and in chunks of one byte.
fn print_growth(counts: &Counts) -> ExitCode {
    println!("\ngrowth: batch  stream  limit  shape");
    let mut exit = ExitCode::SUCCESS;
    for set in [&SEED, &STRICT] {
        for shape in set.shapes {
            let limit = if shape.has_many_names { GROWTH_OF_NAMES } else { set.growth };
            let bytes = |size: usize| shape.text(size).len() as f64;
            let growth = ["batch", "stream"].map(|kind| {
                let count = |mark| counts[&format!("{}{kind} {}, {mark}", set.prefix, shape.name)] as f64;
                // Shapes are whole repetitions, so that the longer text is not exactly four times as long.
                count("4n") / count("n") * 4.0 * bytes(SHAPE) / bytes(4 * SHAPE)
            });
            let is_over = growth.iter().any(|&growth| growth > limit);
            let mark = if is_over { "  OVER" } else { "" };
            println!("growth: {:5.3}   {:5.3}    {limit}  {}{}{mark}", growth[0], growth[1], set.prefix, shape.name);
            if is_over {
                exit = ExitCode::FAILURE;
            }
        }
    }
    exit
}
