//! The table, as Markdown.

use std::fmt;

/// The rivals, each a column.
pub const RIVALS: [&str; 5] = ["regex port", "quick-xml", "lol_html", "serde_json", "simd-json"];

/// A line of the table: what was measured, beside what must be reached and what is aimed at. Less is better, but where it says
/// otherwise.
pub struct Row {
    pub work: String,
    /// Bytes a second or the like, in words.
    pub speed: String,
    /// What is held against `must` and `aim`.
    pub measured: f64,
    pub must: Option<f64>,
    pub aim: Option<f64>,
    pub is_more_better: bool,
    /// One cell for each of [`RIVALS`].
    pub rivals: [String; 5],
}

impl Row {
    pub fn new(work: impl Into<String>, speed: String, measured: f64) -> Self {
        let rivals = [const { String::new() }; 5];
        Row { work: work.into(), speed, measured, must: None, aim: None, is_more_better: false, rivals }
    }

    pub fn reach(self, must: f64, aim: f64) -> Self {
        Row { must: Some(must), aim: Some(aim), ..self }
    }

    pub fn must(self, must: f64) -> Self {
        Row { must: Some(must), ..self }
    }

    pub fn more_is_better(self) -> Self {
        Row { is_more_better: true, ..self }
    }

    /// With the cells of those rivals that there are.
    pub fn rivals(mut self, cell: impl Fn(&str) -> Option<String>) -> Self {
        self.rivals = RIVALS.map(|name| cell(name).unwrap_or_default());
        self
    }

    fn is_within(&self, bound: f64) -> bool {
        if self.is_more_better { self.measured >= bound } else { self.measured <= bound }
    }

    fn verdict(&self) -> &'static str {
        match (self.must, self.aim) {
            (_, Some(aim)) if self.is_within(aim) => "aim",
            (Some(must), _) if self.is_within(must) => "must",
            (Some(_), _) => "**no**",
            _ => "",
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |bound: Option<f64>| bound.map(number).unwrap_or_default();
        let Row { work, speed, measured, must, aim, .. } = self;
        let (must, aim, verdict) = (bound(*must), bound(*aim), self.verdict());
        write!(f, "| {work} | {speed} | {} | {must} | {aim} | {verdict} |", number(*measured))?;
        self.rivals.iter().try_for_each(|cell| write!(f, " {cell} |"))
    }
}

/// The line above the first row, and the line below that.
pub fn head() -> String {
    let rivals = RIVALS.join(" | ");
    format!(
        "| work | tagwire | measured | must | aim | reached | {rivals} |\n|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|"
    )
}

/// The README with another table, between the marks that are in it for that.
pub fn replaced(readme: &str, table: &str) -> Option<String> {
    let (before, rest) = readme.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{START}\n\n{table}\n{END}{after}"))
}

const START: &str = "<!-- The table, as benches/rivals writes it. -->";
const END: &str = "<!-- The end of the table. -->";

/// With three digits that tell something.
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// How many times as long.
pub fn times(ratio: f64) -> String {
    format!("{}×", number(ratio))
}

pub fn bytes_a_second(bytes: usize, seconds: f64) -> String {
    let mib = bytes as f64 / seconds / f64::from(1 << 20);
    if mib < 1024.0 { format!("{} MiB/s", number(mib)) } else { format!("{} GiB/s", number(mib / 1024.0)) }
}
