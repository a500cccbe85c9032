(** Prio3Histogram with discrete Laplace noise of one honest aggregator (`histogram-laplace`). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise Batches LaplaceMechanism Counts.
Import ListNotations.
Open Scope R_scope.

Lemma l1_vector_sum_same v w u : length v = length u -> length w = length u ->
  l1_distance (vector_sum v u) (vector_sum w u) = l1_distance v w.
Proof.
  revert w u; induction v as [| a v IH]; intros [| b w] [| c u]; simpl; try easy; intros E F.
  rewrite <- (IH w u) by lia. unfold vector_sum; simpl. f_equal. f_equal. f_equal. lia.
Qed.

Lemma l1_vector_sum_under u v w : length v = length u -> length w = length u ->
  l1_distance (vector_sum u v) (vector_sum u w) = l1_distance v w.
Proof.
  revert w u; induction v as [| a v IH]; intros [| b w] [| c u]; simpl; try easy; intros E F.
  rewrite <- (IH w u) by lia. unfold vector_sum; simpl. f_equal. f_equal. f_equal. lia.
Qed.

Lemma l1_one_hot n i j : l1_distance (one_hot n i) (one_hot n j) <= 2.
Proof.
  unfold one_hot.
  assert (Z0 : forall m s, l1_distance (map (fun k => if Nat.eqb i k then 1%Z else 0%Z) (seq s m))
     (map (fun k => if Nat.eqb j k then 1%Z else 0%Z) (seq s m)) <=
     (if Nat.leb s i then 1 else 0) + (if Nat.leb s j then 1 else 0)).
  { induction m; intros s; cbn [seq map l1_distance].
    - destruct (Nat.leb s i), (Nat.leb s j); lra.
    - specialize (IHm (S s)). destruct (Nat.leb_spec s i), (Nat.leb_spec s j),
        (Nat.leb_spec (S s) i), (Nat.leb_spec (S s) j),
       (Nat.eqb_spec i s), (Nat.eqb_spec j s); try lia; simpl Z.abs; lra. }
  specialize (Z0 n 0%nat); simpl in Z0; lra.
Qed.

(** A replaced measurement changes the counts by at most 2, a deleted one by at most 1. *)
Lemma sensitivity_replacement n b b' : replacement n b b' ->
  l1_distance (counts n b) (counts n b') <= 2.
Proof.
  intros (before & after & i & j & _ & _ & -> & ->).
  induction before as [| k before IH]; simpl.
  - rewrite l1_vector_sum_same; [apply l1_one_hot | |];
      rewrite length_counts; unfold one_hot; now rewrite map_length, seq_length.
  - rewrite l1_vector_sum_under; [apply IH | |];
      rewrite length_counts; unfold one_hot; now rewrite map_length, seq_length.
Qed.

Lemma l1_bump i v : l1_distance (bump i v) v <= 1 /\ l1_distance v (bump i v) <= 1.
Proof.
  assert (Z0 : forall w, l1_distance w w = 0).
  { induction w as [| a w IH]; simpl; trivial. now rewrite IH, Z.sub_diag, Rplus_0_r. }
  revert i; induction v as [| a v IH]; intros [| i]; simpl; try lra.
  - rewrite Z0. replace (a + 1 - a)%Z with 1%Z by lia. replace (a - (a + 1))%Z with (-1)%Z by lia.
    simpl; lra.
  - rewrite Z.sub_diag. simpl. specialize (IH i); lra.
Qed.

Lemma sensitivity_deletion n b b' : deletion n b b' -> l1_distance (counts n b) (counts n b') <= 1.
Proof.
  intros (before & after & i & _ & [(-> & ->) | (-> & ->)]); rewrite counts_in_front; apply l1_bump.
Qed.

(** Every scale of at least 2/eps is eps-differentially private under replacement ... *)
Theorem histogram_laplace_replacement p eps t n M : 0 < eps -> 0 < t -> 2 <= eps * t ->
  (forall b, prio3_release p (laplace t) (counts n b) (M b)) ->
  differentially_private (replacement n) eps 0 M.
Proof.
  intros E T S I b b' N.
  apply (cook_theorem_4 p eps (eps * t) (counts n b) (counts n b')); trivial; try lra.
  - now rewrite !length_counts.
  - apply Rle_trans with 2; trivial. now apply sensitivity_replacement.
  - replace (eps * t / eps) with t by (field; lra). apply I.
  - replace (eps * t / eps) with t by (field; lra). apply I.
Qed.

(** ... and every scale of at least 1/eps under deletion. *)
Theorem histogram_laplace_deletion p eps t n M : 0 < eps -> 0 < t -> 1 <= eps * t ->
  (forall b, prio3_release p (laplace t) (counts n b) (M b)) ->
  differentially_private (deletion n) eps 0 M.
Proof.
  intros E T S I b b' N.
  apply (cook_theorem_4 p eps (eps * t) (counts n b) (counts n b')); trivial; try lra.
  - now rewrite !length_counts.
  - apply Rle_trans with 1; trivial. now apply sensitivity_deletion.
  - replace (eps * t / eps) with t by (field; lra). apply I.
  - replace (eps * t / eps) with t by (field; lra). apply I.
Qed.
