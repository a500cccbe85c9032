//! The names of the ways to draw, in documents.

use dp_samplers::Variant;

/// As the field `variant` of a row has it.
pub(crate) fn name(variant: Variant) -> &'static str {
    match variant {
        Variant::Scan => "scan",
        Variant::TwoPass => "two_pass",
        Variant::Table => "table",
        Variant::Digits => "digits",
        Variant::Rounds => "rounds",
        Variant::Reference => "reference",
        _ => "other",
    }
}

/// The laws that `make` makes by each way to draw that does not depend on what comes out.
pub(crate) fn all<L>(
    make: impl Fn(Variant) -> Result<L, dp_samplers::Error>,
) -> impl Iterator<Item = (Variant, L)> {
    let ways = [
        Variant::Scan,
        Variant::TwoPass,
        Variant::Table,
        Variant::Digits,
        Variant::Rounds,
    ];
    ways.into_iter()
        .filter_map(move |variant| Some((variant, make(variant).ok()?)))
}
