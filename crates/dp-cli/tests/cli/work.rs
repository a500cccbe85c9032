//! Whatever is asked, there is an answer, or it is said what is too costly.

use crate::common::{calibrate, document, number, refusal};
use crate::support::success;

#[test]
fn what_has_no_options_to_lower_is_answered() {
    let policies = success(&["policies"]);
    assert!(policies.contains("compensated-rappor") && policies.contains("histogram-gaussian"));
    let tables = success(&["tables"]);
    assert!(
        tables.contains("Table 2 of the Internet-Draft") && tables.contains("promises are broken")
    );
}

/// Questions that took minutes, or for which a number was found that contradicted another.
#[test]
fn what_used_to_take_minutes_is_answered_or_refused_as_too_costly() {
    for line in [
        "compose --mechanism response:9.99e-7 --times 1048576 --delta 0.5",
        "compose --mechanism rappor:0.1:10000000000 --times 1000 --delta 1e-30",
        "compose --mechanism rappor:0.1:10000000 --mechanism rappor:0.2:10000000 \
         --mechanism rappor:0.3:10000000 --times 1000 --delta 1e-30",
        "compose --mechanism rappor:0.1:10000000000 --times 1000 --delta 0",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = calibrate(&words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let costly = "needs more operations than are allowed, which takes too long: ";
        let is_refused = output.status.code() == Some(2) && error.contains(costly);
        assert!(output.status.success() || is_refused, "{line}: {error}");
        assert_ne!(
            output.stdout.is_empty(),
            error.is_empty(),
            "{line}: {error}"
        );
    }
    let many = "compose --mechanism rappor:1:10000000000 --times 1048576 --times 1 --delta 1e-9";
    assert!(refusal(many).contains(r#"times "1048576, 1" has no meaning with 1 mechanisms"#));
}

#[test]
fn what_is_too_costly_names_what_to_change() {
    let line = "convert --rho 1e4 --epsilon 0.906";
    assert_eq!(
        refusal(line),
        "error: the conversion for rho 1e4, epsilon 0.906 needs more operations than are allowed, which \
         takes too long: take a smaller rho or a larger epsilon, or numbers of fewer digits"
    );
}

/// Fractions of two thousand bits: most of the work is to find the lowest terms of their products.
#[test]
fn numbers_of_many_digits_are_answered() {
    let delta = format!("1{}/4{}", "370".repeat(203), "919".repeat(203));
    let answer = document(&format!("convert --rho 1e-6 --delta {delta}"));
    assert!(number(&answer, "epsilon_upper") < 0.01);
}
