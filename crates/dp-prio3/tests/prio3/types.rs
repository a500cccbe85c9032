//! Every Prio3 type over real Prio3: estimates come back signed, unbiased, and err as predicted.

use crate::support::catalogue::vdafs;
use crate::support::{
    Task, assert_errs_as_predicted, average, epsilon_delta, gaussian, laplace, noise_parts,
    policy_of, pure,
};

#[test]
fn estimates_of_every_type_err_as_predicted() {
    for (vdaf, measurement, truth) in vdafs() {
        let mut task = Task::new(noise_parts(vdaf.clone(), laplace(pure("1"))), 1);
        task.send(measurement);
        let (_, totals) = task.exact_totals();
        let totals: Vec<String> = totals.iter().map(i128::to_string).collect();
        assert_eq!(totals, truth.iter().map(f64::to_string).collect::<Vec<_>>());
        for noise in [laplace(pure("0.1")), gaussian(epsilon_delta("0.1", "1e-6"))] {
            let parts = noise_parts(vdaf.clone(), noise);
            let lowest = assert_errs_as_predicted(parts, measurement, truth, [400, 1]);
            assert!(lowest < 0.0, "no total was negative");
        }
    }
}

#[test]
fn an_average_divides_by_the_number_of_reports_and_so_does_its_error() {
    let policy = policy_of(noise_parts(average(2, 10), laplace(pure("1"))));
    let (one, many) = (policy.estimate(&[-60], 1)[0], policy.estimate(&[-60], 20)[0]);
    assert_eq!((one.value, many.value), (-60.0, -3.0));
    assert!((one.standard_error / many.standard_error - 20.0).abs() < 1e-12);
}
