//! Who takes part in the contest of a workload, and what comes out.

use chacha20::{ChaCha8Rng, ChaCha12Rng};
use dp_samplers::{AesRng, NoiseRng};
use rand_core::{CryptoRng, SeedableRng};

use super::contest::Contest;
use super::generator::Generator;
use super::row::Row;
use super::work::{Work, Workload};
use super::{binomial, discrete_gaussian, discrete_laplace, histogram_share, rappor};
use crate::Error;
use crate::clock::Effort;

impl Workload {
    /// All who do this work, each with a generator of this kind.
    ///
    /// # Errors
    /// If a sampler refuses the parameter.
    pub fn contest(self, generator: Generator) -> Result<Contest, Error> {
        let mut contest = Contest::new(self, generator);
        match generator {
            Generator::ChaCha8 => self.enter::<ChaCha8Rng>(&mut contest),
            Generator::ChaCha12 => self.enter::<ChaCha12Rng>(&mut contest),
            Generator::ChaCha20 => self.enter::<NoiseRng>(&mut contest),
            Generator::Aes128 => self.enter::<AesRng>(&mut contest),
        }?;
        Ok(contest)
    }

    /// Measures all who do this work, with every generator: a row for each engine of ours and
    /// each generator, those of an engine together.
    ///
    /// # Errors
    /// If a sampler refuses the parameter.
    pub fn measure(self, effort: Effort) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        for generator in Generator::ALL {
            rows.extend(self.contest(generator)?.run(effort));
        }
        rows.sort_by_key(|row| (row.mode, row.variant));
        Ok(rows)
    }

    fn enter<R>(self, contest: &mut Contest) -> Result<(), Error>
    where
        R: SeedableRng + CryptoRng + 'static,
    {
        match self.work {
            Work::DiscreteGaussian => discrete_gaussian::enter::<R>(contest, self.parameter),
            Work::DiscreteLaplace => discrete_laplace::enter::<R>(contest, self.parameter),
            Work::HistogramShare => histogram_share::enter::<R>(contest, self.parameter),
            Work::RapporBit => rappor::enter_packed::<R>(contest, self.parameter),
            Work::RapporSlice => rappor::enter_slice::<R>(contest, self.parameter),
            Work::Binomial => binomial::enter::<R>(contest, self.parameter),
        }
    }
}
