From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Certificates.
Import ListNotations.
Definition epsilon0 : rational := (191%Z, 125%positive).
Definition epsilon : rational := (382%Z, 125%positive).
Theorem certificate : forall n i j, (i < n)%nat -> (j < n)%nat ->
  indistinguishable (real epsilon) 0
    (rappor (real epsilon0) (one_hot_bits n i)) (rappor (real epsilon0) (one_hot_bits n j)).
Proof. now apply certified_rappor_histogram. Qed.
