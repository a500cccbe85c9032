//! A report, altered at one place of its way through the aggregators, by those who can: what a
//! client altered it has bound as well, so that it comes as far as it can.

use dp_prio3::message::Report;
use dp_prio3::{DpPolicy, Rejection};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::Task;

/// Where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    PublicShare,
    InputShare,
    VerifierShare,
    VerifierMessage,
}

impl Place {
    pub(crate) const ALL: [Self; 4] = [
        Self::PublicShare,
        Self::InputShare,
        Self::VerifierShare,
        Self::VerifierMessage,
    ];
}

/// What becomes of the bytes there.
#[derive(Clone, Debug)]
pub(crate) enum Alteration {
    Truncate(Index),
    Extend(Vec<u8>),
    Flip(Index),
}

impl Alteration {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            any::<Index>().prop_map(Self::Truncate),
            vec(any::<u8>(), 1..40).prop_map(Self::Extend),
            any::<Index>().prop_map(Self::Flip),
        ]
    }

    /// Alters `bytes`, and says whether anything changed: nothing can be taken from no bytes.
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) -> bool {
        match self {
            Self::Extend(more) => bytes.extend(more),
            _ if bytes.is_empty() => return false,
            Self::Truncate(length) => bytes.truncate(length.index(bytes.len())),
            Self::Flip(bit) => {
                let bit = bit.index(8 * bytes.len());
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
        true
    }
}

/// Verifies a report of which `alteration` strikes what aggregator number `victim` receives or
/// sends at `place`, and counts it. `None`: there was nothing there to alter.
pub(crate) fn verify_altered<P: DpPolicy>(
    task: &mut Task<P>,
    report: Report,
    place: Place,
    victim: usize,
    alteration: &Alteration,
) -> Option<Result<(), Rejection>> {
    let mut changed = false;
    let mut alter = |here: Place, bytes: &mut Vec<u8>| {
        if here == place {
            changed = alteration.apply(bytes);
        }
    };
    let result = exchange(task, report, victim, &mut alter);
    changed.then(|| {
        if let Err(rejection) = &result {
            for batch in &mut task.batches {
                batch.reject(rejection);
            }
        }
        result
    })
}

fn exchange<P: DpPolicy>(
    task: &mut Task<P>,
    report: Report,
    victim: usize,
    alter: &mut dyn FnMut(Place, &mut Vec<u8>),
) -> Result<(), Rejection> {
    let mut report = report;
    alter(Place::PublicShare, &mut report.public.public_share);
    alter(Place::InputShare, &mut report.private[victim].input_share);
    let shares = task.bound(&report).into_shares();
    let mut states = Vec::new();
    let mut verifier_shares = Vec::new();
    for (aggregator, share) in task.aggregators.iter().zip(&shares) {
        let (state, verifier_share) = aggregator.verify_init(share)?;
        states.push(state);
        verifier_shares.push(verifier_share);
    }
    alter(Place::VerifierShare, &mut verifier_shares[victim].share);
    let message = task.aggregators[0].combine(&states[0], &verifier_shares)?;

    let mut outputs = Vec::new();
    for (id, (aggregator, state)) in task.aggregators.iter().zip(states).enumerate() {
        let mut message = message.clone();
        if id == victim {
            alter(Place::VerifierMessage, &mut message.message);
        }
        outputs.push(aggregator.verify_next(state, &message)?);
    }
    for (batch, output) in task.batches.iter_mut().zip(outputs) {
        batch.accumulate(output)?;
    }
    Ok(())
}
