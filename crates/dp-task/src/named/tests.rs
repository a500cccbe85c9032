use super::*;
use crate::POLICIES;

fn size() -> VdafSize {
    VdafSize { length: 10, max_measurement: 5, max_weight: Some(2), grid: None }
}

#[test]
fn every_policy_has_a_task_by_its_name_alone() {
    for policy in POLICIES {
        let document = policy.document(&NoiseParameters::default(), &size(), 1000);
        let task = document.and_then(Task::accepting_weak_guarantee);
        let task = task.unwrap_or_else(|error| panic!("{}: {error}", policy.name));
        assert_eq!(task.policy_name(), *policy);
    }
}

/// The task changes with each parameter that a policy has, and with no other.
#[test]
fn a_policy_has_those_parameters_that_change_its_task() {
    let values = [
        ("epsilon", "0.25"),
        ("rho", "0.01"),
        ("epsilon0", "0.5"),
        ("local_epsilon", "0.75"),
        ("false_positive_rate", "1e-5"),
        ("wanted_honest_clients", "20000"),
        ("assumed_malicious_clients", "7"),
    ];
    for policy in POLICIES {
        let plain = policy.document(&NoiseParameters::default(), &size(), 1000);
        let plain = plain.unwrap_or_else(|error| panic!("{}: {error}", policy.name));
        for (name, value) in values {
            let mut said = NoiseParameters::default();
            *said.get_mut(name).expect("a parameter") = Some(value.to_owned());
            assert_eq!(said.given(), [(name, value)]);
            let other = policy.document(&said, &size(), 1000).expect("in range");
            let has = policy.parameters().contains(&name);
            assert_eq!(other != plain, has, "{} {name}", policy.name);
        }
    }
}

#[test]
fn a_parameter_out_of_its_range_is_named() {
    let policy = PolicyName::find("histogram-response-gaussian").expect("a policy");
    for name in ["aggregators", "epsilon", "delta", "rho", "local_epsilon"] {
        let mut said = NoiseParameters::default();
        *said.get_mut(name).expect("a parameter") = Some("-1".to_owned());
        let refused = policy.check(&said).expect_err("negative");
        assert_eq!(refused.field(), Some(name), "{refused}");
        if name == "delta" {
            // Of a policy that is calibrated to ρ it only says where guarantees are stated.
            continue;
        }
        let refused = policy.document(&said, &size(), 1000).expect_err("negative");
        assert_eq!(refused.field(), Some(name), "{refused}");
    }
}
