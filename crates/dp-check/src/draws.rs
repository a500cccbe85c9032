//! Claims about draws: that they stay within a bound, and that a sampler's tables are right.

use crate::aggregated_count::BitFlip;
use crate::json::Fields;
use crate::loss_table::WorkLimit;
use crate::number::*;
use crate::privacy_claim::{MOST_CLIENTS, noise};
use crate::statement::{Refusal, at_most, ensure, unproved};

// Limits of the passes of a sampler, and of their cells.
const MOST_PASSES: usize = 4;
const MOST_CELLS: usize = 1 << 17;

/// Verifies an upper bound on the probability that draws exceed a bound, and returns the statement.
/// The draws are the noise of all aggregators on any of several numbers, or the weight of
/// randomized bits, at most `weight` of them set.
pub(crate) fn exceed(mut fields: Fields, work: u64) -> Result<String, Refusal> {
    let (probability, written) = fields.positive("probability")?;
    let bound = fields.integer("bound", u64::MAX)?;
    let name = fields.text("mechanism")?;
    let mut work = WorkLimit::new(bits_below_one(&probability) + 144, work)?;
    let (first, weights, numbers, words);
    if name == "rappor" {
        let (epsilon0, epsilon) = fields.positive("epsilon0")?;
        let length = fields.integer("length", MOST_CLIENTS)?;
        let weight = fields.optional_integer("weight", length)?.unwrap_or(0);
        let flip = BitFlip::new(&epsilon0, &mut work)?;
        let (least, sum) = flip.sum(weight, length - weight, &mut work)?;
        (first, weights, numbers) = (BigInt::from(least), sum, 1);
        words = format!(
            "the weight of {length} bits, at most {weight} of them set, under symmetric RAPPOR \
             with epsilon0 {epsilon},"
        )
    } else {
        let (noise, aggregators, noisy) = noise(&name, &mut fields)?;
        numbers = fields.integer("numbers", u64::MAX)?;
        weights = noise.values(aggregators, &mut work)?;
        first = -BigInt::from(weights.len() / 2);
        words = format!("the size of {noisy}, of any of {numbers},");
    }
    fields.end()?;
    let is_within = |place: u64| (&first + place).magnitude() <= &BigUint::from(bound);
    let within = weights.iter().zip(0u64..).filter(|(_, place)| is_within(*place));
    let inside = BigInt::from(within.map(|(weight, _)| weight).sum::<BigUint>()).max(BigInt::one());
    let inverse = powered(&Ratio::new(unit(work.bits), inside), numbers, work.bits + 64)?;
    let exceeded = Rational::one() - inverse.recip();
    at_most("the probability to exceed the bound", &exceeded, &probability)?;
    Ok(format!("{words} exceeds {bound} with a probability of at most {written}"))
}

/// Verifies that a sampler's passes draw a distribution exactly, by docs/verification.md, and
/// returns the statement.
pub(crate) fn table(mut fields: Fields, work: u64) -> Result<String, Refusal> {
    let (noise, aggregators, words) = noise(&fields.text("mechanism")?, &mut fields)?;
    let (undecided, written) = fields.number("undecided")?;
    let is_signed = fields.flag("signed")?;
    let passes = fields.list("passes", MOST_PASSES, Some)?;
    fields.end()?;
    let mut work = WorkLimit::new(64 * (passes.len() as u64 + 1), work)?;
    let left = noise.values(aggregators, &mut work)?.into_iter();
    let mut left: Vec<BigInt> = left.map(BigInt::from).collect();
    let mut middle = left.len() / 2;
    if is_signed {
        left.drain(..std::mem::take(&mut middle));
        left[1..].iter_mut().for_each(|weight| *weight *= 2);
    }
    // The probability of this pass, in units of 2^−scale.
    let (mut so_far, mut scale, mut nothing) = (BigInt::one(), 0, BigInt::zero());
    for pass in passes {
        let mut pass = Fields::of(pass)?;
        let bits = pass.integer("bits", 64)?;
        let cells = pass.list("cells", MOST_CELLS, |cell| match cell.as_array()?.as_slice() {
            [outcome, words] => Some((outcome.as_i64()?, words.as_u64()?)),
            _ => None,
        })?;
        pass.end()?;
        scale += bits;
        let mut rest = unit(bits);
        for (outcome, words) in cells {
            // An outcome that is not listed has no probability.
            let place = (BigInt::from(outcome) + middle).to_usize();
            let weight = place.and_then(|place| left.get_mut(place)).unwrap_or(&mut nothing);
            *weight -= (&so_far * words) << (work.bits - scale);
            if weight.is_negative() {
                return Err(unproved(format!("{outcome} has more words than its probability")));
            }
            rest -= words;
        }
        ensure(!rest.is_negative(), unproved, "a pass has more words than there are")?;
        so_far *= rest;
    }
    at_most("the undecided part of the words", &Ratio::new(so_far, unit(scale)), &undecided)?;
    let sign = if is_signed { " and a fair sign" } else { "" };
    Ok(format!(
        "these passes{sign} draw {words} exactly, and are undecided with a probability of at most \
         {written}"
    ))
}
