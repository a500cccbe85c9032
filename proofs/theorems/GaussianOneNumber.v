(** Numbers with discrete Gaussian noise of one honest aggregator, of which one changes: Prio3Count
    under both
    adjacencies, and Prio3Histogram under deletion. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions Integers
  HockeyStick Indistinguishable NoiseVectors GaussianSums GaussianOne.
Import ListNotations.
Open Scope R_scope.

(** a and a' differ by d. *)
Lemma gaussian_one_indistinguishable s c eps delta d a a' : normalizer s c ->
  (a' = a - d)%Z \/ (a' = a + d)%Z -> (forall l, NoDup l -> sum (one_excess s c eps d) l <= delta)
    ->
  indistinguishable eps delta (fun b => gaussian s c (b - a)) (fun b => gaussian s c (b - a')).
Proof.
  intros T A H. apply hockey_stick_suffices. intros l D. destruct A as [-> | ->].
  - rewrite (sum_ext _ (fun z => one_excess s c eps d (z - a))).
    + rewrite <- (sum_map (one_excess s c eps d) (fun z => z - a)%Z).
      apply H, Injective_map_NoDup; trivial. intros x y; lia.
    + intros z _. unfold one_excess, excess. now replace (z - (a - d))%Z with (z - a + d)%Z by lia.
  - (* the noise is symmetric *)
    rewrite (sum_ext _ (fun z => one_excess s c eps d (a - z))).
    + rewrite <- (sum_map (one_excess s c eps d) (fun z => a - z)%Z).
      apply H, Injective_map_NoDup; trivial. intros x y; lia.
    + intros z _. unfold one_excess, excess.
      replace (a - z + d)%Z with (- (z - (a + d)))%Z by lia.
      replace (a - z)%Z with (- (z - a))%Z by lia. now rewrite !gaussian_opp.
Qed.
