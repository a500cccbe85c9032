//! What each adversary sees of a policy that runs: the code that clients and aggregators run, without proofs.

use std::any::Any;
use std::sync::Arc;

use dp_exact::ParameterError;
use dp_prio3::prio::field::FieldElement as _;
use dp_prio3::{ClientRandomization, DpPolicy, FieldOf, SignedField, TrustModel};
use dp_task::FromMeasurement;

use crate::Error;
use crate::neighbours::{Neighbours, OwnedMeasurement};
use crate::views::{Generator, Input, Views};

/// The view of the adversary of a trust model, of one batch under a policy.
///
/// Its first integer is the number of reports, so that a report which was not sent shows; the others are:
///
/// - **OC**: the report of the client itself, which all aggregators together can read;
/// - **OAOC, 2AOC, …**: the totals with the noise of the honest aggregators alone. The adversary knows the reports of all
///   other clients and the shares and noise of the malicious aggregators, and has subtracted them. Known reports that
///   fill up a batch to the fewest that are released count as such;
/// - **OAMC, 2AMC, …**: the same with the reports of the other honest clients in it, all of which hold what the client
///   holds under the second input.
///
/// Prio3 is left out, which reveals nothing else: a run randomizes measurements and adds noise by the policy's own code.
#[derive(Debug)]
pub struct PolicyViews<P> {
    policy: Arc<P>,
    model: TrustModel,
    neighbours: Neighbours,
    others: u64,
    known: u64,
    length: usize,
}

impl<P> PolicyViews<P>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    /// Of this adversary, where so many clients are honest, the one that is protected among them.
    ///
    /// # Errors
    /// If measurements are not of the policy's kind, or there is no honest client.
    pub fn new(
        policy: Arc<P>,
        neighbours: Neighbours,
        model: TrustModel,
        honest_clients: u64,
    ) -> Result<Self, Error> {
        for held in [&neighbours.first, &neighbours.second] {
            P::Measurement::from_measurement(held.measurement())?;
        }
        let others = honest_clients.checked_sub(1);
        let others = others
            .ok_or_else(|| ParameterError::new("honest_clients", 0, "an integer of at least 1"))?;
        // What others send as it is would only be added to what is known.
        let others = match policy.client_randomization() {
            ClientRandomization::Nothing => 0,
            _ if model.needs_other_clients() => others,
            _ => 0,
        };
        let length = policy.vdaf().output_len();
        Ok(Self { neighbours, others, known: policy.min_reports(), model, length, policy })
    }

    /// Whether both adversaries see the same of this policy.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let of = |views: &Self| (views.others, views.model.honest_aggregators());
        of(self) == of(other)
    }

    /// Adds the report of a client, if it is sent.
    fn report(
        &self,
        held: &OwnedMeasurement,
        generator: &mut Generator,
        totals: &mut [FieldOf<P>],
    ) -> Result<u64, Error> {
        let measurement = P::Measurement::from_measurement(held.measurement())?;
        let report = match self.policy.randomize(&measurement, generator) {
            Ok(report) => report,
            Err(dp_prio3::Error::Dropped { .. }) => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        add(&report, totals)?;
        Ok(1)
    }
}

impl<P> Views for PolicyViews<P>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    fn width(&self) -> usize {
        self.length + 1
    }

    fn observe(
        &self,
        input: Input,
        generator: &mut Generator,
        view: &mut [i64],
    ) -> Result<(), Error> {
        let mut totals = vec![FieldOf::<P>::zero(); self.length];
        let own = match input {
            Input::First => &self.neighbours.first,
            Input::Second => &self.neighbours.second,
        };
        let mut reports = self.known + self.report(own, generator, &mut totals)?;
        for _ in 0..self.others {
            reports += self.report(&self.neighbours.second, generator, &mut totals)?;
        }
        for _ in 0..self.model.honest_aggregators() {
            self.policy.add_noise(&mut totals, reports, generator)?;
        }
        let totals = totals.into_iter().map(SignedField::to_signed);
        let seen = std::iter::once(i128::from(reports)).chain(totals);
        for (place, value) in view.iter_mut().zip(seen) {
            *place = i64::try_from(value).map_err(|_| {
                ParameterError::new("a total", value, "an integer of at most 63 bits")
            })?;
        }
        Ok(())
    }
}

/// Adds what is shared to the totals, as Prio3 does.
fn add<F: SignedField>(report: &dyn Any, totals: &mut [F]) -> Result<(), Error> {
    let one = |bit: bool| if bit { F::one() } else { F::zero() };
    let integer = |value: u128| {
        let signed = i128::try_from(value).ok().and_then(F::from_signed);
        let accepted = "an integer of the field";
        signed.ok_or_else(|| ParameterError::new("measurement", "hidden", accepted))
    };
    if let Some(bit) = report.downcast_ref::<bool>() {
        totals.iter_mut().take(1).for_each(|total| *total += one(*bit));
    } else if let Some(value) = report.downcast_ref::<u64>() {
        let value = integer((*value).into())?;
        totals.iter_mut().take(1).for_each(|total| *total += value);
    } else if let Some(value) = report.downcast_ref::<u128>() {
        let value = integer(*value)?;
        totals.iter_mut().take(1).for_each(|total| *total += value);
    } else if let Some(bucket) = report.downcast_ref::<usize>() {
        totals.iter_mut().skip(*bucket).take(1).for_each(|total| *total += F::one());
    } else if let Some(bits) = report.downcast_ref::<Vec<bool>>() {
        totals.iter_mut().zip(bits).for_each(|(total, bit)| *total += one(*bit));
    } else if let Some(values) = report.downcast_ref::<Vec<u128>>() {
        for (total, value) in totals.iter_mut().zip(values) {
            *total += integer(*value)?;
        }
    } else {
        return Err(Error::Run("the policy shares measurements of an unknown kind".to_owned()));
    }
    Ok(())
}
