//! Ten thousand audits of tasks drawn at random: no lower bound is above what is promised.

use std::collections::BTreeMap;
use std::env;

use dp_audit::{Audit, Error, Finding, Questions};
use dp_calibration::{Budget, TrustModel};
use dp_exact::{Delta, Epsilon};
use dp_task::{AggregatorNoise, ClientNoise, POLICIES, PolicyName, Size, Task};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

/// So many promises are audited, unless `AUDITS` says another number.
const AUDITS: usize = 10_000;

/// Each may be wrong so often, and all of them together a hundred times in a million.
const ERROR: f64 = 1e-10;

const EPSILONS: [&str; 7] = ["1/100", "1/4", "1", "7/4", "3", "5", "8"];

const DELTAS: [&str; 6] = ["1e-9", "1e-6", "1/1000", "1/100", "1/10", "1/3"];

/// What a task and the questions about it are drawn from.
struct Drawn(ChaCha12Rng);

impl Drawn {
    fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    fn small(&mut self, least: usize, most: usize) -> usize {
        let count = u64::try_from(most - least + 1).expect("small");
        least + usize::try_from(self.below(count)).expect("small")
    }

    fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.small(0, all.len() - 1)]
    }

    fn epsilon(&mut self) -> Epsilon {
        self.one(&EPSILONS).parse().expect("an epsilon")
    }

    fn clients(&mut self, noise: ClientNoise) -> ClientNoise {
        let rate = self.one(&["1e-12", "1/100", "1/3"]);
        let false_positive_rate = rate.parse().expect("a rate");
        match noise {
            ClientNoise::RandomizedResponse { .. } => ClientNoise::RandomizedResponse {
                epsilon: self.epsilon(),
            },
            ClientNoise::KaryRandomizedResponse { .. } => ClientNoise::KaryRandomizedResponse {
                epsilon: self.epsilon(),
            },
            ClientNoise::SymmetricRappor { .. } => ClientNoise::SymmetricRappor {
                epsilon0: self.epsilon(),
                input_weight: self.small(1, 3),
                false_positive_rate,
            },
            ClientNoise::OneHotRappor { .. } => ClientNoise::OneHotRappor {
                epsilon0: self.epsilon(),
                false_positive_rate,
            },
            ClientNoise::BasicRappor { .. } => ClientNoise::BasicRappor {
                epsilon: self.epsilon(),
                false_positive_rate,
            },
            coin @ ClientNoise::CoinFlip {} => coin,
        }
    }

    fn aggregators(&mut self, noise: &AggregatorNoise) -> AggregatorNoise {
        let epsilon = self.epsilon();
        let delta: Delta = self.one(&DELTAS[..3]).parse().expect("a delta");
        let is_first = self.below(2) == 0;
        let approximate = Budget::Approximate {
            epsilon: epsilon.clone(),
            delta,
        };
        match noise {
            AggregatorNoise::DiscreteLaplace { .. } => AggregatorNoise::DiscreteLaplace {
                budget: match is_first {
                    true => Budget::Pure { epsilon },
                    false => approximate,
                },
            },
            AggregatorNoise::DiscreteGaussian { .. } => AggregatorNoise::DiscreteGaussian {
                budget: match is_first {
                    true => Budget::ZeroConcentrated {
                        rho: self.one(&["1/50", "1/8", "1/2", "2"]).parse().expect("rho"),
                    },
                    false => approximate,
                },
            },
            AggregatorNoise::Compensation { .. } => AggregatorNoise::Compensation {
                wanted_honest_clients: 1 + self.below(200),
                assumed_malicious_clients: self.below(3),
            },
        }
    }

    fn task(&mut self, policy: &PolicyName) -> Result<Task, dp_task::Error> {
        let mut document = policy.example().expect("an example");
        let is_shared = document.client_noise.is_none();
        let length = self.small(2, 7);
        document.vdaf = policy.vdaf.of_size(Size {
            aggregators: self.small(2, 4),
            length,
            max_measurement: u128::from(1 + self.below(40)),
            max_weight: is_shared.then(|| self.small(1, length)),
        });
        document.client_noise = document.client_noise.map(|noise| self.clients(noise));
        let noise = document.aggregator_noise.as_ref();
        document.aggregator_noise = noise.map(|noise| self.aggregators(noise));
        document.batch.min_reports = 1 + self.below(5);
        Task::new(document)
    }

    fn findings(&mut self, task: &Task, is_slow: bool) -> Result<Vec<Finding>, Error> {
        let models = TrustModel::with_honest_aggregators(self.small(1, 2));
        let questions = Questions {
            models: models.expect("models"),
            honest_clients: 1 + self.below(12),
            deltas: vec![self.one(&DELTAS).parse().expect("a delta")],
        };
        let runs = match is_slow {
            true => 100 + self.below(200),
            false => 100 + self.below(4_000),
        };
        questions.audit_task(task, &Audit::new(runs, ERROR, self.0.next_u64())?)
    }
}

#[test]
#[ignore = "takes minutes: cargo test -p dp-audit --release --test audit many -- --ignored --nocapture"]
fn none_of_ten_thousand_audits_of_random_tasks_is_above_what_is_promised() {
    let number = |name: &str| Some(env::var(name).ok()?.parse().expect("an integer"));
    let wanted = number("AUDITS").unwrap_or(AUDITS);
    let seed = number("AUDITS_SEED").unwrap_or(1);
    let seed = u64::try_from(seed).expect("a seed");
    let mut drawn = Drawn(ChaCha12Rng::seed_from_u64(seed));
    let mut audits: BTreeMap<(&str, String), (usize, f64)> = BTreeMap::new();
    let (mut made, mut refused) = (0, 0);
    while made < wanted {
        let policy = &POLICIES[drawn.small(0, POLICIES.len() - 1)];
        let Ok(task) = drawn.task(policy) else {
            refused += 1;
            continue;
        };
        let is_slow = policy.name == "compensated-rappor";
        let findings = match drawn.findings(&task, is_slow) {
            Ok(findings) => findings,
            // What was drawn has no law that is computed in a reasonable time, or no noise that fits.
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        for finding in findings {
            assert!(
                !finding.is_refuted(),
                "{}: {finding:?}\n{task:?}",
                policy.name
            );
            let of = audits.entry((policy.name, finding.claim.trust_model.abbreviation()));
            let (count, largest) = of.or_default();
            *count += 1;
            *largest = largest.max(finding.tightness().unwrap_or(0.0));
            made += 1;
        }
    }
    for ((policy, model), (count, largest)) in &audits {
        eprintln!("{policy:<36} {model:<5} {count:>5} {largest:.3}");
    }
    let largest = audits.values().map(|(_, largest)| *largest);
    let largest = largest.fold(0.0, f64::max);
    eprintln!("{made} audits, {refused} refused, the tightest {largest:.3}");
    // They would tell: some come near what is promised. (At 10 000 runs or fewer each, and an error of 1e-10.)
    assert!(largest > 0.5 && made > refused, "{largest} {refused}");
}
