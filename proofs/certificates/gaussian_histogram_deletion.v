From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Changes Certificates.
Import ListNotations.
Definition variance : rational := (4047718830999%Z, 1000000000000%positive).
Definition epsilon : rational := (2%Z, 1%positive).
Definition delta : rational := (1%Z, 100000%positive).
(* The certificate also claims every larger variance. *)
Theorem certificate : forall p buckets c M, normalizer (s_of (real variance)) c ->
  (forall batch, prio3_release p (gaussian (s_of (real variance)) c) (counts buckets batch)
    (M batch)) ->
  differentially_private (deletion buckets) (real epsilon) (real delta) M.
Proof.
  apply (certified_gaussian_histogram_deletion 161 24 variance epsilon delta 97 32).
  vm_compute. reflexivity.
Qed.
