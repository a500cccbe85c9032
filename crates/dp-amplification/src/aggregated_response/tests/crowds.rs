//! On which side the bounds of a crowd are, against exact rationals.

use super::super::crowd::Crowd;
use super::super::survey::Survey;
use super::super::walk::Side;
use dp_exact::Rational;

/// A client's answers: the probability of its own value and of each other one, and how many others there are.
struct Answers {
    own: Rational,
    other: Rational,
    answers: u64,
}

impl Answers {
    fn of(survey: &Survey) -> Self {
        let e = exact(survey.e);
        let all = &e + &Rational::from(survey.answers - 1);
        let other = all.reciprocal().expect("positive");
        let (own, answers) = (&e * &other, survey.answers);
        Self {
            own,
            other,
            answers,
        }
    }

    /// δ at `alpha` of one client beside `others`, the law of the counts of its two values among them.
    fn divergence(&self, others: &[Vec<Rational>], alpha: &Rational) -> Rational {
        let zero = Rational::zero();
        let third = &self.other * &Rational::from(self.answers - 2);
        let at = |a: Option<usize>, b: Option<usize>| {
            let row = a.and_then(|a| others.get(a));
            let value = row.zip(b).and_then(|(row, b)| row.get(b));
            value.unwrap_or(&zero).clone()
        };
        let mut delta = Rational::zero();
        for a in 0..=others.len() {
            for b in 0..=others.len() {
                let first = at(a.checked_sub(1), Some(b));
                let second = at(Some(a), b.checked_sub(1));
                let neither = &third * &at(Some(a), Some(b));
                let p = &(&(&self.own * &first) + &(&self.other * &second)) + &neither;
                let q = &(&(&self.other * &first) + &(&self.own * &second)) + &neither;
                let excess = &p - &(alpha * &q);
                if excess.is_positive() {
                    delta = &delta + &excess;
                }
            }
        }
        delta
    }
}

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("finite")
}

/// The law of two of three counts, of `number` draws with these probabilities of the two.
fn counts(number: usize, one: &Rational, two: &Rational) -> Vec<Vec<Rational>> {
    let rest = &(&Rational::one() - one) - two;
    let mut law = vec![vec![Rational::one()]];
    for _ in 0..number {
        let size = law.len() + 1;
        let mut next = vec![vec![Rational::zero(); size]; size];
        for (a, row) in law.iter().enumerate() {
            for (b, mass) in row.iter().enumerate() {
                next[a][b] = &next[a][b] + &(mass * &rest);
                next[a + 1][b] = &next[a + 1][b] + &(mass * one);
                next[a][b + 1] = &next[a][b + 1] + &(mass * two);
            }
        }
        law = next;
    }
    law
}

const SURVEYS: [(f64, u64, u64); 5] = [
    (1.3, 3, 1),
    (148.5, 7, 1),
    (2.75, 4, 3),
    (7.3, 5, 6),
    (30.1, 3, 8),
];

/// Checks the bounds of [`SURVEYS`] at several α; those from below are of three answers.
fn bounds(side: Side, check: impl Fn(&Survey, f64, &Rational, f64)) {
    for (e, answers, clients) in SURVEYS {
        let survey = |answers| Survey {
            e,
            answers,
            clients,
        };
        let survey = survey(if side == Side::Lower { 3 } else { answers });
        let crowd = Crowd::new(survey, side, 60.0).expect("a crowd");
        for share in [0.0, 0.01, 0.1, 0.37, 0.8, 0.99, 0.9999, 0.999_999] {
            let alpha = 1.0 + share * (e - 1.0);
            check(&survey, alpha, &exact(alpha), crowd.delta(alpha));
        }
    }
}

#[test]
fn a_crowd_from_above_is_rounded_up() {
    bounds(Side::Upper, |survey, alpha, exactly, bound| {
        let law = Answers::of(survey);
        let k = Rational::from(survey.answers);
        let each = k.reciprocal().expect("positive");
        let others = usize::try_from(survey.clients - 1).expect("few");
        let uniform = counts(others, &(&k * &law.other), &Rational::zero());
        let terms = uniform.iter().enumerate().map(|(number, row)| {
            let told = counts(number, &each, &each);
            &row[0] * &law.divergence(&told, exactly)
        });
        let delta = terms.fold(Rational::zero(), |sum, term| &sum + &term);
        assert!(exact(bound) >= delta, "{survey:?} at {alpha}: {bound}");
        let most = &(&delta * &exact(1.0 + 1e-6)) + &exact(1e-15);
        assert!(exact(bound) <= most, "{survey:?} at {alpha}: {bound}");
    });
}

#[test]
fn a_crowd_from_below_is_rounded_down() {
    bounds(Side::Lower, |survey, alpha, exactly, bound| {
        let law = Answers::of(survey);
        let others = usize::try_from(survey.clients - 1).expect("few");
        let third = counts(others, &law.other, &law.other);
        let delta = law.divergence(&third, exactly);
        assert!(exact(bound) <= delta, "{survey:?} at {alpha}: {bound}");
        let most = &exact(bound) * &exact(1.0 + 1e-6);
        assert!(delta <= most, "{survey:?} at {alpha}: {bound}");
    });
}
