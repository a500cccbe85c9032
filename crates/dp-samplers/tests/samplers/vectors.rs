//! The streams of fixed seeds do not change unless the version of the algorithm does.

use std::fs;
use std::path::Path;

use dp_samplers::{DiscreteGaussian, Seed, vectors};
use serde_json::Value;

use crate::laws::rational;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

#[test]
fn seeds_expand_to_the_samples_on_file() {
    for (name, contents) in vectors::files().unwrap() {
        let path = folder().join(name);
        let on_file = fs::read_to_string(&path).unwrap();
        assert!(on_file == contents, "{name} differs");
    }
}

#[test]
fn the_files_are_json_with_64_samples_each() {
    for (name, contents) in vectors::files().unwrap() {
        let Value::Array(entries) = serde_json::from_str(&contents).unwrap() else {
            panic!("{name} is a list");
        };
        for entry in entries {
            let algorithm = entry["algorithm"].as_str().unwrap();
            let (law, version) = algorithm.split_once('/').unwrap();
            assert_eq!(format!("{law}.json"), name);
            assert!(version.parse::<u32>().unwrap() >= 1);
            assert_eq!(entry["generator"], "ChaCha20");
            assert_eq!(entry["seed"].as_str().unwrap().len(), 64);
            assert_eq!(entry["samples"].as_array().unwrap().len(), 64);
        }
    }
}

#[test]
fn a_seed_expands_to_the_draws_of_its_generator() {
    let law = DiscreteGaussian::new(&rational("27")).unwrap();
    let seed = Seed::new([9; 32]);
    let (mut one, mut other) = ([0_i64; 300], [0_i64; 300]);
    seed.expand(&law, &mut one).unwrap();
    law.fill(&mut seed.rng(), &mut other).unwrap();
    assert_eq!(one, other);
}

#[test]
#[ignore = "writes the files that the other tests compare with"]
fn write_the_files() {
    fs::create_dir_all(folder()).unwrap();
    for (name, contents) in vectors::files().unwrap() {
        fs::write(folder().join(name), contents).unwrap();
    }
}
