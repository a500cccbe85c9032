//! Certificates to try: the same claim with different steering, and with an ε that is a little larger.

use dp_calibration::{Corner, KnownSensitivity};
use dp_check::check;
use dp_exact::{Rational, Rounding};
use thiserror::Error;

use crate::certificate::{Certificate, Claimed};
use crate::claim::{Claim, Draws, Exceeded, Mechanism, Rappor, Release};
use crate::steering::{Counts, Crowd, Steering};

/// Digits of an ε that is made larger.
const DIGITS: usize = 20;

/// What to add to an ε, in parts of it. What the checker says of a crowd or of several noises is a little looser,
const LOOSER: [&str; 7] = ["3e-5", "2e-4", "1e-3", "4e-3", "0.02", "0.1", "0.3"];
/// in a large crowd more so, as its blocks are wide and each of them takes long,
const LARGE: u64 = 1_000_000;
/// of a composition it is that without a grid, and with one.
const COMPOSED: [&str; 1] = ["1e-9"];
const ON_A_GRID: [&str; 6] = ["1e-6", "3e-5", "1e-4", "1e-3", "0.01", "0.05"];

/// Steps of a grid to an ε.
const STEPS: [f64; 2] = [5e3, 2e4];

/// Into how many parts a range of variances is divided.
const PARTS: [u32; 3] = [1, 2, 8];

/// Certificates to try, the best one first.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    certificates: Vec<Certificate>,
    /// What of the answer the checker does not verify.
    outside: Option<&'static str>,
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unverified {
    /// The checker does not verify this.
    #[error("dp-check does not verify {0}")]
    Outside(&'static str),
    /// It accepts none of those that were tried; this is what it says of the last.
    #[error("{0}")]
    Refused(String),
}

impl Candidates {
    /// None, as the checker does not verify `what`.
    #[must_use]
    pub const fn outside(what: &'static str) -> Self {
        Self {
            certificates: Vec::new(),
            outside: Some(what),
        }
    }

    /// Certificates of a claim: as it is for noise of one aggregator; with an ε that is larger by some parts for sums of
    /// clients' bits, for the noise of several aggregators and for compositions of several kinds. What is known by Rényi
    /// divergences takes its order: [`Self::add`], with [`Steering::concentrated`] or [`Steering::at`].
    #[must_use]
    pub fn of(claim: &Claim) -> Self {
        match &claim.releases[..] {
            [
                Release {
                    mechanism: Mechanism::Noise { aggregators: 1, .. },
                    times: 1,
                },
            ] => {
                let mut candidates = Self::default();
                candidates.add(claim.clone(), Steering::default());
                candidates.add_larger(claim, &COMPOSED, &Steering::default());
                candidates
            }
            [
                Release {
                    mechanism: Mechanism::Rappor(rappor),
                    times: 1,
                },
            ] => Self::of_crowd(claim, rappor),
            _ => Self::of_composition(claim),
        }
    }

    /// Of Gaussian noise that keeps its promise at every larger variance: `cover` has the ends of the ranges for which that was
    /// proved, the variance itself first. Then of that variance alone.
    #[must_use]
    pub fn of_larger_variances(
        claim: &Claim,
        cover: &[Rational],
        sensitivity: &KnownSensitivity,
    ) -> Self {
        let l2_squared = Rational::integer(sensitivity.l2_squared()).to_f64();
        let (epsilon, delta) = (claim.epsilon.to_f64(), claim.delta.to_f64());
        let mut candidates = Self::default();
        for parts in PARTS {
            if let Some(steering) = Steering::larger(cover, parts, l2_squared, epsilon, delta) {
                let claim = Claim {
                    every_larger_variance: true,
                    ..claim.clone()
                };
                candidates.add(claim, steering);
            }
        }
        candidates.add(claim.clone(), Steering::default());
        candidates
    }

    /// Of the noise of several aggregators, the one release of a claim, on the numbers of a corner.
    #[must_use]
    pub fn of_several(claim: &Claim, corner: &Corner) -> Self {
        let mut candidates = Self::default();
        let times = f64::from(u32::try_from(corner.coordinates()).unwrap_or(u32::MAX));
        if let [
            Release {
                mechanism:
                    Mechanism::Noise {
                        noise, aggregators, ..
                    },
                ..
            },
        ] = &claim.releases[..]
        {
            let counts = Counts::of_noise(&noise.0, *aggregators, times);
            if let Some(crowd) = Crowd::of(&counts, claim.delta.to_f64()) {
                let steering = Steering::of_crowds(vec![crowd]);
                // At δ = 0 each noise by itself has to suffice, and nothing is loose.
                candidates.add(claim.clone(), steering.clone());
                candidates.add_larger(claim, &LOOSER[..6], &steering);
            }
        }
        candidates
    }

    fn of_crowd(claim: &Claim, rappor: &Rappor) -> Self {
        let mut candidates = Self::default();
        if let Some(crowd) = Crowd::of(&counts(rappor, 1), claim.delta.to_f64()) {
            let parts = if rappor.bits() < LARGE {
                &LOOSER[..]
            } else {
                &LOOSER[2..]
            };
            candidates.add_larger(claim, parts, &Steering::of_crowds(vec![crowd]));
        }
        candidates
    }

    fn of_composition(claim: &Claim) -> Self {
        let mut crowds = Vec::new();
        for release in &claim.releases {
            if let Mechanism::Rappor(rappor) = &release.mechanism {
                let counts = counts(rappor, release.times);
                crowds.extend(Crowd::of(&counts, claim.delta.to_f64()));
            }
        }
        let steering = Steering::of_crowds(crowds);
        let mut candidates = Self::default();
        candidates.add_larger(claim, &COMPOSED, &steering);
        for steps in STEPS {
            let steering = Steering {
                grid: Steering::grid(&claim.epsilon, steps),
                ..steering.clone()
            };
            candidates.add_larger(claim, &ON_A_GRID, &steering);
        }
        candidates
    }

    /// The one claim that draws exceed `bound` with at most this probability; none if that is too large, or 0.
    #[must_use]
    pub fn exceeded(draws: Draws, bound: impl TryInto<u64>, probability: Rational) -> Self {
        let mut candidates = Self::default();
        if let Ok(bound) = bound.try_into()
            && bound > 0
        {
            let claim = Exceeded {
                draws,
                bound,
                probability,
            };
            let certificate = Certificate::new(Claimed::Exceeded(claim), Steering::default());
            candidates.certificates.push(certificate);
        }
        candidates
    }

    /// One more, to be tried after the others.
    pub fn add(&mut self, claim: Claim, steering: Steering) {
        let certificate = Certificate::new(Claimed::Private(claim), steering);
        self.certificates.push(certificate);
    }

    /// The same claim with ε larger by each of these parts, in growing order.
    fn add_larger(&mut self, claim: &Claim, parts: &[&str], steering: &Steering) {
        for part in parts {
            let factor = part
                .parse::<Rational>()
                .map_or_else(|_| Rational::one(), |part| part + Rational::one());
            let epsilon = (&claim.epsilon * &factor).round_to_digits(DIGITS, Rounding::Up);
            let claim = Claim {
                epsilon,
                ..claim.clone()
            };
            self.add(claim, steering.clone());
        }
    }

    /// The first that the checker accepts.
    ///
    /// # Errors
    /// If it accepts none.
    pub fn checked(&self) -> Result<&Certificate, Unverified> {
        let mut reason = Unverified::Outside(self.outside.unwrap_or("answers of this kind"));
        for certificate in &self.certificates {
            match check(&certificate.to_string()) {
                Ok(_) => return Ok(certificate),
                Err(refused) => reason = Unverified::Refused(refused.to_string()),
            }
        }
        Err(reason)
    }
}

/// The counts that one client changes in so many sums.
fn counts(rappor: &Rappor, times: u32) -> Counts {
    let epsilon0 = rappor.epsilon0().value().to_f64();
    let counts = Counts::of_bits(epsilon0, rappor.bits(), 2.0 * f64::from(times));
    match rappor.noise() {
        Some(noise) => counts.with(&noise.0, 1),
        None => counts,
    }
}
