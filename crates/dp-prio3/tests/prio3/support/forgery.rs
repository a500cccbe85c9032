//! Reports that are false but honestly proved.
//!
//! A validity circuit whose `encode_measurement` hands through any vector: prio then shares the
//! vector and proves it by the book, and only the proof's verification can find out.

use prio::field::{Field128, FieldElement};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::{Histogram, MultihotCountVec};
use prio::flp::{Flp, FlpError, Gadget, Type};
use prio::vdaf::Client as _;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;

use dp_prio3::DpPolicy;
use dp_prio3::message::{Nonce, Report};
use dp_prio3::{TaskDigest, TimeWindow};
use prio::codec::Encode;
use prio::vdaf::Vdaf as _;
use rand_core::CryptoRng;

use super::CONTEXT;

pub(crate) type HistogramCircuit = Histogram<Field128, ParallelSum<Field128, Mul>>;
pub(crate) type MultihotCircuit = MultihotCountVec<Field128, ParallelSum<Field128, Mul>>;

/// The circuit `T`, for any encoded vector.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Forged<T>(T);

impl<T: Flp> Flp for Forged<T> {
    type Field = T::Field;

    fn gadget(&self) -> Vec<Box<dyn Gadget<T::Field>>> {
        self.0.gadget()
    }

    fn num_gadgets(&self) -> usize {
        self.0.num_gadgets()
    }

    fn valid(
        &self,
        gadgets: &mut Vec<Box<dyn Gadget<T::Field>>>,
        input: &[T::Field],
        joint_rand: &[T::Field],
        num_shares: usize,
    ) -> Result<Vec<T::Field>, FlpError> {
        self.0.valid(gadgets, input, joint_rand, num_shares)
    }

    fn input_len(&self) -> usize {
        self.0.input_len()
    }

    fn proof_len(&self) -> usize {
        self.0.proof_len()
    }

    fn verifier_len(&self) -> usize {
        self.0.verifier_len()
    }

    fn joint_rand_len(&self) -> usize {
        self.0.joint_rand_len()
    }

    fn eval_output_len(&self) -> usize {
        self.0.eval_output_len()
    }

    fn prove_rand_len(&self) -> usize {
        self.0.prove_rand_len()
    }
}

impl<T: Type> Type for Forged<T> {
    type Measurement = Vec<T::Field>;
    type AggregateResult = T::AggregateResult;

    fn encode_measurement(&self, encoded: &Vec<T::Field>) -> Result<Vec<T::Field>, FlpError> {
        Ok(encoded.clone())
    }

    fn truncate(&self, input: Vec<T::Field>) -> Result<Vec<T::Field>, FlpError> {
        self.0.truncate(input)
    }

    fn decode_result(
        &self,
        data: &[T::Field],
        num_measurements: usize,
    ) -> Result<T::AggregateResult, FlpError> {
        self.0.decode_result(data, num_measurements)
    }

    fn output_len(&self) -> usize {
        self.0.output_len()
    }
}

/// A report for `policy` whose encoded measurement is `encoded`, proved by the circuit `circuit`
/// of the policy's own parameters.
pub(crate) fn forge<P: DpPolicy, T: Type<Field = Field128>>(
    policy: &P,
    task: &TaskDigest,
    circuit: T,
    nonce: Nonce,
    encoded: &[u128],
) -> Report {
    let shares = u8::try_from(policy.vdaf().num_aggregators()).expect("at most 254");
    let algorithm = policy.vdaf().algorithm_id();
    let vdaf: Prio3<_, XofTurboShake128, 32> =
        Prio3::new(shares, 1, algorithm, Forged(circuit)).expect("valid parameters");
    let encoded: Vec<Field128> = encoded.iter().map(|entry| Field128::from(*entry)).collect();
    let (public_share, input_shares) =
        vdaf.shard(CONTEXT, &encoded, &nonce).expect("prio proves anything");
    let public_share = public_share.get_encoded().expect("encodes");
    let input_shares = input_shares.iter().map(|share| share.get_encoded().expect("encodes"));
    let input_shares = input_shares.collect();
    Report::bind(task, nonce, TimeWindow(0), public_share, input_shares).expect("a valid number")
}

/// A fresh nonce.
pub(crate) fn nonce(rng: &mut impl CryptoRng) -> Nonce {
    let mut nonce = Nonce::default();
    rng.fill_bytes(&mut nonce);
    nonce
}

/// The value of −1 in the field.
pub(crate) fn minus_one() -> u128 {
    u128::from(-Field128::one())
}

/// One of the policy's parameters, as a number.
pub(crate) fn parameter(policy: &impl DpPolicy, name: &str) -> usize {
    policy
        .parameters()
        .into_iter()
        .find(|(known, _)| *known == name)
        .and_then(|(_, value)| value.parse().ok())
        .expect("the parameter is a number")
}
