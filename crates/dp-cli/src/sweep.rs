//! `sweep`: simulations over the combinations of lists that a file names.

mod cells;
mod options;

use std::io::Write;
use std::path::Path;

use dp_exact::{integer, shown};
use dp_files::{Input, OutputFile, Overwrite, Reason, read_limited};
use dp_sweep::{Error, Grid, MAX_BYTES, Open, Plan, Sweep};

use crate::delivery::Delivery;
use crate::failure::Failure;
use cells::chosen;
pub(crate) use options::Options;

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    let delivery = Delivery::prepare(options.json.as_deref(), options.force)?;
    let csv = table(options.csv.as_deref(), options.force)?;
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let named = |error| named(&options.file, error);
    let mut sweep = read(&options.file)?;
    let seed = match (&options.seed, sweep.seed) {
        (Some(seed), _) => integer("seed", seed, 0..=u64::MAX)?,
        (None, Some(seed)) => seed,
        (None, None) => rand::random(),
    };
    sweep.seed = Some(seed);
    let grid = Grid::new(&sweep, seed).map_err(named)?;
    let open: Open<'_> = &|file| {
        let input = Input::open(Path::new(file))?;
        Ok(Box::new(input))
    };
    let mut rows = Vec::new();
    for cells in chosen(options.cell.as_deref(), grid.cells.len())? {
        let plan = Plan::new(&sweep, &grid, cells, open, threads).map_err(named)?;
        rows.extend(plan.run(&|_| ()).map_err(named)?);
    }
    let _ = delivery;
    if let Some(file) = csv {
        file.write(|writer: &mut dyn Write| dp_sweep::write_csv(writer, &rows))?;
    }
    Ok(())
}

/// Reads the file of a sweep. The path of its data is relative to its folder.
fn read(path: &Path) -> Result<Sweep, Failure> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = match read_limited(path, most) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.reason(), Reason::TooLong { .. }) => {
            return Err(named(path, Error::TooLong { max: MAX_BYTES }));
        }
        Err(error) => return Err(error.into()),
    };
    let name = path.to_string_lossy();
    let sweep = Sweep::from_toml(&name, bytes).map_err(|error| named(path, error))?;
    Ok(match path.parent() {
        Some(folder) => sweep.in_folder(folder),
        None => sweep,
    })
}

/// What is wrong with a sweep, with the name of its file.
fn named(path: &Path, error: Error) -> Failure {
    Failure::Sweep {
        path: shown(path),
        source: Box::new(error),
    }
}

/// The file of a table.
fn table(path: Option<&Path>, force: bool) -> Result<Option<OutputFile>, Failure> {
    let overwrite = match force {
        true => Overwrite::Any,
        false => Overwrite::Own(dp_sweep::is_own),
    };
    let file = path.map(|path| OutputFile::prepare(path, overwrite));
    Ok(file.transpose()?)
}
