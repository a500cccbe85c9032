(** What [indistinguishable] is for single outcomes, for equal distributions, and beside a release
    of equal distribution. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy FiniteSums Sums Distributions HockeyStick
  AdaptiveComposition Integers.
Import ListNotations.
Open Scope R_scope.

Lemma indistinguishable_pointwise {A} eps (p q : A -> R) : (forall y, p y <= exp eps * q y) ->
  indistinguishable eps 0 p q.
Proof.
  intros H E a b [_ L] TB. apply L. intros v (l & D & F & ->).
  apply (Rle_trans _ (exp eps * sum q l)).
  - rewrite <- sum_scale. now apply sum_le.
  - pose proof (exp_pos eps). pose proof (sums_to_bound _ _ _ _ TB D F). nra.
Qed.

Lemma pointwise_indistinguishable {A} eps (p q : A -> R) : distribution p -> distribution q ->
  indistinguishable eps 0 p q -> forall y, p y <= exp eps * q y.
Proof.
  intros LP LQ C y. rewrite <- Rplus_0_r. apply (C (fun x => x = y)).
  - apply (sums_to_single p _ y); try easy. apply (distribution_ge0 _ LP).
  - apply (sums_to_single q _ y); try easy. apply (distribution_ge0 _ LQ).
Qed.

Lemma indistinguishable_refl {A} eps delta (p : A -> R) : 0 <= eps -> 0 <= delta ->
  indistinguishable eps delta p p.
Proof.
  intros E D X a b TA TB. rewrite (sums_to_unique _ _ _ _ TA TB). pose proof (sums_to_ge0 _ _ _ TB).
  pose proof (exp_ge_1 eps E). nra.
Qed.

(** What is released beside, with the same distribution, changes nothing. *)
Lemma indistinguishable_beside {A B} eps delta (p q : A -> R) (r : B -> R) : distribution p ->
  distribution q -> distribution r ->
  indistinguishable eps delta p q -> indistinguishable eps delta (independent p r)
    (independent q r).
Proof.
  intros LP LQ LR C. rewrite <- (Rplus_0_r eps), <- (Rplus_0_r delta).
  apply (adaptive_composition eps delta 0 0 p q (fun _ => r) (fun _ => r)); trivial; [lra |].
  intros _; apply indistinguishable_refl; lra.
Qed.
