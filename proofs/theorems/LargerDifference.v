(** A larger difference is worse, for every eps and delta, where the noise is log-concave: on one
    number beside anything independent of it. Section 1 of docs/calibration.md of dp-calibration
    takes Blackwell's theorem for this; here the hockey-stick sums of the one number are compared
    for every factor k in place of e^eps, and added up over what is beside it. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions
  HockeyStick.
Import ListNotations.
Open Scope R_scope.

(** The ratio p(z + 1)/p(z) does not grow. *)
Lemma ratio_falls p z n : log_concave p ->
  p z * p (z + 1 + Z.of_nat n)%Z <= p (z + 1)%Z * p (z + Z.of_nat n)%Z.
Proof.
  intros (P & C). induction n as [| n IH].
  - rewrite !Z.add_0_r. lra.
  - specialize (C (z + 1 + Z.of_nat n)%Z).
    replace (z + 1 + Z.of_nat n - 1)%Z with (z + Z.of_nat n)%Z in C by lia.
    replace (z + 1 + Z.of_nat n + 1)%Z with (z + 1 + Z.of_nat (S n))%Z in C by lia.
    replace (z + Z.of_nat (S n))%Z with (z + 1 + Z.of_nat n)%Z by lia.
    pose proof (P z). pose proof (P (z + Z.of_nat n)%Z). pose proof (P (z + 1)%Z).
    pose proof (P (z + 1 + Z.of_nat n)%Z) as M. pose proof (P (z + 1 + Z.of_nat (S n))%Z).
    set (a := p z) in *. set (b := p (z + Z.of_nat n)%Z) in *. set (c := p (z + 1)%Z) in *.
    set (m := p (z + 1 + Z.of_nat n)%Z) in *. set (e := p (z + 1 + Z.of_nat (S n))%Z) in *.
    (* a m <= c b and b e <= m m: so a m b e <= c b m m *)
    assert (a * m * (b * e) <= c * b * (m * m)).
    { apply Rmult_le_compat; trivial; apply Rmult_le_pos; lra. }
    apply Rmult_le_reg_r with (m * b); [now apply Rmult_lt_0_compat | lra].
Qed.

(** Half-lines are the best sets: what is likelier by the factor k stays so to the right. *)
Lemma best_set_up p k d x n : log_concave p -> 0 <= k -> (0 <= d)%Z ->
  k * p (x + d)%Z < p x -> k * p (x + Z.of_nat n + d)%Z < p (x + Z.of_nat n)%Z.
Proof.
  intros C K D H. induction n as [| n IH]; [now rewrite Z.add_0_r |].
  set (y := (x + Z.of_nat n)%Z) in *. replace (x + Z.of_nat (S n))%Z with (y + 1)%Z
    by (unfold y; lia).
  pose proof (ratio_falls p y (Z.to_nat d) C) as R0. rewrite Z2Nat.id in R0 by trivial.
  destruct C as (P & _). pose proof (P y). pose proof (P (y + 1)%Z).
  apply Rmult_lt_reg_r with (p y); trivial.
  apply Rle_lt_trans with (k * p (y + d)%Z * p (y + 1)%Z).
  - replace (k * p (y + 1 + d)%Z * p y) with (k * (p y * p (y + 1 + d)%Z)) by ring.
    replace (k * p (y + d)%Z * p (y + 1)%Z) with (k * (p (y + 1)%Z * p (y + d)%Z)) by ring.
    now apply Rmult_le_compat_l.
  - rewrite (Rmult_comm (p (y + 1)%Z)). now apply Rmult_lt_compat_r.
Qed.

(** The hockey-stick sum of p and p(. + d), with the factor k. *)
Definition shift_excess (k : R) (p : Z -> R) (d x : Z) := Rmax 0 (p x - k * p (x + d)%Z).

(** Finite sums for d' are near or below finite sums for d >= d'. *)
Lemma shift_excess_grows p k d d' l e : distribution p -> log_concave p -> 0 <= k ->
  (0 <= d' <= d)%Z -> NoDup l -> 0 < e ->
  exists m, NoDup m /\ sum (shift_excess k p d') l <= sum (shift_excess k p d) m + e.
Proof.
  intros LP C K D N E0. pose proof (distribution_ge0 _ LP) as P.
  set (E := fun x => k * p (x + d')%Z < p x).
  set (c := fun x => if excluded_middle_informative (E x) then true else false).
  assert (CE : forall x, c x = true -> E x).
  { intros x; unfold c; now destruct (excluded_middle_informative _). }
  assert (EC : forall x, c x = false -> ~ E x).
  { intros x; unfold c; now destruct (excluded_middle_informative _). }
  destruct (distribution_event p E LP) as (a & TA & _).
  (* m0 has nearly all of the probability of E *)
  assert (exists m, NoDup m /\ Forall E m /\ a - e < sum p m) as (m & M & F & SM).
  { apply NNPP; intros Z. destruct TA as [_ L]. specialize (L (a - e)).
    assert (a <= a - e); [apply L | lra]. intros v (m & M & F & ->).
    apply Rnot_lt_le; intros Y; apply Z; now exists m. }
  exists m; split; trivial. set (up := map (fun x => x + (d - d'))%Z m).
  set (l' := filter c l). rewrite (sum_filter _ c).
  rewrite (sum_ext _ (fun _ => 0 * 0) (filter (fun x => negb (c x)) l)), sum_scale.
  2: { intros x I; apply filter_In in I as (_ & I). apply Bool.negb_true_iff, EC in I.
       unfold shift_excess, E in *. rewrite Rmax_left; lra. }
  fold l'. assert (UP : Forall E up).
  { apply Forall_forall. intros y I. apply in_map_iff in I as (x & <- & I).
    rewrite Forall_forall in F. specialize (F x I). unfold E in *.
    replace (x + (d - d'))%Z with (x + Z.of_nat (Z.to_nat (d - d')))%Z by lia.
    apply best_set_up; trivial; lia. }
  assert (NU : NoDup up) by (apply Injective_map_NoDup; trivial; intros x y; lia).
  destruct (as_set (l' ++ up)) as (w & W & I & I').
  assert (FW : Forall E w).
  { apply Forall_forall. intros y Y. apply I', in_app_or in Y as [Y | Y].
    - apply filter_In in Y as (_ & Y). now apply CE.
    - rewrite Forall_forall in UP; auto. }
  assert (S : forall r, Forall E r ->
    sum (shift_excess k p d') r = sum p r - k * sum (fun x => p (x + d')%Z) r).
  { clear. induction 1 as [| x r X _ IH]; simpl; [ring |]. rewrite IH.
    unfold shift_excess, E in *. rewrite Rmax_right; lra. }
  assert (A1 : sum (shift_excess k p d') l' <= sum (shift_excess k p d') w).
  { apply sum_incl; [intros; apply Rmax_l | now apply NoDup_filter |].
    intros y Y; apply I, in_or_app; auto. }
  rewrite (S w FW) in A1. pose proof (sums_to_bound _ _ _ _ TA W FW) as A2.
  assert (A3 : sum (fun x => p (x + d')%Z) up <= sum (fun x => p (x + d')%Z) w).
  { apply sum_incl; trivial. intros y Y; apply I, in_or_app; auto. }
  unfold up in A3. rewrite sum_map in A3.
  rewrite (sum_ext _ (fun x => p (x + d)%Z) m) in A3 by (intros; f_equal; lia).
  assert (A4 : sum p m - k * sum (fun x => p (x + d)%Z) m <= sum (shift_excess k p d) m).
  { rewrite <- (Rmult_1_l (sum p m)). unfold Rminus. rewrite <- Ropp_mult_distr_l_reverse.
    rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros x _. unfold shift_excess.
    pose proof (Rmax_r 0 (p x - k * p (x + d)%Z)). lra. }
  pose proof (Rmult_le_compat_l k _ _ K A3). lra.
Qed.

Theorem larger_difference_is_worse {B} eps delta p d d' (r r' : B -> R) : distribution p ->
  distribution r -> distribution r' -> log_concave p -> (0 <= d' <= d)%Z ->
  indistinguishable eps delta (independent p r) (independent (fun x => p (x + d)%Z) r') ->
  indistinguishable eps delta (independent p r) (independent (fun x => p (x + d')%Z) r').
Proof.
  intros LP LR LR' C D H. pose proof (distribution_ge0 _ LP) as P.
  pose proof (distribution_ge0 _ LR) as R0. pose proof (distribution_ge0 _ LR') as R0'.
  assert (SH : forall z, distribution (fun x => p (x + z)%Z)).
  { intros z. apply (distribution_relabel p _ (fun x => x - z)%Z (fun x => x + z)%Z); trivial;
      intros; f_equal; lia. }
  pose proof (hockey_stick_necessary _ _ _ _ (distribution_pair _ _ LP LR)
    (distribution_pair _ _ (SH d) LR') H) as HS.
  apply hockey_stick_suffices. intros l N. apply le_epsilon; intros e E0.
  set (f := fun z : B * Z => excess eps (independent p r)
    (independent (fun x => p (x + d')%Z) r') (snd z, fst z)).
  (* sum over what is beside the number, then over the number *)
  assert (F : forall z, 0 <= f z) by (intros; apply Rmax_l).
  assert (NS : NoDup (map (fun z => (snd z, fst z)) l)).
  { apply Injective_map_NoDup; trivial. intros (x, y) (x', y') [=]; now subst. }
  destruct (sum_pairs f _ F NS) as (n & m & NN & NM & S0). rewrite sum_map in S0.
  apply Rle_trans with (sum (fun b => sum (fun x => f (b, x)) m) n).
  { eapply Rle_trans; [| exact S0]. right. apply sum_ext. now intros (x, b) _. }
  clear S0 NS.
  (* for every b a finite sum for d that is as large, nearly *)
  assert (X : forall b, exists mb, NoDup mb /\ sum (fun x => f (b, x)) m <=
    sum (fun x => excess eps (independent p r) (independent (fun x => p (x + d)%Z) r') (x, b)) mb
      + e * r b).
  { intros b. unfold f, excess, independent; simpl. destruct (R0 b) as [RB | RB].
    - set (k := exp eps * r' b / r b). assert (K : 0 <= k).
      { unfold k, Rdiv. apply Rmult_le_pos;
          [apply Rmult_le_pos; [left; apply exp_pos | apply R0'] |].
        left; now apply Rinv_0_lt_compat. }
      destruct (shift_excess_grows p k d d' m e LP C K D NM E0) as (mb & MB & L).
      exists mb; split; trivial. assert (Y : forall z x,
        Rmax 0 (p x * r b - exp eps * (p (x + z)%Z * r' b)) = r b * shift_excess k p z x).
      { intros z x. unfold shift_excess. rewrite <- RmaxRmult, Rmult_0_r by lra. f_equal.
        unfold k. field. lra. }
      rewrite !(sum_ext _ _ _ (fun x _ => Y _ x)), !sum_scale.
      pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ RB) L). lra.
    - exists []; split; [constructor |]. rewrite <- RB; simpl.
      rewrite (sum_ext _ (fun _ => 0 * 0)), sum_scale; [lra |]. intros x _.
      pose proof (exp_pos eps). specialize (P (x + d')%Z). specialize (R0' b).
      pose proof (Rmult_le_pos _ _ P R0'). rewrite Rmax_left; [ring | nra]. }
  (* the finite sums for d are one *)
  assert (Y : exists w, NoDup w /\ (forall z, In z w -> In (snd z) n) /\
    sum (fun b => sum (fun x => f (b, x)) m) n <=
    sum (excess eps (independent p r) (independent (fun x => p (x + d)%Z) r')) w + e * sum r n).
  { clear HS. induction NN as [| b n NB NN (w & W & I & L)].
    - exists []; repeat split; [constructor | easy | simpl; lra].
    - destruct (X b) as (mb & MB & LB). exists (map (fun x => (x, b)) mb ++ w). repeat split.
      + apply NoDup_app; trivial; [apply Injective_map_NoDup; trivial; now intros x y [=] |].
        intros z J1 J2. apply in_map_iff in J1 as (x & <- & _). now apply NB, (I (x, b)).
      + intros z J. apply in_app_or in J as [J | J]; [| right; now apply I].
        apply in_map_iff in J as (x & <- & _). now left.
      + rewrite sum_app, sum_map. simpl. lra. }
  destruct Y as (w & W & _ & L). specialize (HS w W). pose proof (distribution_sum r n LR NN).
  pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ E0) H0). lra.
Qed.
