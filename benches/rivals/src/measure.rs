//! Measures competitors in turns, so that a slow phase of the machine affects all of them alike. The time is the processor time of
//! this thread, which other processes hardly affect.

use std::time::Duration;

use cpu_time::ThreadTime;

/// A competitor.
pub struct Runner<'r> {
    pub name: &'static str,
    run: Box<dyn FnMut() + 'r>,
    /// Runs in one sample.
    repeats: u32,
    /// Seconds per run.
    samples: Vec<f64>,
}

impl<'r> Runner<'r> {
    pub fn new(name: &'static str, run: impl FnMut() + 'r) -> Self {
        Runner { name, run: Box::new(run), repeats: 1, samples: Vec::new() }
    }

    fn sample(&mut self) -> Duration {
        let start = ThreadTime::now();
        (0..self.repeats).for_each(|_| (self.run)());
        let time = start.elapsed();
        self.samples.push(time.as_secs_f64() / f64::from(self.repeats));
        time
    }
}

/// The medians, in seconds per run.
pub struct Times(Vec<(&'static str, f64)>);

impl Times {
    pub fn find(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| *known == name).map(|&(_, time)| time)
    }

    #[track_caller]
    pub fn of(&self, name: &str) -> f64 {
        self.find(name).unwrap_or_else(|| panic!("{name} did not run"))
    }
}

/// Runs all in turns (A B C A B C …) and takes the median of each. Those slower than a tenth of a second run in fewer rounds.
pub fn race(rounds: usize, mut runners: Vec<Runner<'_>>) -> Times {
    const SAMPLE: Duration = Duration::from_millis(3);
    for runner in &mut runners {
        // The first run warms up, the second tells how many fit into a sample.
        runner.sample();
        let time = runner.sample().max(Duration::from_nanos(20));
        runner.repeats = u32::try_from(SAMPLE.as_nanos() / time.as_nanos()).expect("a short sample").max(1);
        runner.samples.clear();
    }
    for round in 0..rounds {
        for runner in &mut runners {
            let is_slow = runner.samples.first().is_some_and(|&time| time > 0.1);
            if round < 3 || !is_slow {
                runner.sample();
            }
        }
    }
    Times(runners.iter_mut().map(|runner| (runner.name, median(&mut runner.samples))).collect())
}

/// The median of five runs, in seconds. The first one warms up.
pub fn fastest(mut run: impl FnMut()) -> f64 {
    let times = (0..5).map(|_| {
        let start = ThreadTime::now();
        run();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::MAX, f64::min)
}

pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
