(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition epsilon0 := (1 # 1)%Q.
Definition epsilon := (1 # 1)%Q.
Theorem certificate k : differentially_private
  (fun i j => (i < k)%nat /\ (j < k)%nat) (Q2R epsilon) 0 (response k (Q2R epsilon0)).
Proof.
  apply (certified_response k epsilon0 epsilon).
  vm_compute. reflexivity.
Qed.
