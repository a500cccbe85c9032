//! The cost of a client's measurement by its norm, computed in equal steps for every norm.
//!
//! A measurement of squared norm n costs n·ρ₁, rounded up to a multiple of a grid g that has thirty digits of the largest
//! cost: ⌈n·N/D⌉·g with N/D = ρ₁/g. Big integers take longer the longer they are. So n and the quotient are added to
//! constants that are longer than any of them, and what this adds is taken away at the end:
//!
//! ```text
//! ⌈(n + m·D)·N / D⌉ − m·N = ⌈n·N/D⌉      (q + O)·g − O·g = q·g
//! ```

use std::sync::Arc;

use dp_calibration::Adjacency;
use dp_exact::{ParameterError, Rational};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;

use crate::amount::{Amount, DIGITS, PLACES};
use crate::charged_amounts::ChargedAmounts;
use crate::ledger::ChargedRelease;
use crate::{Entry, LedgerError, Release, Terms};

/// The constants m and O are 2 to this power. They are far longer than any cost in multiples of g,
/// so that a sum with m or O has one length for all costs.
const LONGER: u64 = 256;

/// The fewest decimal digits of the largest cost, in units of 10^−380: 1e-320, so that the grid has no amount below
/// 1e-350.
const FEWEST_DIGITS: u32 = 61;

/// The individual costs of a client's measurements in a ledger: the squared norm times the cost of a
/// squared norm of 1, up to the cost of the largest measurement.
pub struct IndividualCosts {
    terms: Terms,
    release: Release,
    /// N: a squared norm of 1 costs N/D multiples of g.
    numerator: BigUint,
    /// D
    denominator: BigUint,
    /// m·D and m·N.
    longer: [BigUint; 2],
    /// g = 10^zeros, in units of 10^−380: individual costs are multiples of it.
    grid: BigUint,
    /// The number of zeros of g.
    zeros: u32,
    /// A power of ten above all multiples of g.
    ceiling: BigUint,
    /// O and O·g.
    quotient: [BigUint; 2],
    /// The largest cost, in multiples of g.
    largest: BigUint,
}

impl IndividualCosts {
    /// The costs of measurements in a ledger of these terms: a squared norm of 1 costs `rho`, which is 1/(2σ²) for
    /// Gaussian noise of parameter σ². `release` is what the largest measurement costs.
    ///
    /// # Errors
    /// As [`Terms::charge`]; if the terms or the release are not for deletion, the rule is not
    /// [`Rule::ZeroConcentrated`](crate::Rule::ZeroConcentrated), `rho` is not positive, or the release costs less than
    /// 1e-320.
    pub fn new(terms: &Terms, release: &Release, rho: &Rational) -> Result<Self, LedgerError> {
        let limit = terms.limit_charge()?;
        let worst = terms.charged("a report", release, &limit)?;
        let largest = worst.rho().filter(|_| {
            (terms.adjacency, release.adjacency) == (Adjacency::Deletion, Adjacency::Deletion)
        });
        let Some(largest) = largest else {
            let accepted = "a ledger under deletion, by the rule of zero-concentrated privacy";
            return Err(ParameterError::new("individual cost", rho, accepted).into());
        };
        let digits = largest.decimal_digits();
        if digits < FEWEST_DIGITS {
            let accepted = "a release that costs at least 1e-320";
            return Err(ParameterError::new("release", &release.budget, accepted).into());
        }
        let zeros = digits - DIGITS;
        let grid = BigUint::from(10_u32).pow(zeros);
        let one = rho * Amount::units_of_one();
        let ratio = one.checked_div(&Rational::integer(BigInt::from(grid.clone())));
        let ratio = ratio
            .filter(Rational::is_positive)
            .ok_or_else(|| ParameterError::new("rho", rho, "a number greater than 0"))?;
        let numerator = ratio.numerator().magnitude().clone();
        let denominator = ratio.denominator().magnitude().clone();
        let power = BigUint::from(1_u32) << LONGER;
        Ok(Self {
            terms: terms.clone(),
            release: release.clone(),
            longer: [&denominator * &power, &numerator * &power],
            quotient: [power.clone(), &power * &grid],
            largest: largest.units() / &grid,
            zeros,
            ceiling: BigUint::from(10_u32).pow(DIGITS + 1),
            numerator,
            denominator,
            grid,
        })
    }

    /// The release that the largest measurement costs.
    #[must_use]
    pub const fn release(&self) -> &Release {
        &self.release
    }

    /// Refuses `terms` that differ from the terms of [`Self::new`].
    pub(crate) fn check(&self, terms: &Terms) -> Result<(), ParameterError> {
        if self.terms == *terms {
            return Ok(());
        }
        let accepted = "costs that were made for the terms of this ledger";
        Err(ParameterError::new("own costs", "of other terms", accepted))
    }

    /// A cost of 0: as amounts, and as digits of the fixed length.
    pub(crate) fn nothing(&self) -> (ChargedAmounts, String) {
        let nothing = ChargedAmounts::of_rho(Amount::default());
        (nothing, self.words(&BigUint::ZERO))
    }

    /// The entry of a release of this `name` that costs `charge`.
    pub(crate) fn entry(&self, name: &Arc<str>, charge: ChargedAmounts) -> Entry {
        let release = self.release.clone();
        Entry {
            name: Arc::clone(name),
            booking: Arc::new(ChargedRelease { release, charge }),
            shares: None,
        }
    }

    /// The cost of a measurement with this squared norm, rounded up: as amounts, and as digits of the fixed
    /// length. Refuses a squared norm whose cost exceeds the cost of the largest measurement.
    pub(crate) fn charge(
        &self,
        squared_norm: &BigUint,
    ) -> Result<(ChargedAmounts, String), ParameterError> {
        let [of_denominator, of_numerator] = &self.longer;
        let quotient = ((of_denominator + squared_norm) * &self.numerator)
            .div_ceil(&self.denominator)
            - of_numerator;
        if quotient > self.largest {
            let accepted = "at most that of the largest measurement";
            return Err(ParameterError::new("squared norm", "too large", accepted));
        }
        let words = self.words(&quotient);
        let [longer, of_grid] = &self.quotient;
        let rho = Amount::of_units((quotient + longer) * &self.grid - of_grid);
        Ok((ChargedAmounts::of_rho(rho), words))
    }

    /// `multiples` of g as a decimal number; it has as many digits for every cost.
    fn words(&self, multiples: &BigUint) -> String {
        let padded = (multiples + &self.ceiling).to_string();
        format!("{}e-{}", &padded[1..], PLACES - self.zeros)
    }
}

impl std::fmt::Debug for IndividualCosts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndividualCosts").field("release", &self.release).finish_non_exhaustive()
    }
}
