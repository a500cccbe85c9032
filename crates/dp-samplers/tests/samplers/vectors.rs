//! The streams of fixed seeds do not change unless the version of the algorithm does.

use std::fs;
use std::path::Path;

use dp_samplers::vectors;
use serde_json::Value;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

#[test]
fn seeds_expand_to_the_samples_on_file() {
    let files = vectors::files().unwrap();
    let mut on_disk: Vec<_> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    on_disk.sort();
    assert_eq!(on_disk.len(), 4);
    let mut names: Vec<_> = files.iter().map(|file| file.0).collect();
    names.sort_unstable();
    assert_eq!(on_disk, names);
    for (name, contents) in files {
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
            let (distribution, version) = algorithm.split_once('/').unwrap();
            assert_eq!(format!("{distribution}.json"), name);
            assert!(version.parse::<u32>().unwrap() >= 1);
            assert!(entry["parameters"].as_str().unwrap().contains('='));
            assert_eq!(entry["derivation"], "HMAC-SHA-256");
            assert_eq!(entry["generator"], "ChaCha20");
            assert_eq!(entry["seed"].as_str().unwrap().len(), 64);
            assert_eq!(entry["key"].as_str().unwrap().len(), 64);
            assert_eq!(entry["samples"].as_array().unwrap().len(), 64);
        }
    }
}

#[test]
#[ignore = "writes the files that the other tests compare with"]
fn write_the_files() {
    fs::create_dir_all(folder()).unwrap();
    for (name, contents) in vectors::files().unwrap() {
        fs::write(folder().join(name), contents).unwrap();
    }
}
