//! `calibrate`: noise for a guarantee, the guarantee of known noise, and the accuracy of estimates.

mod certificate;
mod compose;
mod convert;
mod coq;
pub(crate) mod figures;
mod gaussian;
mod laplace;
mod local;
mod local_answer;
pub(crate) mod mechanism;
mod multihot;
mod rappor;
mod response;
mod schedule;
mod utility;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use dp_calibration::certificate::FORMAT;

use self::figures::Figures;
use crate::delivery::{Output, OutputOptions};
use crate::failure::Failure;
use crate::json::Inputs;

/// Compute certified noise, guarantees and accuracy
#[derive(Args, Debug)]
// In `--json gaussian` the word is the subcommand, not the file.
#[command(after_help = AFTER_HELP, subcommand_precedence_over_arg = true)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(subcommand)]
    question: Option<Question>,
    /// Also write a certificate of the answer to this file, which dp-check verifies (cargo install
    /// --path crates/dp-check)
    #[arg(long, global = true, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Also write the certificate as a theorem to this file, which Coq verifies
    #[arg(long, global = true, value_name = "FILE")]
    coq: Option<PathBuf>,
    /// Also write the tables of the sampler that draws this noise to this file, as a certificate
    /// that they draw it exactly; for discrete Gaussian and Laplace noise that is drawn from tables
    #[arg(long, global = true, value_name = "FILE")]
    sampler_certificate: Option<PathBuf>,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Debug, Subcommand)]
enum Question {
    Gaussian(gaussian::Options),
    Laplace(laplace::Options),
    Rappor(rappor::Options),
    Response(response::Options),
    Multihot(multihot::Options),
    Local(local::Options),
    Compose(compose::Options),
    Schedule(schedule::Options),
    Convert(convert::Options),
    Utility(utility::Options),
}

const AFTER_HELP: &str = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say. Upper bounds are rounded up, lower
bounds down.

Examples, after `dp-cli`:
  calibrate gaussian --epsilon 0.317 --delta 1e-9 --query pair
  calibrate gaussian --delta-at --variance 547 --epsilon 0.317
  calibrate laplace --delta-at --scale 2 --epsilon 0.9
  calibrate gaussian --epsilon 0.317 --delta 1e-9 --honest-aggregators 2
  calibrate rappor --epsilon0 5 --clients 100000 --delta 1e-9
  calibrate response --epsilon 3 --answers 5 --clients 10000 --delta 1e-6
  calibrate local --mechanism k-ary:5 --epsilon 1
  calibrate compose --mechanism gaussian:900:pair --times 100 --delta 1e-6
  calibrate compose --mechanism gaussian:900:pair --times 100 --epsilon 2";

/// Answers one question, with a certificate if one is asked for; prints nothing before the answer
/// is complete, and `Err` if no certificate is accepted.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let Some(question) = &options.question else {
        let line = "nothing to calibrate: expected gaussian, laplace, rappor, response, multihot, \
                    local, compose, schedule, convert or utility";
        return Err(Failure::Usage(line.to_owned()));
    };
    let format = format!("dp-cli calibrate {}", options.inputs.subcommands().join(" "));
    let [path, coq] = [&options.certificate, &options.coq].map(Option::as_ref);
    let outputs = [
        Output::json("certificate", path, FORMAT),
        Output::new("coq", coq, |file| file.starts_with(coq::FIRST_LINE.as_bytes())),
        Output::json("sampler-certificate", options.sampler_certificate.as_ref(), FORMAT),
    ];
    let mut delivery = options.output.prepare(&format, &options.inputs, outputs)?;
    let mut figures = question.answer(&options.inputs)?;
    let sampler = options.sampler_certificate.as_ref();
    let sampler = sampler.map(|path| certificate::of_sampler(figures.noise.as_ref(), path));
    let sampler = sampler.transpose()?;
    let asked = path.map(|path| ("certificate", path)).or(coq.map(|path| ("coq", path)));
    let certificate = asked.map(|asked| certificate::accepted(&figures.candidates, asked));
    let mut certificate = certificate.transpose()?;
    if let Some((certificate, statement)) = &mut certificate {
        figures = figures.with_claim(certificate);
        if is_rephrased(&options.inputs) {
            figures.name_question((certificate, statement), &options.inputs);
        }
    }
    let certificate = certificate.map(|(certificate, _)| certificate);
    let theorem = match (&certificate, coq) {
        (Some(certificate), Some(path)) => coq::theorem(certificate, path)?,
        _ => String::new(),
    };
    delivery.print(figures.text())?;
    delivery.write("coq", |writer| writer.write_all(theorem.as_bytes()));
    for (option, document) in [("certificate", certificate), ("sampler-certificate", sampler)] {
        let Some(document) = document else { continue };
        // With numbers and texts as the checker reads them.
        delivery.write(option, |writer| {
            serde_json::to_writer_pretty(&mut *writer, &document)?;
            writer.write_all(b"\n")
        });
    }
    Ok(delivery.finish(&format, 2, &options.inputs, figures)?)
}

/// Whether the claim of a certificate is about one number in the place of what was asked: one
/// coordinate of vectors, or cube-shaped noise.
fn is_rephrased(inputs: &Inputs) -> bool {
    inputs.words().iter().any(|word| {
        matches!(&**word, "--cube" | "--adjacency=one-coordinate")
            || word.starts_with("--mechanism=cube:")
    })
}

impl Question {
    /// The figures that answer the question.
    fn answer(&self, inputs: &Inputs) -> Result<Figures, Failure> {
        match self {
            Self::Gaussian(options) => gaussian::answer(options),
            Self::Laplace(options) => laplace::answer(options),
            Self::Rappor(options) => rappor::answer(options),
            Self::Response(options) => response::answer(options),
            Self::Multihot(options) => multihot::answer(options),
            Self::Local(options) => local::answer(options, inputs),
            Self::Compose(options) => compose::answer(options),
            Self::Schedule(options) => schedule::answer(options),
            Self::Convert(options) => convert::answer(options),
            Self::Utility(options) => utility::answer(options, inputs),
        }
    }
}
