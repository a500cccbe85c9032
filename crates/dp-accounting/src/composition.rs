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
    /// The ε of each theorem about single guarantees that applies.
    pub others: Vec<(Theorem, Rational)>,
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
    let others = [
        (Theorem::ZeroConcentrated, classical::concentrated(releases, delta)?),
        (Theorem::Basic, classical::basic(releases, delta)),
        (Theorem::Optimal, classical::optimal(releases, delta)),
    ];
    let others = others.into_iter();
    let others: Vec<(Theorem, Rational)> =
        others.filter_map(|(theorem, epsilon)| Some((theorem, epsilon?))).collect();
    let least = others.iter().min_by(|one, other| one.1.cmp(&other.1)).cloned();
    // Where a theorem about single guarantees gives an ε, a refusal of the accountant is no error: it refuses too
    // many releases, and noise that is wider than it follows; zero-concentrated privacy is nearly tight there.
    let (upper, by, lower) = match (accountant.and_then(|all| all.epsilon(delta)), least) {
        (Ok(bounds), Some((by, least))) if least < bounds.upper => (least, by, Some(bounds.lower)),
        (Ok(bounds), _) => (bounds.upper, bounds.by, Some(bounds.lower)),
        (Err(_), Some((by, least))) => (least, by, None),
        (Err(error), None) => return Err(error),
    };
    Ok(Composition { upper, by, lower, others })
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
