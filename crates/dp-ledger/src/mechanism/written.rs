//! How noise is written on the disk: the law and the corner in one object.

use dp_calibration::{Corner, NoiseLaw};
use dp_exact::Rational;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Noise {
    DiscreteLaplace {
        scale: Rational,
        #[serde(with = "corner")]
        corner: Corner,
    },
    DiscreteGaussian {
        variance: Rational,
        #[serde(with = "corner")]
        corner: Corner,
    },
}

dp_exact::named_fields!(Noise: Serialize, Deserialize);

impl From<super::Noise> for Noise {
    fn from(noise: super::Noise) -> Self {
        let corner = noise.corner;
        match noise.law {
            NoiseLaw::DiscreteLaplace { scale } => Self::DiscreteLaplace { scale, corner },
            NoiseLaw::DiscreteGaussian { variance } => Self::DiscreteGaussian { variance, corner },
        }
    }
}

impl From<Noise> for super::Noise {
    fn from(written: Noise) -> Self {
        match written {
            Noise::DiscreteLaplace { scale, corner } => Self {
                law: NoiseLaw::DiscreteLaplace { scale },
                corner,
            },
            Noise::DiscreteGaussian { variance, corner } => Self {
                law: NoiseLaw::DiscreteGaussian { variance },
                corner,
            },
        }
    }
}

/// A corner as `{"coordinates": 2, "step": "1"}`.
mod corner {
    use dp_calibration::Corner;
    use num_bigint::BigUint;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "Self", deny_unknown_fields)]
    struct Written {
        coordinates: u64,
        step: String,
    }

    dp_exact::named_fields!(Written: Serialize, Deserialize);

    pub(super) fn serialize<S: Serializer>(
        corner: &Corner,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let step = corner.step().to_string();
        let coordinates = corner.coordinates();
        Serialize::serialize(&Written { coordinates, step }, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Corner, D::Error> {
        let Written { coordinates, step } = Deserialize::deserialize(deserializer)?;
        // 200 bits are 61 digits.
        let digits = step.bytes().all(|byte| byte.is_ascii_digit()) && step.len() <= 61;
        let step = BigUint::parse_bytes(step.as_bytes(), 10).filter(|_| digits);
        let step = step.ok_or_else(|| D::Error::custom("the step of a corner is an integer"))?;
        Corner::new(coordinates, step).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Noise;
    use super::{Corner, NoiseLaw};

    #[test]
    fn noise_is_written_as_one_object() {
        let scale = "9/2".parse().expect("a number");
        let variance = "547.1".parse().expect("a number");
        let corner = Corner::one_hot();
        for (law, written) in [
            (
                NoiseLaw::DiscreteLaplace { scale },
                r#"{"discrete_laplace":{"scale":"4.5","corner":{"coordinates":2,"step":"1"}}}"#,
            ),
            (
                NoiseLaw::DiscreteGaussian { variance },
                r#"{"discrete_gaussian":{"variance":"547.1","corner":{"coordinates":2,"step":"1"}}}"#,
            ),
        ] {
            let corner = corner.clone();
            let noise = Noise { law, corner };
            assert_eq!(serde_json::to_string(&noise).expect("JSON"), written);
            assert_eq!(
                serde_json::from_str::<Noise>(written).expect("noise"),
                noise
            );
            let longer = written.replace("}}}", r#"},"drawn":"1"}}"#);
            assert!(serde_json::from_str::<Noise>(&longer).is_err());
        }
    }
}
