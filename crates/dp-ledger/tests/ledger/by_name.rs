//! What is written down is read by the names of its fields: an array of the values is refused, at every
//! depth, and so is what has a further field.

use std::fmt::Debug;

use dp_calibration::{Adjacency, Budget, Corner, NoiseLaw, Query, TrustModel};
use dp_exact::{Epsilon, Rational};
use dp_ledger::{Mechanism, Noise, Randomizer, Release, Terms};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The places of all objects in a value, as JSON pointers.
fn objects(value: &Value, place: &str, found: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        found.push(place.to_owned());
        for (name, field) in fields {
            objects(field, &format!("{place}/{name}"), found);
        }
    }
}

fn is_read_by_name<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_value(value).expect("JSON");
    let text = json.to_string();
    assert_eq!(&serde_json::from_str::<T>(&text).expect("itself"), value);
    let mut places = Vec::new();
    objects(&json, "", &mut places);
    assert!(!places.is_empty(), "{text}");
    for place in places {
        let (mut positional, mut longer) = (json.clone(), json.clone());
        let object = positional.pointer_mut(&place).expect("the object");
        let values = object.as_object().expect("one").values().cloned();
        *object = Value::Array(values.collect());
        let read = serde_json::from_str::<T>(&positional.to_string());
        assert!(read.is_err(), "{positional} is read as {read:?}");

        let object = longer.pointer_mut(&place).and_then(Value::as_object_mut);
        object
            .expect("one")
            .insert("further".to_owned(), Value::from(1));
        let read = serde_json::from_str::<T>(&longer.to_string());
        assert!(read.is_err(), "{longer} is read as {read:?}");
    }
}

fn number<T: std::str::FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("a number")
}

#[test]
fn an_array_of_the_values_is_no_object() {
    let (epsilon, delta) = (number::<Epsilon>("0.5"), number("1e-9"));
    let budgets = [
        Budget::Pure {
            epsilon: epsilon.clone(),
        },
        Budget::approximate(epsilon.clone(), delta),
        Budget::ZeroConcentrated { rho: number("0.1") },
        Budget::renyi(number("2"), number("0.1")).expect("in range"),
    ];
    budgets.iter().for_each(is_read_by_name);

    let laws = [
        NoiseLaw::DiscreteLaplace {
            scale: number::<Rational>("4"),
        },
        NoiseLaw::DiscreteGaussian {
            variance: number("4"),
        },
    ];
    laws.iter().for_each(is_read_by_name);
    let noise = |law: &NoiseLaw| Noise {
        law: law.clone(),
        corner: Corner::one_hot(),
    };
    laws.iter()
        .map(noise)
        .for_each(|noise| is_read_by_name(&noise));

    let query = Query::SumVec {
        length: 2,
        max_measurement: 3,
    };
    is_read_by_name(&query);
    is_read_by_name(&query.sensitivity(Adjacency::Replacement).expect("in range"));

    let clients = Randomizer::KaryRandomizedResponse {
        answers: 5,
        epsilon,
    };
    is_read_by_name(&clients);
    let both = Mechanism::Both {
        clients: clients.clone(),
        aggregators: noise(&laws[0]),
    };
    for mechanism in [
        both.clone(),
        Mechanism::Clients(clients),
        Mechanism::Clients(Randomizer::CoinFlip {}),
        Mechanism::Aggregators(noise(&laws[1])),
    ] {
        is_read_by_name(&mechanism);
    }
    is_read_by_name(&Release::new(budgets[1].clone()).with_mechanism(both));
    let terms = Terms::new(budgets[1].clone());
    is_read_by_name(&terms.with_trust_model(TrustModel::OneClient));
}
