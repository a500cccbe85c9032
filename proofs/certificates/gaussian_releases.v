From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Changes Certificates.
Import ListNotations.
Definition variance : rational := (100%Z, 1%positive).
Definition epsilon : rational := (103762263442663%Z, 100000000000000%positive).
Definition delta : rational := (1%Z, 1000000%positive).
Theorem certificate : forall p batches (neighbours : batches -> batches -> Prop) result c M,
  normalizer (s_of (real variance)) c ->
  (forall b b', neighbours b b' -> changes 6 1 (result b) (result b')) ->
  (forall b, prio3_release p (gaussian (s_of (real variance)) c) (result b) (M b)) ->
  differentially_private neighbours (real epsilon) (real delta) M.
Proof.
  apply (certified_gaussian_several 164 118 variance epsilon delta 6 1 100 809).
  vm_compute. reflexivity.
Qed.
