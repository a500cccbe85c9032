(** Prio3Sum (Prio3Count, Prio3Average) with discrete Laplace noise of one honest aggregator. *)
From Coq Require Import Reals List Lra Lia ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches LaplaceMechanism Queries.
Import ListNotations.
Open Scope R_scope.

(** Every scale of at least max/eps is eps-differentially private under replacement and deletion. *)
Theorem sum_laplace p eps t max M : 0 < eps -> 0 < t -> IZR max <= eps * t ->
  (forall b, prio3_release p (laplace t) [sum_of_batch b] (M b)) ->
  differentially_private (replaced_number max) eps 0 M.
Proof.
  intros E T S I b b' N.
  apply (cook_theorem_4 p eps (eps * t) [sum_of_batch b] [sum_of_batch b']); trivial; try nra.
  - apply sum_of_batch_changed, IZR_le in N. simpl. rewrite <- Z.abs_opp.
    replace (- (sum_of_batch b - sum_of_batch b'))%Z with (sum_of_batch b' - sum_of_batch b)%Z
      by lia.
    lra.
  - replace (eps * t / eps) with t by (field; lra). apply I.
  - replace (eps * t / eps) with t by (field; lra). apply I.
Qed.
