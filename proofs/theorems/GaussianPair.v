(** Discrete Gaussian noise on two numbers of which one grows and one shrinks by 1, as the counts of
    a replaced one-hot measurement: delta(eps) is a sum over one integer, and at most a finite sum
    and one tail (section 2 of docs/calibration.md of dp-calibration, k = 2). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions Integers
  GaussianSums.
Import ListNotations.
Open Scope R_scope.

(** Two numbers with noise x and y, of which one grows and one shrinks by 1. *)
Definition pair_excess s c eps (z : Z * Z) :=
  excess eps (fun z => gaussian s c (fst z) * gaussian s c (snd z))
    (fun z => gaussian s c (fst z + 1) * gaussian s c (snd z + 1)) z.

(** The factor (1 - e^(eps - loss))+ at the loss s(2S + 2) of S = x + y. *)
Definition loss_factor s eps (S : Z) := Rmax 0 (1 - exp (eps - 2 * s * (IZR S + 1))).

Lemma pair_excess_factor s c eps x y : 0 < c ->
  pair_excess s c eps (x, y) = gaussian s c x * gaussian s c y * loss_factor s eps (x + y).
Proof.
  intros C. unfold pair_excess, excess, loss_factor, gaussian; simpl.
  assert (E : exp eps * (/ c * weight s (x + 1) * (/ c * weight s (y + 1))) =
              / c * weight s x * (/ c * weight s y) * exp (eps - 2 * s * (IZR (x + y) + 1))).
  { replace (exp eps * (/ c * weight s (x + 1) * (/ c * weight s (y + 1)))) with
      (/ c * / c * (exp eps * weight s (x + 1) * weight s (y + 1))) by ring.
    replace (/ c * weight s x * (/ c * weight s y) * exp (eps - 2 * s * (IZR (x + y) + 1))) with
      (/ c * / c * (weight s x * weight s y * exp (eps - 2 * s * (IZR (x + y) + 1)))) by ring.
    f_equal. unfold weight. rewrite <- !exp_plus. f_equal. rewrite !plus_IZR. ring. }
  assert (P : 0 <= / c * weight s x * (/ c * weight s y)).
  { pose proof (Rinv_0_lt_compat _ C). apply Rmult_le_pos; apply Rmult_le_pos; try lra; left;
      apply weight_pos. }
  rewrite E. set (g := / c * weight s x * (/ c * weight s y)) in *. set (e := exp _) in *.
  rewrite <- RmaxRmult by trivial. rewrite Rmult_0_r. f_equal. ring.
Qed.

(** delta(eps) of the pair is a sum over the one integer S = x + y, with the distribution w of x +
    y. *)
Theorem one_dimensional s c eps w v : normalizer s c ->
  image (fun z => fst z + snd z)%Z (independent (gaussian s c) (gaussian s c)) w ->
  sums_to (pair_excess s c eps) everything v ->
  sums_to (fun S => loss_factor s eps S * w S) everything v.
Proof.
  intros T I V. pose proof (normalizer_pos _ _ T) as C.
  pose proof (distribution_gaussian _ _ T) as LG.
  set (q := fun z : Z * Z => loss_factor s eps (fst z + snd z) * independent (gaussian s c)
    (gaussian s c) z).
  assert (SH : forall S, 0 <= loss_factor s eps S) by (intros; apply Rmax_l).
  assert (Q : forall z, 0 <= q z)
    by (intros; apply Rmult_le_pos;
    [apply SH | apply (distribution_ge0 _ (distribution_pair _ _ LG LG))]).
  apply (image_event (fun z => fst z + snd z)%Z q _ everything); trivial.
  - intros S. apply
      (sums_to_eq (fun z => loss_factor s eps S * independent (gaussian s c) (gaussian s c) z));
      [now intros z <- |].
    apply sums_to_scale; trivial.
  - eapply sums_to_eq; [| exact V]. intros (x, y) _. unfold q, independent; simpl.
    rewrite pair_excess_factor by trivial. ring.
Qed.

(** Above the sum of e^(-a z^2) over all z of one parity. *)
Definition parity_bound a n e := sum (of_parity a e) (ball n) + 2 * tail_bound a (Z.of_nat n).

(** Above c^2 delta(eps): the terms S = lo, ..., lo + count - 1, and the tail. *)
Definition pair_terms s eps (b : bool -> R) (lo : Z) (count : nat) :=
  sum (fun i => b (Z.even (lo + Z.of_nat i)) *
    (weight (s / 2) (lo + Z.of_nat i) * (1 - exp (eps - 2 * s * (IZR (lo + Z.of_nat i) + 1)))))
    (seq 0 count).

Definition pair_numerator s eps b lo count := pair_terms s eps b lo count
  + (b true + b false) * tail_bound (s / 2) (lo + Z.of_nat count - 1).

Lemma pair_bound s c eps n lo count l : 0 < s -> normalizer s c -> (1 <= lo)%Z ->
  2 * s * IZR lo <= eps -> eps <= 2 * s * (IZR lo + 1) -> NoDup l ->
  sum (pair_excess s c eps) l <= / (c * c) * pair_numerator s eps (parity_bound (s / 2) n) lo count.
Proof.
  intros S0 T LO L1 L2 D. pose proof (normalizer_pos _ _ T) as C. set (a := s / 2).
  assert (A : 0 < a) by (unfold a; lra).
  set (b := parity_bound a n). assert (B : forall e, 0 <= b e).
  { intros e; unfold b, parity_bound. pose proof (tail_bound_pos a (Z.of_nat n) A ltac:(lia)).
    pose proof (sum_ge0 (of_parity a e) (ball n) (fun z => proj1 (of_parity_range a e z))). lra. }
  assert (SH : forall S, 0 <= loss_factor s eps S) by (intros; apply Rmax_l).
  (* from (x, y) to the sum S and the difference D, of one parity *)
  set (h := fun z : Z * Z => if Bool.eqb (Z.even (snd z)) (Z.even (fst z))
       then loss_factor s eps (fst z) * (weight a (fst z) * weight a (snd z)) else 0).
  assert (H : forall z, 0 <= h z).
  { intros z; unfold h. destruct (Bool.eqb _ _); [| lra]. repeat apply Rmult_le_pos; try apply SH;
      left; apply weight_pos. }
  set (m := map (fun z => (fst z + snd z, fst z - snd z)%Z) l).
  assert (M : NoDup m). { apply Injective_map_NoDup; trivial. intros (x, y) (x', y') [=].
  f_equal; lia. }
  assert (E : sum (pair_excess s c eps) l = / (c * c) * sum h m).
  { unfold m. rewrite sum_map, <- sum_scale. apply sum_ext. intros (x, y) _.
    rewrite pair_excess_factor by trivial.
    unfold h, gaussian; simpl. rewrite Z.even_add, Z.even_sub. destruct (Z.even x), (Z.even y);
      cbn [Bool.eqb];
      rewrite Rinv_mult;
      replace (weight a (x + y) * weight a (x - y)) with (weight s x * weight s y); try ring;
      unfold weight; rewrite <- !exp_plus; f_equal; rewrite plus_IZR, minus_IZR; unfold a; field. }
  rewrite E. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat |].
  destruct (sum_pairs h m H M) as (u & v & U & V & SP). apply (Rle_trans _ _ _ SP).
  (* the sum over differences *)
  set (f := fun S => b (Z.even S) * (loss_factor s eps S * weight a S)).
  apply Rle_trans with (sum f u).
  { apply sum_le; intros S _. unfold h; simpl.
    rewrite (sum_ext _ (fun d => loss_factor s eps S * weight a S * of_parity a (Z.even S) d)).
    - rewrite sum_scale. unfold f. rewrite Rmult_comm. apply Rmult_le_compat_r.
      + apply Rmult_le_pos; [apply SH | left; apply weight_pos].
      + unfold b, parity_bound. apply sum_beyond_window; trivial. apply of_parity_range.
    - intros d _. unfold of_parity. destruct (Bool.eqb _ _); ring. }
  (* the sum over sums *)
  assert (F : forall S, 0 <= f S). { intros S; unfold f. repeat apply Rmult_le_pos; trivial.
  left; apply weight_pos. }
  assert (F0 : forall S, (S < lo)%Z -> f S = 0).
  { intros S L. unfold f, loss_factor. rewrite Rmax_left; [ring |]. assert (K : IZR S + 1 <= IZR lo)
      by (rewrite <- plus_IZR; apply IZR_le; lia).
    assert (1 <= exp (eps - 2 * s * (IZR S + 1))); [| lra]. apply exp_ge_1.
    pose proof (Rmult_le_compat_l (2 * s) _ _ ltac:(lra) K). lra. }
  rewrite (sum_filter f (fun S => Z.ltb S lo)).
  rewrite (sum_ext f (fun _ => 0 * 0) (filter (fun S => Z.ltb S lo) u)), sum_scale.
  2: { intros S I; apply filter_In in I as (_ & I). rewrite F0 by lia; ring. }
  set (w := filter (fun S => negb (Z.ltb S lo)) u).
  rewrite (sum_filter f (fun S => Z.ltb S (lo + Z.of_nat count)) w).
  unfold pair_numerator. assert (W : NoDup w) by now apply NoDup_filter.
  assert (sum f (filter (fun S => Z.ltb S (lo + Z.of_nat count)) w) <= pair_terms s eps b lo count).
  { unfold pair_terms.
    rewrite (sum_ext (fun i => b (Z.even (lo + Z.of_nat i)) * _) (fun i => f (lo + Z.of_nat i)%Z)).
    - rewrite <- (sum_map f (fun i => lo + Z.of_nat i)%Z). apply sum_incl; trivial;
        [now apply NoDup_filter |].
      intros S I. apply filter_In in I as (I & J). apply filter_In in I as (_ & I).
      apply in_map_iff.
      exists (Z.to_nat (S - lo)). rewrite in_seq. lia.
    - intros i _. unfold f, loss_factor. rewrite Rmax_right; [fold a; ring |].
      assert (K : IZR lo <= IZR (lo + Z.of_nat i)) by (apply IZR_le; lia).
      assert (exp (eps - 2 * s * (IZR (lo + Z.of_nat i) + 1)) <= 1); [| lra]. apply exp_le_1.
      pose proof (Rmult_le_compat_l (2 * s) _ _ ltac:(lra) K). lra. }
  assert (sum f (filter (fun S => negb (Z.ltb S (lo + Z.of_nat count))) w)
    <= (b true + b false) * tail_bound a (lo + Z.of_nat count - 1)).
  { apply Rle_trans with (sum (fun S => (b true + b false) * weight a S)
      (filter (fun S => negb (Z.ltb S (lo + Z.of_nat count))) w)).
    - apply sum_le; intros S _. unfold f. pose proof (B true). pose proof (B false).
      pose proof (weight_pos a S).
      assert (loss_factor s eps S <= 1).
      { unfold loss_factor. apply Rmax_lub; [lra |].
        pose proof (exp_pos (eps - 2 * s * (IZR S + 1))). lra. }
      specialize (SH S). assert (loss_factor s eps S * weight a S <= weight a S) by nra.
      assert (0 <= loss_factor s eps S * weight a S) by nra.
      destruct (Z.even S); nra.
    - rewrite sum_scale. apply Rmult_le_compat_l;
        [pose proof (B true); pose proof (B false); lra |].
      apply tail_sum; trivial; [lia | now apply NoDup_filter |]. intros z I. apply filter_In in
        I as (_ & I). lia. }
  fold a. lra.
Qed.

(** Everything that a certificate of one variance states. *)
Theorem gaussian_pair_delta s c eps delta n lo count : 0 < s -> normalizer s c -> (1 <= lo)%Z ->
  2 * s * IZR lo <= eps -> eps <= 2 * s * (IZR lo + 1) ->
  pair_numerator s eps (parity_bound (s / 2) n) lo count
    <= delta * (sum (weight s) (ball n) * sum (weight s) (ball n)) ->
  forall l, NoDup l -> sum (pair_excess s c eps) l <= delta.
Proof.
  intros S0 T LO L1 L2 N l D. pose proof (normalizer_pos _ _ T) as C.
  apply (Rle_trans _ _ _ (pair_bound s c eps n lo count l S0 T LO L1 L2 D)).
  assert (Z1 : sum (weight s) (ball n) <= c)
    by (apply (sums_to_bound _ _ _ _ T (NoDup_ball n) (all_everything _))).
  assert (Z0 : 0 < sum (weight s) (ball n)).
  { apply Rlt_le_trans with (sum (weight s) [0%Z]); [simpl; pose proof (weight_pos s 0); lra |].
    apply sum_incl; [intros; left; apply weight_pos | constructor; [easy | constructor] |].
    intros z [<- | []]. apply in_ball; lia. }
  assert (0 <= pair_numerator s eps (parity_bound (s / 2) n) lo count).
  { pose proof (pair_bound s c eps n lo count [] S0 T LO L1 L2 ltac:(constructor)) as P. simpl in P.
    pose proof (Rmult_lt_0_compat _ _ C C). apply Rmult_le_reg_l with (/ (c * c));
      [now apply Rinv_0_lt_compat | lra]. }
  set (num := pair_numerator _ _ _ _ _) in *. set (z := sum (weight s) (ball n)) in *.
  assert (ZZ : 0 < z * z) by (now apply Rmult_lt_0_compat).
  assert (0 <= delta).
  { apply Rnot_lt_le; intros Y. pose proof (Rmult_lt_compat_r _ _ _ ZZ Y). lra. }
  assert (z * z <= c * c) by (apply Rmult_le_compat; lra).
  assert (delta * (z * z) <= delta * (c * c)) by now apply Rmult_le_compat_l.
  apply Rmult_le_reg_l with (c * c); [now apply Rmult_lt_0_compat |].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by (apply Rgt_not_eq; now apply Rmult_lt_0_compat). lra.
Qed.
