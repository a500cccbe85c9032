//! How many ones a randomized vector has, and whether it is sent.
//!
//! A vector of `length` bits of which `own` are set is randomized by symmetric RAPPOR with x = e^(−ε₀), the odds
//! of a flip. It keeps a of its own ones and gains b others with a probability in proportion to
//!
//! ```text
//! C(own, a)·x^(own − a)·C(length − own, b)·x^b,      in all (1 + x)^length,
//! ```
//!
//! and is sent if a + b is at most the bound on its weight. Given a and b, all sets of a own places and of b
//! other places are as likely as each other.

use std::sync::Arc;

use dp_exact::{Interval, PrecisionError, Rational};

use super::probability::Probability;

/// Which vectors are randomized, and which of the results are sent.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    /// ε₀
    pub(super) epsilon0: Rational,
    /// Their bits.
    pub(super) length: u32,
    /// The most ones of one that is sent.
    pub(super) sent_weight: u32,
}

/// A number of own ones that are kept and one of others that are gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) kept: usize,
    pub(super) gained: usize,
}

/// The law of a vector with so many ones.
#[derive(Debug)]
pub(super) struct WeightLaw {
    /// That it is not sent.
    pub(super) dropped: Probability,
    /// The classes of those that are sent.
    pub(super) classes: Vec<Class>,
    /// The probability of each class but the last among those that are sent and in no class before it.
    pub(super) conditional: Vec<Probability>,
    /// That a bit is flipped.
    pub(super) flip: Probability,
}

impl WeightLaw {
    /// The law of vectors with `own` ones.
    ///
    /// # Errors
    /// If no precision tells its probabilities.
    pub(super) fn new(vectors: &Vectors, own: u32) -> Result<Self, PrecisionError> {
        let classes = Arc::new(classes(vectors, own));
        let law = (vectors.clone(), Arc::clone(&classes));
        let mut probabilities = Probability::reals(classes.len() + 1, move |precision| {
            let (vectors, classes) = &law;
            enclosed(vectors, own, classes, precision)
        })?;
        let conditional = probabilities.split_off(2);
        Ok(Self {
            flip: probabilities.pop().ok_or(PrecisionError)?,
            dropped: probabilities.pop().ok_or(PrecisionError)?,
            conditional,
            classes: classes.to_vec(),
        })
    }
}

impl WeightLaw {
    /// The most ones that a vector that is sent gains.
    pub(super) fn most_gained(&self) -> usize {
        let gained = self.classes.iter().map(|class| class.gained);
        gained.max().unwrap_or(0)
    }
}

/// That a vector is not sent, that a bit is flipped, and of a vector that is sent that it is in each class but the last, if it is in none
/// before.
fn enclosed(
    vectors: &Vectors,
    own: u32,
    classes: &[Class],
    precision: u32,
) -> Option<Vec<Interval>> {
    let one = Interval::integer(1, precision);
    let odds = Interval::rational(&-&vectors.epsilon0, precision).exp()?;
    let gained = terms(
        vectors.length.saturating_sub(own),
        vectors.sent_weight,
        &odds,
        precision,
    )?;
    let lost = terms(own, own, &odds, precision)?;
    let own = usize::try_from(own).ok()?;
    let mass = |class: &Class| {
        // C(own, kept) = C(own, own - kept), which are lost.
        Some(lost.get(own.checked_sub(class.kept)?)? * gained.get(class.gained)?)
    };
    let masses: Vec<Interval> = classes.iter().map(mass).collect::<Option<_>>()?;
    let mut from_here = Interval::integer(0, precision);
    let mut conditional = Vec::with_capacity(masses.len());
    for mass in masses.iter().rev() {
        from_here = from_here + mass;
        conditional.push(mass.checked_div(&from_here)?);
    }
    let of_two = odds + &one;
    conditional.push(one.checked_div(&of_two).map(|kept| &one - &kept)?);
    let all = of_two.powi(vectors.length);
    conditional.push(one - &from_here.checked_div(&all)?);
    conditional.reverse();
    // The last class takes what is left.
    conditional.pop();
    Some(conditional)
}

/// C(n, i)·x^i for i from 0 to the lesser of n and `last`.
fn terms(n: u32, last: u32, odds: &Interval, precision: u32) -> Option<Vec<Interval>> {
    let mut term = Interval::integer(1, precision);
    let mut terms = vec![term.clone()];
    for place in 0..n.min(last) {
        let factor = Interval::integer(n - place, precision) * odds;
        term = (term * &factor).checked_div(&Interval::integer(place + 1, precision))?;
        terms.push(term.clone());
    }
    Some(terms)
}

/// All classes that are sent.
fn classes(vectors: &Vectors, own: u32) -> Vec<Class> {
    let others = vectors.length.saturating_sub(own);
    let kept = (0..=own.min(vectors.sent_weight)).rev();
    let pairs = kept.flat_map(|kept| {
        let gained = 0..=others.min(vectors.sent_weight - kept);
        gained.map(move |gained| (kept, gained))
    });
    let class = |(kept, gained)| {
        Some(Class {
            kept: usize::try_from(kept).ok()?,
            gained: usize::try_from(gained).ok()?,
        })
    };
    pairs.filter_map(class).collect()
}
