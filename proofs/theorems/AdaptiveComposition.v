(** Two releases, the second chosen after the first was seen: epsilons and deltas add up (Dwork,
    Roth 2014, Theorem 3.16; basic composition in docs/composition.md of dp-calibration,
    accounting.rs). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy FiniteSums Sums Distributions HockeyStick.
Import ListNotations.
Open Scope R_scope.

(** The same for means of functions between 0 and 1. *)
Lemma mean_indistinguishable {A} eps delta (p q g : A -> R) : distribution p -> distribution q ->
  indistinguishable eps delta p q ->
  (forall y, 0 <= g y <= 1) -> forall l, NoDup l ->
  sum (fun y => p y * g y) l <= exp eps * sum (fun y => q y * g y) l + delta.
Proof.
  intros LP LQ C G l D. pose proof (hockey_stick_necessary eps delta p q LP LQ C l D).
  apply (Rle_trans _ (sum (fun y => exp eps * (q y * g y) + excess eps p q y) l)).
  - apply sum_le; intros y _. unfold excess. specialize (G y).
    pose proof (Rmax_l 0 (p y - exp eps * q y)).
    pose proof (Rmax_r 0 (p y - exp eps * q y)). nra.
  - rewrite sum_plus, sum_scale. lra.
Qed.

Theorem adaptive_composition {A B} e1 d1 e2 d2 (p q : A -> R) (r s : A -> B -> R) :
  distribution p -> distribution q -> (forall a, distribution (r a)) ->
    (forall a, distribution (s a)) -> 0 <= d2 ->
  indistinguishable e1 d1 p q -> (forall a, indistinguishable e2 d2 (r a) (s a)) ->
  indistinguishable (e1 + e2) (d1 + d2) (and_then p r) (and_then q s).
Proof.
  intros LP LQ LR LS D2 C1 C2 E v w [_ L] TB. apply L. intros u (l & D & F & ->).
  pose proof (distribution_ge0 _ LP) as P. pose proof (distribution_ge0 _ LQ) as Q.
  destruct (as_set (map fst l)) as (m & M & I & I').
  destruct (as_set (map snd l)) as (n & N & J & _).
  (* membership of the finite event *)
  set (c := fun z => if excluded_middle_informative (In z l) then true else false).
  assert (CT : forall z, c z = true -> In z l)
    by (intros z; unfold c; now destruct (excluded_middle_informative _)).
  assert (CI : forall z, In z l -> c z = true)
    by (intros z; unfold c; now destruct (excluded_middle_informative _)).
  assert (W : forall (f : A * B -> R), (forall z, 0 <= f z) ->
     sum f l = sum (fun a => sum (fun b => f (a, b)) (filter (fun b => c (a, b)) n)) m).
  { intros f F0. apply Rle_antisym.
    - apply Rle_trans with (sum f (filter c (list_prod m n))).
      + apply sum_incl; trivial. intros (a, b) K. apply filter_In; split; [| now apply CI].
        apply in_prod; [apply I | apply J]; now apply in_map_iff; exists (a, b).
      + clear. right. induction m as [| a m IH]; simpl; trivial.
        rewrite filter_app, sum_app, IH. f_equal. clear. induction n as [| b n IH]; simpl; trivial.
        destruct (c (a, b)); simpl; now rewrite IH.
    - apply Rle_trans with (sum f (filter c (list_prod m n))).
      + right. clear. induction m as [| a m IH]; simpl; trivial.
        rewrite filter_app, sum_app, IH. f_equal. clear. induction n as [| b n IH]; simpl; trivial.
        destruct (c (a, b)); simpl; now rewrite IH.
      + apply sum_incl; trivial; [apply NoDup_filter; now apply NoDup_list_prod |].
        intros z K; apply filter_In in K as (_ & K); auto. }
  assert (S0 : forall z, 0 <= and_then q s z)
    by (intros; apply Rmult_le_pos; [apply Q | apply (distribution_ge0 _ (LS _))]).
  assert (SB : sum (and_then q s) l <= w) by (apply (sums_to_bound _ _ _ _ TB D F)).
  rewrite W in SB by trivial.
  rewrite W by (intros; apply Rmult_le_pos; [apply P | apply (distribution_ge0 _ (LR _))]).
  unfold and_then in *; simpl in *.
  rewrite (sum_ext _ (fun a => p a * sum (r a) (filter (fun b => c (a, b)) n)))
    by (intros; apply sum_scale).
  rewrite (sum_ext _ (fun a => q a * sum (s a) (filter (fun b => c (a, b)) n))) in
    SB by (intros; apply sum_scale).
  set (g := fun a => Rmin 1 (exp e2 * sum (s a) (filter (fun b => c (a, b)) n))).
  assert (G : forall a, 0 <= g a <= 1).
  { intros a. unfold g. split; [| apply Rmin_l]. apply Rmin_glb; [lra |]. apply Rmult_le_pos;
      [left; apply exp_pos |].
    apply sum_ge0, (distribution_ge0 _ (LS a)). }
  pose proof (mean_indistinguishable e1 d1 p q g LP LQ C1 G m M) as CM.
  apply (Rle_trans _ (sum (fun a => p a * g a + d2 * p a) m)).
  - apply sum_le; intros a _. specialize (P a).
    enough (sum (r a) (filter (fun b => c (a, b)) n) <= g a + d2) as Y.
    { pose proof (Rmult_le_compat_l _ _ _ P Y); lra. }
    set (k := filter (fun b => c (a, b)) n). assert (K : NoDup k) by now apply NoDup_filter.
    unfold g; fold k. unfold Rmin; destruct (Rle_dec _ _).
    + pose proof (distribution_sum _ k (LR a) K); lra.
    + destruct (distribution_event (r a) (fun b => In b k) (LR a)) as (x & X & _).
      destruct (distribution_event (s a) (fun b => In b k) (LS a)) as (y & Y & _).
      pose proof (C2 a _ _ _ X Y). assert (H1 : Forall (fun b => In b k) k)
        by now apply Forall_forall.
      pose proof (sums_to_bound _ _ _ _ X K H1).
      assert (y <= sum (s a) k). { apply Y. intros z (k' & K' & Z & ->). apply sum_incl; trivial;
        [apply (distribution_ge0 _ (LS a)) |].
        intros b B'. rewrite Forall_forall in Z; auto. }
      pose proof (Rmult_le_compat_l (exp e2) _ _ (Rlt_le _ _ (exp_pos e2)) H2). lra.
  - rewrite sum_plus, sum_scale. pose proof (distribution_sum p m LP M). rewrite exp_plus.
    assert (sum (fun y => q y * g y) m
      <= exp e2 * sum (fun a => q a * sum (s a) (filter (fun b => c (a, b)) n)) m).
    { rewrite <- sum_scale. apply sum_le; intros a _.
      pose proof (Rmin_r 1 (exp e2 * sum (s a) (filter (fun b => c (a, b)) n))).
      specialize (Q a). fold (g a) in H0. nra. }
    set (T := sum (fun a => q a * sum (s a) (filter (fun b => c (a, b)) n)) m) in *.
    pose proof (Rmult_le_compat_l (exp e1) _ _ (Rlt_le _ _ (exp_pos e1)) H0).
    pose proof (Rmult_le_compat_l (exp e1 * exp e2) _ _
      (Rlt_le _ _ (Rmult_lt_0_compat _ _ (exp_pos e1) (exp_pos e2))) SB).
    pose proof (Rmult_le_compat_l d2 _ _ D2 H). change (fun x => p x) with p. lra.
Qed.
