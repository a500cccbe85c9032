(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition scale := (6 # 1)%Q.
Definition epsilon := (13331981929427081917 # 10000000000000000000)%Q.
Definition delta := (1 # 1000000)%Q.
Theorem certificate p batches (neighbours : batches -> batches -> Prop) result
  (S : forall b b', neighbours b b' -> changes 8 1 (result b) (result b'))
  M :
  (forall b, prio3_release p (laplace (Q2R scale)) (result b) (M b)) ->
  differentially_private neighbours (Q2R epsilon) (Q2R delta) M.
Proof.
  apply (certified_laplace p 8 1 _ _ _ M S
    164 416 scale epsilon delta 100 8).
  vm_compute. reflexivity.
Qed.
