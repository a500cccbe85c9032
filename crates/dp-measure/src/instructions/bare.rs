//! One report over prio alone: the calls that the parties make, with the same messages as bytes between
//! them; and the same with shares that are bound to their report.

use dp_prio3::message::{Report, ReportShare};
use dp_prio3::{TaskDigest, Vdaf, Window};
use prio::codec::{CodecError, Encode, ParameterizedDecode};
use prio::flp;
use prio::vdaf::prio3::{
    Prio3InputShare, Prio3PublicShare, Prio3VerifierMessage, Prio3VerifierShare,
};
use prio::vdaf::{
    Aggregatable, AggregateShare, Aggregator as _, Client as _, VdafError, VerifyTransition,
};

use crate::Error;

const AGGREGATORS: usize = 2;
const NONCE: [u8; 16] = [1; 16];

/// The parties of a task, without a policy.
pub(super) struct Bare<'a, T: flp::Type> {
    vdaf: &'a Vdaf<T>,
    context: &'a [u8],
    key: [u8; 32],
}

/// What a client sends: the public share and the input shares.
pub(super) type Upload = (Vec<u8>, Vec<Vec<u8>>);

impl<'a, T: flp::Type> Bare<'a, T> {
    pub(super) const fn new(vdaf: &'a Vdaf<T>, context: &'a [u8], key: [u8; 32]) -> Self {
        Self { vdaf, context, key }
    }

    /// Shards a measurement.
    pub(super) fn client(&self, measurement: &T::Measurement) -> Result<Upload, Error> {
        let (public_share, input_shares) = self
            .vdaf
            .shard(self.context, measurement, &NONCE)
            .map_err(refused)?;
        let input_shares = input_shares.iter().map(Encode::get_encoded);
        let input_shares = input_shares.collect::<Result<_, CodecError>>();
        let public_share = public_share.get_encoded().map_err(unreadable)?;
        Ok((public_share, input_shares.map_err(unreadable)?))
    }

    /// A batch at each aggregator.
    pub(super) fn empty(&self) -> Vec<AggregateShare<T::Field>> {
        vec![self.vdaf.aggregate_init(&()); AGGREGATORS]
    }

    /// Verifies a report at all aggregators, and adds it to their batches.
    pub(super) fn aggregators(
        &self,
        (public_share, input_shares): &Upload,
        batches: &mut [AggregateShare<T::Field>],
    ) -> Result<(), Error> {
        let received = input_shares.iter().map(|share| (&**public_share, &**share));
        self.verify(received, batches)
    }

    /// From each aggregator's public share and input share.
    fn verify<'b>(
        &self,
        received: impl Iterator<Item = (&'b [u8], &'b [u8])>,
        batches: &mut [AggregateShare<T::Field>],
    ) -> Result<(), Error> {
        let (vdaf, context) = (self.vdaf, self.context);
        let mut states = Vec::with_capacity(AGGREGATORS);
        let mut encoded = Vec::with_capacity(AGGREGATORS);
        for (id, (public_share, input_share)) in received.enumerate() {
            let public_share = Prio3PublicShare::get_decoded_with_param(vdaf, public_share);
            let public_share = public_share.map_err(unreadable)?;
            let input_share = Prio3InputShare::get_decoded_with_param(&(vdaf, id), input_share);
            let input_share = input_share.map_err(unreadable)?;
            let (state, share) = vdaf
                .verify_init(
                    &self.key,
                    context,
                    id,
                    &(),
                    &NONCE,
                    &public_share,
                    &input_share,
                )
                .map_err(refused)?;
            states.push(state);
            encoded.push(share.get_encoded().map_err(unreadable)?);
        }
        let shares = encoded
            .iter()
            .map(|share| Prio3VerifierShare::get_decoded_with_param(&states[0], share))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unreadable)?;
        let message = vdaf
            .verifier_shares_to_message(context, &(), shares)
            .map_err(refused)?
            .get_encoded()
            .map_err(unreadable)?;
        for (state, batch) in states.into_iter().zip(batches) {
            let message = Prio3VerifierMessage::get_decoded_with_param(&state, &message);
            let message = message.map_err(unreadable)?;
            match vdaf.verify_next(context, state, message).map_err(refused)? {
                VerifyTransition::Finish(output) => batch.accumulate(&output).map_err(refused)?,
                VerifyTransition::Continue(..) => return Err(Error::peer("prio", "two rounds")),
            }
        }
        Ok(())
    }
}

/// The same, and shares that are bound to their report.
pub(super) struct Bound<'a, T: flp::Type> {
    bare: &'a Bare<'a, T>,
    task: TaskDigest,
}

impl<'a, T: flp::Type> Bound<'a, T> {
    pub(super) const fn new(bare: &'a Bare<'a, T>, task: TaskDigest) -> Self {
        Self { bare, task }
    }

    /// Shards a measurement and binds the shares.
    pub(super) fn client(&self, measurement: &T::Measurement) -> Result<Vec<ReportShare>, Error> {
        let (public_share, input_shares) = self.bare.client(measurement)?;
        let window = Window::default();
        let report = Report::bind(&self.task, NONCE, window, public_share, input_shares)?;
        Ok(report.into_shares())
    }

    /// Checks that the shares are bound, verifies them, and adds them to the batches.
    pub(super) fn aggregators(
        &self,
        report: &[ReportShare],
        batches: &mut [AggregateShare<T::Field>],
    ) -> Result<(), Error> {
        for (id, share) in (0..).zip(report) {
            let checked = share.check(&self.task, id, AGGREGATORS);
            checked.map_err(|fault| Error::peer("ours", fault))?;
        }
        let received = report
            .iter()
            .map(|share| (&*share.public.public_share, &*share.private.input_share));
        self.bare.verify(received, batches)
    }
}

fn refused(error: VdafError) -> Error {
    Error::peer("prio", error)
}

fn unreadable(error: CodecError) -> Error {
    Error::peer("prio", error)
}
