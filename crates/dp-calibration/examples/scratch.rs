//! Scratch.
use dp_calibration::privacy_loss::{Accountant, Release};
use dp_calibration::aggregated_rappor::AggregatedRappor;
use dp_calibration::Adjacency;
use std::time::Instant;
fn main() {
    let g = |v: &str| Release::GaussianOne { variance: v.parse().unwrap() };
    let gp = |v: &str| Release::GaussianPair { variance: v.parse().unwrap() };
    let l = |v: &str| Release::LaplaceOne { scale: v.parse().unwrap() };
    let r = |e: &str, n: u64| Release::Rappor { sum: AggregatedRappor::new(e.parse().unwrap(), n).unwrap(), adjacency: Adjacency::Replacement };
    let rr = |e: &str| Release::RandomizedResponse { epsilon: e.parse().unwrap(), delta: "0".parse().unwrap() };
    let run = |name: &str, list: Vec<(Release, u32)>, delta: &str| {
        let t = Instant::now(); let cpu = || std::fs::read_to_string("/proc/self/schedstat").unwrap().split(" ").next().unwrap().parse::<u64>().unwrap(); let c0 = cpu();
        let mut a = Accountant::new();
        for (x, k) in list { a.add(x, k).unwrap(); }
        match a.epsilon(&delta.parse().unwrap()) {
            Ok(b) => { let (u, lo) = (b.upper.to_f64(), b.lower.to_f64());
              println!("{name}: {u} gap {:.2e} in {:?}", u / lo - 1.0, {let _ = t; (cpu() - c0) / 1_000_000}); }
            Err(e) => println!("{name}: {e} in {:?}", {let _ = t; (cpu() - c0) / 1_000_000}),
        }
    };
    let only = std::env::args().nth(1);
    let on = |s: &str| only.as_deref().is_none_or(|o| s == o);
    if on("a") {
    for v in ["1", "25", "900", "10000", "1000000", "100000000", "10000000000"] { run(&format!("pair {v} x1000"), vec![(gp(v), 1000)], "1e-6"); }
    run("one 900 x1", vec![(g("900"), 1)], "1e-6");
    run("one 900 x500000", vec![(g("900"), 500000)], "1e-6");
    run("rr .1 x1000", vec![(rr("0.1"), 1000)], "1e-6");
    run("rr .001 x1000000", vec![(rr("0.001"), 1000000)], "1e-6");
    run("pair 10000 x1000 1e-300", vec![(gp("10000"), 1000)], "1e-300");
    }
    if on("b") {
    run("g97 l10 x3", vec![(g("97.1731"), 3), (l("10.00317"), 3)], "1e-6");
    run("3 lattices x3", vec![(g("97.1731"), 3), (l("10.00317"), 3), (l("14.14213562373"), 3)], "1e-6");
    run("5 gauss x200", vec![(g("97.1731"), 200), (g("314.15926"), 200), (g("271.828182"), 200), (g("50.3337"), 200), (gp("1000.00123"), 200)], "1e-6");
    run("g l x500", vec![(g("97.1731"), 500), (l("10.00317"), 500), (l("14.14213562373"), 500)], "1e-9");
    run("2 rr x3", vec![(rr("0.1"), 3), (rr("0.14142135623731"), 3)], "1e-6");
    run("3 rr x1", vec![(rr("1"), 1), (rr("1.4142135623731"), 1), (rr("1.73205080756"),1)], "1e-6");
    run("g1e8 g1e4", vec![(g("100000000.1"), 1000), (g("10000.3"), 10)], "1e-6");
    }
    if on("c") {
    for (n, k) in [(1000u64, 1u32), (100000, 1), (100000, 10), (100000, 1000), (1000000000, 1000)] {
        run(&format!("rappor {n} x{k}"), vec![(r("5", n), k)], "1e-9");
    }
    run("rappor+g", vec![(r("5", 100000), 100), (gp("900"), 100)], "1e-9");
    }
}
