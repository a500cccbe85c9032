//! What a deployer says.

use dp_report::statement::{Deployment, MAX_BYTES};

use crate::{check_refusal, text};

/// TOML: it is refused, or it is short text of which every field is there.
pub fn deployment(data: &[u8]) {
    match Deployment::from_toml(data) {
        Err(error) => check_refusal(&error),
        Ok(_) => {
            let text = text(data).expect("UTF-8");
            assert!(text.len() <= MAX_BYTES);
            let table: toml::Table = text.parse().expect("TOML");
            assert_eq!(table.len(), 9, "{table:?}");
        }
    }
}
