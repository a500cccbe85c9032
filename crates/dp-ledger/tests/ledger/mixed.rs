//! Adaptive adversaries with mechanisms of every kind, played on a real ledger: each history of releases is
//! spent in its order, with attempts that do not fit and repeated names in between.
//!
//! What a strategy comes to is Σ (P − e^ε·Q)₊ over its leaves, in both directions. The outcomes of each mechanism
//! are enumerated exactly; sums are in floating point, far more exact than the margins.

use std::cell::RefCell;
use std::collections::HashMap;

use dp_calibration::{Budget, Corner, NoiseLaw};
use dp_ledger::{
    Declared, DominatedBy, Ledger, LedgerError, Mechanism, Noise, Randomizer, Release, Rule,
    Spending, Terms,
};

use crate::{approximate, pure};

type Outcomes = Vec<(f64, f64)>;

struct Move {
    release: Release,
    outcomes: Outcomes,
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

/// Says in the clear, with probability δ, that the data are the first ones, and else nothing.
fn one_sided(slack: &str) -> Move {
    let delta = number(slack);
    Move {
        release: Release::new(approximate("0.000001", slack)),
        outcomes: vec![(delta, 0.0), (1.0 - delta, 1.0)],
    }
}

/// Randomized response that with probability δ is in the clear.
fn response(epsilon: &str, slack: &str) -> Move {
    let (odds, delta) = (number(epsilon).exp(), number(slack));
    let (truth, lie) = (
        (1.0 - delta) * odds / (odds + 1.0),
        (1.0 - delta) / (odds + 1.0),
    );
    Move {
        release: Release::new(approximate(epsilon, slack)),
        outcomes: vec![(delta, 0.0), (0.0, delta), (truth, lie), (lie, truth)],
    }
}

/// One of three answers.
fn ternary(epsilon: &str) -> Move {
    let odds = number(epsilon).exp();
    let (truth, lie) = (odds / (odds + 2.0), 1.0 / (odds + 2.0));
    let answers = Randomizer::KaryRandomizedResponse {
        answers: 3,
        epsilon: epsilon.parse().expect("positive"),
    };
    Move {
        release: Release::new(pure(epsilon)).with_mechanism(Mechanism::Clients(answers)),
        outcomes: vec![(truth, lie), (lie, truth), (lie, lie)],
    }
}

/// Two bits of a one-hot vector, each flipped; the vector (1, 1) is not sent, which is seen.
fn flips(epsilon0: &str) -> Move {
    let odds = number(epsilon0).exp();
    let (kept, flipped) = (odds / (odds + 1.0), 1.0 / (odds + 1.0));
    let rappor = Randomizer::SymmetricRappor {
        epsilon0: epsilon0.parse().expect("positive"),
        length: 2,
        input_weight: 1,
        is_one_hot: true,
        sent_weight: 1,
    };
    let both = (2.0 * number(epsilon0)).to_string();
    Move {
        release: Release::new(pure(&both)).with_mechanism(Mechanism::Clients(rappor)),
        outcomes: vec![
            (kept * kept, flipped * flipped),
            (flipped * flipped, kept * kept),
            (kept * flipped, kept * flipped),
            (kept * flipped, kept * flipped),
        ],
    }
}

fn laplace_noise(scale: &str, coordinates: u64) -> Noise {
    let scale = scale.parse().expect("a number");
    Noise {
        law: NoiseLaw::DiscreteLaplace { scale },
        corner: Corner::new(coordinates, 1_u32).expect("in range"),
    }
}

/// Discrete Laplace noise on coordinates that move by 1 each. Of each is shown on which side of the middle it is:
/// the likelihood ratio of single places is no other.
fn laplace(scale: &str, coordinates: u32) -> Move {
    // P(X ≤ 0) = 1/(1 + e^(−1/t)).
    let ratio = (-1.0 / number(scale)).exp();
    let (below, above) = (1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
    let one = [(below, above), (above, below)];
    let mut outcomes = vec![(1.0, 1.0)];
    for _ in 0..coordinates {
        let longer = outcomes.iter().flat_map(|(p, q)| {
            let next = |(one, other): (f64, f64)| (p * one, q * other);
            one.map(next)
        });
        outcomes = longer.collect();
    }
    let noise = laplace_noise(scale, coordinates.into());
    // What it promises is more than the noise costs.
    let release = Release::new(approximate("3", "0.01"));
    Move {
        release: release.with_mechanism(Mechanism::Aggregators(noise)),
        outcomes,
    }
}

struct Game<'a> {
    moves: &'a [Move],
    terms: &'a Terms,
    epsilon: f64,
    /// Which releases are taken after each history.
    taken: RefCell<HashMap<Vec<usize>, Vec<bool>>>,
    /// A fault: the last release of a history is not counted.
    is_late: bool,
}

impl<'a> Game<'a> {
    fn new(moves: &'a [Move], terms: &'a Terms, epsilon: f64) -> Self {
        for one in moves {
            let total = one
                .outcomes
                .iter()
                .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            assert!((total.0 - 1.0_f64).abs() < 1e-12 && (total.1 - 1.0_f64).abs() < 1e-12);
        }
        Self {
            moves,
            terms,
            epsilon,
            taken: RefCell::default(),
            is_late: false,
        }
    }

    /// The worse of both directions.
    fn delta(&self) -> f64 {
        let forth = self.best(&mut Vec::new(), 1.0, 1.0, false);
        forth.max(self.best(&mut Vec::new(), 1.0, 1.0, true))
    }

    fn best(&self, history: &mut Vec<usize>, p: f64, q: f64, is_back: bool) -> f64 {
        let mut best = (p - self.epsilon.exp() * q).max(0.0);
        if p == 0.0 || q == 0.0 {
            return best;
        }
        for (index, is_taken) in self.takes(history).into_iter().enumerate() {
            if !is_taken {
                continue;
            }
            history.push(index);
            let outcomes = self.moves[index].outcomes.iter();
            let sum = outcomes.map(|(one, other)| {
                let (one, other) = if is_back { (other, one) } else { (one, other) };
                self.best(history, p * one, q * other, is_back)
            });
            best = best.max(sum.sum());
            history.pop();
        }
        best
    }

    fn depth(&self) -> usize {
        let taken = self.taken.borrow();
        taken.keys().map(Vec::len).max().unwrap_or(0)
    }

    fn takes(&self, history: &[usize]) -> Vec<bool> {
        // Sums do not depend on the order. Which declared entries are used up does.
        let mut history = history.to_vec();
        if !matches!(self.terms.rule(), Rule::Declared { .. }) {
            history.sort_unstable();
        }
        if let Some(known) = self.taken.borrow().get(&history) {
            return known.clone();
        }
        let counted = history.len() - usize::from(self.is_late && !history.is_empty());
        let taken = self.taken_after(&history[..counted]);
        let known = taken.clone();
        self.taken.borrow_mut().insert(history, known);
        taken
    }

    /// Plays the history on a ledger. Whatever is refused or repeated at its end leaves it as it was.
    fn taken_after(&self, history: &[usize]) -> Vec<bool> {
        let mut ledger = Ledger::new(self.terms.clone()).expect("a limit in range");
        for (round, index) in history.iter().enumerate() {
            let spending = ledger.spend(&round.to_string(), &self.moves[*index].release, None);
            assert!(self.is_late || matches!(spending, Ok(Spending::New)));
        }
        let before = (ledger.spent().expect("a sum"), ledger.entries().len());
        let mut taken = Vec::with_capacity(self.moves.len());
        for one in self.moves {
            if let Some(last) = ledger.entries().last() {
                let (name, is_same) = (last.name().to_owned(), *last.release() == one.release);
                match ledger.spend(&name, &one.release, None) {
                    Ok(spending) => assert!(is_same && spending == Spending::Repeated),
                    Err(error) => {
                        assert!(!is_same && matches!(error, LedgerError::Conflict { .. }));
                    }
                }
            }
            let fits = ledger.room_for(&one.release).expect("a release") > 0;
            if !fits {
                let refused = ledger.spend("next", &one.release, None);
                assert!(matches!(refused, Err(LedgerError::Overspend { .. })));
            }
            taken.push(fits);
        }
        let after = (ledger.spent().expect("a sum"), ledger.entries().len());
        assert_eq!(before, after);
        taken
    }
}

fn assert_kept(moves: &[Move], terms: &Terms, limit: (&str, &str), least: f64) {
    let most = number(limit.1);
    let game = Game::new(moves, terms, number(limit.0));
    let found = game.delta();
    assert!(found <= most + 1e-12, "{found} is above {most}");
    assert!(
        found >= least * most,
        "{found}: nothing is tried that comes near {most}"
    );
    assert!(game.depth() >= 3, "{}", game.depth());
}

/// A fault: the last release of a history is not counted when the next is looked at.
fn assert_fault_is_found(moves: &[Move], terms: &Terms, limit: (&str, &str)) {
    let mut game = Game::new(moves, terms, number(limit.0));
    game.is_late = true;
    let found = game.delta();
    assert!(found > number(limit.1), "the fault is missed: {found}");
}

#[test]
fn sums_keep_their_limit_against_mechanisms_of_every_kind() {
    let limit = ("0.9", "0.08");
    let terms = Terms::new(approximate(limit.0, limit.1));
    let moves = [
        one_sided("0.04"),
        response("0.3", "0.02"),
        ternary("0.45"),
        flips("0.15"),
    ];
    assert_kept(&moves, &terms, limit, 0.9);
    assert_fault_is_found(&moves, &terms, limit);
}

#[test]
fn the_filter_of_rho_keeps_its_limit_against_mechanisms_of_every_kind() {
    let limit = ("0.8", "0.05");
    let budget = approximate(limit.0, limit.1);
    let lost = "0.035".parse().expect("in range");
    let rule = Rule::zero_concentrated_with(&budget, lost).expect("a rule");
    let terms = Terms::new(budget).with_rule(rule);
    let moves = [
        one_sided("0.0175"),
        response("0.35", "0.0175"),
        ternary("0.4"),
        laplace("4", 2),
    ];
    assert_kept(&moves, &terms, limit, 0.6);
}

/// Two entries of the list dominate the small noise, so that it depends on the order which of them is used up.
#[test]
fn a_list_keeps_its_limit_whichever_of_its_entries_are_used_up_first() {
    let limit = ("1.2", "0.12");
    let budget: Budget = approximate(limit.0, limit.1);
    let noise = |coordinates| DominatedBy::Noise(laplace_noise("2.5", coordinates));
    let private = DominatedBy::Private {
        epsilon: "0.45".parse().expect("positive"),
        delta: "0.02".parse().expect("in range"),
    };
    let one = |dominated_by, times| Declared {
        dominated_by,
        times,
    };
    let releases = vec![one(noise(2), 1), one(private, 2), one(noise(1), 1)];
    let terms = Terms::new(budget).with_rule(Rule::Declared { releases });
    let moves = [
        laplace("2.5", 1),
        laplace("2.5", 2),
        one_sided("0.02"),
        flips("0.2"),
    ];
    assert_kept(&moves, &terms, limit, 0.5);
    assert_fault_is_found(&moves, &terms, limit);
}
