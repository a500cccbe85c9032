//! How many cigarettes do people smoke a day, in all? And how much do they weigh, on average? A sum
//! of integers, and a mean of real numbers on a fixed grid, with discrete Laplace noise.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_exact::Rational;
use dp_prio3::grid::Grid;
use dp_prio3::{AggregatorNoise, Budget, Measurement, MeasurementRange, Policy, Vdaf};

fn main() -> Result<(), Box<dyn Error>> {
    let budget = Budget::Pure { epsilon: "0.5".parse()? };
    let noise = AggregatorNoise::DiscreteLaplace { budget };

    // A sum: more than 60 a day count as 60.
    let smoked = examples::column("cigarettes_per_day")?
        .iter()
        .map(|text| text.parse().map(|number: u128| number.min(60)))
        .collect::<Result<Vec<_>, _>>()?;
    let sum = Vdaf::Sum { aggregators: 2, range: MeasurementRange::MaxMeasurement(60) };
    let policy = Policy::with_noise(sum, noise.clone())?;
    let collection =
        examples::run(&policy, smoked.iter().map(|number| Measurement::Integer(*number)))?;
    let total = collection.estimates[0];
    println!("cigarettes a day, of {} people", collection.reports);
    println!("  {:.0} ± {:.0}", total.value, collection.margins_95[0]);
    println!("  in truth {}\n", smoked.iter().sum::<u128>());

    // A mean of real numbers. The grid is public and fixed before anyone weighs in.
    let grid = Grid::new("40".parse()?, "140".parse()?, "0.1".parse()?)?;
    let weights = examples::column("weight_kg")?
        .iter()
        .map(|text| text.parse())
        .collect::<Result<Vec<Rational>, _>>()?;
    let cells: Vec<u128> = weights.iter().map(|weight| grid.cell(weight)).collect();

    let range = MeasurementRange::Grid(Box::new(grid.clone()));
    let policy = Policy::with_noise(Vdaf::Average { aggregators: 2, range }, noise)?;
    let collection = examples::run(&policy, cells.iter().map(|cell| Measurement::Integer(*cell)))?;
    let mean = grid.mean(collection.totals[0], collection.reports)?;
    let margin = collection.margins_95[0] * grid.granularity().to_f64();
    println!("weight, of {} people, on a grid of {} kg", cells.len(), grid.granularity());
    println!("  {:.2} kg ± {margin:.2}", mean.to_f64());
    let total = weights.iter().fold(Rational::zero(), |sum, weight| sum + weight);
    let truth = total.to_f64() / f64::from(u32::try_from(weights.len())?);
    println!("  in truth {truth:.2} kg");
    Ok(())
}
