(** Prio3Histogram with discrete Gaussian noise of one honest aggregator (`histogram-gaussian`). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise Batches FiniteSums Sums Distributions
  Integers HockeyStick PostProcessing Indistinguishable NoiseVectors Counts GaussianSums
  GaussianPair.
Import ListNotations.
Open Scope R_scope.

(** Two numbers a, b change to a - d, b + d, d = 1 or -1. *)
Lemma gaussian_pair_indistinguishable s c eps delta a b d : normalizer s c -> d = 1%Z \/ d = (-1)%Z
  ->
  (forall l, NoDup l -> sum (pair_excess s c eps) l <= delta) ->
  indistinguishable eps delta
    (independent (fun x => gaussian s c (x - a)) (fun x => gaussian s c (x - b)))
                  (independent (fun x => gaussian s c (x - (a - d)))
                    (fun x => gaussian s c (x - (b + d)))).
Proof.
  intros T HD H. assert (O : forall z, gaussian s c (- z) = gaussian s c z)
    by (intros; unfold gaussian; now rewrite weight_opp).
  apply hockey_stick_suffices. intros l D.
  set (h := fun z : Z * Z => (d * (fst z - a), - d * (snd z - b))%Z).
  rewrite (sum_ext _ (fun z => pair_excess s c eps (h z))).
  - rewrite <- (sum_map (pair_excess s c eps) h). apply H, Injective_map_NoDup; trivial.
    intros (x, y) (x', y') [=]. destruct HD; subst d; f_equal; lia.
  - intros (x, y) _. unfold pair_excess, excess, independent, h; simpl. f_equal. destruct HD;
      subst d.
    + f_equal; [f_equal; [f_equal; lia | rewrite <- O; f_equal; lia] |].
      f_equal. f_equal; [f_equal; lia | rewrite <- O; f_equal; lia].
    + f_equal; [f_equal; [rewrite <- O; f_equal; lia | f_equal; lia] |].
      f_equal. f_equal; [rewrite <- O; f_equal; lia | f_equal; lia].
Qed.

(** A vector from its two changed numbers and the three parts beside them. *)
Definition join (z : (Z * Z) * (list Z * (list Z * list Z))) : list Z :=
  let '((x, y), (u, (v, w))) := z in u ++ x :: v ++ y :: w.

Lemma same_parts {A} (u u' v v' : list A) : length u = length u' -> u ++ v = u' ++ v' -> u = u' /\ v
  = v'.
Proof.
  revert u'; induction u as [| a u IH]; intros [| b u']; simpl; try easy. intros L [= -> E].
  destruct (IH u' ltac:(lia) E); subst; easy.
Qed.

Definition parts p a b u v w :=
  independent (independent (fun x => p (x - a)%Z) (fun x => p (x - b)%Z))
  (independent (plus_noise p u) (independent (plus_noise p v) (plus_noise p w))).

Lemma image_join p a b u v w : distribution p ->
  image join (parts p a b u v w) (plus_noise p (u ++ a :: v ++ b :: w)).
Proof.
  intros LP y. pose proof (distribution_ge0 _ LP) as P.
  assert (L : forall u', plus_noise p u u' <> 0 -> length u' = length u)
    by (intros; eapply plus_noise_length; eassumption).
  assert (N : forall z, parts p a b u v w z <> 0 ->
     let '((_, _), (u', (v', w'))) := z in length u' = length u /\ length v' = length v /\ length w'
       = length w).
  { intros ((x, t), (u', (v', w'))) H. unfold parts, independent in H; simpl in H.
    repeat split; apply (plus_noise_length p); intros Z; apply H; rewrite Z; ring. }
  destruct (classic (exists x t u' v' w', length u' = length u /\ length v' = length v /\ length w'
    = length w /\
     y = u' ++ x :: v' ++ t :: w')) as [(x & t & u' & v' & w' & U & V & W & ->) | NO].
  - apply (sums_to_single _ _ ((x, t), (u', (v', w')))).
    + intros; unfold parts, independent. repeat apply Rmult_le_pos; try apply P;
        now apply plus_noise_ge0.
    + rewrite plus_noise_app by trivial. simpl. rewrite plus_noise_app by trivial.
      unfold parts, independent; simpl. ring.
    + easy.
    + intros z E NE. apply NNPP; intros H. specialize (N z H).
      destruct z as ((x', t'), (u1, (v1, w1))).
      destruct N as (U1 & V1 & W1). simpl in E. apply same_parts in E as (-> & E); [| lia].
      injection E as -> E. apply same_parts in E as (-> & E); [| lia]. injection E as -> ->.
      now apply NE.
  - replace (plus_noise p (u ++ a :: v ++ b :: w) y) with 0.
    + apply sums_to_zero. intros ((x, t), (u', (v', w'))) E. apply NNPP; intros H.
      specialize (N _ H). simpl in N.
      apply NO. exists x, t, u', v', w'. easy.
    + apply NNPP; intros H. assert (Y : length y = length (u ++ a :: v ++ b :: w))
        by (apply (plus_noise_length p); auto).
      rewrite app_length in Y; simpl in Y. rewrite app_length in Y; simpl in Y. apply NO.
      pose proof (firstn_skipn (length u) y) as E1. destruct (skipn (length u) y) as [| x r] eqn:S1.
      { apply (f_equal (@length Z)) in S1. rewrite skipn_length in S1; simpl in S1; lia. }
      assert (R : length r = (length v + S (length w))%nat).
      { apply (f_equal (@length Z)) in S1. rewrite skipn_length in S1; simpl in S1; lia. }
      pose proof (firstn_skipn (length v) r) as E2.
      destruct (skipn (length v) r) as [| t w'] eqn:S2.
      { apply (f_equal (@length Z)) in S2. rewrite skipn_length in S2; simpl in S2; lia. }
      assert (length w' = length w).
      { apply (f_equal (@length Z)) in S2. rewrite skipn_length in S2; simpl in S2; lia. }
      exists x, t, (firstn (length u) y), (firstn (length v) r), w'. rewrite !firstn_length.
      repeat split; try lia.
      now rewrite E2, E1.
Qed.

Lemma distribution_parts p a b u v w : distribution p -> distribution (parts p a b u v w).
Proof. intros LP. repeat apply distribution_pair; try now apply distribution_plus_noise.
all: now apply distribution_shift. Qed.

Theorem gaussian_vector_indistinguishable s c eps delta a b u v w d : normalizer s c ->
  d = 1%Z \/ d = (-1)%Z ->
  (forall l, NoDup l -> sum (pair_excess s c eps) l <= delta) ->
  indistinguishable eps delta (plus_noise (gaussian s c) (u ++ a :: v ++ b :: w))
    (plus_noise (gaussian s c) (u ++ (a - d)%Z :: v ++ (b + d)%Z :: w)).
Proof.
  intros T HD H. pose proof (distribution_gaussian _ _ T) as LG.
  apply (post_processing eps delta join (parts (gaussian s c) a b u v w)
    (parts (gaussian s c) (a - d) (b + d) u v w)).
  - now apply distribution_parts.
  - now apply distribution_parts.
  - now apply image_join.
  - now apply image_join.
  - apply indistinguishable_beside;
      try (apply distribution_pair; now apply (distribution_shift (gaussian s c))).
    + repeat apply distribution_pair; now apply distribution_plus_noise.
    + now apply gaussian_pair_indistinguishable.
Qed.


(** [gaussian_pair_delta] and [gaussian_pair_sound] bound the sum. *)
Theorem histogram_gaussian_replacement p s c eps delta n M : normalizer s c -> 0 <= eps ->
  (forall l, NoDup l -> sum (pair_excess s c eps) l <= delta) ->
  (forall b, prio3_release p (gaussian s c) (counts n b) (M b)) ->
  differentially_private (replacement n) eps delta M.
Proof.
  intros T E H IM b b' (before & after & i & j & I & J & -> & ->).
  pose proof (distribution_gaussian _ _ T) as LG.
  assert (D : 0 <= delta) by (apply (H []); constructor).
  apply (prio3_release_indistinguishable eps delta p (gaussian s c) _ _ _ _ LG) with
    (2 := IM (before ++ i :: after)) (3 := IM (before ++ j :: after)).
  rewrite !counts_in_front. set (v := counts n (before ++ after)).
  assert (V : length v = n) by apply length_counts. clearbody v. clear IM.
  destruct (Nat.lt_total i j) as [L | [<- | L]].
  - destruct (two_places v i j L ltac:(lia)) as (u & a & m & x & w & <- & <- & ->).
    rewrite bump_at.
    replace (u ++ a :: m ++ x :: w) with ((u ++ a :: m) ++ x :: w) by now rewrite <- app_assoc.
    rewrite bump_at, <- app_assoc. replace a with (a + 1 - 1)%Z at 2 by lia.
    apply gaussian_vector_indistinguishable; auto.
  - now apply indistinguishable_refl.
  - destruct (two_places v j i L ltac:(lia)) as (u & a & m & x & w & <- & <- & ->).
    rewrite bump_at.
    replace (u ++ a :: m ++ x :: w) with ((u ++ a :: m) ++ x :: w) by now rewrite <- app_assoc.
    rewrite bump_at, <- app_assoc. replace (a + 1)%Z with (a - -1)%Z by lia.
    replace x with (x + 1 + -1)%Z at 2 by lia. apply gaussian_vector_indistinguishable; auto.
Qed.
