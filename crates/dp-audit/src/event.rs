//! Events: the views whose score is beyond a threshold, in favour of one input.

use crate::confidence::float;
use crate::sample::Sample;
use crate::score::Score;
use crate::views::Input;

/// The views of which `score` is at least `threshold`, or for [`Input::Second`] −`score`.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    score: Score,
    threshold: f64,
    favours: Input,
}

/// What an event is to show, and with how many runs it is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub(crate) delta: f64,
    /// Of each input.
    pub(crate) runs: u64,
    /// By how many standard errors a probability is bounded.
    pub(crate) deviations: f64,
}

impl Event {
    /// For each aim the event among all thresholds of all scores that guarantees the largest lower bound, by these
    /// views of both inputs.
    pub(crate) fn chosen(scores: Vec<Score>, samples: &[Sample; 2], aims: &[Aim]) -> Vec<Self> {
        let mut best: Vec<Option<(f64, usize, f64, Input)>> = vec![None; aims.len()];
        for (number, score) in scores.iter().enumerate() {
            for favours in Input::BOTH {
                let of = |input: Input| {
                    let rows = samples[input.index()].rows();
                    let mut scored: Vec<f64> =
                        rows.map(|view| directed(score.of(view), favours)).collect();
                    scored.sort_unstable_by(|one, other| other.total_cmp(one));
                    scored
                };
                let (likely, unlikely) = (of(favours), of(favours.other()));
                for (aim, best) in aims.iter().zip(&mut best) {
                    let found = aim.threshold(&likely, &unlikely);
                    let Some((guaranteed, threshold)) = found else {
                        continue;
                    };
                    if best.is_none_or(|(other, ..)| guaranteed > other) {
                        *best = Some((guaranteed, number, threshold, favours));
                    }
                }
            }
        }
        let event = |best: Option<(f64, usize, f64, Input)>| {
            let (_, number, threshold, favours) = best.unwrap_or((0.0, 0, 0.0, Input::First));
            let score = scores.get(number).cloned().unwrap_or(Score::Sum);
            Self { score, threshold, favours }
        };
        best.into_iter().map(event).collect()
    }

    pub(crate) fn holds(&self, view: &[i64]) -> bool {
        directed(self.score.of(view), self.favours) >= self.threshold
    }

    /// The input that makes it likelier.
    pub(crate) const fn favours(&self) -> Input {
        self.favours
    }

    pub(crate) fn name(&self) -> String {
        let comparison = match self.favours {
            Input::First => format!("at least {:.4}", self.threshold),
            Input::Second => format!("at most {:.4}", -self.threshold),
        };
        format!("{} is {comparison}", self.score.name())
    }
}

fn directed(score: f64, favours: Input) -> f64 {
    match favours {
        Input::First => score,
        Input::Second => -score,
    }
}

impl Aim {
    /// The largest guaranteed bound and the threshold that gives it, among scores in falling order.
    fn threshold(&self, likely: &[f64], unlikely: &[f64]) -> Option<(f64, f64)> {
        let mut best: Option<(f64, f64)> = None;
        let (mut first, mut second) = (0, 0);
        while let Some(&threshold) = likely.get(first) {
            while likely.get(first).is_some_and(|score| *score >= threshold) {
                first += 1;
            }
            while unlikely.get(second).is_some_and(|score| *score >= threshold) {
                second += 1;
            }
            let guaranteed = self.guaranteed([first, second], likely.len());
            if best.is_none_or(|(other, _)| guaranteed > other) {
                best = Some((guaranteed, threshold));
            }
        }
        best
    }

    /// About the bound that comes out if so many of so many runs are in the event. Counts are taken one standard error
    /// worse, so that the luckiest threshold does not win.
    fn guaranteed(&self, counts: [usize; 2], runs: usize) -> f64 {
        let [first, second] = counts.map(|count| float(count as u64));
        let likely = (first - first.sqrt()).max(0.0) / float(runs as u64);
        let unlikely = (second + second.sqrt() + 1.0) / float(runs as u64);
        let (runs, deviations) = (float(self.runs), self.deviations);
        let low = likely - deviations * (likely * (1.0 - likely) / runs).sqrt();
        let spread = deviations * (unlikely * (1.0 - unlikely).max(0.0) / runs).sqrt();
        let high = unlikely + spread + deviations / runs;
        if low <= self.delta { f64::NEG_INFINITY } else { ((low - self.delta) / high).ln() }
    }
}
