(** A checker of discrete Gaussian noise on several numbers that change by d each, which Coq
    runs, and the proof that what it accepts is true: all coordinates of a result, and several
    releases. *)
From Coq Require Import Reals QArith Qreals List Lra Lia ZArith Bool.
From Bignums Require Import BigZ.
From PrivacyProofs Require Import Probability Privacy Noise Sums Distributions Integers GaussianSums
  LargerDifference LossTable Intervals LossTableChecker.
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

(** The table of all noise from -n to n: noise x and noise -x have one entry. *)
Definition gaussian_table (s high : I.type) (u n : nat) : list BigZ.t :=
  let half := map (fun x => units_below prec u (I.div prec (weight_i prec s (Z.of_nat x)) high))
    (seq 0 (S n)) in
  map (fun i => nth (Z.abs_nat (Z.of_nat i - Z.of_nat n)) half BigZ.zero) (seq 0 (2 * n + 1)).

Lemma table_gaussian i h s c high u n : encloses i s -> encloses h high -> 0 < c <= high ->
  table_below (gaussian s c) (- Z.of_nat n) (map (units u) (gaussian_table i h u n)).
Proof.
  intros HS H C. apply table_below_map. intros j J.
  set (m := Z.abs_nat (Z.of_nat j - Z.of_nat n)).
  set (f := fun x => units_below prec u (I.div prec (weight_i prec i (Z.of_nat x)) h)).
  rewrite (nth_indep _ _ (f O)) by (rewrite map_length, seq_length; lia).
  rewrite map_nth, seq_nth, Nat.add_0_l by lia.
  replace (gaussian s c (- Z.of_nat n + Z.of_nat j)) with (gaussian s c (Z.of_nat m)).
  2: { destruct (Z.le_ge_cases 0 (Z.of_nat j - Z.of_nat n)); [| rewrite <- gaussian_opp];
    f_equal; lia. }
  pose proof (weight_pos s (Z.of_nat m)) as W.
  destruct (units_below_true prec u (I.div prec (weight_i prec i (Z.of_nat m)) h)
    (weight s (Z.of_nat m) / high)) as (P & B).
  - apply encloses_div; [lra | now apply encloses_weight | exact H].
  - left. apply Rdiv_lt_0_compat; lra.
  - split; trivial. apply (Rle_trans _ _ _ B). unfold gaussian. rewrite (Rmult_comm (/ c)).
    apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
Qed.

(** k numbers change by d; the losses from place [first] of the table on exceed eps. *)
Definition gaussian_many (variance eps delta : Q) (k : nat) (d : Z) (u n first : nat) : bool :=
  let s := s_i prec variance in
  let j := (Z.of_nat k * - Z.of_nat n + Z.of_nat first)%Z in
  let loss j := (inject_Z (Z.of_nat k * (d * d) + 2 * d * j) / (inject_Z 2 * variance))%Q in
  (Z.ltb 0 (Qnum variance) && Z.leb 1 d && Nat.leb 1 k
   && table_delta prec eps delta u (power_b u (gaussian_table s (normalizer_i prec s n) u n) k) first
     (loss (j - 1)%Z) (loss j) (inject_Z d / variance)%Q)%bool.

Theorem gaussian_many_sound variance eps delta k d u n first c :
  gaussian_many variance eps delta k d u n first = true ->
  normalizer (s_of (Q2R variance)) c ->
  indistinguishable (Q2R eps) (Q2R delta) (noise (gaussian (s_of (Q2R variance)) c) k)
    (plus_noise (gaussian (s_of (Q2R variance)) c) (repeat (- d)%Z k)).
Proof.
  unfold gaussian_many. rewrite !andb_true_iff. intros (((V & D) & K) & N) T.
  destruct (encloses_s prec variance V) as (HS & S0).
  destruct (encloses_normalizer prec _ _ n c HS S0 T) as (high & HC & C).
  set (s := s_of (Q2R variance)) in *. set (i := s_i prec variance) in *.
  apply Z.leb_le in D. apply Nat.leb_le in K. destruct k as [| k]; [lia |].
  assert (D1 : 1 <= IZR d) by now apply IZR_le.
  set (base := s * (IZR d * IZR d)). set (step := 2 * s * IZR d).
  assert (V0 : 0 < Q2R variance) by now apply Q2R_positive.
  assert (HL : forall j, Q2R (inject_Z (Z.of_nat (S k) * (d * d) + 2 * d * j)
    / (inject_Z 2 * variance)) = loss_of base step (S k) j).
  { intros j. rewrite Q2R_quotient, Q2R_mult, !Q2R_integer, plus_IZR, !mult_IZR, <- INR_IZR_INZ.
    - unfold loss_of, base, step, s, s_of. field. lra.
    - apply Z.ltb_lt in V. apply Z.ltb_lt. cbn [Qmult inject_Z Qnum]. lia. }
  pose proof (distribution_gaussian _ _ T) as LG.
  apply (many_sound prec) with (L := fun x => x) (q1 := gaussian s c) (base := base) (step := step)
    (9 := N) (lo := (- Z.of_nat n)%Z); trivial.
  - (* the loss of one number is linear in its noise *)
    intros x. unfold gaussian, base, step.
    replace (exp (s * (IZR d * IZR d) + 2 * s * IZR d * IZR x) * (/ c * weight s (x + d))) with
      (/ c * (exp (s * (IZR d * IZR d) + 2 * s * IZR d * IZR x) * weight s (x + d))) by ring.
    f_equal. unfold weight. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring.
  - intros x. apply (sums_to_single _ _ x); try easy. apply (distribution_ge0 _ LG).
  - now apply table_gaussian with (high := high).
  - unfold step. apply Rmult_le_pos; lra.
  - rewrite Q2R_quotient, Q2R_integer by trivial. unfold step, s, s_of. field. lra.
Qed.
End Checker.
