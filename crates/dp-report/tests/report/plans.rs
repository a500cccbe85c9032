//! Reports of plans.

use dp_report::{html, plan};

use crate::common::{plans, shown};

#[test]
fn every_plan_has_a_report() {
    for (name, made) in plans() {
        let begun = std::time::Instant::now();
        let report = plan::report(&made);
        let html = html::document(&report);
        eprintln!("{name} {:?} {}", begun.elapsed(), html.len());
        shown(&format!("plan-{name}.html"), &html);
    }
}
