//! The largest bucket of heights, to 2 cm, in rounds: each question depends on the answers before.
//!
//! The client keeps the budget, as nobody else knows which questions it has answered. It pays for
//! an answer, randomizes it, so that it need not trust anybody, and is silent once its budget is
//! spent. The limit holds however the questions are chosen.
//!
//! Histograms in several iterations, with a budget at each client: McMillan and others, *Private
//! Federated Statistics in an Interactive Setting*, arXiv 2211.10082, section 4.3.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_ledger::{Budget, Ledger, LedgerError, Release, Terms, TrustModel};
use dp_rappor::KaryRandomizedResponse;
use dp_samplers::os_rng;
use dp_simulation::data::shipped;

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = os_rng()?;
    let trust_model = TrustModel::OneClient;
    let limit = Budget::Pure { epsilon: "4".parse()? };
    // Five intervals, and what lies below and above them.
    let response = KaryRandomizedResponse::new("2".parse()?, 7)?;
    let cost = Budget::Pure { epsilon: response.epsilon().clone() };
    let cost = Release { trust_model, ..Release::new(cost) };

    // Each client's ledger is in memory here; a `dp_ledger::Journal` is one on the device's disk.
    let mut clients = Vec::new();
    // The fifth column has heights of 1629 people.
    for person in csv::Reader::from_reader(shipped()).records() {
        let ledger = Ledger::new(Terms { trust_model, ..Terms::new(limit.clone()) })?;
        clients.push((person?[4].parse::<f64>()?, ledger));
    }
    let (mut low, mut width) = (145.0, 10.0);
    for question in ["first", "second", "third"] {
        let ends: Vec<f64> = (0..6).map(|end| low + width * f64::from(end)).collect();
        let (mut counts, mut reports) = ([0_u64; 7], 0);
        for (height, ledger) in &mut clients {
            match ledger.spend(question, &cost, None) {
                Ok(_) => {}
                Err(LedgerError::Overspend { .. }) => continue,
                Err(error) => return Err(error.into()),
            }
            let interval = ends.iter().filter(|end| *height >= **end).count();
            let answer = response.randomize(&mut rng, interval.try_into()?)?;
            counts[usize::try_from(answer)?] += 1;
            reports += 1;
        }
        println!("{question} question: {reports} of {} clients answer", clients.len());
        if reports == 0 {
            break;
        }
        let largest = (1..6).max_by_key(|interval| counts[*interval]).expect("five intervals");
        let estimate = response.estimate(counts[largest], reports);
        let (value, error) = (estimate.value, 2.0 * estimate.standard_error);
        println!("  {value:.0} ± {error:.0} from {} to {} cm", ends[largest - 1], ends[largest]);
        (low, width) = (ends[largest - 1], width / 5.0);
    }
    Ok(())
}
