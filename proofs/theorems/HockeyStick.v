(** (eps, delta) for all events is the same as one sum: the hockey-stick divergence delta(eps) = sum
    (p - e^eps q)+ is the least delta (Canonne, Kamath, Steinke 2020); this proves premise 2 in
    PROOFS.md. Sums may be infinite: "at most delta" is said of all finite ones. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy FiniteSums Sums Distributions.
Import ListNotations.
Open Scope R_scope.

Lemma excess_ge0 {A} eps (p q : A -> R) y : 0 <= excess eps p q y.
Proof. apply Rmax_l. Qed.

Theorem hockey_stick_suffices {A} eps delta (p q : A -> R) :
  (forall l, NoDup l -> sum (excess eps p q) l <= delta) -> indistinguishable eps delta p q.
Proof.
  intros H E a b [_ L] TB. apply L. intros v (l & D & F & ->). specialize (H l D).
  pose proof (sums_to_bound _ _ _ _ TB D F). pose proof (exp_pos eps).
  assert (sum p l <= exp eps * sum q l + sum (excess eps p q) l); [| nra].
  rewrite <- sum_scale, <- sum_plus. apply sum_le; intros. unfold excess.
  pose proof (Rmax_r 0 (p x - exp eps * q x)). lra.
Qed.

(** ... and is necessary: delta(eps) is the least delta. *)
Theorem hockey_stick_necessary {A} eps delta (p q : A -> R) : distribution p -> distribution q ->
  indistinguishable eps delta p q -> forall l, NoDup l -> sum (excess eps p q) l <= delta.
Proof.
  intros LP LQ C l D. set (c := fun y => if Rlt_dec (exp eps * q y) (p y) then true else false).
  assert (Q : forall m, NoDup m -> sum p m <= exp eps * sum q m + delta).
  { intros m M. destruct (distribution_event p (fun y => In y m) LP) as (a & TA & _),
      (distribution_event q (fun y => In y m) LQ) as (b & TB & _).
    pose proof (C _ _ _ TA TB). assert (G : Forall (fun y => In y m) m) by now apply Forall_forall.
    pose proof (sums_to_bound _ _ _ _ TA M G).
    assert (b <= sum q m). { apply TB. intros v (k & K & I & ->). apply sum_incl; trivial;
      [apply (distribution_ge0 _ LQ) |].
      intros y Y. rewrite Forall_forall in I; auto. }
    pose proof (exp_pos eps). nra. }
  specialize (Q _ (NoDup_filter c D)). rewrite (sum_filter _ c).
  rewrite (sum_ext _ (fun y => p y + - exp eps * q y) (filter c l)).
  - rewrite (sum_ext _ (fun _ => 0 * 0) (filter (fun x => negb (c x)) l)).
    + rewrite sum_scale, sum_plus, sum_scale. lra.
    + intros y I; apply filter_In in I as (_ & I). unfold c in I; destruct (Rlt_dec _ _); [easy |].
      unfold excess. rewrite Rmax_left; lra.
  - intros y I; apply filter_In in I as (_ & I). unfold c in I; destruct (Rlt_dec _ _); [| easy].
    unfold excess. rewrite Rmax_right; lra.
Qed.
