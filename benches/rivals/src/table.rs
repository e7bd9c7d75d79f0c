//! The tables, as Markdown: the full one for benches/README.md, and a summary for the README.

use std::fmt;

/// The rivals, each a column.
pub const RIVALS: [&str; 5] = ["regex port", "quick-xml", "lol_html", "serde_json", "simd-json"];

/// A row of the table: a measurement beside the hard limit and the target. Less is better, unless the row says otherwise.
pub struct Row {
    pub work: String,
    /// The speed with its unit, such as bytes a second.
    pub speed: String,
    /// The value that is compared with `must` and `aim`.
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

    /// Fills in the cells of the rivals that were measured.
    pub fn rivals(mut self, cell: impl Fn(&str) -> Option<String>) -> Self {
        self.rivals = RIVALS.map(|name| cell(name).unwrap_or_default());
        self
    }

    /// The row in the summary.
    pub fn summary(&self) -> String {
        let Row { work, speed, measured, rivals, .. } = self;
        format!("| {work} | {speed} | {} | {} |", number(*measured), rivals.join(" | "))
    }

    /// Whether the row is in the summary.
    pub fn is_in_summary(&self) -> bool {
        SUMMARY.contains(&&*self.work)
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

/// The works whose rows are in the summary.
pub const SUMMARY: [&str; 6] = [
    "batch, prose 64 KiB: over memmem",
    "batch, code 64 KiB: over memmem",
    "batch, mixed, 20000 replies: over memmem",
    "stream, prose, 4-byte chunks: over append and memchr",
    "stream, code, 4-byte chunks: over append and memchr",
    "edit blocks, well-formed: GiB a second",
];

/// The head of the full table.
pub fn head() -> String {
    let rivals = RIVALS.join(" | ");
    format!(
        "| work | tagwire | measured | must | aim | reached | {rivals} |\n|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|"
    )
}

/// The head of the summary.
pub fn summary_head() -> String {
    format!("| work | tagwire | measured | {} |\n|---|--:|--:|--:|--:|--:|--:|--:|", RIVALS.join(" | "))
}

/// The page with another table between its marks; `None` if it has no marks.
pub fn replaced(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{START}\n\n{table}\n{END}{after}"))
}

const START: &str = "<!-- The table, written by benches/rivals. -->";
const END: &str = "<!-- The end of the table. -->";

/// A number with three significant digits.
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A ratio of times.
pub fn times(ratio: f64) -> String {
    format!("{}×", number(ratio))
}

pub fn bytes_a_second(bytes: usize, seconds: f64) -> String {
    let mib = bytes as f64 / seconds / f64::from(1 << 20);
    if mib < 1024.0 { format!("{} MiB/s", number(mib)) } else { format!("{} GiB/s", number(mib / 1024.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pages_have_a_place_for_their_table() {
        for page in [include_str!("../../../README.md"), include_str!("../../README.md")] {
            let replaced = replaced(page, "a table").expect("marks");
            assert!(replaced.contains("\n\na table\n<!--"));
            assert_eq!(super::replaced(&replaced, "a table").as_ref(), Some(&replaced));
        }
    }

    #[test]
    fn the_summary_is_part_of_the_full_table() {
        let full = include_str!("../../README.md");
        let summary = include_str!("../../../README.md");
        assert!(full.contains(&head()) && summary.contains(&summary_head()));
        for work in SUMMARY {
            assert!(full.contains(&format!("\n| {work} |")) && summary.contains(&format!("\n| {work} |")), "{work}");
        }
    }
}
