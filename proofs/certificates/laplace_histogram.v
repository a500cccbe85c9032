From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Certificates.
Import ListNotations.
Definition scale : rational := (6%Z, 1%positive).
Definition epsilon : rational := (1%Z, 3%positive).
Theorem certificate : forall p buckets M,
  (forall batch, prio3_release p (laplace (real scale)) (counts buckets batch)
    (M batch)) ->
  differentially_private (replacement buckets) (real epsilon) 0 M.
Proof.
  apply (certified_laplace_histogram scale epsilon).
  vm_compute. reflexivity.
Qed.
