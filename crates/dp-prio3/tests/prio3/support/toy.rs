//! A policy at toy size: what its clients send, and whether what it guarantees holds in every view.

use std::ops::RangeInclusive;

use super::rational;
use super::view::{Beside, Client, MARGIN, View};
use dp_calibration::Budget;
use dp_calibration::NoiseDistribution;
use dp_prio3::mechanisms::NoiseMechanism;
use dp_prio3::{Circumstances, DpPolicy, MultihotRappor, TrustModel};

/// OC, OAOC, OAMC, 2AOC and 2AMC.
pub(crate) fn models() -> Vec<TrustModel> {
    TrustModel::with_honest_aggregators(2).expect("two are accepted")
}

/// A pair (ε, δ) that is guaranteed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) model: TrustModel,
    /// The honest reports that it counts on.
    pub(crate) honest: usize,
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
}

/// A policy at toy size, with the distributions that its documentation states.
pub(crate) struct Toy {
    /// What a client sends, by what it measured.
    pub(crate) clients: Vec<Client>,
    pub(crate) noise: Option<NoiseDistribution>,
    /// H and f, and what a client that holds nothing sends.
    pub(crate) compensation: Option<(u64, u64, Client)>,
    pub(crate) reports: RangeInclusive<u64>,
    pub(crate) claims: Vec<Claim>,
}

impl Toy {
    pub(crate) fn new<P: DpPolicy>(
        policy: &P,
        clients: Vec<Client>,
        asked: &[(&str, usize)],
    ) -> Self {
        let mut claims = Vec::new();
        for (delta, honest) in asked {
            let circumstances = Circumstances::new(*honest as u64, delta.parse().expect("valid"));
            for model in models() {
                let guarantee = policy.guarantee(model, &circumstances);
                let pair = policy.pair(model, &circumstances);
                let claimed = guarantee.budget().into_iter().chain(pair.budget());
                for budget in claimed.chain(&guarantee.also) {
                    let (epsilon, delta) = match budget {
                        Budget::Pure { epsilon } => (epsilon, 0.0),
                        Budget::Approximate { epsilon, delta } => (epsilon, delta.value().to_f64()),
                        _ => continue,
                    };
                    claims.push(Claim {
                        model,
                        honest: *honest,
                        epsilon: epsilon.value().to_f64(),
                        delta,
                    });
                }
            }
        }
        Self {
            clients,
            noise: None,
            compensation: None,
            reports: policy.min_reports()..=policy.max_reports(),
            claims,
        }
    }

    pub(crate) fn with_noise(mut self, mechanism: &NoiseMechanism) -> Self {
        self.noise = Some(mechanism.distribution().clone());
        self
    }

    /// Noise of one part in a hundred less.
    pub(crate) fn with_less_noise(mut self) -> Self {
        if let Some(
            NoiseDistribution::DiscreteLaplace { scale: parameter }
            | NoiseDistribution::DiscreteGaussian { variance: parameter },
        ) = &mut self.noise
        {
            *parameter = &*parameter * &rational("0.99");
        }
        self
    }

    /// M for `reports` reports.
    fn added(&self, reports: u64) -> u64 {
        self.compensation.as_ref().map_or(0, |(wanted, malicious, _)| {
            wanted.saturating_sub(reports.saturating_sub(*malicious))
        })
    }

    /// The claims that count on no more than these.
    fn about(&self, claims: &[Claim], others: usize, extra: u64, draws: u8) -> Vec<Claim> {
        let few_extra = self.compensation.as_ref().is_none_or(|(_, f, _)| extra <= *f);
        let counts = |claim: &&Claim| {
            let honest_clients = claim.model.needs_other_clients();
            claim.model.honest_aggregators() == draws
                && if honest_clients {
                    others + 1 >= claim.honest && few_extra
                } else {
                    others == 0
                }
        };
        claims.iter().filter(counts).copied().collect()
    }

    /// The claims that are false, with the least δ that is true.
    pub(crate) fn broken(&self, claims: &[Claim]) -> Vec<(Claim, f64)> {
        let mut broken = Vec::new();
        let most = usize::try_from(*self.reports.end()).expect("few");
        for draws in 0..=2_u8 {
            for others in 0..most {
                let known = 1 + others as u64;
                let extras = (0..=*self.reports.end() - known)
                    .filter(|extra| self.reports.contains(&(known + extra)));
                // Without compensation, how many are known changes nothing.
                let extras: Vec<u64> = match self.compensation {
                    None => extras.take(1).collect(),
                    Some(_) => extras.collect(),
                };
                for extra in extras {
                    let claims = self.about(claims, others, extra, draws);
                    if claims.is_empty() || (draws > 1 && self.is_wide()) {
                        continue;
                    }
                    let added = u64::from(draws) * self.added(known + extra);
                    for others in multisets(self.clients.len(), others) {
                        let view = self.view(&others, added, draws);
                        broken.extend(claims.iter().filter_map(|claim| refuted(&view, claim)));
                    }
                }
            }
        }
        broken
    }

    /// Whether the window of two draws has too many outcomes to list.
    fn is_wide(&self) -> bool {
        let dimensions = self.clients[0].reports[0].0.len();
        dimensions > 2 && matches!(self.noise, Some(NoiseDistribution::DiscreteLaplace { .. }))
    }

    fn view(&self, others: &[usize], added: u64, draws: u8) -> View {
        let others: Vec<&Client> = others.iter().map(|held| &self.clients[*held]).collect();
        let nothing = self.compensation.as_ref().map(|(_, _, nothing)| nothing);
        let noise = self.noise.as_ref().filter(|_| draws > 0);
        View::new(
            &self.clients,
            &Beside {
                others: &others,
                added: (added, nothing.unwrap_or(&self.clients[0])),
                noise: noise.map(|noise| (noise, u32::from(draws))),
            },
        )
    }

    pub(crate) fn check(&self, name: &str) {
        assert!(!self.claims.is_empty(), "{name}");
        let broken = self.broken(&self.claims);
        assert!(broken.is_empty(), "{name}: {:?}", &broken[..broken.len().min(3)]);
    }
}

/// The claim with the true δ, if it is false.
fn refuted(view: &View, claim: &Claim) -> Option<(Claim, f64)> {
    let delta = view.delta(claim.epsilon);
    let holds = if claim.delta > 0.0 {
        delta <= claim.delta + MARGIN
    } else {
        view.keeps_pure(claim.epsilon)
    };
    (!holds).then_some((*claim, delta))
}

/// The multisets of `size` measurements out of a number of measurements.
fn multisets(measurements: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = all.iter().flat_map(|held: &Vec<usize>| {
            let least = held.last().copied().unwrap_or(0);
            (least..measurements).map(move |next| [&held[..], &[next]].concat())
        });
        all = longer.collect();
    }
    all
}

pub(crate) fn probability(epsilon0: &str) -> f64 {
    let epsilon0 = rational(epsilon0).to_f64();
    1.0 / (epsilon0.exp() + 1.0)
}

/// A bit that is inverted with probability `lie`.
pub(crate) fn lying_bits(lie: f64) -> Vec<Client> {
    let client =
        |bit: usize| Client { reports: vec![(vec![bit], 1.0 - lie), (vec![1 - bit], lie)] };
    vec![client(0), client(1)]
}

pub(crate) fn answered(epsilon0: &str, answers: usize) -> Vec<Client> {
    let odds = rational(epsilon0).to_f64().exp();
    let all = odds + f64::from(u32::try_from(answers - 1).expect("few"));
    let one_hot = |place: usize| (0..answers).map(|at| usize::from(at == place)).collect();
    let client = |held: usize| {
        let chance = |answer: usize| {
            if answer == held { odds / all } else { 1.0 / all }
        };
        let reports = (0..answers).map(|answer| (one_hot(answer), chance(answer)));
        Client { reports: reports.collect() }
    };
    (0..answers).map(client).collect()
}

/// A vector of bits, where each bit is flipped, and the vector is sent if it has at most `max_weight` ones.
pub(crate) fn flipped(bits: &[usize], flip: f64, max_weight: usize) -> Client {
    let mut reports = vec![(Vec::new(), 1.0)];
    for bit in bits {
        let longer = reports.iter().flat_map(|(sent, mass): &(Vec<usize>, f64)| {
            let with = |next: usize, factor: f64| ([&sent[..], &[next]].concat(), mass * factor);
            [with(*bit, 1.0 - flip), with(1 - bit, flip)]
        });
        reports = longer.collect();
    }
    reports.retain(|(sent, _)| sent.iter().sum::<usize>() <= max_weight);
    Client { reports }
}

/// All vectors of a given number of integers up to `max`, with a sum within `sums`.
pub(crate) fn vectors(length: usize, max: usize, sums: RangeInclusive<usize>) -> Vec<Vec<usize>> {
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

/// RAPPOR's clients; `weights` has the weights of their measurements.
pub(crate) fn reported(
    policy: &MultihotRappor,
    epsilon0: &str,
    weights: RangeInclusive<usize>,
) -> Vec<Client> {
    let (length, max_weight) = (policy.randomizer().length(), policy.randomizer().max_weight());
    let held = vectors(length, 1, weights);
    held.iter().map(|bits| flipped(bits, probability(epsilon0), max_weight)).collect()
}
