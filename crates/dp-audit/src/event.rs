//! Events: sets of views, by a threshold on a score, that are likelier under one input.

use crate::confidence::float;
use crate::sample::Sample;
use crate::score::Score;
use crate::views::Input;

/// The set of views whose directed score is at least `threshold`: the `score`, or its negative if
/// [`Input::Second`] is favoured.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    score: Score,
    /// Lower bound on the directed score.
    threshold: f64,
    /// The input under which the event is likelier.
    favoured: Input,
}

/// The lower bound on ε for which an event is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventGoal {
    /// The δ at which ε is bounded.
    pub(crate) delta: f64,
    /// Number of runs of each input that measure the event.
    pub(crate) runs: u64,
    /// Distance of a confidence bound from an estimated probability, in standard errors.
    pub(crate) deviations: f64,
}

impl Event {
    /// For each goal, in order, the event with the largest predicted lower bound on ε, among all
    /// thresholds of all `scores`. `samples` are views of the first and of the second input.
    pub(crate) fn chosen(
        scores: &[Score],
        samples: &[Sample; 2],
        goals: &[EventGoal],
    ) -> Vec<Self> {
        let mut best: Vec<Option<(f64, Self)>> = vec![None; goals.len()];
        for score in scores {
            for favoured in Input::BOTH {
                let falling_scores = |input: Input| {
                    let rows = samples[input.index()].rows();
                    let mut scored: Vec<f64> =
                        rows.map(|view| directed(score.of(view), favoured)).collect();
                    scored.sort_unstable_by(|one, other| other.total_cmp(one));
                    scored
                };
                let (likely, unlikely) =
                    (falling_scores(favoured), falling_scores(favoured.other()));
                for (goal, best) in goals.iter().zip(&mut best) {
                    let (bound, threshold) = goal.threshold(&likely, &unlikely);
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
        directed(self.score.of(view), self.favoured) >= self.threshold
    }

    /// The input under which the event is likelier.
    pub(crate) const fn favoured(&self) -> Input {
        self.favoured
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

/// The score, or its negative if the event favours the second input.
fn directed(score: f64, favoured: Input) -> f64 {
    match favoured {
        Input::First => score,
        Input::Second => -score,
    }
}

impl EventGoal {
    /// The largest predicted lower bound on ε, −∞ if there is none, and the threshold that gives
    /// it. `likely` and `unlikely` are directed scores of equally many views under the favoured and
    /// the other input, in falling order.
    fn threshold(&self, likely: &[f64], unlikely: &[f64]) -> (f64, f64) {
        let mut best = None;
        let (mut first, mut second) = (0, 0);
        while let Some(&threshold) = likely.get(first) {
            first += likely[first..].iter().take_while(|score| **score >= threshold).count();
            second += unlikely[second..].iter().take_while(|score| **score >= threshold).count();
            let bound = self.predicted([first, second], likely.len());
            if best.is_none_or(|(most, _)| bound > most) {
                best = Some((bound, threshold));
            }
        }
        best.unwrap_or((f64::NEG_INFINITY, 0.0))
    }

    /// Approximate lower bound on ε for an event that held in `counts` of `runs` runs under the
    /// favoured and the other input; −∞ if there is none. Counts are taken one standard error
    /// worse, so that the luckiest threshold does not win.
    fn predicted(&self, counts: [usize; 2], runs: usize) -> f64 {
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
