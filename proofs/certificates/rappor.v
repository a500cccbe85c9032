(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition epsilon0 := (191 # 125)%Q.
Definition epsilon := (382 # 125)%Q.
Theorem certificate : differentially_private
  (fun x x' => length x = length x' /\ (hamming x x' <= 2)%nat) (Q2R epsilon) 0
  (rappor (Q2R epsilon0)).
Proof.
  apply (certified_rappor 2 epsilon0 epsilon).
  vm_compute. reflexivity.
Qed.
