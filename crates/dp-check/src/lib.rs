#![doc = include_str!("../README.md")]

mod claim;
mod composition;
mod count;
mod draws;
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
    check_within(certificate, law::MOST_WORK)
}

/// The same if it takes at most so many units of work, each of about two nanoseconds: `check` allows 3·10^10.
///
/// # Errors
/// Those of [`check`].
pub fn check_within(certificate: &str, work: u64) -> Result<Statement, Refusal> {
    let (fields, steering) = claim::open(certificate)?;
    if fields.has("probability") || fields.has("passes") {
        steering.end()?;
        let verify = if fields.has("passes") { draws::table } else { draws::exceed };
        return verify(fields, work).map(Statement);
    }
    let (claim, steering) = claim::read(fields, steering)?;
    // 64 bits more than δ has, and as many as are lost.
    let moves = claim.releases.iter().map(|release| release.moves).fold(1, u64::saturating_add);
    let mut work = Work::new(number::bits_below_one(&claim.delta) + 80 + u64::from(moves.ilog2()), work)?;
    let verify = if claim.every_larger_variance { ranges::verify } else { composition::verify };
    verify(&claim, &steering, &mut work)?;
    Ok(Statement(claim.words))
}
