//! Symmetric RAPPOR on Prio3MultihotCountVec: a client flips every bit of its vector with
//! probability p = 1/(e^ε₀ + 1), and does not send a vector of more than m ones.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, section 5, with the weight bound
//! m computed from the exact distribution of the randomized weight.
//!
//! Two measurements of length d with at most w ones differ in at most min(d, 2w) bits: one report
//! is min(d, 2w)·ε₀-private under replacement, against every adversary. Not sending a heavy report
//! is post-processing there; among honest clients, and with noise at the aggregators, its effect is
//! part of δ (`docs/guarantees.md`, sections 3 and 5, and `docs/aggregated-rappor.md` of
//! `dp-amplification`).

use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot};
use dp_amplification::compensation::Compensation;
use dp_calibration::utility::{Answers, NoisyTotal};
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding};
use dp_rappor::{SentBits, SymmetricRappor, WeightBound, rejection_rate, weight_bound};

use super::{epsilon_of_counts, probabilities};
use crate::error::within;
use crate::guarantees::{Circumstances, share};
use crate::{Error, Estimate, as_float};

/// The number of significant digits to which a remaining δ is rounded down.
const DIGITS: usize = 12;

/// Where P(C) over all releases is at most δ / `RARE`, C is counted as if it revealed everything; C
/// is the event that the drop of the client's own report may depend on its measurement.
const RARE: u64 = 100;

/// The part of δ for the case that C occurs in one of several releases is δ / `SECOND`.
const SECOND: u64 = 10;

/// Where at most this fraction of √(p(1 − p)) of all reports are dropped, estimates are those
/// without drops: P(one | sent) differs from P(one) by the drop rate at most, so that 2^32 reports
/// are off by a thousandth of a standard deviation.
const NEGLIGIBLE: f64 = 1e-3 / 65536.0;

/// This number as a δ, rounded down to 12 significant digits; `None` unless that is above 0 and a
/// valid δ.
fn positive(number: &Rational) -> Option<Delta> {
    let rounded = number.round_to_digits(DIGITS, Rounding::Down);
    Delta::new(rounded).ok().filter(|delta| delta.value().is_positive())
}

/// RAPPOR of bit vectors of one length, with a bound on their weight before and after flips.
#[derive(Clone, Debug)]
pub struct Rappor {
    /// The randomizer of single bits.
    pub(crate) bits: SymmetricRappor,
    /// d, the number of bits of a vector.
    pub(super) length: usize,
    /// w, the largest number of ones in a measurement.
    pub(crate) input_weight: usize,
    /// Whether exactly one bit of every measurement is set.
    pub(crate) is_one_hot: bool,
    /// The largest fraction of honest reports that may be dropped, as the caller gave it.
    pub(crate) false_positive_rate: Rational,
    /// m, the largest number of ones in a sent report, and how often an honest report of the
    /// largest input weight exceeds m.
    pub weight_bound: WeightBound,
    /// The bits of sent reports; `None` if so few are dropped that estimates do not show it.
    sent: Option<SentBits>,
}

impl Rappor {
    /// Vectors of `length` bits, from `lightest` to `input_weight` of them set, flipped with
    /// parameter `epsilon0`; a `lightest` of 1 stands for one-hot vectors, another one is 0. Of
    /// honest reports at most the fraction `false_positive_rate` exceeds the weight bound m and is
    /// not sent. As one-hot vectors all weigh the same, their guarantees are stronger where reports
    /// are dropped.
    ///
    /// # Errors
    /// Unless the length is from 1 to [`dp_rappor::MAX_LENGTH`], `input_weight` from 1 to `length`,
    /// and the rate from 0 to 1/2.
    pub fn new(
        length: usize,
        [lightest, input_weight]: [usize; 2],
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        within("length", length, 1..=dp_rappor::MAX_LENGTH)?;
        within("input_weight", input_weight, 1..=length)?;
        let bits = SymmetricRappor::new(epsilon0)?;
        let weight_bound = weight_bound(&bits, length, input_weight, false_positive_rate)?;
        let [kept, flipped] = probabilities(bits.epsilon0());
        let shows = weight_bound.rate.upper().to_f64() > NEGLIGIBLE * (kept * flipped).sqrt();
        let sent = shows
            .then(|| bits.sent_bits(length, [lightest, input_weight], weight_bound.bound.max(1)));
        Ok(Self {
            sent: sent.transpose()?,
            bits,
            length,
            input_weight,
            is_one_hot: lightest == 1,
            false_positive_rate: false_positive_rate.clone(),
            weight_bound,
        })
    }

    /// A false-positive rate whose dropped reports cost next to nothing at `delta`.
    ///
    /// It belongs to the least m for which at most δ/1000 is the probability that whether a report
    /// is dropped depends on its measurement (`docs/guarantees.md`, section 3), rounded up to the
    /// fewest of 3, 6 or 12 digits that give m again. 0, by which nothing is dropped, if m = d,
    /// `delta` is 0, or no such rate gives m.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn negligible_rate(
        length: usize,
        input_weight: usize,
        epsilon0: Epsilon,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        within("length", length, 1..=dp_rappor::MAX_LENGTH)?;
        within("input_weight", input_weight, 1..=length)?;
        let differing = (2 * input_weight).min(length);
        let outside = length - differing;
        if outside == 0 || delta.value().is_zero() {
            return Ok(Rational::zero());
        }
        let rappor = SymmetricRappor::new(epsilon0)?;
        let share = delta.value() * &Rational::new(1, 1000)?;
        let rest = weight_bound(&rappor, outside, input_weight.min(outside), &share)?;
        let bound = differing + rest.bound;
        if bound >= length {
            return Ok(Rational::zero());
        }
        let achieved = rejection_rate(&rappor, length, input_weight, bound)?;
        // The fewest digits by which the bound stays.
        for digits in [3, 6, 12] {
            let Some(rate) = rounded_up(&achieved, digits) else {
                break;
            };
            let again = weight_bound(&rappor, length, input_weight, &rate)?;
            if again.bound == bound {
                return Ok(rate);
            }
        }
        Ok(Rational::zero())
    }

    /// The most ones of a report, at least 1.
    #[must_use]
    pub fn max_weight(&self) -> usize {
        self.weight_bound.bound.max(1)
    }

    /// The length and the largest weight of a measurement, as `dp_amplification` takes them.
    pub(super) fn input(&self) -> MultiHot {
        MultiHot { length: self.length as u64, ones: self.input_weight as u64 }
    }

    /// Upper bound on ε of all releases at the circumstances' δ, where reports may be dropped for
    /// their weight. `epsilon` bounds ε without drops, from a number of clients, a δ and the number
    /// of counts that change in all releases. `None` if dropped reports use up δ, or `epsilon`
    /// gives no bound.
    ///
    /// Clients whose reports may be dropped hide nobody. For one release δ pays for the event that
    /// whether the own report is dropped depends on its measurement; for several see
    /// `docs/guarantees.md`, section 5.
    fn despite_drops(
        &self,
        circumstances: &Circumstances,
        epsilon: impl Fn(u64, &Delta, u64) -> Result<Option<Rational>, Error>,
    ) -> Result<Option<Rational>, Error> {
        let delta = &circumstances.delta;
        let (adjacency, input) = (circumstances.adjacency, self.input());
        let releases = u64::from(circumstances.releases);
        let changed = input.changed(adjacency);
        // At most 2^20 bits in each of fewer than 2^32 releases.
        let changed_counts = changed * releases;

        // Each release has an equal share of δ for more dropped reports of others than it counts.
        let sum =
            AggregatedRappor::new(self.bits.epsilon0().clone(), circumstances.honest_clients)?;
        let remaining = sum.remaining_clients(
            &share(delta, releases)?,
            adjacency,
            input,
            self.max_weight() as u64,
        )?;
        let hiding = remaining.clients;
        // kc, upper bound on the probability that a release is in C, by the union bound.
        let critical = remaining.critical * Rational::from(releases);
        let delta_of_others = remaining.delta_of_others * Rational::from(releases);
        let delta_of_own = delta.value() - delta_of_others;

        if delta.value().is_zero() && critical.is_zero() {
            return epsilon(hiding, delta, changed_counts);
        }
        // The first bound: kc counts as if a release in C revealed everything.
        let outside = match positive(&(&delta_of_own - &critical)) {
            Some(delta_outside) => epsilon(hiding, &delta_outside, changed_counts)?,
            None => None,
        };
        // L, the largest loss of one release in C.
        let loss = self.bits.epsilon0().value() * &Rational::from(changed);
        let is_rare = &critical * &Rational::from(RARE) <= *delta.value();
        // The second bound is at least L.
        if is_rare || releases == 1 || outside.as_ref().is_some_and(|outside| *outside <= loss) {
            return Ok(outside);
        }

        // The second bound: δ_all(ε) ≤ δ_none(ε) + kc·δ_one(ε − L) + (kc)²/2, for no release in C,
        // for one, and for two or more. The middle term gets δ/10, the first one what is left.
        let middle = share(delta, SECOND)?;
        let two_or_more = &critical * &critical * Rational::new(1, 2)?;
        let delta_none = positive(&(delta_of_own - middle.value() - two_or_more));
        let within = middle.value().checked_div(&critical).expect("C is not rare");
        let delta_one = positive(&within.min(Rational::new(9, 10)?));
        let (Some(delta_none), Some(delta_one)) = (delta_none, delta_one) else {
            return Ok(outside);
        };
        let none = epsilon(hiding, &delta_none, changed_counts)?;
        let one = epsilon(hiding, &delta_one, changed_counts)?;
        let mixed = none.zip(one).map(|(none, one)| none.max(one + &loss));
        Ok([outside, mixed].into_iter().flatten().min())
    }

    /// Upper bound on ε of all reports of one person in the sums over all honest clients, at the δ
    /// of the circumstances, with drops; smaller for one-hot vectors in a single release. `None`
    /// where nothing is proved. See
    /// [`Randomizer::aggregated_epsilon`](super::Randomizer::aggregated_epsilon).
    pub(super) fn aggregated_epsilon(
        &self,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        if self.is_one_hot && circumstances.releases == 1 {
            let (clients, delta) = (circumstances.honest_clients, &circumstances.delta);
            let (length, bound) = (self.length as u64, self.max_weight() as u64);
            let (adjacency, epsilon0) = (circumstances.adjacency, self.bits.epsilon0().clone());
            let sum = AggregatedRappor::new(epsilon0, clients)?.with_noise(noise)?;
            // With noise, where the own drop is rare, its share of δ costs next to nothing.
            let is_rare = |critical: Rational| critical * Rational::from(RARE) <= *delta.value();
            let remaining = || sum.remaining_clients(delta, adjacency, self.input(), bound);
            if noise.is_none() || !is_rare(remaining()?.critical) {
                let bounds = sum.epsilon_with_drops(delta, adjacency, length, bound)?;
                return Ok(bounds.map(|bounds| bounds.upper));
            }
        }
        self.despite_drops(circumstances, |clients, delta, counts| {
            epsilon_of_counts(self.bits.epsilon0(), clients, noise, delta, counts)
        })
    }

    /// Upper bound on ε of all reports of one person, in all releases, in the sums over all honest
    /// clients, at the δ of the circumstances, with the bits of `plan`, which honest aggregators
    /// add. Dropped reports take their part of δ, and clients whose reports may be dropped hide
    /// nobody. `None` where nothing is proved: for several reports of one person in a release, for
    /// vectors of more than one bit set, and where dropped reports use up δ. `Err` if the
    /// parameters are beyond the calibration's reach.
    pub(crate) fn compensated_epsilon(
        &self,
        plan: &Compensation,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        if circumstances.reports_per_client > 1 || self.input_weight > 1 {
            return Ok(None);
        }
        self.despite_drops(circumstances, |hiding, left, counts| {
            let plan = plan.with_honest(hiding)?;
            Ok(Some(match circumstances.releases {
                1 => plan.epsilon(left, circumstances.adjacency)?,
                _ => plan.epsilon_of_counts(left, counts)?,
            }))
        })
    }

    /// The estimate of a true count from the randomized one, corrected for drops where they show,
    /// with its standard error if the truth were the estimate. See
    /// [`Randomizer::estimate`](super::Randomizer::estimate).
    pub(super) fn estimate(&self, total: i128, reports: u64, made_up: u64) -> Estimate {
        let Some(SentBits { held, other, .. }) = self.sent else {
            return self.bits.estimate(total, reports + made_up);
        };
        let [_, flipped] = probabilities(self.bits.epsilon0());
        let [reports, made_up] = [reports, made_up].map(as_float);
        let slope = (held - other).recip();
        let value = (as_float(total) - reports * other - made_up * flipped) * slope;
        // The standard deviation if the truth were the estimate, cut to what reports can hold.
        let holding = value.clamp(0.0, reports);
        let variance = holding * held * (1.0 - held)
            + (reports - holding) * other * (1.0 - other)
            + made_up * flipped * (1.0 - flipped);
        Estimate { value, standard_error: variance.sqrt() * slope }
    }

    /// The distribution of a total over `reports` reports and `made_up` randomized zeros, with
    /// drops; see [`Randomizer::noisy_total`](super::Randomizer::noisy_total). Made-up zeros are
    /// never dropped, and show a one with the probability of a flip (`docs/dropped-reports.md` of
    /// `dp-rappor`).
    pub(super) fn noisy_total(&self, reports: u64, made_up: u64) -> NoisyTotal {
        let [kept, flipped] = probabilities(self.bits.epsilon0());
        let answers =
            |reports, held, other| NoisyTotal::of_clients(Answers { reports, held, other });
        match self.sent {
            Some(SentBits { held, other, .. }) => {
                answers(reports, held, other).with_zeros(made_up, flipped)
            }
            None => answers(reports + made_up, kept, flipped),
        }
    }

    /// Upper bound on the bias of an estimate over `reports` reports, in absolute value: vectors of
    /// other weights than the middle one are dropped more or less often.
    pub(crate) fn bias_bound(&self, reports: u64) -> f64 {
        let of_sent = |bits: &SentBits| as_float(reports) * bits.spread / (bits.held - bits.other);
        self.sent.as_ref().map_or(0.0, of_sent)
    }

    /// Upper bound on the probability that an honest report is dropped: the rate that the weight
    /// bound achieves, rounded up to 6 digits, or the rate that was asked for if that is less.
    pub(crate) fn drop_probability(&self) -> Rational {
        let (asked, achieved) = (&self.false_positive_rate, &self.weight_bound.rate);
        rounded_up(achieved, 6).unwrap_or_else(|| asked.clone()).min(asked.clone())
    }

    /// Upper bound on the probability that a report is sent and its neighbour dropped for its
    /// weight, or the reverse, if their coins are coupled. It joins the δ of aggregators' noise,
    /// which hides how measurements differ only if both are in the sum. 0 for two one-hot vectors,
    /// whose coins can be exchanged; otherwise twice [`Self::drop_probability`]. Under deletion the
    /// neighbour of a one-hot vector has no one, so that it is dropped less often.
    pub(crate) fn drop_mismatch_probability(&self, adjacency: Adjacency) -> Rational {
        if self.is_one_hot && adjacency == Adjacency::Replacement {
            return Rational::zero();
        }
        self.drop_probability() * Rational::from(2_u64)
    }
}

/// Upper bound on `rate`: the upper end of the enclosure, rounded up to `digits` significant
/// digits. `None` if the end is too long for a fraction.
fn rounded_up(rate: &Interval, digits: usize) -> Option<Rational> {
    let upper = rate.upper().to_rational()?;
    Some(upper.round_to_digits(digits, Rounding::Up))
}
