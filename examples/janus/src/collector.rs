//! The collector: collect, read the sign, correct for the flips, say how sure.

use dp_exact::ParameterError;
use dp_ledger::{Journal, Release};
use dp_libprio::{Strategy, signed_totals};
use dp_rappor::Estimate;
use janus_collector::Collector;
use janus_messages::{Interval, Query};
use prio::field::Field128;
use prio_of_janus::vdaf;
use prio_of_janus::vdaf::prio3::Prio3SumVec;

use crate::{Error, Survey};

/// Collects the answers to a survey over an interval of time: of its clients, how many truly say
/// yes to each question. Each client has paid for its own answer, so there is nothing to spend
/// here.
///
/// # Errors
/// [`Error`].
pub async fn collect_survey(
    janus: &Collector<Prio3SumVec>,
    interval: Interval,
    survey: &Survey,
) -> Result<Vec<Estimate>, Error> {
    let collection = janus.collect(Query::new_time_interval(interval), &()).await?;
    let (totals, reports) = (collection.aggregate_result(), collection.report_count());
    if totals.len() != survey.questions() {
        let accepted = format!("{}, one for each question", survey.questions());
        return Err(ParameterError::new("totals", totals.len(), accepted).into());
    }
    // Signed, in case that the aggregators add noise as well.
    let totals = signed_totals::<Field128>(totals);
    Ok(totals.into_iter().map(|total| survey.rappor().estimate(total, reports)).collect())
}

/// Collects vectors of totals from a task whose aggregators both add the noise of `strategy`, and
/// spends its guarantee from the budget of the population first. `name` names the batch: to collect
/// the same batch again shows the same result, and costs nothing. The journal is one of a budget:
/// one of a task's schedule takes what `dp_prio3::spending::cost_of_a_release` returns.
///
/// `query` is what the task computes: for Prio3Histogram
/// `dp_calibration::Query::Histogram { length }`.
///
/// # Errors
/// [`Error`].
pub async fn collect_noisy<V>(
    janus: &Collector<V>,
    interval: Interval,
    query: &dp_calibration::Query,
    strategy: &Strategy,
    journal: &mut Journal,
    name: &str,
) -> Result<Vec<Estimate>, Error>
where
    V: vdaf::Collector<AggregationParam = (), AggregateResult = Vec<u128>>,
{
    let noise = strategy.noise(query)?;
    journal.spend(name, &Release::new(strategy.budget().clone()), None)?;
    let collection = janus.collect(Query::new_time_interval(interval), &()).await?;
    // With the noise of two aggregators in them, totals are unbiased once they are read with their
    // sign.
    let standard_error = 2f64.sqrt() * noise.standard_deviation();
    #[expect(clippy::cast_precision_loss, reason = "an estimate: 53 bits are plenty")]
    let estimate = |total| Estimate { value: total as f64, standard_error };
    let totals = signed_totals::<Field128>(collection.aggregate_result());
    Ok(totals.into_iter().map(estimate).collect())
}
