//! Events: sets of views, by a threshold on a score, that are likelier under one input.

use crate::confidence::float;
use crate::sample::Sample;
use crate::score::Score;
use crate::views::Input;

/// The views whose directed score is at least `threshold`: the `score`, or its negative if
/// [`Input::Second`] is favoured.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    score: Score,
    threshold: f64,
    /// The input under which the event is likelier.
    pub(crate) favoured: Input,
}

impl Event {
    /// For each δ the event with the largest predicted lower bound on ε at this `error`, among all
    /// thresholds of all `scores`. `samples` are views of the first and of the second input.
    pub(crate) fn chosen(
        scores: &[Score],
        samples: &[Sample; 2],
        deltas: &[f64],
        measured: u64,
        error: f64,
    ) -> Vec<Self> {
        // The distance of a confidence bound from an estimated probability, in standard errors.
        let deviations = (2.0 * (2.0 / error).ln()).sqrt();
        let mut best: Vec<Option<(f64, Self)>> = vec![None; deltas.len()];
        for score in scores {
            for favoured in Input::BOTH {
                let falling_scores = |input: Input| {
                    let rows = samples[input as usize].rows();
                    let mut scored: Vec<f64> =
                        rows.map(|view| favoured.sign() * score.of(view)).collect();
                    scored.sort_unstable_by(|one, other| other.total_cmp(one));
                    scored
                };
                let (likely, unlikely) =
                    (falling_scores(favoured), falling_scores(favoured.other()));
                for (delta, best) in deltas.iter().zip(&mut best) {
                    let bound =
                        |counts| predicted(counts, likely.len(), *delta, measured, deviations);
                    let (bound, threshold) = best_threshold(&likely, &unlikely, bound);
                    if best.as_ref().is_none_or(|(most, _)| bound > *most) {
                        *best = Some((bound, Self { score: score.clone(), threshold, favoured }));
                    }
                }
            }
        }
        best.into_iter().flatten().map(|(_, event)| event).collect()
    }

    /// Whether the event contains `view`.
    pub(crate) fn holds(&self, view: &[i64]) -> bool {
        self.favoured.sign() * self.score.of(view) >= self.threshold
    }

    /// The event in words, such as `coordinate 0 is at least 3.0000`.
    pub(crate) fn name(&self) -> String {
        let comparison = match self.favoured {
            Input::First => format!("at least {:.4}", self.threshold),
            Input::Second => format!("at most {:.4}", -self.threshold),
        };
        format!("{} is {comparison}", self.score.name())
    }
}

/// The largest predicted lower bound on ε, −∞ if there is none, and its threshold. `likely` and
/// `unlikely` are directed scores of equally many views under the favoured and the other input, in
/// falling order.
fn best_threshold(
    likely: &[f64],
    unlikely: &[f64],
    bound: impl Fn([usize; 2]) -> f64,
) -> (f64, f64) {
    let mut best = (f64::NEG_INFINITY, 0.0);
    let (mut first, mut second) = (0, 0);
    while let Some(&threshold) = likely.get(first) {
        first += likely[first..].iter().take_while(|score| **score >= threshold).count();
        second += unlikely[second..].iter().take_while(|score| **score >= threshold).count();
        let bound = bound([first, second]);
        if bound > best.0 {
            best = (bound, threshold);
        }
    }
    best
}

/// Approximate lower bound on ε for an event that held in `counts` of `runs` runs, if `measured` runs
/// measure it; −∞ if there is none. Counts are taken one standard error worse, so that the luckiest
/// threshold does not win.
fn predicted(counts: [usize; 2], runs: usize, delta: f64, measured: u64, deviations: f64) -> f64 {
    let [first, second] = counts.map(|count| float(count as u64));
    let likely = (first - first.sqrt()).max(0.0) / float(runs as u64);
    let unlikely = (second + second.sqrt() + 1.0) / float(runs as u64);
    let measured = float(measured);
    let low = likely - deviations * (likely * (1.0 - likely) / measured).sqrt();
    let spread = deviations * (unlikely * (1.0 - unlikely).max(0.0) / measured).sqrt();
    let high = unlikely + spread + deviations / measured;
    if low <= delta { f64::NEG_INFINITY } else { ((low - delta) / high).ln() }
}
