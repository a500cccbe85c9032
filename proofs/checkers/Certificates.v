(** What the certificates of dp-check claim (docs/certificates.md), for the kinds that have a
    theorem: one honest aggregator, or one client. `calibrate --coq` writes a certificate as a file
    of Coq that ends in one of these. *)
From Coq Require Import Reals QArith Qreals List Lra Lia ZArith Bool.
From PrivacyProofs Require Import Probability Privacy Noise Changes Randomizers Samplers Tables
  NoiseVectors GaussianSums LargerDifference SeveralNumbers GaussianManyChecker LaplaceManyChecker
  LaplaceMechanism QueryLaplace Rappor
  RandomizedResponse Indistinguishable Sums Integers Intervals TableChecker.
Open Scope R_scope.

(** ** Any query, and several releases

    A result, or the results of all releases one after the other, of which one client changes at
    most k numbers by at most d each. *)
Section Query.
Variables (p : Z) (k : nat) (d : Z).
Variables (batches : Type) (neighbours : batches -> batches -> Prop).
Variables (result : batches -> list Z) (M : batches -> list Z -> R).
Hypothesis Sensitivity : forall b b', neighbours b b' -> changes k d (result b) (result b').

Lemma differentially_private_query q eps delta : distribution q -> log_concave q ->
  (forall z, q (- z)%Z = q z) ->
  indistinguishable eps delta (noise q k) (plus_noise q (repeat (- d)%Z k)) ->
  (forall b, prio3_release p q (result b) (M b)) -> differentially_private neighbours eps delta M.
Proof.
  intros LQ C S H I b b' N.
  apply (prio3_release_indistinguishable _ _ p q _ _ _ _ LQ) with (2 := I b) (3 := I b').
  apply several_numbers with (k := k) (d := d); auto.
Qed.

Theorem certified_gaussian bits n variance epsilon delta u first c :
  normalizer (s_of (Q2R variance)) c ->
  gaussian_many (F.PtoP bits) variance epsilon delta k d u n first = true ->
  (forall b, prio3_release p (gaussian (s_of (Q2R variance)) c) (result b) (M b)) ->
  differentially_private neighbours (Q2R epsilon) (Q2R delta) M.
Proof.
  intros T H. apply differentially_private_query.
  - now apply distribution_gaussian.
  - apply gaussian_log_concave; trivial. apply (encloses_s (F.PtoP bits)).
    unfold gaussian_many in H. rewrite !andb_true_iff in H. tauto.
  - apply gaussian_opp.
  - now apply (gaussian_many_sound _ _ _ _ _ _ _ _ _ _ H).
Qed.

Theorem certified_laplace bits n scale epsilon delta u first :
  laplace_many (F.PtoP bits) scale epsilon delta k d u n first = true ->
  (forall b, prio3_release p (laplace (Q2R scale)) (result b) (M b)) ->
  differentially_private neighbours (Q2R epsilon) (Q2R delta) M.
Proof.
  intros H. assert (T : 0 < Q2R scale).
  { apply Q2R_positive. unfold laplace_many in H. rewrite !andb_true_iff in H. tauto. }
  apply differentially_private_query.
  - now apply distribution_laplace.
  - now apply laplace_log_concave.
  - apply laplace_opp.
  - now apply (laplace_many_sound _ _ _ _ _ _ _ _ _ H).
Qed.

(** With delta = 0 the scale is at least the sensitivity over epsilon: k d <= epsilon scale. *)
Definition pure_laplace (scale epsilon : Q) : bool :=
  (Z.ltb 0 (Qnum epsilon) && Z.ltb 0 (Qnum scale) && Z.leb 0 d
   && Qle_bool (inject_Z (Z.of_nat k * d)) (epsilon * scale))%bool.

Theorem certified_pure_laplace scale epsilon : pure_laplace scale epsilon = true ->
  (forall b, prio3_release p (laplace (Q2R scale)) (result b) (M b)) ->
  differentially_private neighbours (Q2R epsilon) 0 M.
Proof.
  unfold pure_laplace. rewrite !andb_true_iff. intros (((E & T) & D) & H) I.
  apply Qle_bool_iff, Qle_Rle in H.
  rewrite Q2R_mult, Q2R_integer, mult_IZR, <- INR_IZR_INZ in H.
  apply (query_laplace p _ (Q2R scale) k d neighbours result M); trivial;
    [now apply Q2R_positive.. | now apply Z.leb_le].
Qed.
End Query.

(** ** One client's randomized answer *)

(** flips * epsilon0 <= epsilon, flips the number of bits in which two measurements differ. *)
Definition rappor_epsilon (flips : nat) (epsilon0 epsilon : Q) : bool :=
  (Z.ltb 0 (Qnum epsilon0) && Qle_bool (epsilon0 * inject_Z (Z.of_nat flips)) epsilon)%bool.

(** Any bits. One-hot vectors differ in two, or one: [rappor_replacement], [rappor_deletion]. *)
Theorem certified_rappor flips epsilon0 epsilon : rappor_epsilon flips epsilon0 epsilon = true ->
  differentially_private (fun x x' => length x = length x' /\ (hamming x x' <= flips)%nat)
    (Q2R epsilon) 0 (rappor (Q2R epsilon0)).
Proof.
  unfold rappor_epsilon. rewrite andb_true_iff. intros (E & C) x x' (L & H).
  apply Q2R_positive in E. apply Qle_bool_iff, Qle_Rle in C.
  rewrite Q2R_mult, Q2R_integer, <- INR_IZR_INZ in C.
  apply rappor_at_most; trivial; [lra |]. apply Rle_trans with (2 := C).
  apply Rmult_le_compat_l; [lra | now apply le_INR].
Qed.

(** k-ary randomized response, for every number of answers. *)
Theorem certified_response k epsilon0 epsilon :
  (Z.ltb 0 (Qnum epsilon0) && Qle_bool epsilon0 epsilon)%bool = true ->
  differentially_private (fun i j => (i < k)%nat /\ (j < k)%nat) (Q2R epsilon) 0
    (response k (Q2R epsilon0)).
Proof.
  rewrite andb_true_iff. intros (E & C) i j (I & J). apply Q2R_positive in E.
  apply Qle_bool_iff, Qle_Rle, exp_le in C.
  assert (H : indistinguishable (Q2R epsilon0) 0 (response k (Q2R epsilon0) i)
    (response k (Q2R epsilon0) j)).
  { destruct (Nat.eq_dec i j) as [<- | N]; [apply indistinguishable_refl; lra |].
    apply randomized_response; trivial. lra. }
  intros X a b A B. pose proof (H X a b A B). pose proof (sums_to_ge0 _ _ _ B). nra.
Qed.

(** ** Draws: `passes` *)

Theorem certified_passes bits n b1 b2 rows variance :
  scan_of_gaussian (F.PtoP bits) variance n b1 b2 rows = true ->
  forall c, normalizer (s_of (Q2R variance)) c ->
  let p := magnitude (s_of (Q2R variance)) c in let passes := two_passes b1 b2 rows in
  distribution (remainder p passes) /\ (forall x, drawn passes (remainder p passes) x = p x).
Proof. intros H c. now apply (scan_of_gaussian_exact (F.PtoP bits) variance n b1 b2 rows c). Qed.
