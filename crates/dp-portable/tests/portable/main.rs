//! The answers are those on file, on whatever platform this runs.

use dp_portable::answers;

/// The answers on x86-64, i686 and wasm32. `SNAPSHOT=write` writes them anew.
const RECORDED: &str = include_str!("answers.txt");

#[test]
fn every_answer_has_the_same_bits_on_every_platform() {
    let actual = answers().expect("answers");
    if std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/portable/answers.txt");
        std::fs::write(path, actual).expect("written");
        return;
    }
    let differing: Vec<String> = RECORDED
        .lines()
        .zip(actual.lines())
        .filter(|(recorded, actual)| recorded != actual)
        .map(|(recorded, actual)| format!("- {recorded}\n+ {actual}"))
        .collect();
    assert!(
        differing.is_empty(),
        "{} answers differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
    let (recorded, compared) = (RECORDED.lines().count(), actual.lines().count());
    // In WebAssembly nothing runs on threads: no simulations.
    let runs = RECORDED
        .lines()
        .filter(|line| line.starts_with("results of "));
    let absent = if cfg!(target_family = "wasm") {
        4 * runs.count()
    } else {
        0
    };
    assert!(
        compared >= 900 && recorded <= compared + absent,
        "{compared} of {recorded}"
    );
}

/// The checks of the profile `dev` are on, in whatever platform's tests.
#[test]
#[should_panic(expected = "attempt to add with overflow")]
fn overflow_is_noticed() {
    let most = std::hint::black_box(u8::MAX);
    assert_eq!(std::hint::black_box(most + 1), 0);
}
