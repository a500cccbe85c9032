(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition variance := (291401722239 # 4000000000)%Q.
Definition epsilon := (453 # 500)%Q.
Definition delta := (1 # 1000000000)%Q.
(* The JSON certificate also claims every larger variance; this theorem does not. *)
Theorem certificate p n c (N : normalizer (s_of (Q2R variance)) c) M :
  (forall b, prio3_release p (gaussian (s_of (Q2R variance)) c) (counts n b) (M b)) ->
  differentially_private (replacement n) (Q2R epsilon) (Q2R delta) M.
Proof.
  apply (certified_gaussian p 2 1 _ _ _ M (histogram_replacement n)
    variance epsilon delta c N).
  vm_compute. reflexivity.
Qed.
