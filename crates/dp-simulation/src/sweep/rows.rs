//! The rows of a sweep, one for each cell, as CSV; and their digest.

use std::io;

use dp_files::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

macro_rules! row {
    ($($name:ident: $kind:ty = $about:literal,)*) => {
        /// The results of a cell. Its columns are [`COLUMNS`].
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
        pub struct SweepRow {
            $(#[doc = $about] pub $name: $kind,)*
        }

        /// The names of a row's columns, in order.
        pub const COLUMNS: &[&str] = &[$(stringify!($name),)*];
    };
}

row! {
    cell: u64 = "The cell's number in its sweep, from 1.",
    policy: String = "The policy, as `policies` lists it.",
    functionality: String = "`ideal`: totals are drawn from their exact distributions; `prio3`: every report was made and verified.",
    data: String = "The distribution of synthetic data, or the file.",
    bins: String = "The bins, if they were declared.",
    length: u64 = "How many totals are estimated: entries of a vector, or buckets.",
    clients: u64 = "Clients in each trial.",
    trials: u64 = "Trials.",
    aggregators: String = "Aggregators.",
    epsilon: String = "The ε for the noise of one aggregator, or for the answer of one client.",
    delta: String = "The δ of converted guarantees, and the δ of the budget of Gaussian noise.",
    rho: String = "The zero-concentrated budget of Gaussian noise.",
    epsilon0: String = "RAPPOR's parameter: the privacy loss of one bit.",
    local_epsilon: String = "The ε for the answer of one client where aggregators add noise as well.",
    false_positive_rate: String = "The rate of honest reports that RAPPOR may drop.",
    target_honest_clients: String = "The number of honest clients up to which compensation fills a batch.",
    assumed_malicious_clients: String = "Clients of a batch that compensation assumes to be malicious.",
    max_measurement: String = "The largest number that is measured.",
    max_weight: String = "The most ones in a vector of bits that is shared.",
    seed: u64 = "The seed of the cell's simulation.",
    noise: String = "The `scale` or `variance` of one aggregator's noise, else the parameter of the clients' noise.",
    predicted_std: f64 = "The standard deviation of an estimate that the policy predicts (root mean square).",
    observed_std: f64 = "The root mean square of the errors, over all totals of all trials.",
    observed_std_error: Option<f64> = "The standard error of observed_std.",
    bias: f64 = "The mean error.",
    bias_error: Option<f64> = "The standard error of bias.",
    coverage_95: f64 = "The fraction of 95 % intervals that hold the truth.",
    cumulative_predicted_std: Option<f64> = "The standard deviation of a cumulative count that the policy predicts (root mean square), with `percentiles`.",
    cumulative_observed_std: Option<f64> = "The root mean square of the errors, over all cumulative counts of all trials.",
    cumulative_observed_std_error: Option<f64> = "The standard error of cumulative_observed_std.",
    band_coverage_95: Option<f64> = "The fraction of 95 % bands that hold the whole distribution function.",
    percentile_coverage_95: Option<f64> = "The fraction of 95 % intervals that hold the true percentile, of the percentile with the smallest one.",
    percentile_width: Option<f64> = "The mean number of buckets of an interval, of the percentile with the largest one.",
    dropped: u64 = "Reports that clients did not send, over all trials.",
    rejected: u64 = "Reports that aggregators rejected, over all trials.",
    oc_epsilon: String = "Upper bound on ε if nobody but the client itself is honest (OC).",
    oc_delta: String = "Upper bound on δ, with this ε.",
    oc_reason: String = "Why there is no guarantee, or a note on it.",
    oaoc_epsilon: String = "Upper bound on ε if one aggregator is honest as well (OAOC).",
    oaoc_delta: String = "Upper bound on δ, with this ε.",
    oaoc_reason: String = "Why there is no guarantee, or a note on it.",
    oamc_epsilon: String = "Upper bound on ε if one aggregator and most clients are honest (OAMC).",
    oamc_delta: String = "Upper bound on δ, with this ε.",
    oamc_reason: String = "Why there is no guarantee, or a note on it.",
    seconds: f64 = "Wall time of the cell.",
}

impl SweepRow {
    /// The row without its wall time: it does not depend on when and where the cell runs.
    #[must_use]
    pub fn untimed(&self) -> Self {
        Self { seconds: 0.0, ..self.clone() }
    }
}

/// Writes rows as CSV (RFC 4180), with the names of [`COLUMNS`] in the first line. Numbers have all
/// digits of the float. Data and bins that a spreadsheet would evaluate stand behind an apostrophe.
///
/// # Errors
/// The errors of the writer.
pub fn write_csv(writer: impl io::Write, rows: &[SweepRow]) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(writer);
    table.write_record(COLUMNS)?;
    for row in rows {
        let [data, bins] = [&row.data, &row.bins].map(|text| {
            let is_formula = text.trim_start().starts_with(['=', '+', '-', '@', '\'']);
            if is_formula { format!("'{text}") } else { text.clone() }
        });
        table.serialize(SweepRow { data, bins, ..row.clone() })?;
    }
    table.flush()
}

/// Whether a file that begins like this is a table of rows: its first line names the columns.
#[must_use]
pub fn is_own(beginning: &[u8]) -> bool {
    let line = COLUMNS.join(",") + "\n";
    beginning.starts_with(line.as_bytes())
}

/// SHA-256 over the rows in order, without their times.
#[must_use]
pub fn digest(rows: &[SweepRow]) -> String {
    let mut hash = Sha256::new();
    for row in rows {
        hash.update(format!("{:?}", row.untimed()));
    }
    hexadecimal(&hash.finalize())
}
