//! Keys that say nothing with these policies: who wrote them expects something of them.

use dp_exact::Refusal;

use crate::sweep::data::{Data, Kind};
use crate::sweep::file::Sweep;

const CHANGE: &str = "leave it out";

/// Refuses keys of which no policy takes anything.
pub(super) fn check(sweep: &Sweep) -> Result<(), Refusal> {
    let some = |is_of: &dyn Fn(Kind) -> bool| {
        let mut policies = sweep.policies.iter();
        policies.any(|policy| is_of(Kind::of(*policy)))
    };
    let adds = |kind| matches!(kind, Kind::Number | Kind::Numbers | Kind::BoundedSum);
    if let Some(max) = sweep.max_measurement
        && !some(&adds)
    {
        let place = "with policies that only count";
        return Err(Refusal::contradiction(
            "max_measurement",
            max,
            place,
            CHANGE,
        ));
    }
    if let Some(max) = sweep.max_weight
        && !some(&|kind| kind == Kind::Bits)
    {
        let place = "without policies of vectors of bits of which several may be set";
        return Err(Refusal::contradiction("max_weight", max, place, CHANGE));
    }
    let Data::Table(table) = &sweep.data else {
        return Ok(());
    };
    if let (Some(delimiter), None) = (&table.delimiter, &table.file) {
        let place = "without data.file";
        return Err(Refusal::contradiction(
            "data.delimiter",
            delimiter,
            place,
            CHANGE,
        ));
    }
    if let Some(bins) = table.bins.first()
        && !some(&|kind| kind.has_bins(table))
    {
        let place = "where nothing is counted in bins";
        return Err(Refusal::contradiction("data.bins", bins, place, CHANGE));
    }
    let takes_columns = |kind| matches!(kind, Kind::Bits | Kind::Numbers | Kind::BoundedSum);
    if let Some(column) = table.columns.first()
        && !some(&takes_columns)
    {
        let place = "with policies that measure one value";
        return Err(Refusal::contradiction(
            "data.columns",
            column,
            place,
            CHANGE,
        ));
    }
    Ok(())
}
