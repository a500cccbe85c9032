(** Discrete Gaussian noise of one honest aggregator where one number changes: Prio3Count and
    Prio3Sum under both adjacencies (Prio3Average too: its count is public), and Prio3Histogram
    under deletion. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise Batches FiniteSums Sums Distributions
  Integers HockeyStick Indistinguishable NoiseVectors Counts GaussianSums GaussianOne
  LargerDifference WorstCaseDifference.
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

Lemma sum_of_batch_changed max b b' : replaced_number max b b' ->
  (Z.abs (sum_of_batch b' - sum_of_batch b) <= max)%Z.
Proof.
  intros (u & v & x & y & X & Y & -> & ->). unfold sum_of_batch.
  induction u as [| a u IH]; cbn [app fold_right]; lia.
Qed.

(** Prio3Sum of measurements up to [max], Prio3Count for [max] = 1. By [worst_case_difference] the
    bound for a change by [max], from [gaussian_one_delta] or [gaussian_one_sound], suffices. *)
Theorem sum_gaussian p s c eps delta max M : 0 < s -> normalizer s c -> (1 <= max)%Z ->
  (forall l, NoDup l -> sum (one_excess s c eps max) l <= delta) ->
  (forall b, prio3_release p (gaussian s c) [sum_of_batch b] (M b)) ->
  differentially_private (replaced_number max) eps delta M.
Proof.
  intros S T X H IM b b' N. pose proof (distribution_gaussian _ _ T) as LG.
  apply (prio3_release_indistinguishable eps delta p (gaussian s c) _ _ _ _ LG) with
    (2 := IM b) (3 := IM b').
  apply sum_of_batch_changed in N. set (a := sum_of_batch b) in *. set (a' := sum_of_batch b') in *.
  replace [a'] with (vector_sum [a] [a' - a])%Z by (unfold vector_sum; simpl; f_equal; lia).
  apply (worst_case_difference _ _ _ LG (gaussian_log_concave s c S T)
    (gaussian_opp s c) _ _ [max]).
  - constructor; [lia | constructor].
  - reflexivity.
  - apply (one_number_changed eps delta _ [] a (a + max)%Z []); trivial.
    apply (gaussian_one_indistinguishable s c eps delta max); auto.
Qed.

(** Prio3Histogram under deletion: one count changes by 1. *)
Theorem histogram_gaussian_deletion p s c eps delta n M : normalizer s c ->
  (forall l, NoDup l -> sum (one_excess s c eps 1) l <= delta) ->
  (forall b, prio3_release p (gaussian s c) (counts n b) (M b)) ->
  differentially_private (deletion n) eps delta M.
Proof.
  intros T H IM b b' (before & after & i & I & N). pose proof (distribution_gaussian _ _ T) as LG.
  apply (prio3_release_indistinguishable eps delta p (gaussian s c) _ _ _ _ LG) with
    (2 := IM b) (3 := IM b').
  assert (V : length (counts n (before ++ after)) = n) by apply length_counts.
  destruct (nth_split (counts n (before ++ after)) 0%Z (n := i) ltac:(lia)) as (u & w & E & <-).
  destruct N as [(-> & ->) | (-> & ->)]; rewrite counts_in_front, E, bump_at;
    apply one_number_changed; trivial; apply (gaussian_one_indistinguishable s c eps delta 1); auto.
  left; lia.
Qed.
