//! The view of each adversary of a running policy, by the code of clients and aggregators.

use std::any::Any;
use std::sync::Arc;

use dp_exact::ParameterError;
use dp_prio3::prio::field::FieldElement as _;
use dp_prio3::{DpPolicy, FieldOf, SignedField, TrustModel};
use dp_task::FromMeasurement;
use rand_core::CryptoRng;

use crate::Error;
use crate::neighbours::{Neighbours, OwnedMeasurement, change};
use crate::views::{Generator, Input, Views};

/// The view that the adversary of a trust model has of one batch under a policy.
///
/// Its first integer is the number of reports, so that a dropped report shows. Behind a strategy
/// matrix C the next one is the inner product of the totals with C(x − x′), x and x′ the two
/// inputs, in which Gaussian noise shows all that it reveals. The others are:
///
/// - **OC**: the report of the client, which all aggregators together can read;
/// - **OAOC, 2AOC, …**: the totals with the noise of the honest aggregators alone. The adversary
///   has subtracted the known reports of all other clients, also those that fill a batch up to the
///   smallest that is released, and the shares and noise of the malicious aggregators;
/// - **OAMC, 2AMC, …**: these totals plus the reports of the other honest clients; all of them have
///   the measurement of the second input.
///
/// Prio3 reveals nothing else, and is left out.
#[derive(Debug)]
pub struct PolicyViews<P> {
    policy: Arc<P>,
    model: TrustModel,
    neighbours: Neighbours,
    others: u64,
    length: usize,
    /// The change of all noisy numbers between the two inputs; empty without a strategy matrix.
    change: Vec<i64>,
}

impl<P> PolicyViews<P>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    /// The view of the adversary of `model` among `honest_clients` honest clients; one of them is
    /// the protected one.
    ///
    /// # Errors
    /// If the measurements are not of the policy's kind, or there is no honest client.
    pub fn new(
        policy: Arc<P>,
        neighbours: Neighbours,
        model: TrustModel,
        honest_clients: u64,
    ) -> Result<Self, Error> {
        for measurement in [&neighbours.first, &neighbours.second] {
            P::Measurement::from_measurement(measurement.measurement())?;
        }
        let others = honest_clients.checked_sub(1);
        let others = others
            .ok_or_else(|| ParameterError::new("honest_clients", 0, "an integer of at least 1"))?;
        // Reports of others without randomization would only add to what is known.
        let counts_on_clients =
            policy.client_randomization().is_some() && model.needs_other_clients();
        let others = if counts_on_clients { others } else { 0 };
        let length = policy.vdaf().output_len();
        let matrix = policy.query().strategy_matrix();
        let change = match (matrix, &neighbours.first, &neighbours.second) {
            (Some(matrix), OwnedMeasurement::Bucket(first), OwnedMeasurement::Bucket(second)) => {
                change(&matrix, *first, *second)
            }
            _ => Vec::new(),
        };
        Ok(Self { neighbours, others, model, length, change, policy })
    }

    /// Number of other clients and of aggregators whose randomness the adversary does not know.
    pub(crate) fn hidden(&self) -> (u64, u8) {
        (self.others, self.model.honest_aggregators())
    }
}

impl<P> Views for PolicyViews<P>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    fn width(&self) -> usize {
        self.length + 1 + usize::from(!self.change.is_empty())
    }

    fn observe(
        &self,
        input: Input,
        generator: &mut Generator,
        view: &mut [i64],
    ) -> Result<(), Error> {
        let honest = usize::from(self.model.honest_aggregators());
        let mut shares = vec![vec![FieldOf::<P>::zero(); self.length]; honest.max(1)];
        let own = match input {
            Input::First => &self.neighbours.first,
            Input::Second => &self.neighbours.second,
        };
        let mut reports = self.policy.min_reports();
        let others = (0..self.others).map(|_| &self.neighbours.second);
        for measurement in std::iter::once(own).chain(others) {
            if let Some(entries) = report(&*self.policy, measurement, generator)? {
                add(&entries, &mut shares[0]);
                reports += 1;
            }
        }
        let mut totals = vec![FieldOf::<P>::zero(); self.length];
        for (number, share) in shares.iter_mut().enumerate() {
            if number < honest {
                self.policy.add_noise(share, reports, generator)?;
            }
            add(share, &mut totals);
        }
        let totals: Vec<i128> = totals.into_iter().map(SignedField::to_signed).collect();
        let product = (!self.change.is_empty()).then(|| {
            let terms = totals.iter().zip(&self.change);
            terms.map(|(total, change)| total.saturating_mul((*change).into())).sum::<i128>()
        });
        let values = std::iter::once(i128::from(reports)).chain(product).chain(totals);
        for (place, value) in view.iter_mut().zip(values) {
            *place = i64::try_from(value).map_err(|_| {
                ParameterError::new("a total", value, "an integer of at most 63 bits")
            })?;
        }
        Ok(())
    }
}

/// The entries of a client's report, which Prio3 adds to the totals; `None` if it is too heavy to
/// be sent.
pub(crate) fn report<P>(
    policy: &P,
    measurement: &OwnedMeasurement,
    rng: &mut dyn CryptoRng,
) -> Result<Option<Vec<FieldOf<P>>>, Error>
where
    P: DpPolicy<Measurement: FromMeasurement>,
{
    let measurement = P::Measurement::from_measurement(measurement.measurement())?;
    match policy.randomize(&measurement, rng) {
        Ok(report) => entries(&report, policy.vdaf().output_len()).map(Some),
        Err(dp_prio3::Error::Dropped { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The entries of a measurement of Prio3 as field elements; a bucket becomes a one-hot vector of
/// `length` entries.
fn entries<F: SignedField>(report: &dyn Any, length: usize) -> Result<Vec<F>, Error> {
    let one = |bit: bool| if bit { F::one() } else { F::zero() };
    let integer = |value: u128| {
        let element = i128::try_from(value).ok().and_then(F::from_signed);
        let accepted = "an integer of the field";
        element.ok_or_else(|| ParameterError::new("measurement", "hidden", accepted))
    };
    Ok(if let Some(bit) = report.downcast_ref::<bool>() {
        vec![one(*bit)]
    } else if let Some(value) = report.downcast_ref::<u64>() {
        vec![integer((*value).into())?]
    } else if let Some(value) = report.downcast_ref::<u128>() {
        vec![integer(*value)?]
    } else if let Some(bucket) = report.downcast_ref::<usize>() {
        (0..length).map(|place| one(place == *bucket)).collect()
    } else if let Some(bits) = report.downcast_ref::<Vec<bool>>() {
        bits.iter().map(|bit| one(*bit)).collect()
    } else if let Some(values) = report.downcast_ref::<Vec<u128>>() {
        values.iter().map(|value| integer(*value)).collect::<Result<_, _>>()?
    } else {
        return Err(Error::Run("the policy shares measurements of an unknown kind".to_owned()));
    })
}

/// Adds each entry to the total at its index.
pub(crate) fn add<F: SignedField>(entries: &[F], totals: &mut [F]) {
    totals.iter_mut().zip(entries).for_each(|(total, entry)| *total += *entry);
}
