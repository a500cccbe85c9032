//! Deployments that are asked for collections: whoever implements [`Deployment`].

use crate::Error;
use crate::conformance::{Collected, Conformance, ConformanceResult, ExpectedRelease};

/// A deployment to which known measurements can be submitted.
pub trait Deployment {
    /// Submits the measurements and collects.
    ///
    /// # Errors
    /// If it does not answer.
    fn collect(&mut self) -> Result<Collected, Error>;
}

impl Conformance {
    /// Collects until every fault is excluded, something is found and explained, or `most` collections are made. Two
    /// explanations may fit equally well, such as no noise and a draw of 0 that is used again: after what found something,
    /// as many collections again are made to explain it, and ten.
    ///
    /// # Errors
    /// If the deployment does not answer, or its answers are none to what was submitted; as [`Conformance::new`].
    pub fn of(
        deployment: &mut dyn Deployment,
        expected: ExpectedRelease,
        error: f64,
        most: u64,
    ) -> Result<ConformanceResult, Error> {
        let mut test = Self::new(expected, error)?;
        let mut last = most;
        let mut made = 0;
        while made < last {
            made += 1;
            test.observe(&deployment.collect()?)?;
            let result = test.result();
            if result.is_explained() || result.conforms() {
                return Ok(result);
            }
            if result.found().is_some() && last == most {
                last = most.min(2 * made + 10);
            }
        }
        Ok(test.result())
    }
}
