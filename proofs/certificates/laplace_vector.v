(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition scale := (30 # 1)%Q.
Definition epsilon := (1 # 1)%Q.
Theorem certificate p n M :
  (forall b, prio3_release p (laplace (Q2R scale)) (total n b) (M b)) ->
  differentially_private (replaced_vector 10 3) (Q2R epsilon) 0 M.
Proof.
  apply (certified_pure_laplace p 10 3 _ _ _ M (vector_replacement n 10 3)
    scale epsilon).
  vm_compute. reflexivity.
Qed.
