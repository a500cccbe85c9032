//! What promises mean for one person, in a sentence for readers who are no engineers.

use dp_calibration::{Adjacency, TrustModel};
use dp_exact::Rational;
use dp_prio3::Loss;

use crate::figures::percent_up;
use crate::risk::Pair;

/// A pair (ε, δ) that is promised of some releases; none where nothing is.
pub(crate) struct Promised<'a> {
    /// The releases: `the result`, `all 30 results together`.
    pub(crate) of: String,
    pub(crate) pair: Option<(&'a Rational, &'a Rational)>,
    /// Which batches are neighbours.
    pub(crate) adjacency: Adjacency,
}

impl Promised<'_> {
    fn protects(&self) -> bool {
        self.pair
            .is_some_and(|(epsilon, delta)| !is_weak(epsilon, delta))
    }

    /// How sure a guess of 50 % between two things that a person may have reported can become, from 0 to 1.
    fn sure(&self) -> Rational {
        let pair = self
            .pair
            .and_then(|(epsilon, delta)| Pair::new(epsilon, delta));
        let pair = pair.and_then(|pair| match self.adjacency {
            Adjacency::Replacement => Some(pair),
            Adjacency::Deletion => pair.twice(),
        });
        let half = Rational::new(1, 2).unwrap_or_else(|_| Rational::one());
        pair.map_or_else(Rational::one, |pair| pair.posterior(&half))
    }

    /// How well each person is protected: not at all well where a guess can become nearly certain.
    fn how(&self) -> &'static str {
        let nearly = &self.sure() * &Rational::from(100u64) > Rational::from(99u64);
        if nearly {
            "hardly protected"
        } else {
            "protected"
        }
    }

    /// To how much 50 % can grow, and whether it may grow further.
    fn grown(&self) -> String {
        let but = match self.pair {
            Some((_, delta)) if !delta.is_zero() => " (but for the small chance delta)",
            _ => "",
        };
        format!("at most {} sure{but}", percent_up(&self.sure()))
    }
}

/// Whether a pair protects nobody.
pub(crate) fn is_weak(epsilon: &Rational, delta: &Rational) -> bool {
    Loss::of_pair(epsilon, delta).is_none_or(|loss| loss.protects_nobody())
}

/// Who is protected by the promise of one release, and by that of all releases where there are several.
pub(crate) fn verdict(
    one: &Promised<'_>,
    all: Option<&Promised<'_>>,
    aggregators: usize,
    model: TrustModel,
) -> String {
    let condition = condition(aggregators, model);
    let last = all.unwrap_or(one);
    match (one.protects(), last.protects()) {
        (_, true) => format!(
            "Each person is {}: whoever sees {} and was 50 % sure of a guess about one person can become {}. This holds \
             {condition}.",
            last.how(),
            last.of,
            last.grown()
        ),
        (true, false) => format!(
            "Each person is {} in {}: whoever was 50 % sure of a guess about one person can become {}. But nobody is \
             protected in {}. This holds {condition}.",
            one.how(),
            one.of,
            one.grown(),
            last.of
        ),
        (false, false) => format!(
            "Nobody is protected: {} may give away what one person reported, even {condition}.",
            one.of
        ),
    }
}

/// Who has to follow the rules.
fn condition(aggregators: usize, model: TrustModel) -> String {
    let clients = match model.needs_other_clients() {
        true => " and most people do",
        false => "",
    };
    match usize::from(model.honest_aggregators()) {
        0 => "if all others work together against that person".to_owned(),
        all if all == aggregators => format!("if all {all} operators follow the rules{clients}"),
        1 => format!("if at least one of the {aggregators} operators follows the rules{clients}"),
        several => {
            format!(
                "if at least {several} of the {aggregators} operators follow the rules{clients}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static NONE: LazyLock<Rational> = LazyLock::new(Rational::zero);

    fn promised<'a>(of: &str, epsilon: &'a Rational) -> Promised<'a> {
        Promised {
            of: of.to_owned(),
            pair: Some((epsilon, &NONE)),
            adjacency: Adjacency::Replacement,
        }
    }

    #[test]
    fn a_verdict_says_who_is_protected_and_when() {
        let number = |text: &str| text.parse::<Rational>().expect("a number");
        let (one, ten, fifty) = (number("1"), number("10"), number("50"));
        let model = TrustModel::OneAggregatorOneClient;
        let said = |first: &Rational, all: Option<&Rational>| {
            let all = all.map(|epsilon| promised("all 30 results together", epsilon));
            verdict(&promised("one result", first), all.as_ref(), 2, model)
        };
        let good = said(&one, None);
        assert!(
            good.starts_with("Each person is protected: whoever sees one result"),
            "{good}"
        );
        assert!(good.contains("at most 73.11 % sure"), "{good}");
        assert!(
            good.ends_with("if at least one of the 2 operators follows the rules."),
            "{good}"
        );
        let once = said(&one, Some(&fifty));
        assert!(
            once.contains("protected in one result")
                && once.contains("nobody is protected in all 30"),
            "{once}"
        );
        let hardly = said(&ten, None);
        assert!(
            hardly.starts_with("Each person is hardly protected"),
            "{hardly}"
        );
        let deleted = Promised {
            adjacency: Adjacency::Deletion,
            ..promised("the result", &one)
        };
        // 1/(1 + e^-2) = 0.880797…
        let twice = verdict(&deleted, None, 2, model);
        assert!(twice.contains("at most 88.08 % sure"), "{twice}");
        assert!(said(&fifty, Some(&fifty)).starts_with("Nobody is protected: one result"));
        let nothing = Promised {
            of: "the result".to_owned(),
            pair: None,
            adjacency: Adjacency::Replacement,
        };
        let alone = verdict(&nothing, None, 2, TrustModel::OneClient);
        assert!(alone.starts_with("Nobody is protected"), "{alone}");
    }
}
