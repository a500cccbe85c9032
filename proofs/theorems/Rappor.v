(** Symmetric RAPPOR, of one client's report: for one-hot vectors exactly 2 eps0 where a measurement
    is replaced, exactly eps0 where it is deleted; in general exactly eps0 times the number of bits
    that differ. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Randomizers FiniteSums Sums Distributions
  Indistinguishable.
Import ListNotations.
Open Scope R_scope.

Lemma flip_pos e0 : 0 < flip_probability e0.
Proof. pose proof (exp_pos e0); apply Rinv_0_lt_compat; lra. Qed.

Lemma keep_flip e0 : 1 - flip_probability e0 = exp e0 * flip_probability e0.
Proof. pose proof (exp_pos e0); unfold flip_probability; field; lra. Qed.

Lemma flipped_pos e0 a b : 0 < flipped e0 a b.
Proof.
  unfold flipped; rewrite keep_flip. pose proof (flip_pos e0). pose proof (exp_pos e0).
  destruct (Bool.eqb a b); trivial. now apply Rmult_lt_0_compat.
Qed.

Lemma rappor_ge0 e0 x y : 0 <= rappor e0 x y.
Proof. revert y; induction x; intros [| b y]; simpl; try lra. apply Rmult_le_pos;
  [left; apply flipped_pos | easy]. Qed.

Lemma distribution_rappor e0 x : distribution (rappor e0 x).
Proof.
  induction x as [| a x IH].
  - apply (distribution_finite _ [[]]);
      [apply rappor_ge0 | constructor; [easy | constructor] | | simpl; lra].
    intros [| b y] N; simpl; trivial. elim N; now left.
  - apply (distribution_relabel (independent (flipped e0 a) (rappor e0 x)) _
      (fun z => fst z :: snd z)
       (fun y => match y with b :: y => (b, y) | [] => (true, []) end)).
    + apply distribution_pair; trivial. apply (distribution_finite _ [true; false]).
      * intros; left; apply flipped_pos.
      * constructor; [intros [|[]]; easy | constructor; [easy | constructor]].
      * intros [] N; elim N; simpl; auto.
      * unfold flipped; destruct a; simpl; lra.
    + now intros (b, y).
    + easy.
    + apply rappor_ge0.
    + intros [| b y]; simpl; [intros N; now elim N | easy].
Qed.

Lemma rappor_pointwise e0 x x' y : 0 <= e0 -> length x = length x' ->
  rappor e0 x y <= exp (e0 * INR (hamming x x')) * rappor e0 x' y.
Proof.
  intros E; revert x' y; induction x as [| a x IH]; intros [| b x'] [| c y]; simpl hamming;
    simpl rappor; try easy; intros L;
    try (rewrite ?Rmult_0_r; lra).
  - simpl. rewrite Rmult_0_r, exp_0; lra.
  - rewrite plus_INR, Rmult_plus_distr_l, exp_plus. specialize (IH x' y ltac:(simpl in L; lia)).
    assert (flipped e0 a c <= exp (e0 * INR (if Bool.eqb a b then 0 else 1)) * flipped e0 b c).
    { assert (1 <= exp e0).
      { rewrite <- exp_0; destruct E as [E | <-]; [left; now apply exp_increasing | lra]. }
      pose proof (flip_pos e0). unfold flipped. rewrite keep_flip.
      assert (flip_probability e0 <= exp e0 * flip_probability e0) by nra.
      assert (exp e0 * flip_probability e0 <= exp e0 * (exp e0 * flip_probability e0)) by nra.
      destruct a, b, c; simpl; rewrite ?Rmult_0_r, ?Rmult_1_r, ?exp_0; lra. }
    pose proof (rappor_ge0 e0 x y). pose proof (flipped_pos e0 a c).
    set (u := exp (e0 * INR (if Bool.eqb a b then 0 else 1))) in *.
    set (v := exp (e0 * INR (hamming x x'))) in *.
    replace (u * v * (flipped e0 b c * rappor e0 x' y)) with
      ((u * flipped e0 b c) * (v * rappor e0 x' y)) by ring.
    apply Rmult_le_compat; lra.
Qed.

Lemma rappor_tight e0 x x' : length x = length x' -> rappor e0 x x
  = exp (e0 * INR (hamming x x')) * rappor e0 x' x.
Proof.
  revert x'; induction x as [| a x IH]; intros [| b x']; simpl hamming; simpl rappor; try easy;
    intros L.
  - simpl. rewrite Rmult_0_r, exp_0; lra.
  - rewrite plus_INR, Rmult_plus_distr_l, exp_plus, (IH x') by (simpl in L; lia).
    assert (flipped e0 a a = exp (e0 * INR (if Bool.eqb a b then 0 else 1)) * flipped e0 b a) as ->.
    { unfold flipped. rewrite keep_flip. destruct a, b; simpl; rewrite ?Rmult_0_r, ?Rmult_1_r,
        ?exp_0; ring. }
    ring.
Qed.

Lemma rappor_pos e0 x y : length x = length y -> 0 < rappor e0 x y.
Proof.
  revert y; induction x; intros [| b y]; simpl; try easy; intros; [lra |].
  apply Rmult_lt_0_compat; [apply flipped_pos | auto].
Qed.

(** The epsilon of two measurements is exactly eps0 times the number of bits that differ. *)
Theorem rappor_exact e0 x x' : 0 <= e0 -> length x = length x' ->
  indistinguishable (e0 * INR (hamming x x')) 0 (rappor e0 x) (rappor e0 x') /\
  (forall eps, indistinguishable eps 0 (rappor e0 x) (rappor e0 x') -> 
    e0 * INR (hamming x x') <= eps).
Proof.
  intros E L; split; [apply indistinguishable_pointwise; intros; now apply rappor_pointwise |].
  intros eps C.
  pose proof (pointwise_indistinguishable _ _ _ (distribution_rappor e0 x)
    (distribution_rappor e0 x') C x) as P.
  rewrite (rappor_tight e0 x x' L) in P. apply Rmult_le_reg_r in P; [| now apply rappor_pos].
  apply Rnot_lt_le; intros N. apply exp_increasing in N; lra.
Qed.

(** 1 if s <= i < s + m, else 0. *)
Definition inside i s m : nat := if (Nat.leb s i && Nat.ltb i (s + m))%bool then 1 else 0.

Lemma inside_0 i s : inside i s 0 = 0%nat.
Proof. unfold inside. destruct (Nat.leb_spec s i), (Nat.ltb_spec i (s + 0)); simpl; lia. Qed.

Lemma inside_S i s m : inside i s (S m) = ((if Nat.eqb i s then 1 else 0) + inside i (S s) m)%nat.
Proof.
  unfold inside. destruct (Nat.leb_spec s i), (Nat.ltb_spec i (s + S m)), (Nat.eqb_spec i s),
    (Nat.leb_spec (S s) i),
    (Nat.ltb_spec i (S s + m)); simpl; lia.
Qed.

Lemma inside_1 i n : (i < n)%nat -> inside i 0 n = 1%nat.
Proof. intros; unfold inside. destruct (Nat.ltb_spec i (0 + n)); simpl in *; lia. Qed.

Lemma hamming_one_hot n i j : (i < n)%nat -> (j < n)%nat -> i <> j ->
  hamming (one_hot_bits n i) (one_hot_bits n j) = 2%nat.
Proof.
  intros I J N.
  assert (X : forall m s, hamming (map (Nat.eqb i) (seq s m)) (map (Nat.eqb j) (seq s m)) =
    (inside i s m + inside j s m)%nat).
  { induction m; intros s; cbn [seq map hamming]; [now rewrite !inside_0 |].
    rewrite IHm, !inside_S. destruct (Nat.eqb_spec i s), (Nat.eqb_spec j s); simpl; lia. }
  unfold one_hot_bits; now rewrite X, !inside_1.
Qed.

Lemma hamming_deleted n i : (i < n)%nat -> hamming (one_hot_bits n i) (no_bits n) = 1%nat.
Proof.
  intros I. assert (X : forall m s, hamming (map (Nat.eqb i) (seq s m))
    (map (fun _ => false) (seq s m)) = inside i s m).
  { induction m; intros s; cbn [seq map hamming]; [now rewrite !inside_0 |].
    rewrite IHm, !inside_S. now destruct (Nat.eqb_spec i s). }
  unfold one_hot_bits, no_bits; now rewrite X, inside_1.
Qed.

(** One-hot vectors: exactly 2 eps0 where a measurement is replaced, exactly eps0 where it is
    deleted. *)
Theorem rappor_replacement e0 n i j : 0 <= e0 -> (i < n)%nat -> (j < n)%nat -> i <> j ->
  indistinguishable (2 * e0) 0 (rappor e0 (one_hot_bits n i)) (rappor e0 (one_hot_bits n j)) /\
  (forall eps, indistinguishable eps 0 (rappor e0 (one_hot_bits n i)) (rappor e0 (one_hot_bits n j))
    -> 2 * e0 <= eps).
Proof.
  intros E I J N. assert (L : length (one_hot_bits n i) = length (one_hot_bits n j))
    by (unfold one_hot_bits; now rewrite !map_length).
  pose proof (rappor_exact e0 _ _ E L) as H. rewrite (hamming_one_hot n i j I J N) in H.
  replace (e0 * INR 2) with (2 * e0) in H by (simpl; ring). exact H.
Qed.

Theorem rappor_deletion e0 n i : 0 <= e0 -> (i < n)%nat ->
  indistinguishable e0 0 (rappor e0 (one_hot_bits n i)) (rappor e0 (no_bits n)) /\
  (forall eps, indistinguishable eps 0 (rappor e0 (one_hot_bits n i)) (rappor e0 (no_bits n)) ->
    e0 <= eps).
Proof.
  intros E I. assert (L : length (one_hot_bits n i) = length (no_bits n))
    by (unfold one_hot_bits, no_bits; now rewrite !map_length).
  pose proof (rappor_exact e0 _ _ E L) as H. rewrite (hamming_deleted n i I) in H. simpl in H.
  rewrite Rmult_1_r in H. exact H.
Qed.

(** A larger eps is also a guarantee. *)
Theorem rappor_at_most eps e0 x x' : 0 <= e0 -> length x = length x' ->
  e0 * INR (hamming x x') <= eps -> indistinguishable eps 0 (rappor e0 x) (rappor e0 x').
Proof.
  intros E L H. apply indistinguishable_pointwise. intros y.
  apply Rle_trans with (exp (e0 * INR (hamming x x')) * rappor e0 x' y).
  - now apply rappor_pointwise.
  - apply Rmult_le_compat_r; [apply rappor_ge0 |].
    destruct H as [H | ->]; [left; now apply exp_increasing | lra].
Qed.
