//! `--coq`: a certificate as a file of Coq, which ends in the theorem about all neighbouring
//! batches and all events. Coq checks it beside the folder `proofs`; nothing here is trusted.

use std::path::Path;

use dp_calibration::Refusal;
use dp_calibration::certificate::Certificate;
use dp_exact::{Rational, directed};
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

/// The largest number of changed numbers times their standard deviation, for which a table in Coq
/// is short enough.
const LARGEST_SPREAD: f64 = 1500.0;

/// The certificate as a file of Coq, with the question in a comment if the theorem is about another
/// one. `Err` with the kind of claim if no theorem covers it, or if the noise is too wide for Coq.
pub(super) fn theorem(certificate: &Certificate, path: &Path) -> Result<String, Failure> {
    let document = serde_json::to_value(certificate).map_err(Failure::other)?;
    let theorem = Claim(&document["claim"]).theorem().map_err(|kind| {
        let context = format!("with this question: no theorem covers {kind}");
        Refusal::contradiction("coq", path.display(), context, LEAVE_OUT)
    })?;
    let asked = certificate.question.as_ref().map_or_else(String::new, |question| {
        // Quotes and parentheses with stars have a meaning in a comment.
        let question = question.replace('"', "'").replace("(*", "( *").replace("*)", "* )");
        format!(
            "(* This theorem is about one number. Its guarantee holds for what was asked: for cube-shaped noise by\n   \
             k_norm_is_scalar in theorems/KNorm.v, for one coordinate as no other number changes. Asked:\n   {question} *)\n"
        )
    });
    Ok(format!("{FIRST_LINE}\n{asked}{IMPORTS}\n{theorem}"))
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

    /// How often a release is repeated.
    fn times(self) -> u64 {
        self.0["times"].as_u64().unwrap_or(1)
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
            "rappor" | "k-ary" if release.times() > 1 => Err("several answers of one client"),
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
        let (name, delta, arguments) = if self.number("delta").is_zero() {
            ("pure_laplace", "0", "")
        } else {
            let size_of_noise = release.number(size).to_f64();
            let (name, spread) = match is_gaussian {
                true => ("gaussian", size_of_noise.sqrt()),
                false => ("laplace", directed::count(change).max(size_of_noise / 100.0)),
            };
            if directed::count(numbers) * spread > LARGEST_SPREAD {
                return Err("noise so wide that Coq's table of it would be too long");
            }
            definitions += &self.definition("delta");
            (name, "(Q2R delta)", " delta")
        };
        if self.0["every_larger_variance"] == true {
            definitions += "(* The JSON certificate also claims every larger variance; this theorem does not. *)\n";
        }
        Ok(format!(
            "{definitions}\
             Theorem certificate p{variables}{normalizer} M :\n  \
               (forall b, prio3_release p ({noise}) ({result}) (M b)) ->\n  \
               differentially_private {neighbours} (Q2R epsilon) {delta} M.\n\
             Proof.\n  apply (certified_{name} p {numbers} {change} _ _ _ M {proof}\n    {size} epsilon{arguments}{known}).\n  \
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
        let times = release.times();
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
}
