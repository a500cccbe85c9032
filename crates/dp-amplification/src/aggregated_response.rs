//! Aggregated k-ary randomized response: randomized answers that hide in a histogram.
//!
//! Every one of n honest clients answers with its own one of k values with probability
//! E/(E + k − 1), E = e^ε₀, and with each other one with 1/(E + k − 1). Only the histogram of the
//! answers is seen, which at least one honest aggregator ensures (the trust model "one aggregator,
//! most clients" of the Internet-Draft draft-wang-ppm-differential-privacy, section 3.3). The
//! answers of dishonest clients are known and can be subtracted. One client's value is replaced:
//!
//!   δ(ε) = sup over the others' data of the hockey-stick divergence sup_S P(S) − e^ε·Q(S).
//!
//! **From above, for every dataset of the others**: a client answers uniformly with probability
//! γ = k/(E + k − 1) and with its value otherwise. An adversary that is told which of the others
//! answered with their values can subtract them, and is left with uniform answers that hide the
//! client, whatever the data (Balle, Bell, Gascón, Nissim 2019, *The Privacy Blanket of the Shuffle
//! Model*). **From below**, by the dataset in which all others hold one third value. Both are
//! mixtures of fair walks (`crowd`) that differ little. Where ε is close to ε₀, the dataset in which
//! all others hold the client's value attains more (`alike`); for few clients and answers, all
//! datasets are listed (`enumeration`). Discrete Gaussian noise of an aggregator on top is bounded
//! together with the answers (`noisy`). The derivation is in `docs/aggregated-responses.md`.
//! Floating point numbers are rounded outward at every step that decides (`directed`).

mod alike;
mod certificate;
mod crowd;
mod deviation;
mod enumeration;
mod noisy;
mod releases;
mod survey;
#[cfg(test)]
mod tests;
mod thirds;
mod walk;

use dp_exact::{Delta, Epsilon, Rational, Refusal, Rounding, elementary};

use self::alike::Alike;
use self::crowd::Crowd;
use self::enumeration::Enumeration;
use self::noisy::NoisyCrowd;
use self::survey::Survey;
use self::walk::Side;
use crate::aggregated_rappor::{
    AggregatedRappor, BELOW_DELTA, DIGITS, MAX_CLIENTS, MAX_DEPTH, depth_for,
    flip::Flip,
    rounded_up,
    search::{refuted, solve},
    target,
};
use crate::bounds::{DeltaBounds, EpsilonBounds, OthersHold};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::Bounds;

/// The most answers.
const MAX_ANSWERS: u64 = u32::MAX as u64;

/// The histogram of n honest clients' answers under k-ary randomized response with parameter ε₀.
///
/// Two batches are neighbours if one client's value is replaced. In [`EpsilonBounds::attained_by`]
/// all that hold neither of the two values hold one and the same third value.
///
/// ```
/// use dp_amplification::aggregated_response::AggregatedResponse;
///
/// let survey = AggregatedResponse::new("3".parse()?, 5, 10_000)?;
/// let epsilon = survey.epsilon(&"1e-6".parse()?)?;
/// assert!(epsilon.upper.to_f64() < 0.21027 && epsilon.lower.to_f64() > 0.21025);
/// // Nearly the worst for the client: all others hold a value that it does not hold.
/// assert_eq!(epsilon.attained_by.neither, 9_999);
/// // Nobody else is honest:
/// assert_eq!(*survey.local_epsilon(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AggregatedResponse {
    epsilon0: Epsilon,
    answers: u64,
    clients: u64,
    e: Bounds,
}

/// What is computed from.
enum Method {
    /// Two answers are one randomized bit.
    Binary(AggregatedRappor),
    /// All datasets.
    Listed(Enumeration),
    /// A bound for all datasets, and one dataset.
    Bounded,
}

impl AggregatedResponse {
    /// The answers of `clients` honest clients, the protected one among them, each one of
    /// `answers` values.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, there are fewer than 2 answers or more than 2^32 − 1, or
    /// there are no clients or more than 10^10.
    pub fn new(epsilon0: Epsilon, answers: u64, clients: u64) -> Result<Self, Error> {
        if !(2..=MAX_ANSWERS).contains(&answers) {
            let accepted = "an integer from 2 to 4294967295";
            return Err(Error::parameter("answers", answers, accepted));
        }
        if clients == 0 || clients > MAX_CLIENTS {
            let accepted = "an integer from 1 to 10000000000";
            return Err(Error::parameter("clients", clients, accepted));
        }
        let e = Flip::new(&epsilon0)?.e;
        Ok(Self {
            epsilon0,
            answers,
            clients,
            e,
        })
    }

    /// ε₀
    #[must_use]
    pub fn epsilon0(&self) -> &Epsilon {
        &self.epsilon0
    }

    /// k
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// The number of honest clients.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.clients
    }

    /// The guarantee of the client alone, which holds whatever the others do: ε₀, with δ = 0.
    #[must_use]
    pub fn local_epsilon(&self) -> &Rational {
        self.epsilon0.value()
    }

    /// The ε at δ: an upper bound for every dataset of the others, and a lower bound attained by
    /// one.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9.
    pub fn epsilon(&self, delta: &Delta) -> Result<EpsilonBounds, Error> {
        let method = self.method()?;
        if let Method::Binary(bit) = method {
            let bounds = bit.epsilon(delta, Adjacency::Deletion)?;
            return Ok(EpsilonBounds {
                attained_by: binary(bounds.attained_by),
                ..bounds
            });
        }
        let local = self.local_epsilon();
        if delta.value().is_zero() {
            // If everybody answers with the client's value, the ratio is that of the client alone.
            return Ok(EpsilonBounds {
                upper: local.clone(),
                lower: local.clone(),
                attained_by: self.all_a_third(),
            });
        }
        let target = target(delta)?;
        let depth = depth_for(target);
        if let Method::Listed(listed) = method {
            let lower = refuted(target, local, |alpha| listed.lower(alpha).0);
            let named = Bounds::exp(&lower).and_then(|alpha| listed.lower(alpha.upper).1);
            return Ok(EpsilonBounds {
                upper: solve(target, local, |alpha| listed.upper(alpha))?,
                lower,
                attained_by: named.unwrap_or_else(|| self.all_a_third()),
            });
        }
        let third = self.crowd(Side::Lower, depth)?;
        let mut lower = refuted(target, local, |alpha| third.delta(alpha));
        let mut attained_by = self.all_a_third();
        if let Some(alike) = self.alike(depth) {
            let larger = refuted(target, local, |alpha| alike.delta(alpha));
            if larger > lower {
                (lower, attained_by) = (larger, self.all_the_same());
            }
        }
        let upper = self.crowd(Side::Upper, depth)?;
        Ok(EpsilonBounds {
            upper: solve(target, local, |alpha| upper.delta(alpha))?,
            lower,
            attained_by,
        })
    }

    /// The δ at ε, bounded likewise.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<DeltaBounds, Error> {
        let value = dp_calibration::accepted::answered_epsilon(epsilon)?;
        let attained_by = self.all_a_third();
        if value >= self.local_epsilon() {
            return Ok(DeltaBounds {
                upper: Rational::zero(),
                lower: Rational::zero(),
                attained_by,
            });
        }
        let alpha = Bounds::exp(value).ok_or_else(|| self.unresolved())?;
        let (upper, lower, attained_by) = match self.method()? {
            Method::Binary(bit) => {
                let bounds = bit.delta(epsilon, Adjacency::Deletion)?;
                return Ok(DeltaBounds {
                    attained_by: binary(bounds.attained_by),
                    ..bounds
                });
            }
            Method::Listed(listed) => {
                let (lower, named) = listed.lower(alpha.upper);
                let named = named.unwrap_or(attained_by);
                (listed.upper(alpha.lower), lower, named)
            }
            Method::Bounded => self.bounded(&alpha)?,
        };
        Ok(DeltaBounds {
            upper: rounded_up(upper)?,
            lower: Rational::from_f64(lower)?.round_to_digits(DIGITS, Rounding::Down),
            attained_by,
        })
    }

    /// An ε at δ for every dataset of the others, where one honest aggregator adds discrete Gaussian
    /// noise with variance parameter σ² = `variance` to every count: answers and noise together.
    /// With one client it is what its own answer and the noise promise.
    ///
    /// `None` where the joint law is not computed: δ = 0, two answers, or σ² above some 10⁵. It may
    /// also be more than [`Self::epsilon`] where noise is little next to a crowd of more than
    /// some 10⁴ answers of two values, as fewer clients are then counted on; that holds too.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9, or σ² is not from 1e-4 to 1e12 or of more than
    /// 2048 bits.
    pub fn epsilon_with_gaussian_noise(
        &self,
        delta: &Delta,
        variance: &Rational,
    ) -> Result<Option<Rational>, Error> {
        let least = Rational::new(1, 10_000)?;
        if variance.bits() > 2048 || *variance < least || *variance > 1_000_000_000_000 {
            let accepted = "a number from 1e-4 to 1e12, of at most 2048 bits";
            return Err(Error::parameter("variance", variance, accepted));
        }
        if delta.value().is_zero() || self.answers == 2 {
            return Ok(None);
        }
        let target = target(delta)?;
        let survey = self.survey(self.e.upper);
        let Some(crowd) = NoisyCrowd::new(survey, variance, depth_for(target)) else {
            return Ok(None);
        };
        solve(target, self.local_epsilon(), |alpha| crowd.delta(alpha)).map(Some)
    }

    /// δ from above, from below, and a dataset that attains the latter; tails are followed until they
    /// do not matter.
    fn bounded(&self, alpha: &Bounds) -> Result<(f64, f64, OthersHold), Error> {
        let mut depth = 3.0 * BELOW_DELTA;
        loop {
            let upper = self.crowd(Side::Upper, depth)?.delta(alpha.lower);
            if elementary::ln(upper) >= BELOW_DELTA - depth || depth >= MAX_DEPTH {
                let third = self.crowd(Side::Lower, depth)?.delta(alpha.upper);
                let alike = self.alike(depth);
                let alike = alike.map_or(0.0, |alike| alike.delta(alpha.upper));
                return Ok(match alike > third {
                    true => (upper, alike, self.all_the_same()),
                    false => (upper, third, self.all_a_third()),
                });
            }
            depth = (2.0 * depth).min(MAX_DEPTH);
        }
    }

    fn method(&self) -> Result<Method, Error> {
        if self.answers == 2 {
            let bit = AggregatedRappor::new(self.epsilon0.clone(), self.clients)?;
            return Ok(Method::Binary(bit));
        }
        let listed = Enumeration::new(&self.survey(self.e.lower));
        Ok(listed.map_or(Method::Bounded, Method::Listed))
    }

    /// An answer at a smaller ε₀ is one at a larger ε₀ that is replaced by a uniform one with some
    /// probability. So δ grows with E, and a number above E is enough for a bound from above.
    fn crowd(&self, side: Side, depth: f64) -> Result<Crowd, Error> {
        let e = match side {
            Side::Lower => self.e.lower,
            Side::Upper => self.e.upper,
        };
        Crowd::new(self.survey(e), side, depth).ok_or_else(|| self.unresolved())
    }

    /// From below, as δ grows with E.
    fn alike(&self, depth: f64) -> Option<Alike> {
        Alike::new(self.survey(self.e.lower), depth)
    }

    fn survey(&self, e: f64) -> Survey {
        Survey {
            e,
            answers: self.answers,
            clients: self.clients,
        }
    }

    /// All others hold the value that is removed.
    fn all_the_same(&self) -> OthersHold {
        OthersHold {
            removed: self.clients - 1,
            added: 0,
            neither: 0,
        }
    }

    /// All others hold one third value.
    fn all_a_third(&self) -> OthersHold {
        let others = self.clients - 1;
        match self.answers {
            2 => self.all_the_same(),
            _ => OthersHold {
                removed: 0,
                added: 0,
                neither: others,
            },
        }
    }

    fn unresolved(&self) -> Error {
        let change = "take an epsilon0 whose tail probabilities fit into floating point numbers";
        let what = format!("a bound for epsilon0 {}", self.epsilon0);
        Refusal::not_available(what, change).into()
    }
}

/// A client whose bit is not the one that is removed holds the other value.
fn binary(others: OthersHold) -> OthersHold {
    OthersHold {
        removed: others.removed,
        added: others.added + others.neither,
        neither: 0,
    }
}
