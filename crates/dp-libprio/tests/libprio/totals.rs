//! Reports through real Prio3 with our strategies: sharding, proofs, noise of both aggregators, and
//! totals that the collector reads with their sign.

use dp_libprio::{SignedField, Strategy, signed_totals};
use prio::field::{Field64, Field128};
use prio::flp::{Type, TypeWithNoise};
use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;
use prio::vdaf::{
    Aggregatable, AggregateShare, Aggregator, AggregatorWithNoise, Client, Collector,
    VerifyTransition,
};

use crate::weak;

const CONTEXT: &[u8] = b"a task";
const KEY: [u8; 32] = [7; 32];

/// The aggregate shares of both aggregators over these measurements, without noise.
pub(crate) fn exact_shares<T: Type>(
    vdaf: &Prio3<T, XofTurboShake128, 32>,
    measurements: &[T::Measurement],
) -> [AggregateShare<T::Field>; 2] {
    let mut shares = [vdaf.aggregate_init(&()), vdaf.aggregate_init(&())];
    for (number, measurement) in measurements.iter().enumerate() {
        let nonce = u128::try_from(number).expect("small").to_be_bytes();
        let (public, inputs) = vdaf.shard(CONTEXT, measurement, &nonce).expect("valid");
        let (states, verifiers): (Vec<_>, Vec<_>) = inputs
            .iter()
            .enumerate()
            .map(|(id, input)| {
                vdaf.verify_init(&KEY, CONTEXT, id, &(), &nonce, &public, input)
                    .expect("an honest report")
            })
            .unzip();
        let message =
            vdaf.verifier_shares_to_message(CONTEXT, &(), verifiers).expect("an honest proof");
        for (state, share) in states.into_iter().zip(&mut shares) {
            match vdaf.verify_next(CONTEXT, state, message.clone()) {
                Ok(VerifyTransition::Finish(output)) => {
                    share.accumulate(&output).expect("shares of one length");
                }
                other => panic!("{:?}", other.map(|_| ())),
            }
        }
    }
    shares
}

/// The aggregate shares of both aggregators over these measurements; each includes its own noise.
fn aggregate<T>(
    vdaf: &Prio3<T, XofTurboShake128, 32>,
    measurements: &[T::Measurement],
    strategy: &Strategy,
) -> [AggregateShare<T::Field>; 2]
where
    T: TypeWithNoise<Strategy, Field: SignedField>,
{
    let mut shares = exact_shares(vdaf, measurements);
    for share in &mut shares {
        vdaf.add_noise_to_agg_share(strategy, &(), share, measurements.len())
            .expect("the strategy takes this type");
    }
    shares
}

/// The result over these measurements, with noise that is nothing: P(a draw is not 0) <
/// 2·e^(−100/4), as the sensitivity is at most 4.
fn result<T>(
    vdaf: &Prio3<T, XofTurboShake128, 32>,
    measurements: &[T::Measurement],
) -> T::AggregateResult
where
    T: TypeWithNoise<Strategy, Field: SignedField>,
{
    let shares = aggregate(vdaf, measurements, &weak("100"));
    vdaf.unshard(&(), shares, measurements.len()).expect("a result")
}

#[test]
fn totals_of_all_seven_types_survive_noise_that_is_nothing() {
    let count = result(&Prio3::new_count(2).unwrap(), &[true, false, true]);
    let sum = result(&Prio3::new_sum(2, 4).unwrap(), &[4, 3]);
    assert_eq!(signed_totals::<Field64>(&[count, sum]), [2, 7]);
    let average: f64 = result(&Prio3::new_average(2, 4).unwrap(), &[4, 3]);
    assert!((average - 3.5).abs() < 1e-9);
    let vectors = [vec![1, 0, 1], vec![1, 1, 0]];
    let multihot = [vec![true, false, true], vec![false, false, true]];
    for (totals, expected) in [
        (result(&Prio3::new_sum_vec(2, 1, 3, 3).unwrap(), &vectors), [2, 1, 1]),
        (result(&Prio3::new_histogram(2, 3, 2).unwrap(), &[0, 2, 2]), [1, 0, 2]),
        (result(&Prio3::new_multihot_count_vec(2, 3, 2, 2).unwrap(), &multihot), [1, 0, 2]),
        (
            result(&Prio3::new_l1_bound_sum(2, 2, 3, 3).unwrap(), &[vec![2, 0, 0], vec![1, 0, 1]]),
            [3, 0, 1],
        ),
    ] {
        assert_eq!(signed_totals::<Field128>(&totals), expected);
    }
}
