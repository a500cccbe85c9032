//! What the certified arithmetic comes to, on record: to the last bit of both ends of an interval.

use dp_calibration::conversion::Conversion;
use dp_calibration::privacy_loss::{self, Factor, Side, TiltedLaw, View};
use dp_calibration::{
    BigUint, Corner, Delta, Epsilon, Rational, Rho, conversion, coset_sums, discrete_gaussian,
    discrete_laplace, honest, utility, zcdp,
};
use dp_record::Record;

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn delta(text: &str) -> Delta {
    text.parse().expect("a delta")
}

const CORNERS: [(u64, u32); 6] = [(1, 1), (2, 1), (3, 7), (1, 40), (20, 1), (2, 9)];

fn corners() -> impl Iterator<Item = (String, Corner)> {
    let named = |(coordinates, moved)| {
        let corner = Corner::new(coordinates, moved).expect("a corner");
        (format!("{coordinates} of {moved}"), corner)
    };
    CORNERS.into_iter().map(named)
}

#[test]
fn noise_of_one_aggregator_is_that_on_record() {
    let mut record = Record::default();
    for (name, corner) in corners() {
        for text in ["0.004", "0.09", "0.7", "11.5", "300", "54321.25"] {
            let name = |of: &str| format!("{of} {text} at {name}");
            let value = number(text);
            for of in ["0.02", "0.9", "6", "40"] {
                let found = discrete_gaussian::delta(&value, &epsilon(of), &corner);
                record.add_answer(&name("gaussian delta"), &found);
                let found = discrete_laplace::delta(&value, &epsilon(of), &corner);
                record.add_answer(&name("laplace delta"), &found);
            }
            for of in ["0.01", "1e-9", "1e-60"] {
                let found = discrete_gaussian::epsilon(&value, &delta(of), &corner);
                record.add_answer(&name("gaussian epsilon"), &found);
                let found = discrete_laplace::epsilon(&value, &delta(of), &corner);
                record.add_answer(&name("laplace epsilon"), &found);
            }
            record.add_answer(&name("ripple"), &coset_sums::ripple(2, &value));
        }
        for (of, allowed) in [
            ("0.05", "1e-6"),
            ("0.317", "1e-9"),
            ("4", "1e-3"),
            ("12", "1e-40"),
        ] {
            let name = format!("({of}, {allowed}) at {name}");
            let found = discrete_gaussian::calibrate(&epsilon(of), &delta(allowed), &corner);
            record.add_answer(&format!("gaussian for {name}"), &found);
            let found = discrete_laplace::calibrate(&epsilon(of), &delta(allowed), &corner);
            record.add_answer(&format!("laplace for {name}"), &found);
        }
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "tests/data/record/one.txt");
}

#[test]
fn noise_of_several_aggregators_is_that_on_record() {
    let mut record = Record::default();
    for (name, corner) in corners() {
        for text in ["0.2", "3", "41.75", "500", "200000"] {
            let name = |of: &str| format!("{of} {text} at {name}");
            let value = number(text);
            for aggregators in [1, 2, 3, 5, 40] {
                let found = honest::gaussian_delta(&value, &epsilon("0.8"), &corner, aggregators);
                record.add_answer(&name(&format!("{aggregators} gaussian delta")), &found);
                let found = honest::gaussian_epsilon(&value, &delta("1e-8"), &corner, aggregators);
                record.add_answer(&name(&format!("{aggregators} gaussian epsilon")), &found);
            }
            let found = honest::laplace_delta(&value, &epsilon("0.8"), &corner);
            record.add_answer(&name("laplace delta"), &found);
            let found = honest::laplace_epsilon(&value, &delta("1e-8"), &corner);
            record.add_answer(&name("laplace epsilon"), &found);
        }
        for aggregators in [1, 2, 4] {
            let (of, allowed) = (epsilon("0.6"), delta("1e-7"));
            let found = honest::calibrate_gaussian_corner(&corner, aggregators, &of, &allowed);
            record.add_answer(&format!("{aggregators} gaussian for {name}"), &found);
        }
        let found = honest::calibrate_laplace(&corner, &epsilon("0.6"), &delta("1e-7"));
        record.add_answer(&format!("laplace for {name}"), &found);
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "tests/data/record/several.txt");
}

#[test]
fn conversions_and_errors_are_those_on_record() {
    let mut record = Record::default();
    for of in ["0.0003", "0.04", "1/3", "2", "6"] {
        let rho: Rho = of.parse().expect("a rho");
        let (pure, value) = (epsilon(of), number(of));
        for allowed in ["0.2", "1e-5", "1e-30"] {
            let allowed = delta(allowed);
            let name = |what: &str| format!("{what} of {of}, {allowed}");
            record.add_answer(
                &name("rho to epsilon"),
                &conversion::rho_to_epsilon(&rho, &allowed),
            );
            let found = conversion::rho_to_epsilon_classical(&rho, &allowed);
            record.add_answer(&name("rho to epsilon, classical,"), &found);
            record.add_answer(&name("epsilon"), &zcdp::epsilon(&rho, &allowed));
            record.add_answer(&name("largest rho"), &zcdp::largest_rho(&pure, &allowed));
            for alpha in ["1.01", "2", "17/3", "300"] {
                let alpha = number(alpha);
                let found = conversion::renyi_to_epsilon(&alpha, &value, &allowed);
                record.add_answer(&name("Rényi to epsilon"), &found);
                let found = conversion::renyi_to_epsilon_classical(&alpha, &value, &allowed);
                record.add_answer(&name("Rényi to epsilon, classical,"), &found);
            }
        }
        for asked in ["0.01", "0.5", "3", "30"] {
            let asked = epsilon(asked);
            let name = |what: &str| format!("{what} of {of}, {asked}");
            record.add_answer(
                &name("rho to delta"),
                &conversion::rho_to_delta(&rho, &asked),
            );
            record.add_answer(&name("delta"), &zcdp::delta(&rho, &asked));
            record.add_answer(
                &name("pure to delta"),
                &conversion::pure_to_delta(&pure, &asked),
            );
            for alpha in ["1.01", "2", "17/3", "300"] {
                let alpha = number(alpha);
                let found = conversion::renyi_to_delta(&alpha, &value, &asked);
                record.add_answer(&name("Rényi to delta"), &found);
                let found = conversion::renyi_to_delta_classical(&alpha, &value, &asked);
                record.add_answer(&name("Rényi to delta, classical,"), &found);
                let found = conversion::pure_to_renyi(&pure, &alpha);
                record.add_answer(&name("pure to Rényi"), &found);
            }
        }
    }
    for conversion in [
        Conversion::RhoToEpsilon {
            rho: "0.1".parse().expect("a rho"),
            delta: delta("1e-6"),
        },
        Conversion::RhoToDelta {
            rho: "0.1".parse().expect("a rho"),
            epsilon: epsilon("2"),
        },
        Conversion::RenyiToEpsilon {
            alpha: number("5/2"),
            tau: number("0.3"),
            delta: delta("1e-6"),
        },
        Conversion::RenyiToDelta {
            alpha: number("5/2"),
            tau: number("0.3"),
            epsilon: epsilon("2"),
        },
        Conversion::PureToRho {
            epsilon: epsilon("0.7"),
        },
        Conversion::PureToRenyi {
            epsilon: epsilon("0.7"),
            alpha: number("5/2"),
        },
    ] {
        record.add_answer("answer", &conversion.answer());
        let refused = dp_exact::work::limited(1, || conversion.answer());
        let refused = refused.map_err(|refused| refused.to_string());
        record.add_answer("refused", &refused);
    }
    for (clients, of, held) in [(30, "0.5", 4), (2000, "3", 2000), (100_000, "5", 70)] {
        let noise = utility::DebiasedRappor::new(clients, &epsilon(of), held).expect("counts");
        let name = format!("errors of {held} of {clients} at {of}");
        let bounds = [0.3, 7.0, 60.0].map(|bound| noise.tail(bound));
        record.add(&name, bounds);
        let quantiles = [0.3, 1e-4].map(|beta| noise.quantile(beta));
        record.add(&name, quantiles);
        let several = [noise.simultaneous(40, 0.1), noise.union_bound(40, 0.1)];
        record.add(&name, several);
    }
    for text in ["0.3", "9", "5000"] {
        let laws = [
            ("laplace", utility::Noise::laplace(number(text))),
            ("gaussian", utility::Noise::gaussian(number(text))),
        ];
        for (law, noise) in laws {
            for aggregators in [1, 2, 9] {
                let noise = noise.clone().expect("noise").from_each_of(aggregators);
                let noise = noise.expect("noise");
                let name = |of: &str| format!("{of} of {aggregators} {law} {text}");
                record.add(&name("deviation"), [noise.standard_deviation()]);
                for bound in [1_u32, 6, 90] {
                    record.add_answer(&name("tail"), &noise.tail(&bound.into()));
                }
                for beta in ["0.4", "1e-7"] {
                    record.add_answer(&name("quantile"), &noise.quantile(&number(beta)));
                    let found = noise.simultaneous(100, &number(beta));
                    record.add_answer(&name("simultaneous"), &found);
                    let found = noise.union_bound(100, &number(beta));
                    record.add_answer(&name("union bound"), &found);
                }
            }
        }
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "tests/data/record/others.txt");
}

/// A law of losses, its powers and what they promise.
fn add_law(record: &mut Record, name: &str, law: Option<TiltedLaw>, view: &View) {
    record.add_answer(name, &law);
    let Some(law) = law else { return };
    for times in [1, 2, 7, 100] {
        let Some(power) = law.times(times, view) else {
            record.add_answer(&format!("{name}, {times} times"), &"none");
            continue;
        };
        for of in ["0.1", "1", "5"] {
            let found = power.delta(&number(of), &view.tilt);
            record.add_answer(&format!("{name}, {times} times, at {of}"), &found);
        }
    }
}

#[test]
fn laws_of_losses_are_those_on_record() {
    let mut record = Record::default();
    for tilt in ["0.5", "3", "20"] {
        for side in [Side::Upward, Side::Downward] {
            let tilt = number(tilt);
            let view = View {
                tilt: tilt.clone(),
                side,
            };
            let name = |of: &str| format!("{of}, {tilt}, {side:?}");
            let step = BigUint::from(3_u32);
            for variance in ["2", "90", "7000"] {
                let law = privacy_loss::discrete_gaussian(&number(variance), &step, &tilt);
                add_law(
                    &mut record,
                    &name(&format!("gaussian {variance}")),
                    law,
                    &view,
                );
            }
            for rate in ["1/2", "1/70"] {
                for cells in [64, 100_000] {
                    let law = discrete_laplace::loss(&number(rate), &step, cells, &view);
                    add_law(
                        &mut record,
                        &name(&format!("laplace {rate}, {cells}")),
                        law,
                        &view,
                    );
                }
            }
            let law = discrete_laplace::loss(&number("1/70"), &2000_u32.into(), 64, &view);
            add_law(&mut record, &name("laplace on few cells"), law, &view);
            let two = ["90", "45"].map(|variance| {
                let law = privacy_loss::discrete_gaussian(&number(variance), &step, &tilt);
                law.expect("a law")
            });
            let sum = privacy_loss::together(two.to_vec(), 0.3, &view);
            add_law(&mut record, &name("of one lattice"), sum, &view);
            let laws = [
                privacy_loss::discrete_gaussian(&number("90"), &step, &tilt),
                privacy_loss::response(&number("0.3"), &tilt),
                privacy_loss::kary_response(&number("0.7"), 5, &tilt),
            ];
            for (number, law) in laws.iter().enumerate() {
                add_law(
                    &mut record,
                    &name(&format!("law {number}")),
                    law.clone(),
                    &view,
                );
            }
            let both: Vec<TiltedLaw> = laws.into_iter().flatten().collect();
            let sum = privacy_loss::together(both.clone(), 1.5, &view);
            add_law(&mut record, &name("together"), sum, &view);
            let outcomes = [
                ("-1.25", "0.2"),
                ("-0.1", "0.3"),
                ("0.4", "0.4"),
                ("1.1", "0.1"),
            ];
            let outcomes = outcomes.map(|(loss, share)| (number(loss), number(share)));
            for times in [1, 5] {
                let law = privacy_loss::outcomes(&outcomes, times, 0.7, &view);
                add_law(&mut record, &name(&format!("outcomes {times}")), law, &view);
            }
            let factors = vec![
                Factor::Gaussian {
                    variance: number("900"),
                    step: BigUint::from(3_u32),
                    times: 30,
                },
                Factor::Gaussian {
                    variance: number("31.7"),
                    step: BigUint::from(1_u32),
                    times: 4,
                },
                Factor::Law {
                    law: Box::new(both[1].clone()),
                    times: 12,
                },
            ];
            let spectrum = privacy_loss::spectrum(factors, &tilt, 1 << 24);
            let spectrum = spectrum.as_ref();
            for of in ["0.2", "1", "3"] {
                let found = spectrum.map(|spectrum| spectrum.delta(&number(of)));
                record.add_answer(&name(&format!("spectrum at {of}")), &found);
            }
        }
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "tests/data/record/laws.txt");
}
