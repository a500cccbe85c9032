(** A checker of discrete Gaussian noise on several numbers that change by d each, which Coq
    runs, and the proof that what it accepts is true: all coordinates of a result, and several
    releases. *)
From Coq Require Import Reals List Lra Lia ZArith Bool.
From Bignums Require Import BigZ.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Privacy Rational Noise FiniteSums Sums Distributions
  Integers NoiseVectors GaussianSums LargerDifference LossTable Intervals LossTableChecker.
Import ListNotations.
Open Scope R_scope.

Lemma gaussian_log_concave s c : 0 < s -> normalizer s c -> log_concave (gaussian s c).
Proof.
  intros S T. pose proof (Rinv_0_lt_compat _ (normalizer_pos _ _ T)) as C. split; intros z.
  - apply Rmult_lt_0_compat; [exact C | apply weight_pos].
  - unfold gaussian. replace (/ c * weight s z * (/ c * weight s z)) with
      (/ c * / c * (weight s z * weight s z)) by ring.
    replace (/ c * weight s (z - 1) * (/ c * weight s (z + 1))) with
      (/ c * / c * (weight s (z - 1) * weight s (z + 1))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |].
    unfold weight. rewrite <- !exp_plus. apply exp_le. rewrite minus_IZR, plus_IZR. nra.
Qed.

Section Checker.
Variable prec : F.precision.

(** Units for the noise x: at most 2^u e^(-s x^2)/c for every c <= [high]. *)
Definition entry_b (s high : I.type) (u : nat) (x : Z) : BigZ.t :=
  let w := weight_i prec s x in
  let t := guess (I.div prec w high) (Z.of_nat u) in
  if (Z.leb 0 t && at_most prec (I.mul prec (int prec t) high)
    (I.mul prec (int prec (2 ^ Z.of_nat u)) w))%bool
  then BigZ.of_Z t else BigZ.zero.

(** The table of all noise from -n to n. *)
Definition table_b (s high : I.type) (u n : nat) : list BigZ.t :=
  let half := map (fun x => entry_b s high u (Z.of_nat x)) (seq 1 n) in
  rev half ++ entry_b s high u 0 :: half.

Lemma entry_below i h s c high u x : encloses i s -> encloses h high -> 0 < c <= high ->
  0 <= units u (entry_b i h u x) <= gaussian s c x.
Proof.
  intros S H (C & CH). assert (K : 0 < 2 ^ u) by (apply pow_lt; lra). unfold entry_b.
  set (w := weight_i prec i x). set (t := guess _ _).
  assert (G : 0 <= gaussian s c x).
  { apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat | left; apply weight_pos]. }
  destruct (Z.leb 0 t && _)%bool eqn:E.
  - apply andb_true_iff in E as (T0 & E). apply Z.leb_le, IZR_le in T0.
    pose proof (at_most_true prec _ _ _ _ (encloses_mul prec _ _ _ _ (encloses_int prec t) H)
      (encloses_mul prec _ _ _ _ (encloses_int prec (2 ^ Z.of_nat u))
        (encloses_weight prec i s x S)) E) as B.
    rewrite <- pow_IZR in B. unfold units. rewrite BigZ.spec_of_Z. split.
    + apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat].
    + apply Rmult_le_reg_r with (2 ^ u * c); [now apply Rmult_lt_0_compat |].
      replace (IZR t / 2 ^ u * (2 ^ u * c)) with (IZR t * c) by (field; lra).
      replace (gaussian s c x * (2 ^ u * c)) with (2 ^ u * weight s x)
        by (unfold gaussian; field; lra).
      pose proof (Rmult_le_compat_l _ _ _ T0 CH). lra.
  - unfold units. rewrite BigZ.spec_0. unfold Rdiv. rewrite Rmult_0_l. split; [lra | exact G].
Qed.

Lemma table_gaussian i h s c high u n : encloses i s -> encloses h high -> 0 < c <= high ->
  table_below (gaussian s c) (- Z.of_nat n) (map (units u) (table_b i h u n)).
Proof.
  intros HS H C. pose proof (fun x => entry_below i h s c high u x HS H C) as E.
  set (half := map (fun x => entry_b i h u (Z.of_nat x)) (seq 1 n)).
  assert (LH : length half = n) by (unfold half; now rewrite map_length, seq_length).
  (* every entry is that of its place *)
  assert (X : forall k, (k < length (table_b i h u n))%nat ->
    exists x, nth k (table_b i h u n) BigZ.zero = entry_b i h u x /\
      (x = Z.of_nat k - Z.of_nat n \/ x = - (Z.of_nat k - Z.of_nat n))%Z).
  { intros k K. unfold table_b in *. fold half in K |- *. rewrite app_length, rev_length in K.
    simpl in K. rewrite LH in K.
    assert (HN : forall m, (m < n)%nat -> nth m half BigZ.zero = entry_b i h u (Z.of_nat (S m))).
    { intros m M. unfold half.
      rewrite (nth_indep _ _ (entry_b i h u (Z.of_nat O))) by (rewrite map_length, seq_length; lia).
      rewrite (map_nth (fun x => entry_b i h u (Z.of_nat x))), seq_nth by lia. reflexivity. }
    destruct (Nat.lt_total k n) as [L | [-> | L]].
    - exists (Z.of_nat (S (n - S k))). rewrite app_nth1 by (rewrite rev_length; lia).
      rewrite rev_nth, LH by lia. split; [apply HN; lia | right; lia].
    - exists 0%Z. rewrite app_nth2, rev_length, LH, Nat.sub_diag by (rewrite rev_length; lia).
      split; [easy | left; lia].
    - exists (Z.of_nat (k - n)). rewrite app_nth2, rev_length, LH by (rewrite rev_length; lia).
      destruct (k - n)%nat as [| m] eqn:Q; [lia |]. cbn [nth].
      split; [apply HN; lia | left; lia]. }
  split.
  - apply Forall_forall. intros t I. apply in_map_iff in I as (b & <- & I).
    apply (In_nth _ _ BigZ.zero) in I as (k & K & <-). destruct (X k K) as (x & EX & _).
    pose proof (E x) as EE. rewrite <- EX in EE. exact (proj1 EE).
  - intros k K. rewrite map_length in K.
    rewrite (nth_indep _ _ (units u BigZ.zero)) by now rewrite map_length. rewrite map_nth.
    destruct (X k K) as (x & EX & P). pose proof (proj2 (E x)) as EE. rewrite <- EX in EE.
    replace (- Z.of_nat n + Z.of_nat k)%Z with (Z.of_nat k - Z.of_nat n)%Z by lia.
    destruct P as [-> | ->]; [exact EE |]. rewrite gaussian_opp in EE. exact EE.
Qed.

(** k numbers change by d; the losses from place [first] of the table on exceed eps. *)
Definition gaussian_many (variance eps delta : rational) (k : nat) (d : Z)
  (u n first : nat) : bool :=
  let s := I.div prec (int prec 1) (I.mul prec (int prec 2) (enclose prec variance)) in
  let z := window_i prec s n in
  let high := I.add prec (I.add prec (fst z) (snd z))
    (I.mul prec (int prec 2) (tail_bound_i prec s (Z.of_nat n))) in
  let j := (Z.of_nat k * - Z.of_nat n + Z.of_nat first)%Z in
  let loss_i j := I.mul prec s (int prec (Z.of_nat k * (d * d) + 2 * d * j)) in
  (Z.ltb 0 (fst variance) && Z.leb 1 d && Nat.leb 1 k
   && table_delta prec eps delta u (power_b u (table_b s high u n) k) first
     (loss_i (j - 1)%Z) (loss_i j) (I.mul prec s (int prec (2 * d))))%bool.

Theorem gaussian_many_sound variance eps delta k d u n first c :
  gaussian_many variance eps delta k d u n first = true ->
  normalizer (s_of (real variance)) c ->
  indistinguishable (real eps) (real delta) (noise (gaussian (s_of (real variance)) c) k)
    (plus_noise (gaussian (s_of (real variance)) c) (repeat (- d)%Z k)).
Proof.
  unfold gaussian_many. rewrite !andb_true_iff. intros (((V & D) & K1) & N) T.
  assert (V0 : 0 < real variance).
  { unfold real. apply Rdiv_lt_0_compat; apply IZR_lt; [now apply Z.ltb_lt | easy]. }
  set (s := s_of (real variance)) in *. assert (S0 : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (HS : encloses (I.div prec (int prec 1) (I.mul prec (int prec 2) (enclose prec variance)))
    s).
  { apply encloses_div; [lra | apply encloses_int |].
    apply encloses_mul; [apply encloses_int | apply encloses_rational]. }
  set (si := I.div prec (int prec 1) _) in *. set (z := window_i prec si n) in *.
  set (high := sum (weight s) (ball n) + 2 * tail_bound s (Z.of_nat n)).
  set (hi := I.add prec (I.add prec (fst z) (snd z)) _) in *.
  assert (HC : encloses hi high).
  { unfold high. rewrite sum_parities. destruct (encloses_window prec si s n HS) as (E & O).
    apply encloses_add; [now apply encloses_add |].
    apply encloses_mul; [apply encloses_int | apply encloses_tail_bound; trivial; lia]. }
  assert (C : 0 < c <= high).
  { split; [now apply normalizer_pos in T |]. apply T. intros v (l & DL & _ & ->).
    unfold high. apply (sum_beyond_window s (weight s) n l S0); trivial.
    intros x; pose proof (weight_pos s x); lra. }
  pose proof (distribution_gaussian _ _ T) as LG. set (p := gaussian s c) in *.
  apply Z.leb_le in D. apply Nat.leb_le in K1. destruct k as [| k]; [lia |].
  set (base := s * (IZR d * IZR d)). set (step := 2 * s * IZR d).
  assert (D1 : 1 <= IZR d) by now apply IZR_le.
  assert (ST : 0 <= step) by (unfold step; apply Rmult_le_pos; lra).
  (* the loss of one number is linear in its noise *)
  assert (LOSS : forall x, p x = exp (base + step * IZR x) * p (x + d)%Z).
  { intros x. unfold p, gaussian, base, step.
    replace (exp (s * (IZR d * IZR d) + 2 * s * IZR d * IZR x) * (/ c * weight s (x + d))) with
      (/ c * (exp (s * (IZR d * IZR d) + 2 * s * IZR d * IZR x) * weight s (x + d))) by ring.
    f_equal. unfold weight. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring. }
  assert (I1 : image (fun x : Z => x) p p).
  { intros x. apply (sums_to_single _ _ x); try easy. apply (distribution_ge0 _ LG). }
  destruct (image_exists (total_loss (fun x => x)) (noise p (S k))) as (q & Iq & _);
    [apply distribution_plus_noise, LG |].
  assert (B : table_below q (Z.of_nat (S k) * - Z.of_nat n)
    (map (units u) (power_b u (table_b si hi u n) (S k)))).
  { apply power_below with (p := p) (L := fun x : Z => x) (q1 := p); trivial.
    now apply table_gaussian with (high := high). }
  apply (vector_delta p d (fun x => x) base step (real eps) LG LOSS (S k) q
    (Z.of_nat (S k) * - Z.of_nat n) _ (real delta) Iq B).
  assert (HL : forall i, encloses (I.mul prec si (int prec (Z.of_nat (S k) * (d * d) + 2 * d * i)))
    (loss_of base step (S k) i)).
  { intros i. replace (loss_of base step (S k) i) with
      (s * IZR (Z.of_nat (S k) * (d * d) + 2 * d * i)).
    - apply encloses_mul; [exact HS | apply encloses_int].
    - unfold loss_of, base, step. rewrite plus_IZR, !mult_IZR, <- INR_IZR_INZ. ring. }
  apply (table_delta_true prec) with (5 := N); try apply HL; trivial.
  unfold step. replace (2 * s * IZR d) with (s * IZR (2 * d)) by (rewrite mult_IZR; ring).
  apply encloses_mul; [exact HS | apply encloses_int].
Qed.
End Checker.
