//! The best that is known of many releases together, and which theorem says so.

use dp_calibration::Error;
use dp_exact::{Delta, Rational};

use crate::{Accountant, LossBounds, Release, UpperBy, classical};

/// What bounds the ε of all releases together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theorem {
    /// The law of the sum of all privacy losses.
    LawOfLosses,
    /// The sum of the largest privacy losses.
    LargestLosses,
    /// Zero-concentrated privacy adds up.
    ZeroConcentrated,
    /// ε and δ add up.
    Basic,
    /// The optimal composition of equal (ε, δ) private releases.
    Optimal,
}

/// What many releases guarantee together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Composed {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// By this theorem.
    pub by: Theorem,
    /// (ε, δ) holds for no ε < `lower`, see [`LossBounds::lower`]; `None` where that was not computed.
    pub lower: Option<Rational>,
    /// What the theorems about single guarantees say, those that say something.
    pub others: Vec<(Theorem, Rational)>,
}

/// The ε at δ of `times` of each release together.
///
/// # Errors
/// If a parameter is out of its range, or no theorem says anything.
pub fn compose(releases: &[(Release, u32)], delta: &Delta) -> Result<Composed, Error> {
    // Where a theorem about single guarantees says something, too many releases are no error.
    if let Ok(accountant) = accountant(releases) {
        accountant.check_delta(delta)?;
    }
    let others = [
        (Theorem::ZeroConcentrated, classical::concentrated(releases, delta)?),
        (Theorem::Basic, classical::basic(releases, delta)),
        (Theorem::Optimal, classical::optimal(releases, delta)),
    ];
    let others = others.into_iter();
    let others: Vec<(Theorem, Rational)> =
        others.filter_map(|(theorem, epsilon)| Some((theorem, epsilon?))).collect();
    let least = others.iter().min_by(|one, other| one.1.cmp(&other.1));
    let Some((theorem, least)) = least else {
        return Ok(Composed::of(by_losses(releases, delta)?, others));
    };
    // The accountant refuses noise that is wider than it follows; zero-concentrated privacy is nearly tight there.
    Ok(match by_losses(releases, delta).ok() {
        Some(bounds) if *least >= bounds.upper => Composed::of(bounds, others),
        bounds => Composed {
            upper: least.clone(),
            by: *theorem,
            lower: bounds.map(|bounds| bounds.lower),
            others,
        },
    })
}

/// By the privacy losses: the law of their sum, or the sum of the largest ones.
fn by_losses(releases: &[(Release, u32)], delta: &Delta) -> Result<LossBounds, Error> {
    accountant(releases)?.epsilon(delta)
}

fn accountant(releases: &[(Release, u32)]) -> Result<Accountant, Error> {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release.clone(), *times)?;
    }
    Ok(accountant)
}

impl Composed {
    fn of(bounds: LossBounds, others: Vec<(Theorem, Rational)>) -> Self {
        Self {
            upper: bounds.upper,
            by: match bounds.by {
                UpperBy::Law => Theorem::LawOfLosses,
                UpperBy::LargestLosses => Theorem::LargestLosses,
            },
            lower: Some(bounds.lower),
            others,
        }
    }

    /// Why `upper` holds, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        self.by.statement().to_owned()
            + " The data and each mechanism may be chosen after seeing the earlier releases, as long as \
               the parameters listed here are fixed beforehand."
    }
}

impl Theorem {
    /// What it says, with its source.
    #[must_use]
    pub const fn statement(self) -> &'static str {
        match self {
            Self::LawOfLosses => {
                "The law of the sum of all privacy losses, on a lattice, with every rounding counted: \
                 exact where the losses lie on one that is not too fine, else on a grid, once spread so \
                 that delta can only grow and once merged so that it can only shrink."
            }
            Self::LargestLosses => {
                "The sum of the largest privacy losses, which no sum of losses exceeds: at this delta \
                 the law of the sum says no more."
            }
            Self::ZeroConcentrated => {
                "Zero-concentrated privacy adds up (Bun, Steinke 2016, Lemma 1.7), and the sum was \
                 converted at the best order."
            }
            Self::Basic => {
                "Basic composition: epsilon and delta add up (Dwork, Rothblum, Vadhan 2010), an equal \
                 share of delta for each release that needs one."
            }
            Self::Optimal => {
                "The optimal composition of equal (epsilon, delta) private releases (Kairouz, Oh, \
                 Viswanath 2015, Theorem 3.3)."
            }
        }
    }
}
