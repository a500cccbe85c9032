//! The tallest bucket of heights, to 2 cm, in rounds: each question depends on the answers before.
//!
//! The client keeps the budget, as nobody else knows which questions it has answered. It randomizes
//! its answer, so that it need not trust anybody, pays for it first, and is silent once its budget
//! is spent. The limit holds however the questions are chosen.
//!
//! Histograms in several iterations, with a budget at each client: McMillan and others, *Private
//! Federated Statistics in an Interactive Setting*, arXiv 2211.10082, section 4.3.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_ledger::{
    Budget, Ledger, LedgerError, Mechanism, Randomizer, Release, Spending, Terms, TrustModel,
};
use dp_rappor::KaryRandomizedResponse;
use dp_samplers::{CryptoRng, os_rng};

/// A person's device. Its ledger is in memory here; a `dp_ledger::Journal` is one on its disk.
struct Client {
    height: f64,
    ledger: Ledger,
}

impl Client {
    /// The randomized number of the interval between `ends` in which the height lies; `None` if the
    /// budget does not admit it, or the question was answered before.
    fn answer(
        &mut self,
        question: &str,
        ends: &[f64],
        response: &KaryRandomizedResponse,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<u32>, Box<dyn Error>> {
        let (epsilon, answers) = (response.epsilon().clone(), response.answers().into());
        let budget = Budget::Pure { epsilon: epsilon.clone() };
        let randomizer = Randomizer::KaryRandomizedResponse { answers, epsilon };
        let mechanism = Mechanism::Clients(randomizer);
        let trust_model = TrustModel::OneClient;
        let release = Release { mechanism, trust_model, ..Release::new(budget) };
        match self.ledger.spend(question, &release, None) {
            Ok(Spending::New) => {}
            // A second answer would be randomized anew, and tell more than was paid for.
            Ok(_) | Err(LedgerError::Overspend { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let interval = ends.iter().filter(|end| self.height >= **end).count();
        Ok(Some(response.randomize(rng, interval.try_into()?)?))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = os_rng()?;
    let limit = Budget::Pure { epsilon: "4".parse()? };
    let mut clients = Vec::new();
    for height in examples::column("height_cm")? {
        let trust_model = TrustModel::OneClient;
        let ledger = Ledger::new(Terms { trust_model, ..Terms::new(limit.clone()) })?;
        clients.push(Client { height: height.parse()?, ledger });
    }
    // Five intervals, and what lies below and above them.
    let response = KaryRandomizedResponse::new("2".parse()?, 7)?;
    let (mut low, mut width) = (145.0, 10.0);
    for question in 1..=3 {
        let ends: Vec<f64> = (0..6).map(|end| low + width * f64::from(end)).collect();
        let (mut counts, mut reports) = ([0_u64; 7], 0);
        for client in &mut clients {
            let name = format!("question {question}");
            if let Some(answer) = client.answer(&name, &ends, &response, &mut rng)? {
                counts[usize::try_from(answer)?] += 1;
                reports += 1;
            }
        }
        println!("question {question}: {reports} of {} clients answer", clients.len());
        let inner = (1..6).max_by_key(|interval| counts[*interval]).filter(|_| reports > 0);
        let Some(largest) = inner else { break };
        let estimate = response.estimate(counts[largest], reports);
        (low, width) = (ends[largest - 1], width / 5.0);
        let (value, error) = (estimate.value, 2.0 * estimate.standard_error);
        println!("  {value:.0} ± {error:.0} from {low} to {} cm", ends[largest]);
    }
    Ok(())
}
