//! Noise of clients: what generators of fixed seeds flip, weight bounds, estimates, promises.

use dp_calibration::{Adjacency, local};
use dp_rappor::{
    CoinFlip, KaryRandomizedResponse, PackedBits, RandomizedResponse, SymmetricRappor, WeightLaw,
    dropping_effect, rejection_bias, rejection_rate, weight_bound,
};
use dp_samplers::Seed;

use crate::Error;
use crate::answers::Answers;

const EPSILONS: [&str; 5] = ["1e-3", "0.5", "1.7", "5", "12"];

/// Randomized bits and answers, and estimates of them.
pub(crate) fn randomized(answers: &mut Answers) -> Result<(), Error> {
    for (number, text) in (0..).zip(EPSILONS) {
        let rappor = SymmetricRappor::new(text.parse()?)?;
        let mut rng = Seed::from_u64(number).rng();
        let mut packed = PackedBits::zeros(200);
        rappor.randomize_packed(&mut rng, &mut packed);
        answers.add(
            format_args!("packed flips {text}"),
            format_args!("{:x?}", packed.words()),
        )?;
        let mut bits = [false; 100];
        rappor.randomize(&mut rng, &mut bits);
        answers.add(format_args!("flips {text}"), digits(&bits))?;
        let response = RandomizedResponse::new(text.parse()?)?;
        let bits: Vec<bool> = (0..64)
            .map(|i| response.randomize(&mut rng, i % 2 == 0))
            .collect();
        answers.add(format_args!("responses {text}"), digits(&bits))?;
        let coins: Vec<bool> = (0..64)
            .map(|i| CoinFlip.randomize(&mut rng, i % 2 == 0))
            .collect();
        answers.add(format_args!("coins {text}"), digits(&coins))?;
        let kary = KaryRandomizedResponse::new(text.parse()?, 1000)?;
        let mut chosen = Vec::new();
        for answer in 0..32 {
            chosen.push(kary.randomize(&mut rng, 31 * answer)?);
        }
        answers.add(format_args!("answers {text}"), format_args!("{chosen:?}"))?;

        let probability = rappor.flip_probability(64);
        answers.add(format_args!("flip probability {text}"), probability)?;
        for count in [0, 777, 10_000] {
            let question = |of: &str| format!("{of} estimate {text} {count} of 10000");
            let bits = rappor.estimate(count, 10_000).with_noise(800.0).divided(3);
            answers.add(question("bits"), format_args!("{bits:?}"))?;
            let kary = kary.estimate(count, 10_000);
            answers.add(
                question("answers"),
                format_args!("{kary:?} {:?}", kary.interval(2.5)),
            )?;
        }
    }
    Ok(())
}

fn digits(bits: &[bool]) -> String {
    bits.iter()
        .map(|bit| if *bit { '1' } else { '0' })
        .collect()
}

/// Weight bounds and what dropping the rest does.
pub(crate) fn weights(answers: &mut Answers) -> Result<(), Error> {
    for text in &EPSILONS[1..] {
        let rappor = SymmetricRappor::new(text.parse()?)?;
        for (length, ones, rate) in [(8, 1, "0.1"), (1000, 3, "1/200"), (100_000, 1, "1e-9")] {
            let question = |of: &str| format!("{of} {text} {length} {ones} {rate}");
            let bound = weight_bound(&rappor, length, ones, &rate.parse()?, WeightLaw::Exact)?;
            answers.add(
                question("weight bound"),
                format_args!("{} {}", bound.bound(), bound.rate()),
            )?;
            let bound =
                weight_bound(&rappor, length, ones, &rate.parse()?, WeightLaw::Draft)?.bound();
            answers.add(question("draft's weight bound"), bound)?;
            let rejected = rejection_rate(&rappor, length, ones, bound - 1, WeightLaw::Exact)?;
            answers.add(question("rejection rate"), rejected)?;
            if length < 2000 {
                let bias = rejection_bias(&rappor, length, ones, true, bound)?;
                answers.add(
                    question("bias"),
                    format_args!("{} {}", bias.bias(), bias.variance()),
                )?;
                let effect = dropping_effect(&rappor, 5000, length, bound)?;
                answers.add(question("effect"), format_args!("{effect:?}"))?;
            }
        }
    }
    Ok(())
}

/// What clients promise alone.
pub(crate) fn promises(answers: &mut Answers) -> Result<(), Error> {
    for text in EPSILONS {
        let epsilon = text.parse()?;
        for (name, ratio) in [
            ("bits", local::symmetric_rappor(&epsilon, 2)),
            (
                "many bits",
                local::multihot_rappor(&epsilon, 50, 4, Adjacency::Replacement)?,
            ),
            ("answers", local::k_ary(&epsilon, 11)?),
        ] {
            let guarantee = ratio.guarantee()?;
            answers.add(format_args!("epsilon of {name} {text}"), guarantee.value())?;
        }
    }
    Ok(())
}
