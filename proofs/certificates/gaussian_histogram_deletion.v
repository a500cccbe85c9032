(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition variance := (4047718830999 # 1000000000000)%Q.
Definition epsilon := (2 # 1)%Q.
Definition delta := (1 # 100000)%Q.
(* The JSON certificate also claims every larger variance; this theorem does not. *)
Theorem certificate p n c (N : normalizer (s_of (Q2R variance)) c) M :
  (forall b, prio3_release p (gaussian (s_of (Q2R variance)) c) (counts n b) (M b)) ->
  differentially_private (deletion n) (Q2R epsilon) (Q2R delta) M.
Proof.
  apply (certified_gaussian p 1 1 _ _ _ M (histogram_deletion n)
    variance epsilon delta c N).
  vm_compute. reflexivity.
Qed.
