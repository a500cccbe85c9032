#![doc = include_str!("../README.md")]

mod claim;
mod composition;
mod count;
mod json;
mod law;
mod noise;
mod number;
mod query;
mod ranges;
mod statement;

pub use statement::{Refusal, Statement};

use law::Work;

/// Verifies a certificate, and says what it proves.
///
/// It takes at most some minutes and some hundred megabytes, whatever the text is.
///
/// # Errors
/// If the text is no certificate, if its claim does not follow from what its steering leads to, or if it is about
/// something that this crate does not verify.
pub fn check(certificate: &str) -> Result<Statement, Refusal> {
    let (claim, steering) = claim::read(certificate)?;
    // 64 bits more than δ has, and as many as are lost; one less than a multiple of 16, so that slots are full.
    let moves = claim.releases.iter().map(|release| release.moves).fold(1, u64::saturating_add);
    let bits = number::bits_below_one(&claim.delta) + 80 + u64::from(moves.ilog2());
    if bits > law::MOST_WEIGHT_BITS {
        return Err(statement::outside("a delta of less than some 1e-270"));
    }
    let mut work = Work::new(bits / 16 * 16 + 15);
    match claim.every_larger_variance {
        true => ranges::verify(&claim, &steering, &mut work)?,
        false => composition::verify(&claim, &steering, &mut work)?,
    }
    Ok(Statement::of(&claim))
}
