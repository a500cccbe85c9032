//! Rationals as text, and certified exponentials in fixed point.

pub(crate) use num_bigint::{BigInt, BigUint};
pub(crate) use num_integer::Integer;
pub(crate) use num_rational::Ratio;
pub(crate) use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::statement::{Refusal, ensure, outside, unproved};

pub(crate) type Rational = Ratio<BigInt>;

// Limits of a number, of its exponent of ten, and of x in e^x.
const MOST_CHARACTERS: usize = 1000;
const MOST_EXPONENT: u32 = 1000;
const LARGEST_EXPONENT: u64 = 1 << 16;

/// Reads a number of at least 0, such as 12, 0.317, 1e-9 or 1/3; `None` for any other text.
pub(crate) fn parse(text: &str) -> Option<Rational> {
    (text.len() <= MOST_CHARACTERS).then_some(())?;
    if let Some((above, below)) = text.split_once('/') {
        let (above, below) = (digits(above)?, digits(below)?);
        return (!below.is_zero()).then(|| Ratio::new(above, below));
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let ten = |exponent| Rational::from(BigInt::from(10).pow(exponent));
    let places = u32::try_from(fraction.len()).ok()?;
    let value = Rational::from(digits(&format!("{whole}{fraction}"))?) / ten(places);
    let magnitude = exponent.trim_start_matches(['-', '+']);
    (exponent.len() <= magnitude.len() + 1).then_some(())?;
    let magnitude = digits(magnitude)?.to_u32().filter(|&magnitude| magnitude <= MOST_EXPONENT)?;
    Some(if exponent.starts_with('-') { value / ten(magnitude) } else { value * ten(magnitude) })
}

/// Reads a natural number of decimal digits alone; `None` for any other text.
pub(crate) fn digits(text: &str) -> Option<BigInt> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// An integer as a fraction.
pub(crate) fn whole(n: impl Into<BigInt>) -> Rational {
    Ratio::from(n.into())
}

/// `number`, which is not negative, as a natural number.
pub(crate) fn natural(number: BigInt) -> BigUint {
    number.to_biguint().expect("weights are made of sums and products of natural numbers")
}

/// A number of at least 0 with twelve significant digits, rounded up, such as 1.23456789012e-9.
pub(crate) fn shown(x: &Rational) -> String {
    if x.is_zero() {
        return "0".to_owned();
    }
    let (ten, mut exponent, mut mantissa) = (whole(10), 0, x.clone());
    while mantissa >= ten {
        (mantissa, exponent) = (mantissa / &ten, exponent + 1);
    }
    while mantissa < Rational::one() {
        (mantissa, exponent) = (mantissa * &ten, exponent - 1);
    }
    let mut digits = (mantissa * whole(100_000_000_000u64)).ceil().to_integer().to_string();
    // Thirteen digits are those of 10.
    exponent += i32::from(digits.len() > 12);
    digits.insert(1, '.');
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if exponent == 0 { digits.to_owned() } else { format!("{digits}e{exponent}") }
}

/// 2^bits.
pub(crate) fn unit(bits: u64) -> BigInt {
    BigInt::one() << bits
}

/// x·2^bits, rounded down.
pub(crate) fn scaled_down(x: &Rational, bits: u64) -> BigInt {
    (x.numer() << bits).div_floor(x.denom())
}

/// x·2^bits, rounded up.
pub(crate) fn scaled_up(x: &Rational, bits: u64) -> BigInt {
    (x.numer() << bits).div_ceil(x.denom())
}

/// x/2^bits, rounded up to an integer.
pub(crate) fn shifted_up(x: &BigInt, bits: u64) -> BigInt {
    -(-x >> bits)
}

/// Upper bound on log₂(1/x) for 0 < x < 1, an integer; at most 1 for larger x, and 2 for x = 0.
pub(crate) fn bits_below_one(x: &Rational) -> u64 {
    let (above, below) = (x.numer().bits(), x.denom().bits());
    (below + 1).saturating_sub(above)
}

/// Lower and upper bound on e^x, x ≤ 65536, in units of 2^−bits: Taylor's series at |x|/2^j < 2^−8,
/// squared j times.
pub(crate) fn exp(x: &Rational, bits: u64) -> Result<[BigInt; 2], Refusal> {
    let size = x.abs();
    if x.is_negative() && size >= whole(bits) {
        return Ok([BigInt::zero(), BigInt::one()]); // e^−bits < 2^−bits.
    }
    let whole = size.ceil().to_integer().to_u64().filter(|&whole| whole <= LARGEST_EXPONENT);
    let whole = whole.ok_or_else(|| outside("an exponential of more than 65536"))?;
    let halvings = u64::from(whole.max(1).ilog2()) + 9;
    // Squaring doubles the relative error each time; e^|x| < 2^(3|x|/2).
    let width = bits + 2 * halvings + 2 * whole + 32;
    let (mut low, mut high) = (unit(width), unit(width));
    let scaled = &size / Ratio::from(unit(halvings));
    let step = [scaled_down(&scaled, width), scaled_up(&scaled, width)];
    let mut term = [unit(width), unit(width)];
    for place in 1u32.. {
        term[0] = ((&term[0] * &step[0]) >> width) / place;
        term[1] = (shifted_up(&(&term[1] * &step[1]), width)).div_ceil(&place.into());
        low += &term[0];
        high += &term[1];
        if term[1] <= BigInt::one() {
            break;
        }
    }
    // The rest of the series is less than its last term, which is at most one unit.
    high += 1;
    for _ in 0..halvings {
        low = (&low * &low) >> width;
        high = shifted_up(&(&high * &high), width);
    }
    Ok(if x.is_negative() {
        let unit = unit(width + bits);
        [unit.div_floor(&high), unit.div_ceil(&low)]
    } else {
        [low >> (width - bits), shifted_up(&high, width - bits)]
    })
}

/// Upper bound on `number`^k, a multiple of 2^−bits, for a number of at least 1; `Err` if it is far
/// too large.
pub(crate) fn powered(number: &Rational, k: u64, bits: u64) -> Result<Rational, Refusal> {
    let up = |x: Rational| Ratio::new(scaled_up(&x, bits), unit(bits));
    if k <= 1 {
        return Ok(up(number.clone()));
    }
    let half = powered(number, k / 2, bits)?;
    ensure(half.numer().bits() <= 64 * bits, unproved, "a bound that is far too large")?;
    let power = up(&half * &half);
    Ok(if k.is_odd() { up(power * number) } else { power })
}
