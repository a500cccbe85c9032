//! The least ε that a theorem proves of many releases together.

use dp_calibration::Error;
use dp_exact::{Delta, Rational};

use crate::{Accountant, AccountedMechanism, Theorem, classical};

/// The guarantee of many releases together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Composition {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// The theorem that proves `upper`.
    pub by: Theorem,
    /// (ε, δ) holds for no ε < `lower`, as for
    /// [`ComposedEpsilon::lower`](crate::ComposedEpsilon::lower); `None` where that was not computed.
    pub lower: Option<Rational>,
    /// The ε of the sum of zero-concentrated guarantees; `None` if a release has none.
    pub concentrated: Option<Rational>,
}

/// The ε at δ of `times` of each release together.
///
/// # Errors
/// If a parameter is out of its range, or no theorem says anything.
pub fn compose(
    releases: &[(AccountedMechanism, u32)],
    delta: &Delta,
) -> Result<Composition, Error> {
    let accountant = accountant(releases);
    if let Ok(accountant) = &accountant {
        accountant.check_delta(delta)?;
    }
    let concentrated = classical::concentrated(releases, delta)?;
    let sum = concentrated.clone().map(|epsilon| (epsilon, Theorem::ZeroConcentrated));
    // Where the sum gives an ε, a refusal of the accountant is no error: it refuses too many releases,
    // and noise that is wider than it follows; zero-concentrated privacy is nearly tight there.
    let ((upper, by), lower) = match (accountant.and_then(|all| all.epsilon(delta)), sum) {
        (Ok(bounds), Some(sum)) if sum.0 < bounds.upper => (sum, Some(bounds.lower)),
        (Ok(bounds), _) => ((bounds.upper, bounds.by), Some(bounds.lower)),
        (Err(_), Some(sum)) => (sum, None),
        (Err(error), None) => return Err(error),
    };
    Ok(Composition { upper, by, lower, concentrated })
}

/// An accountant of all `releases`.
fn accountant(releases: &[(AccountedMechanism, u32)]) -> Result<Accountant, Error> {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release.clone(), *times)?;
    }
    Ok(accountant)
}

impl Composition {
    /// The proof of `upper`, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        self.by.statement().to_owned()
            + " The data and each mechanism may be chosen after seeing the earlier releases, as long as \
               the parameters listed here are fixed beforehand."
    }
}
