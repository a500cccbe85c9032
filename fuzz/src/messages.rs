//! Altered messages of each Prio3 type, received by parties in the state that expects them.
//!
//! The first byte of an input chooses the type, the second one the message and the aggregator. The
//! rest is a script of edits (`edited`). So every input reaches the party: random bytes would not
//! pass the checks of lengths.

use std::sync::Arc;

use dp_prio3::message::{
    EncodedAggregateShare, Report, ReportShare, VerifierMessage, VerifierShare,
};
use dp_prio3::prio::codec::{Decode, Encode};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{
    Aggregator, AggregatorNoise, BatchName, Client, Collector, ParameterError, Pending, Rejection,
    VerifyKey,
};

use crate::check_refusal;

type Policy<V> = AggregatorNoise<V>;

/// All parties of a task, and the messages of one honest report.
struct Parties<V: MeasurementType> {
    client: Client<Policy<V>>,
    aggregators: Vec<Aggregator<Policy<V>>>,
    collector: Collector<Policy<V>>,
    report: Report,
    shares: Vec<ReportShare>,
    verifier_shares: Vec<VerifierShare>,
    message: VerifierMessage,
    aggregate_shares: Vec<EncodedAggregateShare>,
}

impl<V: MeasurementType> Parties<V> {
    /// Parties for pure ε = 1, with one report of `measurement` aggregated and collected.
    fn new(
        measurement_type: Result<V, ParameterError>,
        measurement: &V::Measurement,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let budget: dp_calibration::Epsilon = "1".parse()?;
        let policy = Arc::new(Policy::new(measurement_type?, budget)?);
        let key = VerifyKey::random()?;
        let client = Client::new(Arc::clone(&policy), b"fuzz")?;
        let report = client.report(measurement)?;
        let shares = report.clone().into_shares();
        let aggregators: Vec<_> = (0..shares.len())
            .map(|id| {
                let aggregator = Aggregator::new(Arc::clone(&policy), id, key.clone(), b"fuzz");
                aggregator.map(Aggregator::without_replay_defence)
            })
            .collect::<Result<_, _>>()?;
        let (states, verifier_shares) = begun(&aggregators, &shares)?;
        let message = aggregators[0].combine(&states[0], &verifier_shares)?;
        let name: BatchName = "day".parse()?;
        let mut aggregate_shares = Vec::new();
        for (aggregator, state) in aggregators.iter().zip(states) {
            let mut batch = aggregator.new_batch(&name);
            batch.accumulate(aggregator.verify_next(state, &message)?)?;
            aggregate_shares.push(batch.finish()?);
        }
        Ok(Self {
            collector: Collector::new(policy, b"fuzz")?,
            client,
            aggregators,
            report,
            shares,
            verifier_shares,
            message,
            aggregate_shares,
        })
    }

    /// Alters one message to one aggregator: the first byte chooses both, the rest is the script.
    fn check(&self, data: &[u8]) {
        let Some((choice, script)) = data.split_first() else {
            return;
        };
        let victim = usize::from(choice >> 4) % self.aggregators.len();
        match choice % 6 {
            0 => self.report_share(victim, script),
            1 => self.hostile_client(|report| {
                let share = &mut report.private[victim].input_share;
                *share = edited(share, script);
            }),
            2 => self.hostile_client(|report| {
                let share = &mut report.public.public_share;
                *share = edited(share, script);
            }),
            3 => self.verifier_share(victim, script),
            4 => self.verifier_message(victim, script),
            _ => self.aggregate_share(victim, script),
        }
    }

    /// Asserts that aggregator `victim` rejects its report share if `script` altered it in transit.
    fn report_share(&self, victim: usize, script: &[u8]) {
        let own = &self.shares[victim];
        let Some(share) = altered(own, script) else {
            return;
        };
        let is_same = share == *own;
        match self.aggregators[victim].verify_init(&share) {
            Ok(_) => assert!(is_same, "an altered report share"),
            Err(rejection) => {
                check_refusal(&rejection);
                assert!(!is_same, "{rejection}");
            }
        }
    }

    /// Asserts that a report whose client binds what it altered is accepted only if it altered
    /// nothing.
    fn hostile_client(&self, alter: impl FnOnce(&mut Report)) {
        let mut report = self.report.clone();
        alter(&mut report);
        let is_same = report == self.report;
        let shares = report.private.iter().map(|part| part.input_share.clone()).collect();
        let bound = Report::bind(
            self.client.task(),
            report.public.nonce,
            report.public.window,
            report.public.public_share,
            shares,
        );
        let shares = bound.expect("as many shares as aggregators").into_shares();
        let result = begun(&self.aggregators, &shares).and_then(|(states, verifier_shares)| {
            let message = self.aggregators[0].combine(&states[0], &verifier_shares)?;
            self.finished(states, |_| message.clone())
        });
        settle(result, is_same, "shares of a hostile client");
    }

    /// An altered verifier share gives a message that an aggregator rejects.
    fn verifier_share(&self, victim: usize, script: &[u8]) {
        let own = &self.verifier_shares[victim];
        let Some(share) = altered(own, script) else {
            return;
        };
        let is_same = share == *own;
        let result = begun(&self.aggregators, &self.shares).and_then(|(states, mut shares)| {
            shares[victim] = share;
            let message = self.aggregators[0].combine(&states[0], &shares)?;
            self.finished(states, |_| message.clone())
        });
        settle(result, is_same, "an altered verifier share");
    }

    /// One aggregator rejects an altered verifier message.
    fn verifier_message(&self, victim: usize, script: &[u8]) {
        let Some(message) = altered(&self.message, script) else {
            return;
        };
        let is_same = message == self.message;
        let result = begun(&self.aggregators, &self.shares).and_then(|(states, _)| {
            let of = |id| {
                if id == victim { &message } else { &self.message }
            };
            self.finished(states, |id| of(id).clone())
        });
        settle(result, is_same, "an altered verifier message");
    }

    /// The last step of verification at every aggregator, which receives `message(id)`.
    fn finished(
        &self,
        states: Vec<Pending<Policy<V>>>,
        message: impl Fn(usize) -> VerifierMessage,
    ) -> Result<(), Rejection> {
        for (id, (aggregator, state)) in self.aggregators.iter().zip(states).enumerate() {
            aggregator.verify_next(state, &message(id))?;
        }
        Ok(())
    }

    /// The collector accepts any content of an aggregate share: it looks like noise. The batch and
    /// the reports of the share must agree with the other shares.
    fn aggregate_share(&self, victim: usize, script: &[u8]) {
        let own = &self.aggregate_shares[victim];
        let Some(share) = altered(own, script) else {
            return;
        };
        let has_same_batch =
            EncodedAggregateShare { share: own.share.clone(), ..share.clone() } == *own;
        let mut shares = self.aggregate_shares.clone();
        shares[victim] = share;
        match self.collector.collect(&shares) {
            Ok(_) => assert!(has_same_batch, "a share of another batch"),
            Err(error) => check_refusal(&error),
        }
    }
}

/// States and verifier shares of all aggregators.
type Begun<V> = (Vec<Pending<Policy<V>>>, Vec<VerifierShare>);

/// The first step of verification at every aggregator.
fn begun<V: MeasurementType>(
    aggregators: &[Aggregator<Policy<V>>],
    shares: &[ReportShare],
) -> Result<Begun<V>, Rejection> {
    let pairs = aggregators.iter().zip(shares);
    pairs.map(|(aggregator, share)| aggregator.verify_init(share)).collect()
}

/// Asserts that a report counts if nothing was altered and is rejected otherwise. A proof misses an
/// alteration with probability below 2^−50.
fn settle(result: Result<(), Rejection>, is_same: bool, what: &str) {
    match result {
        Ok(()) => assert!(is_same, "{what} is accepted"),
        Err(rejection) => {
            check_refusal(&rejection);
            assert!(!is_same, "{what}: {rejection}");
        }
    }
}

/// The message that the edited bytes decode to; `None` if they do not. A message has one encoding.
fn altered<M: Encode + Decode>(message: &M, script: &[u8]) -> Option<M> {
    let bytes = edited(&message.get_encoded().expect("a message"), script);
    let found = M::get_decoded(&bytes).ok()?;
    assert_eq!(found.get_encoded().expect("a message"), bytes);
    Some(found)
}

/// Applies a script of four bytes per edit: the kind, the place (two bytes) and a byte. An edit
/// flips, cuts off, inserts or removes bytes, or replaces them by the rest of the script.
fn edited(bytes: &[u8], script: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut rest = script;
    while let [what, high, low, byte, more @ ..] = rest {
        rest = more;
        let place = usize::from(u16::from_be_bytes([*high, *low])) % (bytes.len() + 1);
        let is_within = place < bytes.len();
        match what % 5 {
            0 if is_within => bytes[place] ^= byte,
            1 => bytes.truncate(place),
            2 => bytes.insert(place, *byte),
            3 if is_within => drop(bytes.remove(place)),
            4 => {
                bytes.truncate(place);
                bytes.extend_from_slice(rest);
                return bytes;
            }
            _ => {}
        }
    }
    bytes
}

/// Altered messages of the type that the first byte chooses.
pub fn messages(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else { return };
    macro_rules! check {
        ($type:ty, $new:expr, $measurement:expr) => {{
            thread_local! {
                static PARTIES: Parties<$type> = Parties::new($new, $measurement).expect("a task");
            }
            PARTIES.with(|parties| parties.check(data));
        }};
    }
    match choice % 7 {
        0 => check!(Count, Count::new(2), &true),
        1 => check!(Sum, Sum::new(2, 9), &7),
        2 => check!(Average, Average::new(3, 9), &7),
        3 => check!(SumVec, SumVec::new(2, 3, 4), &[4, 0, 1][..]),
        4 => check!(Histogram, Histogram::new(3, 4), &2),
        5 => check!(
            MultihotCountVec,
            MultihotCountVec::new(2, 4, 2),
            &[true, false, false, true][..]
        ),
        _ => check!(L1BoundSum, L1BoundSum::new(2, 3, 7), &[5, 0, 2][..]),
    }
}
