//! A policy at toy size: what its clients send, and whether what it guarantees holds in every view.

use std::ops::RangeInclusive;

use super::view::{MARGIN, ToyClient, ToyReport, View};
use super::*;

/// The circumstances that a guarantee is asked for: δ and the number of honest clients.
pub(crate) type Question = (&'static str, u64);

/// A pair (ε, δ) that is guaranteed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) model: TrustModel,
    /// The honest clients that it counts on, the protected one included.
    pub(crate) honest_clients: u64,
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
}

/// The reports that aggregators make up for a small batch.
#[derive(Clone, Debug)]
pub(crate) struct ToyCompensation {
    pub(crate) target_honest_clients: u64,
    pub(crate) assumed_malicious_clients: u64,
    /// The client whose reports are made up: it holds nothing.
    pub(crate) empty_client: ToyClient,
}

/// Who takes part in a batch beside the protected client.
#[derive(Clone, Copy, Debug)]
struct Participants {
    other_honest: u64,
    malicious: u64,
    honest_aggregators: u8,
}

/// A policy at toy size, with the distributions that its documentation states.
#[derive(Clone, Debug)]
pub(crate) struct ToyPolicy {
    /// Which measurements are neighbours: any two, or those that differ in one coordinate.
    pub(crate) adjacency: Adjacency,
    /// A client with each measurement.
    pub(crate) clients: Vec<ToyClient>,
    pub(crate) noise: Option<NoiseDistribution>,
    pub(crate) compensation: Option<ToyCompensation>,
    /// The accepted numbers of reports in a batch.
    pub(crate) reports: RangeInclusive<u64>,
    /// The pairs (ε, δ) that the policy guarantees.
    pub(crate) claims: Vec<Claim>,
}

impl ToyPolicy {
    /// The policy, without compensation, and every pair that it guarantees in answer to a question.
    pub(crate) fn new(policy: &Policy, clients: Vec<ToyClient>, questions: &[Question]) -> Self {
        Self::under(Adjacency::Replacement, policy, clients, questions)
    }

    /// [`Self::new`] under another neighbour relation than replacement.
    pub(crate) fn under(
        adjacency: Adjacency,
        policy: &Policy,
        clients: Vec<ToyClient>,
        questions: &[Question],
    ) -> Self {
        let mut claims = Vec::new();
        // OC, OAOC, OAMC, 2AOC and 2AMC.
        let models = TrustModel::with_honest_aggregators(2).expect("two are accepted");
        for &(asked_delta, honest_clients) in questions {
            let circumstances = among(honest_clients, asked_delta).with_adjacency(adjacency);
            for &model in &models {
                let guarantee = policy.guarantee(model, &circumstances);
                let pair = policy.pair(model, &circumstances).ok().map(|pair| pair.budget());
                for budget in guarantee.budget().into_iter().chain(&pair) {
                    let (epsilon, delta) = match budget {
                        Budget::Pure { epsilon } => (epsilon, 0.0),
                        Budget::Approximate { epsilon, delta } => (epsilon, delta.value().to_f64()),
                        _ => continue,
                    };
                    let epsilon = epsilon.value().to_f64();
                    claims.push(Claim { model, honest_clients, epsilon, delta });
                }
            }
        }
        Self {
            adjacency,
            clients,
            noise: policy.mechanism().map(|noise| noise.distribution().accounted()),
            compensation: None,
            reports: policy.min_reports()..=policy.max_reports(),
            claims,
        }
    }

    /// The planted fault: a scale or a variance of one part in a hundred less.
    pub(crate) fn with_less_noise(self) -> Self {
        let less = |noise: NoiseDistribution| {
            noise.kind().distribution(noise.parameter().1 * &rational("0.99"))
        };
        Self { noise: self.noise.map(less), ..self }
    }

    /// Whether the claim counts on no more than these participants.
    fn counts_on(&self, claim: &Claim, participants: Participants) -> bool {
        let Participants { other_honest, malicious, honest_aggregators } = participants;
        let compensation = self.compensation.as_ref();
        let tolerated = compensation.map_or(u64::MAX, |known| known.assumed_malicious_clients);
        let honest_clients_suffice = if claim.model.needs_other_clients() {
            other_honest + 1 >= claim.honest_clients && malicious <= tolerated
        } else {
            // The adversary knows all other clients, so a batch without them shows as much.
            other_honest == 0
        };
        claim.model.honest_aggregators() == honest_aggregators && honest_clients_suffice
    }

    /// All participants of the batches that the policy releases.
    fn all_participants(&self) -> Vec<Participants> {
        let mut all = Vec::new();
        for honest_aggregators in 0..=2 {
            for other_honest in 0..*self.reports.end() {
                let honest = 1 + other_honest;
                let malicious = (0..=*self.reports.end() - honest)
                    .filter(|malicious| self.reports.contains(&(honest + malicious)))
                    // Known reports change only how many are made up.
                    .take(if self.compensation.is_some() { usize::MAX } else { 1 });
                let each = |malicious| Participants { other_honest, malicious, honest_aggregators };
                all.extend(malicious.map(each));
            }
        }
        all
    }

    /// The claims that are false, each with the least true δ at its ε.
    pub(crate) fn false_claims(&self, claims: &[Claim]) -> Vec<(Claim, f64)> {
        let mut found = Vec::new();
        for participants in self.all_participants() {
            let counts = |claim: &&Claim| self.counts_on(claim, participants);
            let concerned: Vec<&Claim> = claims.iter().filter(counts).collect();
            let is_too_wide = participants.honest_aggregators > 1 && self.is_wide();
            if concerned.is_empty() || is_too_wide {
                continue;
            }
            let other_honest = usize::try_from(participants.other_honest).expect("few");
            // Of clients in another order the totals are the same.
            let mut all_others = all_vectors(other_honest, self.clients.len() - 1, 0..=usize::MAX);
            all_others.retain(|others| others.is_sorted());
            for others in all_others {
                let view = self.view(&others, participants);
                for claim in &concerned {
                    let delta = view.delta(claim.epsilon);
                    let holds = match claim.delta {
                        0.0 => view.keeps_pure(claim.epsilon),
                        claimed => delta <= claimed + MARGIN,
                    };
                    if !holds {
                        found.push((**claim, delta));
                    }
                }
            }
        }
        found
    }

    /// Whether the claim is false, which need not be one of the policy's own.
    pub(crate) fn refutes(&self, claim: Claim) -> bool {
        !self.false_claims(&[claim]).is_empty()
    }

    /// Whether the window of two draws has too many outcomes to list.
    fn is_wide(&self) -> bool {
        let dimensions = self.clients[0].reports[0].entries.len();
        dimensions > 2 && matches!(self.noise, Some(NoiseDistribution::DiscreteLaplace { .. }))
    }

    /// The view among other honest clients with these measurements.
    fn view(&self, others: &[usize], participants: Participants) -> View {
        let Participants { other_honest, malicious, honest_aggregators } = participants;
        let mut rest: Vec<&ToyClient> = others.iter().map(|held| &self.clients[*held]).collect();
        if let Some(known) = &self.compensation {
            // Each honest aggregator makes up max(0, H − (n − f)) reports for n of them.
            let reports = 1 + other_honest + malicious;
            let honest = reports.saturating_sub(known.assumed_malicious_clients);
            let missing = known.target_honest_clients.saturating_sub(honest);
            let made_up = u64::from(honest_aggregators) * missing;
            rest.extend((0..made_up).map(|_| &known.empty_client));
        }
        let noise = self.noise.as_ref().filter(|_| honest_aggregators > 0);
        View::new(
            self.adjacency,
            &self.clients,
            &rest,
            noise.map(|law| (law, honest_aggregators.into())),
        )
    }

    /// Asserts that the policy makes claims, and that all of them are true.
    pub(crate) fn assert_claims(&self, name: &str) {
        assert!(!self.claims.is_empty(), "{name}");
        let broken = self.false_claims(&self.claims);
        assert!(broken.is_empty(), "{name}: {:?}", &broken[..broken.len().min(3)]);
    }
}

/// 1/(e^ε₀ + 1), the probability that a bit is flipped.
pub(crate) fn flip_probability(epsilon0: &str) -> f64 {
    1.0 / (rational(epsilon0).to_f64().exp() + 1.0)
}

/// The two clients whose bit is inverted with probability `lie`.
pub(crate) fn bit_clients(lie: f64) -> Vec<ToyClient> {
    [0, 1].map(|bit| flipping_client(&[bit], lie, 1)).to_vec()
}

/// The clients of k-ary randomized response.
pub(crate) fn kary_clients(epsilon: &str, answers: usize) -> Vec<ToyClient> {
    let odds = rational(epsilon).to_f64().exp();
    let total = odds + f64::from(u32::try_from(answers - 1).expect("few"));
    let buckets = all_vectors(answers, 1, 1..=1);
    let client = |held: &Vec<usize>| {
        let reports = buckets.iter().map(|answer| ToyReport {
            entries: answer.clone(),
            probability: if answer == held { odds / total } else { 1.0 / total },
        });
        ToyClient { measurement: held.clone(), reports: reports.collect() }
    };
    buckets.iter().map(client).collect()
}

/// A client with a vector of bits, each of which it flips. The vector is sent if it has at most
/// `max_weight` ones.
pub(crate) fn flipping_client(bits: &[usize], flip: f64, max_weight: usize) -> ToyClient {
    let mut reports = vec![ToyReport { entries: Vec::new(), probability: 1.0 }];
    for bit in bits {
        let longer = reports.iter().flat_map(|sent| {
            [(*bit, 1.0 - flip), (1 - bit, flip)].map(|(next, factor)| ToyReport {
                entries: [&sent.entries[..], &[next]].concat(),
                probability: sent.probability * factor,
            })
        });
        reports = longer.collect();
    }
    reports.retain(|sent| sent.entries.iter().sum::<usize>() <= max_weight);
    ToyClient { measurement: bits.to_vec(), reports }
}

/// All vectors of a given number of integers up to `max`, with a sum within `sums`.
pub(crate) fn all_vectors(
    length: usize,
    max: usize,
    sums: RangeInclusive<usize>,
) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = all.iter().flat_map(|vector: &Vec<usize>| {
            (0..=max).map(move |next| [&vector[..], &[next]].concat())
        });
        all = longer.collect();
    }
    all.retain(|vector| sums.contains(&vector.iter().sum()));
    all
}

/// The clients of RAPPOR, one for each vector with a weight within `weights`.
pub(crate) fn rappor_clients(
    parts: &Parts,
    epsilon0: &str,
    weights: RangeInclusive<usize>,
) -> Vec<ToyClient> {
    let policy = policy_of(parts.clone());
    let measurements = all_vectors(policy.query().totals(), 1, weights);
    let flip = flip_probability(epsilon0);
    let client = |bits: &Vec<usize>| flipping_client(bits, flip, policy.max_weight());
    measurements.iter().map(client).collect()
}
