#![doc = include_str!("../README.md")]

mod answers;
mod clients;
mod composed;
mod crowds;
mod noise;
mod plans;
mod runs;

use answers::Answers;

/// Why there is no answer.
pub type Error = Box<dyn std::error::Error>;

/// Whether simulations run here; they come last among the answers.
const HAS_THREADS: bool = !cfg!(target_family = "wasm");

/// All answers, a line each: what was asked, ` = `, the answer.
///
/// # Errors
/// Never: the questions are fixed and valid.
pub fn answers() -> Result<String, Error> {
    let mut answers = Answers::default();
    noise::streams(&mut answers)?;
    noise::calibrated(&mut answers)?;
    noise::of_several(&mut answers)?;
    clients::randomized(&mut answers)?;
    clients::weights(&mut answers)?;
    clients::promises(&mut answers)?;
    crowds::bits(&mut answers)?;
    crowds::noisy(&mut answers)?;
    composed::releases(&mut answers)?;
    composed::schedules(&mut answers)?;
    plans::all(&mut answers)?;
    runs::tasks(&mut answers)?;
    if HAS_THREADS {
        runs::outcomes(&mut answers)?;
    }
    Ok(answers.into_text())
}
