(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition variance := (100 # 1)%Q.
Definition epsilon := (2075245270928505269 # 2000000000000000000)%Q.
Definition delta := (1 # 1000000)%Q.
Theorem certificate p batches (neighbours : batches -> batches -> Prop) result
  (S : forall b b', neighbours b b' -> changes 6 1 (result b) (result b'))
  c (N : normalizer (s_of (Q2R variance)) c) M :
  (forall b, prio3_release p (gaussian (s_of (Q2R variance)) c) (result b) (M b)) ->
  differentially_private neighbours (Q2R epsilon) (Q2R delta) M.
Proof.
  apply (certified_gaussian p 6 1 _ _ _ M S
    164 118 variance epsilon delta 100 809 c N).
  vm_compute. reflexivity.
Qed.
