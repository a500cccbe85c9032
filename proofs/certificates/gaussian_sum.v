From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Changes Certificates.
Import ListNotations.
Definition variance : rational := (585499828679%Z, 2500000000%positive).
Definition epsilon : rational := (1%Z, 1%positive).
Definition delta : rational := (1%Z, 100000000%positive).
(* The certificate also claims every larger variance. *)
Theorem certificate : forall p c M, normalizer (s_of (real variance)) c ->
  (forall batch, prio3_release p (gaussian (s_of (real variance)) c) ([sum_of_batch batch])
    (M batch)) ->
  differentially_private (replaced_number 3) (real epsilon) (real delta) M.
Proof.
  apply (certified_gaussian_sum 171 187 variance epsilon delta 3 107 264).
  vm_compute. reflexivity.
Qed.
