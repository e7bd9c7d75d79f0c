//! The plot: bytes a second for each corpus, as an SVG.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// The bars of one corpus.
pub struct Group {
    pub corpus: String,
    /// Bytes of the reply a second, by name.
    pub bars: Vec<(&'static str, f64)>,
}

const COLORS: [(&str, RGBColor); 7] = [
    ("memmem", RGBColor(190, 190, 190)),
    ("tagwire", RGBColor(200, 50, 40)),
    ("quick-xml", RGBColor(60, 110, 180)),
    ("lol_html", RGBColor(110, 170, 220)),
    ("simd-json", RGBColor(60, 140, 80)),
    ("serde_json", RGBColor(140, 200, 140)),
    ("regex port", RGBColor(220, 160, 60)),
];

pub fn draw(path: &Path, caption: &str, groups: &[Group]) -> Result<(), Box<dyn Error>> {
    const MIB: f64 = (1 << 20) as f64;
    let area = SVGBackend::new(path, (1000, 520)).into_drawing_area();
    area.fill(&WHITE)?;
    let (title, area) = area.split_vertically(56);
    title.draw(&Text::new("Bytes of a reply a second (MiB/s, logarithmic)", (20, 10), ("sans-serif", 24)))?;
    title.draw(&Text::new(caption, (20, 36), ("sans-serif", 16).into_font().color(&BLACK.mix(0.6))))?;
    let speeds = || groups.iter().flat_map(|group| group.bars.iter().map(|&(_, speed)| speed / MIB));
    let lowest = 10f64.powf(speeds().fold(f64::MAX, f64::min).log10().floor());
    let highest = speeds().fold(0.0, f64::max) * 1.5;
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(30)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..groups.len() as f64, (lowest..highest).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .label_style(("sans-serif", 16))
        .y_label_formatter(&|speed| format!("{speed}"))
        .light_line_style(BLACK.mix(0.05))
        .bold_line_style(BLACK.mix(0.15))
        .draw()?;
    let width = 0.9 / COLORS.len() as f64;
    for (i, &(name, color)) in COLORS.iter().enumerate() {
        let bars = groups.iter().enumerate().filter_map(|(at, group)| {
            let speed = group.bars.iter().find(|(known, _)| *known == name)?.1 / MIB;
            let left = at as f64 + 0.05 + i as f64 * width;
            Some(Rectangle::new([(left, lowest), (left + width * 0.9, speed)], color.filled()))
        });
        chart
            .draw_series(bars)?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], color.filled()));
    }
    for (at, group) in groups.iter().enumerate() {
        let place = chart.backend_coord(&(at as f64 + 0.5, lowest));
        let style = ("sans-serif", 17).into_font().into_text_style(&area);
        let width = area.estimate_text_size(&group.corpus, &style)?.0;
        let place = (place.0 - width as i32 / 2, place.1 + 10 - 56);
        area.draw(&Text::new(group.corpus.clone(), place, style))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 16))
        .draw()?;
    area.present()?;
    Ok(())
}
