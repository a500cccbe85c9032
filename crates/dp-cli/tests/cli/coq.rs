//! `--coq`: certificates as theorems. `proofs/check.sh` gives the recorded ones to Coq.

use std::fs;
use std::path::Path;

use crate::support::{Folder, ROOT, refusal, rows, success};

/// Coq has accepted every recorded file, and refuses it with a stronger claim (`proofs/lies.sh`).
#[test]
fn theorems_are_the_ones_that_coq_accepts() {
    let folder = Folder::new();
    let path = folder.at("certificate.v");
    for [line, name] in rows(
        "\
        gaussian --epsilon 0.906 --delta 1e-9 --query histogram:24 | gaussian_histogram
        gaussian --epsilon 2 --delta 1e-5 --query histogram:24 --adjacency deletion | gaussian_histogram_deletion
        gaussian --epsilon 1 --delta 1e-8 --query sum:3 | gaussian_sum
        compose --mechanism gaussian:100:histogram:4 --times 3 --delta 1e-6 | gaussian_releases
        laplace --epsilon 1/3 --query histogram:24 | laplace_histogram
        laplace --epsilon 1 --query sumvec:10:3 | laplace_vector
        compose --mechanism laplace:6:histogram:4 --times 4 --delta 1e-6 | laplace_releases
        local --mechanism symmetric-rappor:5:1.528 | rappor
        local --mechanism k-ary:5:1 | response",
    ) {
        success(&format!("calibrate {line} --coq {path}"));
        let recorded = Path::new(ROOT).join(format!("proofs/certificates/{name}.v"));
        let recorded = fs::read_to_string(recorded).expect("a file");
        assert_eq!(folder.read("certificate.v"), recorded, "{line}");
    }
}

/// By `k_norm_is_scalar` in `proofs`, noise on a vector costs what noise on one number costs; the
/// file says that its theorem is about one number.
#[test]
fn cube_shaped_noise_has_the_theorem_of_one_number() {
    let folder = Folder::new();
    let [cube, number] = ["sumvec:10:3 --cube", "sum:3"].map(|query| {
        let path = folder.at("certificate.v");
        success(&format!("calibrate laplace --epsilon 1 --query {query} --force --coq {path}"));
        folder.read("certificate.v")
    });
    let said = cube.lines().skip_while(|line| !line.starts_with("(* This theorem")).take(3);
    let said = said.collect::<Vec<_>>().join("\n") + "\n";
    assert!(said.contains("one number") && said.contains("K-norm noise"), "{said}");
    assert!(said.contains("--query sumvec:10:3") && said.ends_with(" *)\n"), "{said}");
    assert_eq!(cube.replace(&said, ""), number);
}

#[test]
fn a_claim_without_a_theorem_is_refused() {
    let folder = Folder::new();
    for [line, kind] in rows(
        "\
        gaussian --epsilon 1 --delta 1e-6 --honest-aggregators 2 | several honest aggregators
        laplace --epsilon 1e-6 --delta 1e-9 --query histogram:9 | noise so wide
        laplace --epsilon 1 --query ranges:16 | a strategy matrix
        laplace --epsilon 1 --query l1boundsum:4:2 | sum is bounded
        compose --mechanism symmetric-rappor:5:1 --times 2 --delta 1e-6 | several answers of one client
        rappor --epsilon0 4 --clients 30 --delta 1e-6 | clients' randomized bits
        compose --mechanism laplace:20:pair --mechanism gaussian:900:pair --delta 1e-6 | several kinds
        convert --rho 0.01 --delta 1e-6 | only a guarantee
        utility --mechanism laplace:2 --coordinates 4 | bounds on draws",
    ) {
        let said = refusal(&format!("calibrate {line} --coq {}", folder.at("certificate.v")));
        assert!(said.starts_with("coq ") && said.contains(kind), "{said}");
    }
    assert_eq!(folder.len(), 0);
}
