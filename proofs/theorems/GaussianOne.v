(** Discrete Gaussian noise on one number that changes by d >= 1: delta(eps) is at most a finite sum
    and one tail (Canonne, Kamath, Steinke 2020, Theorem 7; section 2 of docs/calibration.md of
    dp-calibration, k = 1). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions Integers
  GaussianSums.
Import ListNotations.
Open Scope R_scope.

Definition one_loss s (d x : Z) := s * (2 * IZR d * IZR x + IZR d * IZR d).

Definition one_loss_factor s eps d x := Rmax 0 (1 - exp (eps - one_loss s d x)).

Definition one_excess s c eps d := excess eps (gaussian s c) (fun x => gaussian s c (x + d)).

Lemma one_excess_factor s c eps d x : 0 < c -> one_excess s c eps d x
  = / c * (one_loss_factor s eps d x * weight s x).
Proof.
  intros C. unfold one_excess, excess, one_loss_factor, gaussian.
  assert (E : weight s (x + d) = weight s x * exp (- one_loss s d x)).
  { unfold weight, one_loss. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring. }
  assert (P : 0 <= / c * weight s x)
    by (apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat | left; apply weight_pos]).
  replace (/ c * (Rmax 0 (1 - exp (eps - one_loss s d x)) * weight s x)) with
    (/ c * weight s x * Rmax 0 (1 - exp (eps - one_loss s d x))) by ring.
  rewrite <- RmaxRmult, Rmult_0_r by trivial. f_equal. rewrite E. unfold Rminus at 2 3.
  rewrite exp_plus. ring.
Qed.

Definition one_terms s eps d lo count :=
  sum (fun i => weight s (lo + Z.of_nat i) * (1 - exp (eps - one_loss s d (lo + Z.of_nat i))))
    (seq 0 count).

Theorem gaussian_one_delta s c eps delta n d lo count : 0 < s -> normalizer s c ->
  (1 <= lo)%Z -> (1 <= d)%Z -> one_loss s d (lo - 1) <= eps -> eps <= one_loss s d lo ->
  one_terms s eps d lo count + tail_bound s (lo + Z.of_nat count - 1)
    <= delta * sum (weight s) (ball n) ->
  forall l, NoDup l -> sum (one_excess s c eps d) l <= delta.
Proof.
  intros S0 T LO D1 L1 L2 N l D. pose proof (normalizer_pos _ _ T) as C.
  rewrite (sum_ext _ (fun x => / c * (one_loss_factor s eps d x * weight s x)))
    by (intros; now apply one_excess_factor). rewrite sum_scale.
  assert (MON : forall x y, (x <= y)%Z -> one_loss s d x <= one_loss s d y).
  { intros x y L. apply IZR_le in L. apply IZR_le in D1. unfold one_loss. apply Rmult_le_compat_l;
      [lra |].
    apply Rplus_le_compat_r. apply Rmult_le_compat_l; lra. }
  assert (SH : forall x, 0 <= one_loss_factor s eps d x <= 1).
  { intros x. unfold one_loss_factor. split; [apply Rmax_l |]. apply Rmax_lub; [lra |].
    pose proof (exp_pos (eps - one_loss s d x)). lra. }
  set (f := fun x => one_loss_factor s eps d x * weight s x).
  assert (F : forall x, 0 <= f x <= weight s x).
  { intros x; unfold f. specialize (SH x). pose proof (weight_pos s x). nra. }
  assert (F0 : forall x, (x < lo)%Z -> f x = 0).
  { intros x L. unfold f, one_loss_factor. rewrite Rmax_left; [ring |].
    specialize (MON x (lo - 1)%Z ltac:(lia)).
    assert (1 <= exp (eps - one_loss s d x)) by (apply exp_ge_1; lra). lra. }
  assert (B : sum f l <= one_terms s eps d lo count + tail_bound s (lo + Z.of_nat count - 1)).
  { rewrite (sum_filter f (fun S => Z.ltb S lo)).
    rewrite (sum_ext f (fun _ => 0 * 0) (filter (fun S => Z.ltb S lo) l)), sum_scale.
    2: { intros S I; apply filter_In in I as (_ & I). rewrite F0 by lia; ring. }
    set (w := filter (fun S => negb (Z.ltb S lo)) l).
    rewrite (sum_filter f (fun S => Z.ltb S (lo + Z.of_nat count)) w).
    assert (W : NoDup w) by now apply NoDup_filter.
    assert (sum f (filter (fun S => Z.ltb S (lo + Z.of_nat count)) w)
      <= one_terms s eps d lo count).
    { unfold one_terms.
      rewrite (sum_ext
        (fun i => weight s (lo + Z.of_nat i) * (1 - exp (eps - one_loss s d (lo + Z.of_nat i))))
        (fun i => f (lo + Z.of_nat i)%Z)).
      - rewrite <- (sum_map f (fun i => lo + Z.of_nat i)%Z). apply sum_incl;
          [apply F | now apply NoDup_filter |].
        intros S I. apply filter_In in I as (I & J). apply filter_In in I as (_ & I).
        apply in_map_iff.
        exists (Z.to_nat (S - lo)). rewrite in_seq. lia.
      - intros i _. unfold f, one_loss_factor. rewrite Rmax_right; [ring |].
        specialize (MON lo (lo + Z.of_nat i)%Z ltac:(lia)).
        assert (exp (eps - one_loss s d (lo + Z.of_nat i)) <= 1) by (apply exp_le_1; lra). lra. }
    assert (sum f (filter (fun S => negb (Z.ltb S (lo + Z.of_nat count))) w)
      <= tail_bound s (lo + Z.of_nat count - 1)).
    { apply Rle_trans with
        (sum (weight s) (filter (fun S => negb (Z.ltb S (lo + Z.of_nat count))) w));
        [apply sum_le; intros; apply F |].
      apply tail_sum; trivial; [lia | now apply NoDup_filter |]. intros z I. apply filter_In in
        I as (_ & I). lia. }
    lra. }
  assert (Z1 : sum (weight s) (ball n) <= c)
    by (apply (sums_to_bound _ _ _ _ T (NoDup_ball n) (all_everything _))).
  assert (Z0 : 0 < sum (weight s) (ball n)).
  { apply Rlt_le_trans with (sum (weight s) [0%Z]); [simpl; pose proof (weight_pos s 0); lra |].
    apply sum_incl; [intros; left; apply weight_pos | constructor; [easy | constructor] |].
    intros z [<- | []]. apply in_ball; lia. }
  assert (X : 0 <= sum f l) by (apply sum_ge0; intros; apply F).
  set (z := sum (weight s) (ball n)) in *.
  assert (0 <= delta). { apply Rnot_lt_le; intros Y. pose proof (Rmult_lt_compat_r _ _ _ Z0 Y). lra.
  }
  pose proof (Rmult_le_compat_l _ _ _ H Z1). apply Rmult_le_reg_l with c; trivial.
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. fold f. lra.
Qed.
