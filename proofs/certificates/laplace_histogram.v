(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition scale := (6 # 1)%Q.
Definition epsilon := (1 # 3)%Q.
Theorem certificate p n M :
  (forall b, prio3_release p (laplace (Q2R scale)) (counts n b) (M b)) ->
  differentially_private (replacement n) (Q2R epsilon) 0 M.
Proof.
  apply (certified_pure_laplace p 2 1 _ _ _ M (histogram_replacement n)
    scale epsilon).
  vm_compute. reflexivity.
Qed.
