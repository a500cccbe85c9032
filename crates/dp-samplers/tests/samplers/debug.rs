//! `Debug` shows parameters, and neither tables nor draws.

use dp_samplers::{BernoulliReal, Binomial, DiscreteGaussian, DiscreteLaplace, Geometric};

use crate::distributions::rational;

#[test]
fn samplers_show_their_parameters_and_no_table() {
    for (parameter, shown) in
        [("27", "27"), ("1/3", "1/3"), ("1e12", "1000000000000"), ("1e80", "1e80")]
    {
        let value = rational(parameter);
        let gaussian = DiscreteGaussian::new(&value).unwrap();
        assert_eq!(
            format!("{gaussian:?}"),
            format!("DiscreteGaussian {{ variance: {shown}, .. }}")
        );
        let laplace = DiscreteLaplace::new(&value).unwrap();
        assert_eq!(format!("{laplace:?}"), format!("DiscreteLaplace {{ scale: {shown}, .. }}"));
        let geometric = Geometric::new(&value).unwrap();
        assert_eq!(format!("{geometric:?}"), format!("Geometric {{ scale: {shown}, .. }}"));
    }
    for trials in [10, 1_000_000_000_000] {
        let binomial = Binomial::new(trials, rational("1/3")).unwrap();
        let text = format!("{binomial:?}");
        assert!(text.contains(&format!("trials: {trials}")) && text.len() < 120, "{text}");
    }
    let coin = BernoulliReal::new(rational("1/3")).unwrap();
    assert!(format!("{coin:?}").len() < 200);
}
