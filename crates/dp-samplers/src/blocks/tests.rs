//! Both engines that draw in blocks, word by word.

mod frequencies;
mod masses;
mod scripts;

use std::sync::Arc;

use super::{Blocks, First, Second};
use crate::alias::tests::{Fractions, laws, rational};
use crate::alias::{Law, Whole};
use crate::engine::Engine;
use crate::laws::{Gaussian, Magnitude, TwoSided};
use crate::scan::Scan;
use crate::two_pass::TwoPass;
use crate::words::Source;

/// An engine that draws in blocks.
pub(crate) trait InBlocks: Engine {
    type First: First;
    type Second: Second;

    fn blocks(&self) -> &Blocks<Self::First, Self::Second>;
}

impl<F: First> First for &F {
    fn positions(&self, words: &[i16], positions: &mut [i16]) {
        (**self).positions(words, positions);
    }
}

impl<S: Second> Second for &S {
    fn positions(&self, words: &[u64], positions: &mut [i16]) {
        (**self).positions(words, positions);
    }

    fn look_up(&self, word: u64) -> Option<i64> {
        (**self).look_up(word)
    }

    fn draw_undecided(&self, source: &mut dyn Source) -> i64 {
        (**self).draw_undecided(source)
    }

    fn undecided(&self) -> u64 {
        (**self).undecided()
    }

    fn words(&self) -> (i64, Vec<u64>) {
        (**self).words()
    }
}

/// The Gaussians that every engine serves, by their variances.
const VARIANCES: [&str; 6] = ["1e-9", "1/4", "1", "26.93942798", "100", "270"];

/// Laws of magnitudes, with the signed laws that they come from.
fn symmetric() -> Vec<(Arc<dyn Law>, Arc<dyn Law>)> {
    fn pair(law: impl Law + Clone + 'static) -> (Arc<dyn Law>, Arc<dyn Law>) {
        (Arc::new(Magnitude(law.clone())), Arc::new(law))
    }
    let gaussians = VARIANCES.map(|variance| Gaussian::new(&rational(variance)).unwrap());
    let laplace = ["5/2", "1/2", "1/7", "1000"]
        .map(rational)
        .map(|rate| TwoSided {
            sign_rate: rate.clone(),
            rate,
        });
    gaussians
        .into_iter()
        .map(pair)
        .chain(laplace.into_iter().map(pair))
        .collect()
}

/// Laws without a sign.
fn others() -> Vec<Arc<dyn Law>> {
    laws().into_iter().map(Arc::from).collect()
}

/// The split of a law into words of this size.
fn split(law: &dyn Law, word_bits: u32) -> Whole {
    Whole::new(&law.lower_bounds(32).unwrap(), word_bits).unwrap()
}

/// Does something for each engine and each law that it serves, which is given without a sign, with
/// the size of the words of the first pass.
macro_rules! for_each_engine {
    (|$engine:ident, $law:ident, $word_bits:ident| $body:block) => {{
        let mut served = [0; 2];
        for (magnitude, signed) in symmetric() {
            let ($law, $word_bits) = (&*magnitude, 15);
            let $engine = &Scan::symmetric(Arc::clone(&signed)).expect("a small law");
            $body
            let $engine = &TwoPass::symmetric(signed).expect("a small law");
            $body
        }
        for law in others() {
            let ($law, $word_bits) = (&*law, 16);
            if let Some($engine) = &Scan::new(Arc::clone(&law)) {
                served[0] += 1;
                $body
            }
            if let Some($engine) = &TwoPass::new(Arc::clone(&law)) {
                served[1] += 1;
                $body
            }
        }
        assert!(served[0] > 10 && served[1] > 14, "{served:?}");
    }};
}

use for_each_engine;

#[test]
fn a_law_without_a_likely_outcome_is_refused() {
    let uniform = crate::laws::Digit {
        rate: rational("1e-12"),
        bits: 16,
    };
    assert!(Scan::new(uniform.clone()).is_none());
    assert!(TwoPass::new(uniform).is_none());
    // One outcome alone, and two of exactly one half.
    let _: Scan<_> = Scan::new(Fractions::new(&["1"])).unwrap();
    let _: Scan<_> = Scan::new(Fractions::new(&["1/2", "1/2"])).unwrap();
}
