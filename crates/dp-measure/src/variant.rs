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
