//! The streams of fixed seeds do not change unless the version of the algorithm does.

use dp_samplers::vectors;
use serde_json::{Value, json};

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn seeds_expand_to_the_samples_on_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/samplers.json");
    let on_file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let on_file = on_file["vectors"].as_array().unwrap();
    let streams = vectors::streams();
    assert_eq!(streams.len(), on_file.len());
    for (stream, vector) in streams.iter().zip(on_file) {
        let input = &vector["input"];
        assert_eq!(input["algorithm"], stream.algorithm);
        assert_eq!(input["parameters"], stream.parameters);
        assert_eq!(input["seed"], hexadecimal(&stream.seed));
        let figure = |quantity: &str| {
            let mut figures = vector["figures"].as_array().unwrap().iter();
            let figure = figures.find(|figure| figure["quantity"] == quantity);
            figure.unwrap()["exact"].clone()
        };
        assert_eq!(figure("key"), hexadecimal(&stream.key));
        let draws: Vec<String> = stream.samples.iter().map(ToString::to_string).collect();
        assert_eq!(figure("draws"), json!(draws), "{}", stream.parameters);
    }
}
