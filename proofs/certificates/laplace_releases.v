From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Randomizers Samplers
  Tables Changes Certificates.
Import ListNotations.
Definition scale : rational := (6%Z, 1%positive).
Definition epsilon : rational := (133319819160951%Z, 100000000000000%positive).
Definition delta : rational := (1%Z, 1000000%positive).
Theorem certificate : forall p batches (neighbours : batches -> batches -> Prop) result M,
  (forall b b', neighbours b b' -> changes 8 1 (result b) (result b')) ->
  (forall b, prio3_release p (laplace (real scale)) (result b) (M b)) ->
  differentially_private neighbours (real epsilon) (real delta) M.
Proof.
  apply (certified_laplace_several 164 8 1 100 416 8 scale epsilon delta).
  vm_compute. reflexivity.
Qed.
