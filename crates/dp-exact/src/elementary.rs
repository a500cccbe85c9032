//! Elementary functions of floating point numbers with the same bits on every platform.
//!
//! IEEE 754 does not fix `f64::exp` and its like: they come from the platform's C library and
//! differ in the last bit. The crate `libm` compiles one source everywhere. The results are within
//! about one unit in the last place and **prove nothing**: what must be proved is computed by
//! [`crate::Interval`] or with directed rounding ([`crate::directed`]).

pub use libm::{
    asinh, atan2, cos, exp, expm1 as exp_m1, hypot, log as ln, log1p as ln_1p, log2, log10,
    pow as powf, sin, sinh, tanh,
};

/// x to the power of an integer, by squaring.
#[must_use]
pub fn powi(x: f64, power: i32) -> f64 {
    let mut rest = power.unsigned_abs();
    let (mut square, mut product) = (x, 1.0);
    while rest > 0 {
        if rest % 2 == 1 {
            product *= square;
        }
        square *= square;
        rest /= 2;
    }
    if power < 0 { 1.0 / product } else { product }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A digest of the bits of each function at ten thousand arguments. A C library gives others.
    #[test]
    fn the_bits_are_those_on_file() {
        type Function = fn(f64) -> f64;
        let functions: [(&str, Function, u64); 13] = [
            ("exp", exp, 0x7ced_7d2a_edb3_2585),
            ("exp_m1", exp_m1, 0xbba6_e3ca_599d_2745),
            ("ln", |x| ln(x.abs()), 0x1552_a4d2_e925_3916),
            ("ln_1p", |x| ln_1p(x.abs()), 0x0473_0111_cd13_29d5),
            ("log2", |x| log2(x.abs()), 0xf2d5_15da_a172_a7a6),
            ("log10", |x| log10(x.abs()), 0x4084_068d_6f53_4a1f),
            ("powf", |x| powf(x.abs(), 1.7), 0x9ba2_ad00_0d07_3afb),
            ("sinh", sinh, 0x3c9b_155b_975c_c428),
            ("tanh", tanh, 0x990e_23a5_a3e1_723c),
            ("asinh", asinh, 0xc5b2_4075_66ef_2f93),
            ("sin", sin, 0x6f20_6cf4_246e_d639),
            ("cos", cos, 0xe1c2_5f6f_7266_624a),
            ("atan2", |x| atan2(x, 1.7), 0x1b7f_3456_0167_b85d),
        ];
        for (name, function, on_file) in functions {
            let bits = |i: i32| function(f64::from(i - 5_000) / 677.3).to_bits();
            let digest = (0..10_000).map(bits).fold(0_u64, |sum, bits| sum.rotate_left(5) ^ bits);
            assert_eq!(digest, on_file, "{name}");
        }
    }

    #[test]
    fn integer_powers_are_products() {
        for (power, expected) in [(0, 1.0), (1, 1.1), (2, 1.1 * 1.1), (-1, 1.0 / 1.1)] {
            assert_eq!(powi(1.1, power), expected);
        }
        assert_eq!(powi(2.0, i32::MIN), 0.0);
        assert_eq!(powi(-2.0, -3), -0.125);
    }
}
