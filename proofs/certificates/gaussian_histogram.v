From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Changes Certificates.
Import ListNotations.
Definition variance : rational := (291401722239%Z, 4000000000%positive).
Definition epsilon : rational := (453%Z, 500%positive).
Definition delta : rational := (1%Z, 1000000000%positive).
(* The certificate also claims every larger variance. *)
Theorem certificate : forall p buckets c M, normalizer (s_of (real variance)) c ->
  (forall batch, prio3_release p (gaussian (s_of (real variance)) c) (counts buckets batch)
    (M batch)) ->
  differentially_private (replacement buckets) (real epsilon) (real delta) M.
Proof.
  apply (certified_gaussian_histogram 174 106 variance epsilon delta 110 278).
  vm_compute. reflexivity.
Qed.
