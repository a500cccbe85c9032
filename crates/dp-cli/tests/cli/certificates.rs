//! `--certificate`: what `dp-check` accepts of what `calibrate` answers.

use std::fs;

use dp_check::check;
use serde_json::Value;

use crate::common::{calibrate, refusal, text};

/// The certificate of a line of arguments, which the checker accepts, and what it says.
fn certified(line: &str) -> (Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    let path = path.to_str().expect("UTF-8");
    let arguments: Vec<&str> = line.split(' ').chain(["--certificate", path]).collect();
    text(&arguments);
    let certificate = fs::read_to_string(path).expect("a certificate");
    let statement = check(&certificate).unwrap_or_else(|refused| panic!("{line}: {refused}"));
    let certificate = serde_json::from_str(&certificate).expect("JSON");
    (certificate, statement.to_string())
}

/// The ε of a claim.
fn epsilon(certificate: &Value) -> f64 {
    let epsilon = certificate["claim"]["epsilon"].as_str().expect("a text");
    epsilon.parse().expect("a decimal")
}

#[test]
fn the_figures_of_the_proofs_have_certificates() {
    // Table 2 of the Internet-Draft, and other corners, with every larger variance.
    for (line, variance) in [
        (
            "gaussian --epsilon 0.317 --delta 1e-9 --query pair",
            "547.1659793576",
        ),
        (
            "gaussian --epsilon 0.906 --delta 1e-9 --query histogram:24",
            "72.8504",
        ),
        (
            "gaussian --epsilon 1.528 --delta 1e-9 --query pair",
            "26.8878",
        ),
        ("gaussian --epsilon 50 --delta 1e-6 --query pair", "0.03988"),
        ("gaussian --epsilon 5 --delta 1e-9 --query sum:3", "13.2918"),
        (
            "gaussian --epsilon 1 --delta 1e-6 --query multihot:40:5",
            "178.4874",
        ),
    ] {
        let (certificate, statement) = certified(line);
        let claim = &certificate["claim"];
        assert_eq!(claim["every_larger_variance"], true, "{line}");
        let found = claim["releases"][0]["variance"].as_str().expect("a text");
        assert!(found.starts_with(variance), "{line}: {found}");
        assert!(statement.contains("every larger variance"), "{statement}");
    }
    // Laplace noise of fewer than the L1 sensitivity asks for.
    for (line, scale) in [
        (
            "laplace --epsilon 1 --delta 1e-6 --query count",
            "0.9999986",
        ),
        (
            "laplace --epsilon 1 --delta 1e-6 --query sumvec:100:1",
            "41.6",
        ),
        (
            "laplace --epsilon 1 --delta 1e-6 --query sumvec:1000:15",
            "1998.6",
        ),
        ("laplace --epsilon 1/3 --query multihot:9:2", "12"),
    ] {
        let (certificate, _) = certified(line);
        let found = certificate["claim"]["releases"][0]["scale"]
            .as_str()
            .expect("a text");
        assert!(found.starts_with(scale), "{line}: {found}");
    }
    // The crowds of section 5, and compositions.
    for (line, at_most) in [
        ("rappor --epsilon0 5 --clients 100000 --delta 1e-9", 0.29750),
        (
            "rappor --epsilon0 6.5 --clients 100000 --delta 1e-9",
            0.70061,
        ),
        ("rappor --epsilon0 7 --clients 100000 --delta 1e-9", 0.95180),
        (
            "compose --mechanism gaussian:900:pair --times 365 --delta 1e-9",
            5.5019358,
        ),
        (
            "compose --mechanism response:0.1:1e-9 --times 100 --delta 1e-6",
            5.9,
        ),
        (
            "compose --mechanism gaussian:900:one --times 50 --mechanism laplace:20:pair --times 50 \
          --mechanism response:0.05 --times 50 --delta 1e-6",
            3.02,
        ),
        (
            "compose --mechanism rappor:5:100000 --mechanism gaussian:5000:histogram:4 --times 12 --delta 1e-9",
            1.132,
        ),
    ] {
        let (certificate, _) = certified(line);
        assert!(
            epsilon(&certificate) <= at_most,
            "{line}: {}",
            epsilon(&certificate)
        );
    }
}

#[test]
fn several_noises_and_noise_beside_bits_have_certificates() {
    for (line, at_most) in [
        (
            "gaussian --epsilon 0.317 --delta 1e-9 --honest-aggregators 2",
            0.31702,
        ),
        (
            "gaussian --epsilon 3 --delta 1e-6 --query one --honest-aggregators 5",
            3.004,
        ),
        (
            "gaussian --delta-at --variance 30 --epsilon 0.8 --honest-aggregators 3",
            0.80017,
        ),
        (
            "laplace --epsilon 1 --delta 1e-6 --query one --honest-aggregators 2",
            1.001,
        ),
        (
            "laplace --epsilon 1 --delta 1e-6 --honest-aggregators 2",
            1.001,
        ),
        (
            "compose --mechanism hedged:5:gaussian:547:100000 --delta 1e-9",
            0.2111,
        ),
        (
            "compose --mechanism hedged:2:laplace:20:50 --times 3 --delta 1e-6",
            0.76,
        ),
    ] {
        let (certificate, statement) = certified(line);
        assert!(
            epsilon(&certificate) <= at_most,
            "{line}: {}, {statement}",
            epsilon(&certificate)
        );
    }
}

#[test]
fn bounds_and_conversions_have_certificates() {
    for (line, says) in [
        (
            "utility --mechanism laplace:2 --coordinates 10000",
            "exceeds ",
        ),
        (
            "utility --mechanism gaussian:52 --aggregators 3",
            "each of 3 aggregators",
        ),
        (
            "utility --mechanism gaussian --bound 100 --delta 1e-9",
            "exceeds 100 ",
        ),
        (
            "utility --mechanism laplace --bound 24 --coordinates 10000",
            "exceeds 24 ",
        ),
        (
            "multihot --epsilon0 5 --length 1000 --input-weight 3 --false-positive-rate 1e-6",
            "at most 3 of them set",
        ),
        ("convert --rho 0.1 --delta 1e-6", "0.1-zero-concentrated"),
        ("convert --rho 0.1 --epsilon 2", "0.1-zero-concentrated"),
        (
            "convert --alpha 8 --tau 0.5 --delta 1e-6",
            "of order 8 of at most 0.5",
        ),
        (
            "convert --alpha 2 --tau 1/3 --epsilon 4",
            "of order 2 of at most 1/3",
        ),
    ] {
        let (_, statement) = certified(line);
        assert!(statement.contains(says), "{line}: {statement}");
    }
}

#[test]
fn what_has_no_certificate_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    for line in [
        "gaussian --epsilon 1 --delta 1e-6 --query l2-squared:2",
        "rappor --epsilon0 5 --clients 1000 --delta 1e-6 --length 20 --max-weight 9",
        "compose --mechanism k-ary:5:1 --times 3 --delta 1e-6",
        "convert --epsilon 1",
        "local --mechanism k-ary:5 --epsilon 1",
    ] {
        let said = refusal(&format!("{line} --certificate {}", path.display()));
        assert!(said.contains("certificate"), "{said}");
        assert!(
            !line.contains("max-weight") || said.contains("dropped"),
            "{said}"
        );
        assert!(!path.exists());
    }
}

#[test]
fn a_file_of_others_is_replaced_by_force_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    let path = path.to_str().expect("UTF-8");
    let line = ["laplace", "--epsilon", "1", "--certificate", path];
    fs::write(path, "a thesis").expect("written");
    assert_eq!(calibrate(&line).status.code(), Some(2));
    let forced: Vec<&str> = line.iter().copied().chain(["--force"]).collect();
    text(&forced);
    text(&line);
    assert!(check(&fs::read_to_string(path).expect("read")).is_ok());
}

/// Numbers from a seed, one after the other: steps of SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[usize::try_from(self.below(words.len() as u64)).expect("small")]
    }

    fn query(&mut self) -> String {
        let (one, other) = (2 + self.below(12), 1 + self.below(3));
        match self.below(6) {
            0 => "count".to_owned(),
            1 => format!("sum:{one}"),
            2 => format!("histogram:{one}"),
            3 => format!("sumvec:{one}:{other}"),
            4 => format!("l1boundsum:{one}:{other}"),
            _ => format!("multihot:{}:{other}", one + other),
        }
    }

    fn line(&mut self) -> String {
        let epsilon = format!("{}.{:02}", self.below(5), 10 + self.below(90));
        let delta = format!("{}e-{}", 1 + self.below(9), 4 + self.below(12));
        let adjacency = self.one_of(&["replacement", "deletion"]);
        let end = format!("--delta {delta} --adjacency {adjacency}");
        let honest = 2 + self.below(3);
        match self.below(16) {
            0..=2 => format!(
                "gaussian --epsilon {epsilon} --query {} {end}",
                self.query()
            ),
            3..=5 => format!("laplace --epsilon {epsilon} --query {} {end}", self.query()),
            6 => {
                let clients = 100 + self.below(2000);
                format!(
                    "rappor --epsilon0 {}.5 --clients {clients} {end}",
                    self.below(7)
                )
            }
            7 => {
                let noise = self.one_of(&["gaussian:3", "gaussian:100", "laplace:5"]);
                let (bits, clients) = (1 + self.below(5), 10 + self.below(200));
                format!("compose --mechanism hedged:{bits}:{noise}:{clients} {end}")
            }
            8 | 9 => {
                let (variance, scale) = (20 + self.below(400), 5 + self.below(60));
                let [one, other] = [0; 2].map(|_| format!("{}", 1 + self.below(20)));
                format!(
                    "compose --mechanism gaussian:{variance}:{} --times {one} --mechanism laplace:{scale}:{} \
                     --times {other} {end}",
                    self.query(),
                    self.query()
                )
            }
            10 => format!(
                "gaussian --epsilon {epsilon} --query {} --honest-aggregators {honest} {end}",
                self.one_of(&["one", "pair"])
            ),
            11 => format!(
                "laplace --epsilon {epsilon} --query {} --honest-aggregators 2 {end}",
                self.one_of(&["one", "pair"])
            ),
            12 | 13 => {
                let (law, parameter) = (self.one_of(&["laplace", "gaussian"]), 2 + self.below(90));
                let numbers = 1 + self.below(1_000_000);
                format!(
                    "utility --mechanism {law}:{parameter} --coordinates {numbers} --aggregators {honest}"
                )
            }
            14 => {
                let (length, weight) = (30 + self.below(2000), 1 + self.below(9));
                let rate = self.one_of(&["0.01", "1e-6", "1e-12"]);
                format!(
                    "multihot --epsilon0 {honest} --length {length} --input-weight {weight} \
                     --false-positive-rate {rate}"
                )
            }
            _ => {
                let of = self.one_of(&["--rho 0.01", "--rho 0.3", "--alpha 9 --tau 1/2"]);
                format!("convert {of} --delta {delta}")
            }
        }
    }
}

/// The certificate with a claim of clearly more: a bound by a fifth smaller, or an ε.
fn falsified(certificate: &Value) -> String {
    let mut certificate = certificate.clone();
    let claim = &mut certificate["claim"];
    if let Some(bound) = claim["bound"].as_u64() {
        claim["bound"] = (bound * 4 / 5).max(1).into();
        if bound == 1 {
            claim["probability"] = "1e-40".into();
        }
    } else {
        let epsilon = claim["epsilon"].as_str().and_then(|text| text.parse().ok());
        let epsilon: f64 = epsilon.expect("a decimal");
        claim["epsilon"] = (0.8 * epsilon).to_string().into();
    }
    certificate.to_string()
}

/// `CERTIFICATES=200` in front of the tests takes as many, `CERTIFICATES_SEED=2` others.
#[test]
fn random_answers_have_certificates_and_what_they_do_not_say_is_refused() {
    let number = |name, default| {
        std::env::var(name).map_or(default, |text| text.parse().expect("an integer"))
    };
    let mut numbers = Numbers(number("CERTIFICATES_SEED", 17));
    for _ in 0..number("CERTIFICATES", 24) {
        let line = numbers.line();
        let (certificate, _) = certified(&line);
        let falsified = falsified(&certificate);
        assert!(check(&falsified).is_err(), "{line}: {falsified}");
    }
}
