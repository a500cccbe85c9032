//! What leaves a circuit: encoded messages, and shares over one of the two fields.

use std::any::Any;
use std::fmt;

#[cfg(feature = "simulation")]
use dp_exact::ParameterError;
use prio::codec::{CodecError, Encode, ParameterizedDecode};
use prio::field::{Field64, Field128, FieldElement as _};
use prio::flp;
use prio::vdaf::prio3::{
    Prio3, Prio3InputShare, Prio3PublicShare, Prio3VerifierMessage, Prio3VerifierShare,
    Prio3VerifyState,
};
use prio::vdaf::xof::XofTurboShake128;
use prio::vdaf::{AggregateShare, Aggregator as _, VdafError, VerifyTransition};
use zeroize::{Zeroize, Zeroizing, optimization_barrier};

use super::SEED_SIZE;
use crate::field::SignedField;
use crate::measurement::Owned;

type Prio<C> = Prio3<C, XofTurboShake128, SEED_SIZE>;
type State<F> = Prio3VerifyState<F, SEED_SIZE>;

/// An aggregator's share of the totals.
pub(crate) enum Share {
    Field64(Vec<Field64>),
    Field128(Vec<Field128>),
}

/// An aggregator's state between its verifier share and the verifier message of one report: prio's
/// state over the field of its circuit.
pub(crate) type VerifyState = Box<dyn Any + Send + Sync>;

/// Runs the same expression on the elements of a share, whatever their field.
macro_rules! on_share {
    ($share:expr, $elements:ident => $do:expr) => {
        match $share {
            $crate::circuit::wire::Share::Field64($elements) => $do,
            $crate::circuit::wire::Share::Field128($elements) => $do,
        }
    };
}
pub(crate) use on_share;

impl Share {
    /// Adds a share of the same circuit, entry by entry, and returns true. Returns false, without a
    /// change, if the other share has another field or length.
    #[must_use]
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        fn add<F: SignedField>(sum: &mut [F], share: &[F]) -> bool {
            let is_same = sum.len() == share.len();
            if is_same {
                sum.iter_mut().zip(share).for_each(|(sum, entry)| *sum += *entry);
            }
            is_same
        }
        match (self, other) {
            (Self::Field64(sum), Self::Field64(share)) => add(sum, share),
            (Self::Field128(sum), Self::Field128(share)) => add(sum, share),
            _ => false,
        }
    }

    /// The elements as signed integers in (−p/2, p/2).
    pub(crate) fn signed(&self) -> Vec<i128> {
        on_share!(self, elements => elements.iter().map(|e| e.to_signed()).collect())
    }

    /// The encoded elements one after another, without their number.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, CodecError> {
        fn encode<F: SignedField>(elements: &[F]) -> Result<Vec<u8>, CodecError> {
            let mut bytes = Vec::with_capacity(elements.len() * F::ENCODED_SIZE);
            elements.iter().try_for_each(|element| element.encode(&mut bytes))?;
            Ok(bytes)
        }
        on_share!(self, elements => encode(elements))
    }
}

impl Drop for Share {
    /// Zero is stored as zero bits; the barrier keeps the stores.
    fn drop(&mut self) {
        fn wipe<F: SignedField>(elements: &mut [F]) {
            elements.fill(F::zero());
            optimization_barrier(elements);
        }
        on_share!(self, elements => wipe(elements));
    }
}

/// The two fields of Prio3, with their variants of [`Share`].
pub(super) trait PrioField: SignedField {
    /// The elements as a share over this field.
    fn share(elements: Vec<Self>) -> Share;
}

impl PrioField for Field64 {
    fn share(elements: Vec<Self>) -> Share {
        Share::Field64(elements)
    }
}

impl PrioField for Field128 {
    fn share(elements: Vec<Self>) -> Share {
        Share::Field128(elements)
    }
}

/// The verification of a report whose shares are read: the state of this aggregator, and its
/// encoded verifier share.
pub(crate) type Verify<'a> =
    Box<dyn FnOnce(Init<'_>) -> Result<(VerifyState, Vec<u8>), VdafError> + 'a>;

/// Prio3 over some circuit. Everything that leaves it is encoded, or a share over one of two
/// fields.
pub(crate) trait Circuit: fmt::Debug + Send + Sync {
    /// The share with a 0 for each total.
    fn zero(&self) -> Share;
    /// The share whose elements are these signed numbers; `Err` if one is outside (−p/2, p/2).
    #[cfg(feature = "simulation")]
    fn share_of(&self, numbers: &[i128]) -> Result<Share, ParameterError>;
    /// Decodes an aggregate share; `Err` unless the bytes are one encoded element for each total.
    fn decode_share(&self, bytes: &[u8]) -> Result<Share, CodecError>;
    /// The encoded public share and input shares of a measurement, one input share for each
    /// aggregator. Prio draws the shares from the thread's generator, which the caller reseeds
    /// before and after. `Err` for a measurement of another circuit, and where prio refuses it.
    fn shard(
        &self,
        context: &[u8],
        measurement: &Owned,
        nonce: &[u8; 16],
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>), VdafError>;
    /// The decoded shares of a report at the aggregator with number `id`, ready to be verified;
    /// `Err` if they cannot be decoded.
    fn read<'a>(&'a self, id: u8, public: &[u8], input: &[u8]) -> Result<Verify<'a>, CodecError>;
    /// The encoded verifier message from the encoded verifier shares of all aggregators, in the
    /// order of their numbers. The outer `Err`: a share cannot be decoded, or `state` is of another
    /// circuit. The inner `Err`: the report is not valid.
    fn combine(
        &self,
        context: &[u8],
        state: &VerifyState,
        shares: &[&[u8]],
    ) -> Result<Result<Vec<u8>, VdafError>, CodecError>;
    /// This aggregator's share of the measurement, after its check of the verifier `message`. The
    /// outer `Err`: the message cannot be decoded, or `state` is of another circuit. The inner
    /// `Err`: the check fails.
    fn verify_next(
        &self,
        context: &[u8],
        state: VerifyState,
        message: &[u8],
    ) -> Result<Result<Share, VdafError>, CodecError>;
}

/// The encoding of a message of prio, which fails in no case that we know of.
fn encoded(message: &impl Encode) -> Result<Vec<u8>, VdafError> {
    message.get_encoded().map_err(|error| VdafError::Uncategorized(error.to_string()))
}

/// What the verification of a report depends on beside its shares.
#[derive(Clone, Copy)]
pub(crate) struct Init<'a> {
    pub(crate) key: &'a [u8; SEED_SIZE],
    pub(crate) context: &'a [u8],
    pub(crate) nonce: &'a [u8; 16],
}

impl<C> Circuit for Prio<C>
where
    C: flp::Type<Field: PrioField, Measurement: Sharded> + Send + Sync + 'static,
{
    fn zero(&self) -> Share {
        C::Field::share(vec![C::Field::zero(); self.output_len()])
    }

    #[cfg(feature = "simulation")]
    fn share_of(&self, numbers: &[i128]) -> Result<Share, ParameterError> {
        // In its final place, for a vector that grows leaves copies that nobody wipes.
        let mut elements = vec![C::Field::zero(); numbers.len()];
        for (element, number) in elements.iter_mut().zip(numbers) {
            *element = C::Field::from_signed(*number).ok_or_else(|| {
                let largest = C::Field::MAX_SIGNED;
                let accepted = format!("an integer from -{largest} to {largest}");
                ParameterError::new("total", number, accepted)
            })?;
        }
        Ok(C::Field::share(elements))
    }

    fn decode_share(&self, bytes: &[u8]) -> Result<Share, CodecError> {
        let share: AggregateShare<C::Field> =
            AggregateShare::get_decoded_with_param(&(self, &()), bytes)?;
        Ok(C::Field::share(share.as_ref().to_vec()))
    }

    fn shard(
        &self,
        context: &[u8],
        measurement: &Owned,
        nonce: &[u8; 16],
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>), VdafError> {
        let other = || VdafError::Uncategorized("a measurement of another kind".to_owned());
        let measurement = Zeroizing::new(C::Measurement::of(measurement).ok_or_else(other)?);
        let (public, input) = prio::vdaf::Client::shard(self, context, &measurement, nonce)?;
        let input = input.iter().map(encoded).collect::<Result<_, _>>()?;
        Ok((encoded(&public)?, input))
    }

    fn read<'a>(&'a self, id: u8, public: &[u8], input: &[u8]) -> Result<Verify<'a>, CodecError> {
        let number = usize::from(id);
        let public = Prio3PublicShare::get_decoded_with_param(self, public)?;
        let input = Prio3InputShare::get_decoded_with_param(&(self, number), input)?;
        Ok(Box::new(move |Init { key, context, nonce }| {
            let (state, share) = prio::vdaf::Aggregator::verify_init(
                self,
                key,
                context,
                number,
                &(),
                nonce,
                &public,
                &input,
            )?;
            Ok((Box::new(state), encoded(&share)?))
        }))
    }

    fn combine(
        &self,
        context: &[u8],
        state: &VerifyState,
        shares: &[&[u8]],
    ) -> Result<Result<Vec<u8>, VdafError>, CodecError> {
        let state = (**state).downcast_ref::<State<C::Field>>();
        let state = state.ok_or(CodecError::UnexpectedValue)?;
        let decode = |share: &&[u8]| Prio3VerifierShare::get_decoded_with_param(state, share);
        let shares = shares.iter().map(decode).collect::<Result<Vec<_>, _>>()?;
        let message = self.verifier_shares_to_message(context, &(), shares);
        Ok(message.and_then(|message| encoded(&message)))
    }

    fn verify_next(
        &self,
        context: &[u8],
        state: VerifyState,
        message: &[u8],
    ) -> Result<Result<Share, VdafError>, CodecError> {
        // By value: a clone would leave a share of the measurement that nobody wipes.
        let state = state.downcast::<State<C::Field>>().map_err(|_| CodecError::UnexpectedValue)?;
        let message = Prio3VerifierMessage::get_decoded_with_param(&*state, message)?;
        Ok(match prio::vdaf::Aggregator::verify_next(self, context, *state, message) {
            // Prio's output share neither gives its vector away nor lets it be overwritten.
            Ok(VerifyTransition::Finish(share)) => Ok(C::Field::share(share.as_ref().to_vec())),
            Ok(VerifyTransition::Continue(..)) => {
                Err(VdafError::Uncategorized("Prio3 has one round of verification".to_owned()))
            }
            Err(error) => Err(error),
        })
    }
}

/// A measurement of one circuit, from the measurement of any.
pub(super) trait Sharded: Zeroize + Sized {
    /// The measurement in this type; `None` if it is of another kind, or an integer too large for
    /// the type.
    fn of(measurement: &Owned) -> Option<Self>;
}

macro_rules! sharded {
    ($($type:ty: $pattern:pat => $value:expr;)+) => {$(
        impl Sharded for $type {
            fn of(measurement: &Owned) -> Option<Self> {
                if let $pattern = measurement { $value } else { None }
            }
        }
    )+};
}

sharded! {
    bool: Owned::Bit(bit) => Some(*bit);
    u64: Owned::Integer(integer) => Self::try_from(*integer).ok();
    u128: Owned::Integer(integer) => Some(*integer);
    usize: Owned::Bucket(bucket) => Some(*bucket);
    Vec<bool>: Owned::Bits(bits) => Some(bits.clone());
    Vec<u128>: Owned::Integers(integers) => Some(integers.clone());
}
