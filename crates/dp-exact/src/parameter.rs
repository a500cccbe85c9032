//! The privacy parameters ε, δ and ρ: exact, validated, printed as they were typed.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::string::ToString as _;
use core::cmp::Ordering;
use core::fmt::{self, Display, Formatter};
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use crate::{ParameterError, Rational};

/// Defines a privacy parameter: a rational of bounded size in a range, with the text from which it
/// was parsed.
macro_rules! parameter {
    ($(#[$documentation:meta])* $type:ident, $name:literal, $accepted:literal, $check:expr) => {
        $(#[$documentation])*
        #[derive(Clone, Debug)]
        pub struct $type {
            value: Rational,
            text: String,
        }

        impl $type {
            /// The parameter with this exact value.
            ///
            /// # Errors
            /// If the value is out of range, or has more than [`Rational::MAX_BITS`] bits in its
            /// numerator or denominator.
            pub fn new(value: Rational) -> Result<Self, ParameterError> {
                let text = value.to_string();
                Self::checked(value, text)
            }

            /// The exact value.
            pub fn value(&self) -> &Rational {
                &self.value
            }

            /// The parameter with this value, which was read from `text`; `Err` if the value is out
            /// of range or has too many bits.
            fn checked(value: Rational, text: String) -> Result<Self, ParameterError> {
                let in_range: fn(&Rational) -> bool = $check;
                if in_range(&value) && value.bits() <= Rational::MAX_BITS {
                    Ok(Self { value, text })
                } else {
                    Err(ParameterError::new($name, text, $accepted))
                }
            }
        }

        impl FromStr for $type {
            type Err = ParameterError;

            fn from_str(text: &str) -> Result<Self, ParameterError> {
                let value = text.parse::<Rational>().map_err(|error| error.renamed($name))?;
                Self::checked(value, text.to_owned())
            }
        }

        impl Display for $type {
            /// The text that was parsed.
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.text)
            }
        }

        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.value == other.value
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $type {
            fn cmp(&self, other: &Self) -> Ordering {
                self.value.cmp(&other.value)
            }
        }

        impl Hash for $type {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.value.hash(state);
            }
        }
    };
}

parameter!(
    /// The privacy loss ε > 0 of differential privacy (Dwork, McSherry, Nissim, Smith 2006).
    Epsilon,
    "epsilon",
    "a number greater than 0",
    Rational::is_positive
);

parameter!(
    /// The slack δ of (ε, δ) differential privacy, 0 ≤ δ < 1: sup over sets S of
    /// P(S) − e^ε·Q(S) for neighbouring inputs.
    Delta,
    "delta",
    "a number from 0 up to but not including 1",
    |value| !value.is_negative() && *value < 1
);

parameter!(
    /// The parameter ρ > 0 of zero-concentrated differential privacy (Bun, Steinke 2016): the
    /// Rényi divergence of every order α is at most ρ·α.
    Rho,
    "rho",
    "a number greater than 0",
    Rational::is_positive
);
