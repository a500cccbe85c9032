//! Parts of a run: written, shared, damaged, and put together.

mod damage;
mod runs;

use std::path::Path;

use dp_simulation::checkpoints::{CheckpointError, RunFolder, RunIdentity};

/// A run of a given number of blocks.
fn run(blocks: u64) -> RunIdentity {
    RunIdentity {
        kind: "test".to_owned(),
        digest: [5; 32],
        blocks,
        description: "{\"seed\": \"7\"}".to_owned(),
    }
}

/// What some blocks come to: a byte for each, so that another cut gives the same.
fn payload(blocks: &std::ops::Range<u64>) -> Vec<u8> {
    blocks.clone().map(|block| block.to_le_bytes()[0]).collect()
}

/// The payloads of all parts, one after the other.
fn merged(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    let mut all = Vec::new();
    for part in RunFolder::read(path)?.parts()? {
        let part = part?;
        assert_eq!(part.payload, payload(&part.blocks));
        all.extend(part.payload);
    }
    Ok(all)
}
