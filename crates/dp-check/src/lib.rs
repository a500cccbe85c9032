#![doc = include_str!("../README.md")]

mod aggregated_count;
mod composition;
mod draws;
mod json;
mod larger_variances;
mod loss_table;
mod noise;
mod number;
mod privacy_claim;
mod query;
mod statement;
mod wide_gaussian;

pub use statement::{Refusal, Statement};

use loss_table::WorkLimit;

/// Verifies a certificate and returns the statement that it proves, in about ten seconds and some
/// hundred megabytes at most.
///
/// # Errors
/// If the text is no certificate, the bound that its steering gives is above the claim, or this
/// crate does not verify such a claim.
pub fn check(certificate: &str) -> Result<Statement, Refusal> {
    check_within(certificate, loss_table::MOST_WORK)
}

/// [`check`] within `work` units of work of about a nanosecond. [`check`] allows 7·10^9.
///
/// # Errors
/// As [`check`], and if the verification takes more work.
pub fn check_within(certificate: &str, work: u64) -> Result<Statement, Refusal> {
    let (fields, steering, question) = privacy_claim::open(certificate)?;
    if fields.has("probability") || fields.has("passes") {
        steering.end()?;
        let verify = if fields.has("passes") { draws::table } else { draws::exceed };
        return verify(fields, work).map(|words| Statement(words + &question));
    }
    let (claim, steering) = privacy_claim::read(fields, steering)?;
    // 64 bits more than δ has, and the bits that roundings lose.
    let changed = claim.releases.iter().map(|release| release.changed).fold(1, u64::saturating_add);
    let bits = number::bits_below_one(&claim.delta) + 80 + u64::from(changed.ilog2());
    let mut work = WorkLimit::new(bits, work)?;
    match claim.every_larger_variance {
        true => larger_variances::verify(&claim, &steering, &mut work)?,
        false => composition::verify(&claim, &steering, &mut work)?,
    }
    Ok(Statement(claim.words + &question))
}
