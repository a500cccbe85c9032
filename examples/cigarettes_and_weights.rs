//! How many cigarettes do people smoke a day, in all? And how much do they weigh, on average? A sum
//! of integers, and a mean of real numbers on a fixed grid, with discrete Laplace noise.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;
use std::sync::Arc;

use dp_exact::{Epsilon, Rational};
use dp_prio3::AggregatorNoise;
use dp_prio3::grid::Grid;
use dp_prio3::types::{Average, Sum};

fn main() -> Result<(), Box<dyn Error>> {
    let epsilon: Epsilon = "0.5".parse()?;

    // A sum: more than 60 a day count as 60.
    let smoked = examples::column("cigarettes_per_day")?
        .iter()
        .map(|text| text.parse().map(|number: u64| number.min(60)))
        .collect::<Result<Vec<_>, _>>()?;
    let sum = Sum::new(2, 60)?;
    let policy = AggregatorNoise::laplace(sum, epsilon.clone())?;
    let collection = examples::run(&Arc::new(policy), &smoked)?;
    let total = collection.estimates[0];
    println!("cigarettes a day, of {} people", collection.reports);
    println!("  {:.0} ± {:.0}", total.value, collection.margins_95[0]);
    println!("  in truth {}\n", smoked.iter().sum::<u64>());

    // A mean of real numbers. The grid is public and fixed before anyone weighs in.
    let grid = Grid::new("40".parse()?, "140".parse()?, "0.1".parse()?)?;
    let weights = examples::column("weight_kg")?
        .iter()
        .map(|text| text.parse())
        .collect::<Result<Vec<Rational>, _>>()?;
    let cells: Vec<u128> = weights.iter().map(|weight| grid.cell(weight)).collect();

    let average = Average::new(2, grid.max_measurement())?;
    let policy = AggregatorNoise::laplace(average, epsilon)?;
    let collection = examples::run(&Arc::new(policy), &cells)?;
    let mean = grid.mean(collection.totals[0], collection.reports)?;
    let margin = collection.margins_95[0] * grid.granularity().to_f64();
    println!("weight, of {} people, on a grid of {} kg", cells.len(), grid.granularity());
    println!("  {:.2} kg ± {margin:.2}", mean.to_f64());
    let total = weights.iter().fold(Rational::zero(), |sum, weight| sum + weight);
    let truth = total.to_f64() / f64::from(u32::try_from(weights.len())?);
    println!("  in truth {truth:.2} kg");
    Ok(())
}
