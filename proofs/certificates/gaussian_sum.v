(* A certificate by dp-cli calibrate --coq. Coq checks it with the theorems in proofs. *)
From Coq Require Import Reals QArith Qreals List ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes Randomizers Samplers
  Tables Queries Certificates.
Import ListNotations.
Definition variance := (585499828679 # 2500000000)%Q.
Definition epsilon := (1 # 1)%Q.
(* The certificate also claims every larger variance. *)
Definition delta := (1 # 100000000)%Q.
Theorem certificate p c (N : normalizer (s_of (Q2R variance)) c) M :
  (forall b, prio3_release p (gaussian (s_of (Q2R variance)) c) ([sum_of_batch b]) (M b)) ->
  differentially_private (replaced_number 3) (Q2R epsilon) (Q2R delta) M.
Proof.
  apply (certified_gaussian p 1 3 _ _ _ M (sum_replacement 3)
    171 187 variance epsilon delta 107 264 c N).
  vm_compute. reflexivity.
Qed.
