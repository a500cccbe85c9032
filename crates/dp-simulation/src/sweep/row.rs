//! The rows that a sweep gives: one for each cell, every column with its name and what it is.

use serde::Serialize;

/// What stands in a column: text; exact numbers are written so. Nothing is an empty text.
trait Cellular: Sized {
    fn text(&self) -> String;
    fn read(text: &str) -> Option<Self>;
}

macro_rules! cellular {
    ($($kind:ty),*) => {$(
        impl Cellular for $kind {
            fn text(&self) -> String {
                self.to_string()
            }
            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

cellular!(u64, f64, String);

impl Cellular for Option<f64> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |number| number.to_string())
    }
    fn read(text: &str) -> Option<Self> {
        match text {
            "" => Some(None),
            number => Some(Some(number.parse().ok()?)),
        }
    }
}

macro_rules! row {
    ($($name:ident: $kind:ty = $about:literal,)*) => {
        /// What a cell gave. Its columns are [`COLUMNS`].
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        pub struct SweepRow {
            $(#[doc = $about] pub $name: $kind,)*
        }

        /// The names of a row's columns, in order.
        pub const COLUMNS: &[&str] = &[$(stringify!($name),)*];

        impl SweepRow {
            /// What stands in each column, in order.
            pub(crate) fn texts(&self) -> Vec<String> {
                vec![$(self.$name.text(),)*]
            }

            /// The row of texts that stand in the columns, in order; `None` if there are more or fewer, or one
            /// is not of its column's type.
            pub(crate) fn read<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Self> {
                let mut texts = texts.into_iter();
                let row = Self {
                    $($name: Cellular::read(texts.next()?)?,)*
                };
                texts.next().is_none().then_some(row)
            }
        }
    };
}

row! {
    cell: u64 = "The cell's number in its sweep, from 1.",
    policy: String = "The policy, as `policies` lists it.",
    functionality: String = "`ideal`: totals are drawn from their exact laws; `prio3`: every report was made and verified.",
    data: String = "The law of synthetic data, or the file.",
    bins: String = "The bins, if they were declared.",
    length: u64 = "How many totals are estimated: entries of a vector, or buckets.",
    clients: u64 = "Clients in each trial.",
    trials: u64 = "Trials.",
    aggregators: String = "Aggregators.",
    epsilon: String = "What the noise of one aggregator guarantees, or the answer of one client.",
    delta: String = "The δ at which guarantees are stated, and the budget's of Gaussian noise.",
    rho: String = "The zero-concentrated budget of Gaussian noise.",
    epsilon0: String = "RAPPOR's parameter: the privacy loss of one bit.",
    local_epsilon: String = "What the answer of one client guarantees where aggregators add noise as well.",
    false_positive_rate: String = "The rate of honest reports that RAPPOR may drop.",
    wanted_honest_clients: String = "Honest clients that compensation makes a batch up to.",
    assumed_malicious_clients: String = "Clients of a batch that compensation assumes to be malicious.",
    max_measurement: String = "The largest number that is measured.",
    max_weight: String = "The most ones in a vector of bits that is shared.",
    seed: u64 = "The seed of the cell's simulation.",
    noise: String = "The parameter of the noise: `scale` or `variance` of one aggregator's, else that of the clients.",
    predicted_std: f64 = "The standard deviation of an estimate that the policy predicts (root mean square).",
    observed_std: f64 = "The root mean square of the errors, over all totals of all trials.",
    observed_std_error: Option<f64> = "The standard error of observed_std.",
    bias: f64 = "The mean error.",
    bias_error: Option<f64> = "The standard error of bias.",
    coverage_95: f64 = "The fraction of 95 % intervals that hold the truth.",
    dropped: u64 = "Reports that clients did not send, over all trials.",
    rejected: u64 = "Reports that aggregators rejected, over all trials.",
    oc_epsilon: String = "ε if nobody but the client itself is honest.",
    oc_delta: String = "Its δ.",
    oc_reason: String = "Why there is no guarantee, or what else is to be known of it.",
    oaoc_epsilon: String = "ε if one aggregator is honest as well.",
    oaoc_delta: String = "Its δ.",
    oaoc_reason: String = "Why there is no guarantee, or what else is to be known of it.",
    oamc_epsilon: String = "ε if one aggregator and most clients are honest.",
    oamc_delta: String = "Its δ.",
    oamc_reason: String = "Why there is no guarantee, or what else is to be known of it.",
    seconds: f64 = "Wall time of the cell.",
    command: String = "What to type to run the cell alone, after `dp-cli` or `cargo xtask`.",
}

impl SweepRow {
    /// The same without its wall time, and without the command, which names files by the paths of whoever ran it:
    /// what is the same whenever and wherever the cell runs.
    #[must_use]
    pub fn untimed(&self) -> Self {
        Self { seconds: 0.0, command: String::new(), ..self.clone() }
    }
}
