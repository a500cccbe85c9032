//! What plans say, beside figures that were computed elsewhere.

use dp_planner::{
    Accuracy, Budget, Error, ErrorBound, Job, PairGuarantee, PolicyChoice, PolicyName, Rational,
    SlackReason, Target, TrustModel, plan, policy_choice,
};

pub(crate) fn approximate(epsilon: &str, delta: &str) -> Budget {
    Budget::Approximate {
        epsilon: epsilon.parse().expect("an epsilon"),
        delta: delta.parse().expect("a delta"),
    }
}

pub(crate) fn job(query: &str, clients: u64) -> Job {
    Job::new(query.parse().expect("a query"), clients)
}

/// One policy alone, which is quicker.
pub(crate) fn alone(job: &Job, target: &Target, name: &str) -> Result<PolicyChoice, Error> {
    policy_choice(job, target, &PolicyName::find(name).expect("a policy"))
}

pub(crate) fn epsilon(guarantee: &PairGuarantee) -> f64 {
    guarantee.epsilon().map_or(f64::NAN, |epsilon| epsilon.to_f64())
}

#[test]
fn a_histogram_over_thirty_days_is_answered_in_every_model() -> Result<(), Error> {
    let job = Job { releases: 30, ..job("histogram:40", 250_000) };
    let plan = plan(&job, &Target::budget(approximate("1", "1e-8")))?;
    let names: Vec<&str> = plan.choices.iter().map(|one| one.policy.name).collect();
    assert_eq!(names[0], "histogram-laplace");
    let laplace = plan.choice("histogram-laplace")?;
    // Of two aggregators; the known number of reports takes a 40th of the variance away.
    let draws = (2.0 * 39.0 / 40.0_f64).sqrt();
    assert!((laplace.errors.std - 2.799_178 * draws).abs() < 1e-3);
    assert!(matches!(laplace.total.oc, PairGuarantee::Absent { .. }));
    assert!((epsilon(&laplace.per_release.oaoc) - 1.0).abs() < 1e-12);
    let gaussian = plan.choice("histogram-gaussian")?;
    assert!((gaussian.errors.std - 7.209 * draws).abs() < 2e-3);
    // Gaussian noise of the same budget a day costs less in a month.
    assert!(epsilon(&gaussian.total.oaoc) < 6.3);
    assert!(epsilon(&laplace.total.oaoc) > 20.0);
    // Those that need nobody.
    assert!((plan.choice("multihot-one-hot-rappor")?.errors.std - 989.66).abs() < 0.1);
    assert!((plan.choice("histogram-response")?.errors.std - 1894.0).abs() < 5.0);
    assert_eq!(plan.choices.len() + plan.excluded.len(), 38);
    Ok(())
}

#[test]
fn against_all_aggregators_only_clients_protect_themselves() -> Result<(), Error> {
    let target = Target {
        trust_model: "OC".parse()?,
        ..Target::budget(Budget::Pure { epsilon: "1".parse()? })
    };
    let plan = plan(&job("histogram:40", 250_000), &target)?;
    let best = plan.chosen().expect("a policy");
    assert!(best.policy.name.ends_with("rappor"));
    assert!((best.errors.std - 989.66).abs() < 0.1, "{:?}", best.errors);
    let one_hot = plan.choice("multihot-one-hot-rappor")?;
    assert_eq!(one_hot.per_release.oc.epsilon(), Some(&"1".parse()?));
    let twin = plan.choice("multihot-basic-rappor").expect_err("a twin");
    assert!(twin.to_string().contains("epsilon = 2 epsilon0"), "{twin}");
    for name in ["histogram-laplace", "histogram-gaussian"] {
        let refused = plan.choice(name).expect_err(name).to_string();
        assert!(refused.contains("without randomization"), "{refused}");
    }
    Ok(())
}

/// Totals in OAMC are no fallback: the accountant, which takes ten times as long, gives 0.034287.
#[test]
fn thirty_days_of_aggregated_rappor_cost_little() -> Result<(), Error> {
    let job = Job { releases: 30, ..job("histogram:40", 250_000) };
    let target =
        Target { trust_model: TrustModel::OneClient, ..Target::budget(approximate("1", "1e-8")) };
    let rappor = alone(&job, &target, "multihot-one-hot-rappor")?;
    let total = rappor.total.oamc();
    let found = epsilon(total);
    assert!((0.0342..0.0343).contains(&found), "{found}");
    assert_eq!(total.slack_reason(), None);
    // The accountant's figure, 11.969384.
    let answers = alone(&job, &target, "histogram-response")?;
    assert!((epsilon(&answers.total.oc) - 11.969_384).abs() < 1e-5);
    let found = epsilon(answers.total.oamc());
    assert!((0.0174..0.0182).contains(&found), "{found}");
    assert_eq!(answers.total.oamc().slack_reason(), None);
    Ok(())
}

/// A guarantee that is looser than could be proved says so.
#[test]
fn a_loose_guarantee_has_its_reason_in_the_document() -> Result<(), Error> {
    let job = Job { releases: 30, reports_per_client: 2, ..job("histogram:40", 10_000) };
    let target = Target {
        trust_model: TrustModel::OneAggregatorMostClients,
        ..Target::budget(approximate("1", "1e-8"))
    };
    let plan = plan(&job, &target)?;
    let rappor = plan.choice("multihot-one-hot-rappor")?;
    assert_eq!(rappor.slack_reason(&target), Some(SlackReason::SeveralReports));
    let document = serde_json::to_value(&plan).expect("JSON");
    let mut written = document["choices"].as_array().expect("choices").iter();
    let written = written.find(|one| one["policy"] == "multihot-one-hot-rappor");
    let written = written.expect("it is there");
    assert!(written["loose"].is_string() && written["total"]["oamc_loose"].is_string());
    Ok(())
}

/// Of two buckets the known number of reports leaves half of the variance, 2.80², where Laplace
/// noise of half the scale in a count leaves 1.92²; with Gaussian noise there is no difference.
#[test]
fn two_buckets_are_better_asked_as_a_count_where_noise_is_laplace() -> Result<(), Error> {
    let budget = |text: &str| Budget::Pure { epsilon: text.parse().expect("an epsilon") };
    let two = plan(&job("histogram:2", 1000), &Target::budget(budget("1")))?;
    let advice = two.advice().expect("advice");
    assert!(advice.contains("standard deviation of 1.92 in place of 2.8."), "{advice}");
    let three = plan(&job("histogram:3", 1000), &Target::budget(budget("1")))?;
    assert!(!three.advice().unwrap_or_default().contains("as a count"));
    Ok(())
}

/// ρ of one answer is 0.2558 for five answers at ε = 1 and 2.3772 at ε = 3, below ε·tanh(ε/2).
#[test]
fn a_rho_allows_answers_the_epsilon_that_their_number_has() -> Result<(), Error> {
    for (rho, least) in [("0.2558", 0.997), ("2.3772", 2.991)] {
        let budget = Budget::ZeroConcentrated { rho: rho.parse()? };
        let target = Target { trust_model: TrustModel::OneClient, ..Target::budget(budget) };
        let choice = alone(&job("histogram:5", 1000), &target, "histogram-response")?;
        let parameter = choice.parameters[0].1.to_f64();
        assert!((least..least / 0.996).contains(&parameter), "{rho}: {parameter}");
        let PairGuarantee::Kept { rho: Some(kept), .. } = &choice.per_release.oc else {
            panic!("{choice:?}");
        };
        assert!(*kept <= rho.parse::<Rational>()?, "{kept}");
    }
    Ok(())
}

#[test]
fn an_accuracy_is_answered_with_the_least_epsilon() -> Result<(), Error> {
    let accuracy = Accuracy::StandardDeviation(ErrorBound::Absolute("5".parse()?));
    let target = Target::accuracy(accuracy, "1e-8".parse()?);
    let plan = plan(&job("histogram:40", 250_000), &target)?;
    let epsilons = plan.choices.iter().map(|one| epsilon(&one.per_release.oaoc));
    let epsilons: Vec<f64> = epsilons.collect();
    assert!(epsilons.is_sorted(), "{epsilons:?}");
    for choice in &plan.choices {
        assert!(choice.errors.std <= 5.0 * (1.0 + 1e-6), "{:?}", choice.policy.name);
    }
    let laplace = plan.choice("histogram-laplace")?;
    // t = 2/ε, and √2·√2·t is about 5.
    assert!((epsilon(&laplace.per_release.oaoc) - 0.79).abs() < 0.01);
    Ok(())
}

#[test]
fn a_budget_and_an_accuracy_are_answered_with_the_least_clients() -> Result<(), Error> {
    let target = Target {
        accuracy: Some(Accuracy::StandardDeviation("1%".parse()?)),
        ..Target::budget(approximate("1", "1e-8"))
    };
    let plan = plan(&job("histogram:40", 1), &target)?;
    let laplace = plan.choice("histogram-laplace")?;
    // √(39/40)·3.9585/0.01
    assert_eq!(laplace.clients, 391);
    // (1/(0.02·sinh(1/4)))²
    let one_hot = plan.choice("multihot-one-hot-rappor")?;
    assert_eq!(one_hot.clients, 39_177);
    let clients = plan.choices.iter().map(|one| one.clients);
    assert!(clients.is_sorted());
    Ok(())
}

#[test]
fn a_margin_below_one_is_kept_by_noise_that_is_mostly_nothing() -> Result<(), Error> {
    let margin = Accuracy::Margin("0.5".parse()?);
    let target = Target::accuracy(margin, "1e-8".parse()?);
    let plan = plan(&job("histogram:40", 10_000), &target)?;
    let laplace = plan.choice("histogram-laplace")?;
    assert!(laplace.errors.margin_95 <= 0.5, "{:?}", laplace.errors);
    // Two draws are nothing with probability ((1 − q)/(1 + q))²·(1 + q²)/(1 − q²) = 0.95.
    let epsilon = laplace.per_release.oaoc.epsilon().expect("a guarantee");
    assert!((8.7..8.9).contains(&epsilon.to_f64()), "{epsilon}");
    assert_eq!(plan.chosen().expect("a policy").policy.name, "histogram-laplace");
    Ok(())
}

#[test]
fn what_is_out_of_range_is_named() {
    let budget = || Target::budget(approximate("1", "1e-8"));
    let refused = |job: &Job| plan(job, &budget()).expect_err("refused").to_string();
    type Change = fn(&mut Job);
    let changes: [(&str, Change); 6] = [
        ("clients is 0: ", |job| job.clients = 0),
        ("aggregators is 255: ", |job| job.aggregators = 255),
        ("releases is 0: ", |job| job.releases = 0),
        ("reports-per-client is 1001: ", |job| job.reports_per_client = 1001),
        ("honest-fraction is 2: ", |job| job.honest_fraction = Rational::integer(2)),
        ("noise for a histogram of one bucket", |job| {
            job.query = "histogram:1".parse().expect("a query")
        }),
    ];
    for (said, change) in changes {
        let mut job = job("histogram:40", 1000);
        change(&mut job);
        let refused = refused(&job);
        assert!(refused.starts_with(said), "{refused}");
    }
    let nothing = Target { budget: None, ..budget() };
    let refused = plan(&job("count", 9), &nothing).expect_err("refused");
    assert!(refused.to_string().starts_with("a target is missing: "));
    for text in ["", "0", "-1%", "1 percent"] {
        assert!(text.parse::<ErrorBound>().is_err(), "{text}");
    }
    assert_eq!(
        dp_planner::trust_model_against("Collector"),
        Ok(TrustModel::OneAggregatorMostClients)
    );
    assert!(dp_planner::trust_model_against("everybody").is_err());
}
