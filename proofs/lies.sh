#!/usr/bin/env bash
# Plants lies, one at a time, in a copy of the proofs. Coq has to refuse each in the file that is
# named, or assumptions.txt has to show it: a check that misses one is blind.
set -euo pipefail
cd "$(dirname "$0")"

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
./check.sh >/dev/null
missed=0

# FILE's text FROM becomes TO (both as in sed); the check then fails at REFUSED.
lie() { # FILE FROM TO REFUSED
  rm -rf "$folder/proofs" && cp -a . "$folder/proofs"
  sed -i "s|$2|$3|" "$folder/proofs/$1"
  if cmp -s "$1" "$folder/proofs/$1"; then
    echo "$1 no longer has the text $2" >&2
    missed=1
  elif "$folder/proofs/check.sh" >"$folder/output" 2>&1 || ! grep -qF "$4" "$folder/output"; then
    echo "NOT FOUND: $3 for $2 in $1" >&2
    tail -n 3 "$folder/output" >&2
    missed=1
  else
    echo "found: $3 for $2 in $1"
  fi
}

# Certificates: a variance that is short by a part of 1e-10, a scale, a flip, an epsilon of
# releases that is a part of 2e-9 too small, a change of 2 for 3, a threshold that moved by one.
lie certificates/gaussian_histogram.v '(291401722239 # 4000000000)' \
  '(7285043055247 # 100000000000)' certificates/gaussian_histogram.v
lie certificates/laplace_histogram.v '(6 # 1)' '(599 # 100)' certificates/laplace_histogram.v
lie certificates/rappor.v '(382 # 125)' '(191 # 125)' certificates/rappor.v
lie certificates/response.v 'epsilon := (1 # 1)' 'epsilon := (99 # 100)' certificates/response.v
lie certificates/gaussian_releases.v 'epsilon := (2075245270928505269' 'epsilon := (2075245266778014727' \
  certificates/gaussian_releases.v
lie certificates/laplace_releases.v 'epsilon := (13331981929427081917' 'epsilon := (13331981902763118058' \
  certificates/laplace_releases.v
lie certificates/gaussian_sum.v 'certified_gaussian p 1 3' 'certified_gaussian p 1 2' \
  certificates/gaussian_sum.v
lie certificates/passes.v '(8, 1974, ' '(8, 1975, ' certificates/passes.v

# Definitions: a flip probability, a normalizer, a spare draw that is used twice, a word too many,
# another norm.
lie definitions/Randomizers.v '/ (exp e0 + 1)' '/ (exp e0 + 2)' theorems/Rappor.v
lie definitions/Noise.v '(exp (1 / t) - 1) / (exp (1 / t) + 1)' '1' theorems/LaplaceMechanism.v
lie definitions/Samplers.v 's :: block decide ws spares' 's :: block decide ws (s :: spares)' \
  theorems/Block.v
lie definitions/Samplers.v '(start + Z.of_nat a - 1)' '(start + Z.of_nat a)' theorems/WordCounts.v
lie definitions/Samplers.v '(IZR v + 1) / 2 ^ k' 'IZR v / 2 ^ k' theorems/LazyComparison.v
lie definitions/Cube.v 'Z.max (Z.abs (b - a))' 'Z.add (Z.abs (b - a))' theorems/KNorm
lie definitions/Changes.v '(b - a) <= d)' '(b - a) <= d + 1)' theorems/SeveralNumbers.v

# Theorems: eps0 for 2 eps0, half the scale, one eps of two, a table without what it lacks, a tail on
# one side, any difference.
lie theorems/Rappor.v 'indistinguishable (2 \* e0)' 'indistinguishable (1 * e0)' theorems/Rappor.v
lie theorems/QueryLaplace.v '0 < t -> 2 <= eps \* t' '0 < t -> 1 <= eps * t' \
  theorems/QueryLaplace.v
lie theorems/KNorm.v 'IZR d <= eps \* t' 'IZR d <= 2 * eps * t' theorems/KNorm.v
lie theorems/AdaptiveComposition.v 'indistinguishable (e1 + e2)' 'indistinguishable e1' \
  theorems/AdaptiveComposition.v
lie theorems/LossTable.v '+ (1 - sum (fun t => t) T)' '+ 0' theorems/LossTable.v
lie lemmas/GaussianSums.v '2 \* tail_bound a' '1 * tail_bound a' lemmas/GaussianSums.v
lie theorems/LargerDifference.v '(0 <= d. <= d)%Z' '(0 <= d)%Z' theorems/LargerDifference.v

# A lemma and a certificate that are only admitted.
lie theorems/Queries.v 'Proof. apply NoDup_count_occ, seq_NoDup. Qed.' 'Admitted.' place_at_most
lie certificates/response.v 'Qed\.' 'Admitted.' response.certificate

exit "$missed"
