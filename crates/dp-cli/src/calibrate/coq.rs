//! `--coq`: a certificate as a file of Coq, which ends in the theorem about all neighbouring
//! batches and all events. Coq checks it beside the folder `proofs`; nothing here is trusted.

use std::f64::consts::LN_2;
use std::path::Path;

use dp_calibration::Refusal;
use dp_calibration::certificate::Certificate;
use dp_exact::Rational;
use serde_json::Value;

use crate::failure::Failure;
use crate::values::LEAVE_OUT;

/// The first line of a file by `--coq`; a file that begins with it may be replaced.
pub(super) const FIRST_LINE: &str =
    "(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)";

const IMPORTS: &str = "\
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.";

/// Bits of the units of Coq's table of probabilities beyond those of δ.
const MORE_UNITS: u64 = 80;

/// Bits of Coq's intervals beyond those of the units.
const MORE_BITS: u64 = 64;

/// The largest radius of a table, and place in it, for which Coq's unary numbers suffice.
const MOST_ENTRIES: u64 = 20_000;

/// The certificate as a file of Coq. `Err` with the kind of claim if no theorem covers it, or if
/// the noise is too wide for Coq.
pub(super) fn theorem(certificate: &Certificate, path: &Path) -> Result<String, Failure> {
    let document = serde_json::to_value(certificate).map_err(Failure::other)?;
    let theorem = Claim(&document["claim"]).theorem().map_err(|kind| {
        let context = format!("with this question: no theorem covers {kind}");
        Refusal::contradiction("coq", path.display(), context, LEAVE_OUT)
    })?;
    Ok(format!("{FIRST_LINE}\n{IMPORTS}\n{theorem}"))
}

/// The `claim` of a certificate or one of its `releases`, whose fields docs/certificates.md of
/// dp-check lists.
#[derive(Clone, Copy)]
struct Claim<'a>(&'a Value);

/// What a theorem says about a query, in Coq.
struct CoqQuery {
    /// The variables of the theorem on which the query depends.
    variables: String,
    /// The result of the batch `b`.
    result: String,
    neighbours: String,
    /// The proof that one client changes at most `numbers` numbers by at most `change` each.
    proof: String,
    numbers: u64,
    change: u64,
}

impl<'a> Claim<'a> {
    fn text(self, name: &str) -> &'a str {
        self.0[name].as_str().unwrap_or_default()
    }

    fn number(self, name: &str) -> Rational {
        self.text(name).parse().expect("certificates have numbers as exact texts")
    }

    /// The definition in Coq of the field `name`, a number.
    fn definition(self, name: &str) -> String {
        let number = self.number(name);
        format!("Definition {name} := ({} # {})%Q.\n", number.numerator(), number.denominator())
    }

    /// Definitions, theorem and proof of this claim; `Err` with its kind if no theorem covers it.
    fn theorem(self) -> Result<String, &'static str> {
        let Some(releases) = self.0["releases"].as_array() else {
            return Err("bounds on draws");
        };
        let [release] = &releases[..] else { return Err("releases of several kinds") };
        let release = Claim(release);
        match release.text("mechanism") {
            "rappor" if self.text("trust_model") == "OC" => {
                let flips = self.query(release)?.numbers;
                let statement = format!(
                    " : differentially_private\n  \
                       (fun x x' => length x = length x' /\\ (hamming x x' <= {flips})%nat) (Q2R epsilon) 0\n  \
                       (rappor (Q2R epsilon0))"
                );
                let proof = format!("certified_rappor {flips}");
                Ok(self.of_one_client(release, &statement, &proof))
            }
            "rappor" => Err("sums of clients' randomized bits"),
            "k-ary" => {
                let statement = " k : differentially_private\n  \
                    (fun i j => (i < k)%nat /\\ (j < k)%nat) (Q2R epsilon) 0 (response k (Q2R epsilon0))";
                Ok(self.of_one_client(release, statement, "certified_response k"))
            }
            "gaussian" | "laplace" if release.0["aggregators"] != 1 => {
                Err("the noise of several honest aggregators together")
            }
            name @ ("gaussian" | "laplace") => self.noise(release, name == "gaussian"),
            _ => Err("mechanisms of which only a guarantee is known"),
        }
    }

    /// The theorem with this `statement` about one client's randomizer, by the theorem `proof` of
    /// Certificates.v.
    fn of_one_client(self, release: Self, statement: &str, proof: &str) -> String {
        let definitions = release.definition("epsilon0") + &self.definition("epsilon");
        format!(
            "{definitions}Theorem certificate{statement}.\n\
             Proof.\n  apply ({proof} epsilon0 epsilon).\n  vm_compute. reflexivity.\nQed.\n"
        )
    }

    /// The theorem about discrete Gaussian or Laplace noise of one honest aggregator.
    fn noise(self, release: Self, is_gaussian: bool) -> Result<String, &'static str> {
        let CoqQuery { variables, result, neighbours, proof, numbers, change } =
            self.query(release)?;
        let (size, noise, normalizer, known) = match is_gaussian {
            true => (
                "variance",
                "gaussian (s_of (Q2R variance)) c",
                " c (N : normalizer (s_of (Q2R variance)) c)",
                " c N",
            ),
            false => ("scale", "laplace (Q2R scale)", "", ""),
        };
        let mut definitions = release.definition(size) + &self.definition("epsilon");
        if self.0["every_larger_variance"] == true {
            definitions += "(* The certificate also claims every larger variance. *)\n";
        }
        let (name, delta, arguments) = if self.number("delta").is_zero() {
            ("pure_laplace", "0", "scale epsilon".to_owned())
        } else {
            definitions += &self.definition("delta");
            let size_of_noise = release.number(size);
            let [bits, radius, units, first] = self
                .steering(&size_of_noise, is_gaussian, numbers, change)
                .ok_or("noise so wide that Coq's table of it would be too long")?;
            let name = if is_gaussian { "gaussian" } else { "laplace" };
            let arguments = format!("{bits} {radius} {size} epsilon delta {units} {first}{known}");
            (name, "(Q2R delta)", arguments)
        };
        Ok(format!(
            "{definitions}\
             Theorem certificate p{variables}{normalizer} M :\n  \
               (forall b, prio3_release p ({noise}) ({result}) (M b)) ->\n  \
               differentially_private {neighbours} (Q2R epsilon) {delta} M.\n\
             Proof.\n  apply (certified_{name} p {numbers} {change} _ _ _ M {proof}\n    {arguments}).\n  \
             vm_compute. reflexivity.\nQed.\n"
        ))
    }

    /// The query of `release`, or of all its repetitions.
    fn query(self, release: Self) -> Result<CoqQuery, &'static str> {
        let mut words = release.text("query").split(':');
        let name = words.next().unwrap_or_default();
        let bounds: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
        let adjacency = self.text("adjacency");
        let is_replaced = adjacency == "replacement";
        // The table of queries in docs/certificates.md of dp-check.
        let (numbers, change) = match (name, bounds.as_deref()) {
            ("histogram", _) => (1 + u64::from(is_replaced), 1),
            ("count", _) => (1, 1),
            ("sum" | "average", Some(&[max])) => (1, max),
            ("sumvec", Some(&[length, max])) => (length, max),
            ("multihot", Some(&[length, weight])) if is_replaced => {
                (length.min(weight.saturating_mul(2)), 1)
            }
            ("multihot", Some(&[_, weight])) => (weight, 1),
            ("l1boundsum", _) => return Err("measurements whose sum is bounded"),
            _ => return Err("noise behind a strategy matrix"),
        };
        let times = release.0["times"].as_u64().unwrap_or(1);
        let numbers = numbers.saturating_mul(times);
        let [variables, result, neighbours, proof] = match name {
            _ if times > 1 => [
                " batches (neighbours : batches -> batches -> Prop) result\n  \
                 (S : forall b b', neighbours b b' -> changes NUMBERS CHANGE (result b) (result b'))\n ",
                "result b",
                "neighbours",
                "S",
            ],
            "histogram" if is_replaced => {
                [" n", "counts n b", "(replacement n)", "(histogram_replacement n)"]
            }
            "histogram" => [" n", "counts n b", "(deletion n)", "(histogram_deletion n)"],
            "count" | "sum" | "average" => {
                ["", "[sum_of_batch b]", "(replaced_number CHANGE)", "(sum_replacement CHANGE)"]
            }
            _ => [
                " n",
                "total n b",
                "(replaced_vector NUMBERS CHANGE)",
                "(vector_replacement n NUMBERS CHANGE)",
            ],
        }
        .map(|text| {
            let text = text.replace("NUMBERS", &numbers.to_string());
            text.replace("CHANGE", &change.to_string())
        });
        Ok(CoqQuery { variables, result, neighbours, proof, numbers, change })
    }

    /// Where Coq looks for the proof: the bits of its intervals, the radius of the table of one
    /// number's noise, the bits of its units, and the first place at which the loss of all numbers is
    /// at least ε. `None` if a table is too long.
    fn steering(
        self,
        size: &Rational,
        is_gaussian: bool,
        numbers: u64,
        change: u64,
    ) -> Option<[Rational; 4]> {
        let (epsilon, delta) = (self.number("epsilon"), self.number("delta"));
        // 2^-units is below δ·2^-80.
        let more = MORE_UNITS + 1 + delta.denominator().bits();
        let units = u32::try_from(more.checked_sub(delta.numerator().bits())?).ok()?;
        // Beyond the radius noise has a weight below 2^-units.
        let nats = f64::from(units) * LN_2;
        let radius = match is_gaussian {
            true => (2.0 * size.to_f64() * nats).sqrt(),
            false => size.to_f64() * nats,
        };
        let radius = Rational::integer(Rational::from_f64(radius).ok()?.ceil());
        let [numbers, change, two] = [numbers, change, 2].map(Rational::from);
        // The loss at the place x of all numbers' noise is (kΔ² + 2Δx)/(2σ²), or (2x − kΔ)/t; the
        // table of Gaussian noise begins at −k·radius.
        let (loss, step, start) = match is_gaussian {
            true => {
                let least = &numbers * &(&change * &change);
                (&(&(&two * size) * &epsilon) - &least, &two * &change, &numbers * &radius)
            }
            false => (&(size * &epsilon) + &(&numbers * &change), two, Rational::zero()),
        };
        let first = &Rational::integer(loss.checked_div(&step)?.ceil()) + &start;
        let first = first.max(Rational::zero());
        let most = Rational::from(MOST_ENTRIES);
        let is_short = [&radius, &first, &(&numbers * &change)].into_iter().all(|it| *it <= most);
        let [bits, units] = [u64::from(units) + MORE_BITS, units.into()].map(Rational::from);
        is_short.then_some([bits, radius, units, first])
    }
}
