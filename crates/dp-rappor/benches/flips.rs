//! Answers of clients: a vector of a thousand bits, and one of a thousand answers.

use divan::{Bencher, black_box};
use dp_rappor::{KaryRandomizedResponse, SymmetricRappor};
use dp_samplers::os_rng;

fn main() {
    divan::main();
}

#[divan::bench(args = ["1", "2.5", "5"])]
fn bits(bencher: Bencher<'_, '_>, epsilon0: &str) {
    let rappor = SymmetricRappor::new(epsilon0.parse().expect("an epsilon")).expect("in range");
    let (mut rng, mut bits) = (os_rng().expect("a seed"), [false; 1000]);
    bencher.bench_local(|| rappor.randomize(&mut rng, black_box(&mut bits)));
}

#[divan::bench(args = ["1", "5"])]
fn answer(bencher: Bencher<'_, '_>, epsilon: &str) {
    let epsilon = epsilon.parse().expect("an epsilon");
    let response = KaryRandomizedResponse::new(epsilon, 1000).expect("in range");
    let mut rng = os_rng().expect("a seed");
    bencher.bench_local(|| response.randomize(&mut rng, black_box(7)));
}
