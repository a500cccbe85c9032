(** Discrete Laplace noise of one honest aggregator on the result of any query, or on the results of
    several releases, with delta = 0 (`histogram-laplace`, `sum-laplace`). *)
From Coq Require Import Reals List Lra Lia ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes LaplaceMechanism Queries.
Import ListNotations.
Open Scope R_scope.

Lemma l1_changes k d r r' : (0 <= d)%Z -> changes k d r r' -> l1_distance r r' <= INR k * IZR d.
Proof.
  intros D (F & K). apply IZR_le in D. apply le_INR in K.
  apply Rle_trans with (INR (changed r r') * IZR d); [| nra]. clear K.
  induction F as [| a b r r' H F IH]; [simpl; lra |]. cbn [l1_distance changed]. rewrite plus_INR.
  destruct (Z.eqb_spec a b) as [-> |]; [rewrite Z.sub_diag; simpl; lra |].
  assert (IZR (Z.abs (a - b)) <= IZR d) by (apply IZR_le; lia). simpl INR. lra.
Qed.

(** Every scale of at least k d/eps, where one client changes k numbers by d. *)
Theorem query_laplace p eps t k d {X} (neighbours : X -> X -> Prop) result M :
  0 < eps -> 0 < t -> (0 <= d)%Z -> INR k * IZR d <= eps * t ->
  (forall b b', neighbours b b' -> changes k d (result b) (result b')) ->
  (forall b, prio3_release p (laplace t) (result b) (M b)) ->
  differentially_private neighbours eps 0 M.
Proof.
  intros E T D S C I b b' N. specialize (C _ _ N).
  assert (G : eps * t / eps = t) by (field; lra).
  apply (cook_theorem_4 p eps (eps * t) (result b) (result b')); rewrite ?G; trivial.
  - now apply Rmult_lt_0_compat.
  - destruct C as (F & _). clear - F. induction F; simpl; congruence.
  - apply Rle_trans with (2 := S). now apply l1_changes.
Qed.

(** A histogram: every scale of at least 2/eps under replacement ... *)
Corollary histogram_laplace_replacement p eps t n M : 0 < eps -> 0 < t -> 2 <= eps * t ->
  (forall b, prio3_release p (laplace t) (counts n b) (M b)) ->
  differentially_private (replacement n) eps 0 M.
Proof.
  intros E T S. apply (query_laplace p eps t 2 1); trivial; [easy | simpl; lra |].
  apply histogram_replacement.
Qed.

(** ... and every scale of at least 1/eps under deletion. *)
Corollary histogram_laplace_deletion p eps t n M : 0 < eps -> 0 < t -> 1 <= eps * t ->
  (forall b, prio3_release p (laplace t) (counts n b) (M b)) ->
  differentially_private (deletion n) eps 0 M.
Proof.
  intros E T S. apply (query_laplace p eps t 1 1); trivial; [easy | simpl; lra |].
  apply histogram_deletion.
Qed.
