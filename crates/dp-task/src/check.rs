//! What the sections of a document say of each other.

use dp_exact::ParameterError;

use crate::document::{Batch, Document, Trust};

/// The most releases in which one person takes part.
const MAX_RELEASES: u64 = 1 << 20;

impl Document {
    /// Refuses contradictions that are seen before a policy is built.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        self.batch.check()?;
        self.check_malicious()?;
        self.trust.check_aggregators(self.vdaf.aggregators())?;
        self.trust.check_honest_clients(self.batch)?;
        self.trust.check_releases()?;
        self.trust.check_delta(self.client_noise.is_some())
    }

    /// A batch of the fewest reports has an honest one among them.
    fn check_malicious(&self) -> Result<(), ParameterError> {
        let noise = self.aggregator_noise.as_ref();
        let malicious = noise.map_or(0, |noise| noise.assumed_malicious_clients());
        let least = self.batch.min_reports;
        if malicious >= least {
            let accepted = format!("below batch.min_reports, {least}");
            let field = "aggregator_noise.assumed_malicious_clients";
            return Err(ParameterError::new(field, malicious, accepted));
        }
        Ok(())
    }
}

impl Batch {
    fn check(self) -> Result<(), ParameterError> {
        let Self {
            min_reports,
            max_reports,
        } = self;
        if min_reports == 0 {
            let accepted = "an integer of at least 1";
            return Err(ParameterError::new("batch.min_reports", 0, accepted));
        }
        match max_reports {
            Some(max) if max < min_reports => {
                let accepted = format!("at least batch.min_reports, {min_reports}");
                Err(ParameterError::new("batch.max_reports", max, accepted))
            }
            _ => Ok(()),
        }
    }
}

impl Trust {
    fn check_aggregators(&self, most: usize) -> Result<(), ParameterError> {
        if usize::from(self.model.honest_aggregators()) <= most {
            return Ok(());
        }
        let accepted = format!(
            "a trust model of at most {most} honest aggregators, the task's vdaf.aggregators"
        );
        let model = self.model.abbreviation();
        Err(ParameterError::new("trust.model", model, accepted))
    }

    fn check_honest_clients(&self, batch: Batch) -> Result<(), ParameterError> {
        let least = batch.min_reports;
        let refused = |value: &str, accepted: String| {
            Err(ParameterError::new("trust.honest_clients", value, accepted))
        };
        match (self.model.needs_other_clients(), self.honest_clients) {
            (false, None) => Ok(()),
            (true, Some(honest)) if (1..=least).contains(&honest) => Ok(()),
            (false, Some(honest)) => {
                let model = self.model.abbreviation();
                let accepted =
                    format!("no such field in trust model {model}, which counts on none");
                refused(&honest.to_string(), accepted)
            }
            (true, stated) => {
                let value =
                    stated.map_or_else(|| "missing".to_owned(), |honest| honest.to_string());
                refused(
                    &value,
                    format!("an integer from 1 to batch.min_reports, {least}"),
                )
            }
        }
    }

    fn check_releases(&self) -> Result<(), ParameterError> {
        match self.releases {
            Some(releases) if !(1..=MAX_RELEASES).contains(&releases) => {
                let accepted = format!("an integer from 1 to {MAX_RELEASES}");
                Err(ParameterError::new("trust.releases", releases, accepted))
            }
            _ => Ok(()),
        }
    }

    fn check_delta(&self, clients_add_noise: bool) -> Result<(), ParameterError> {
        let field = "trust.delta";
        let is_needed = clients_add_noise && self.model.needs_other_clients();
        match (is_needed, &self.delta) {
            (false, _) => Ok(()),
            (true, Some(delta)) if !delta.value().is_zero() => Ok(()),
            (true, Some(delta)) => {
                let accepted = "above 0: clients hide each other only but for some delta";
                Err(ParameterError::new(field, delta, accepted))
            }
            (true, None) => {
                let accepted = "a number above 0 and below 1, such as \"1e-9\"";
                Err(ParameterError::new(field, "missing", accepted))
            }
        }
    }
}
