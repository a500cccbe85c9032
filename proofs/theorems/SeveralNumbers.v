(** Symmetric log-concave noise: if it protects k numbers that all change by d, it protects every
    vector of which at most k numbers change by at most d each, wherever they are. So one bound,
    such as that of [vector_delta], serves Prio3SumVec, Prio3MultihotCountVec and several
    releases. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical.
From PrivacyProofs Require Import Probability Privacy Noise Batches Changes FiniteSums Sums
  Distributions Indistinguishable NoiseVectors PostProcessing LargerDifference WorstCaseDifference.
Import ListNotations.
Open Scope R_scope.

(** ** A vector from the numbers that change and the others *)

(** Numbers of xs where the mask is true, of ys where it is false. *)
Fixpoint merge (mask : list bool) (xs ys : list Z) : list Z :=
  match mask, xs, ys with
  | true :: mask, x :: xs, _ => x :: merge mask xs ys
  | false :: mask, _, y :: ys => y :: merge mask xs ys
  | _, _, _ => []
  end.

(** The numbers where the mask is b. *)
Fixpoint chosen (b : bool) (mask : list bool) (z : list Z) : list Z :=
  match mask, z with
  | m :: mask, x :: z => if Bool.eqb m b then x :: chosen b mask z else chosen b mask z
  | _, _ => []
  end.

Lemma merge_chosen mask z : length z = length mask ->
  merge mask (chosen true mask z) (chosen false mask z) = z.
Proof.
  revert z; induction mask as [| m mask IH]; intros [| x z]; simpl; try easy. intros L.
  specialize (IH z ltac:(lia)). destruct m; simpl; now rewrite IH.
Qed.

(** Both parts have the lengths that the mask wants. *)
Fixpoint fits (mask : list bool) (xs ys : list Z) : bool :=
  match mask, xs, ys with
  | [], [], [] => true
  | true :: mask, _ :: xs, _ => fits mask xs ys
  | false :: mask, _, _ :: ys => fits mask xs ys
  | _, _, _ => false
  end.

Lemma fits_chosen mask z : length z = length mask ->
  fits mask (chosen true mask z) (chosen false mask z) = true.
Proof.
  revert z; induction mask as [| m mask IH]; intros [| x z]; simpl; try easy. intros L.
  destruct m; simpl; apply IH; lia.
Qed.

Lemma length_merge mask xs ys : fits mask xs ys = true -> length (merge mask xs ys) = length mask.
Proof.
  revert xs ys; induction mask as [| [] mask IH]; intros [| x xs] [| y ys]; simpl; try easy;
    intros F; now rewrite IH.
Qed.

Lemma chosen_merge b mask xs ys : fits mask xs ys = true ->
  chosen b mask (merge mask xs ys) = if b then xs else ys.
Proof.
  revert xs ys; induction mask as [| [] mask IH]; intros [| x xs] [| y ys]; simpl; try easy;
    try (now destruct b); intros F; destruct b; simpl; rewrite IH; easy.
Qed.

Lemma plus_noise_merge p mask xs ys us vs : fits mask xs ys = true -> fits mask us vs = true ->
  plus_noise p (merge mask xs ys) (merge mask us vs) = plus_noise p xs us * plus_noise p ys vs.
Proof.
  revert xs ys us vs; induction mask as [| [] mask IH];
    intros [| x xs] [| y ys] [| u us] [| v vs]; simpl; try easy; intros F G;
    try ring; rewrite IH; trivial; simpl; ring.
Qed.

Lemma fits_lengths mask xs ys us vs : fits mask xs ys = true -> length us = length xs ->
  length vs = length ys -> fits mask us vs = true.
Proof.
  revert xs ys us vs; induction mask as [| [] mask IH];
    intros [| x xs] [| y ys] [| u us] [| v vs]; simpl; try easy; intros F A B;
    eapply IH; try eassumption; simpl; lia.
Qed.

Lemma image_merge p mask xs ys : distribution p -> fits mask xs ys = true ->
  image (fun z => merge mask (fst z) (snd z)) (independent (plus_noise p xs) (plus_noise p ys))
    (plus_noise p (merge mask xs ys)).
Proof.
  intros LP F z. pose proof (distribution_ge0 _ LP) as P.
  assert (P2 : forall w, 0 <= independent (plus_noise p xs) (plus_noise p ys) w).
  { intros w. apply Rmult_le_pos; now apply plus_noise_ge0. }
  (* parts of other lengths have no weight *)
  assert (O : forall us vs, fits mask us vs = false ->
    independent (plus_noise p xs) (plus_noise p ys) (us, vs) = 0).
  { intros us vs N. apply NNPP; intros W. unfold independent in W; cbn [fst snd] in W.
    assert (plus_noise p xs us <> 0) by (intros Z; apply W; rewrite Z; ring).
    assert (plus_noise p ys vs <> 0) by (intros Z; apply W; rewrite Z; ring).
    rewrite (fits_lengths mask xs ys us vs F) in N;
      [easy | |]; eapply plus_noise_length; eassumption. }
  destruct (Nat.eq_dec (length z) (length mask)) as [L | L].
  - apply (sums_to_single _ _ (chosen true mask z, chosen false mask z)); trivial.
    + unfold independent; cbn [fst snd].
      rewrite <- (plus_noise_merge p mask), merge_chosen; trivial. now apply fits_chosen.
    + intros _. now apply merge_chosen.
    + intros (us, vs) E N. cbn [fst snd] in E. destruct (fits mask us vs) eqn:G; [| now apply O].
      elim N. rewrite <- E, !chosen_merge by trivial. easy.
  - replace (plus_noise p (merge mask xs ys) z) with 0.
    + apply sums_to_zero. intros (us, vs) E. cbn [fst snd] in E.
      destruct (fits mask us vs) eqn:G; [| now apply O]. elim L. rewrite <- E.
      now apply length_merge.
    + apply NNPP; intros W. apply L. rewrite <- (length_merge mask xs ys) by trivial.
      apply (plus_noise_length p). auto.
Qed.

(** ** Translation, and fewer numbers *)

Lemma image_translation p q w : distribution p -> length q = length w ->
  image (vector_sum q) (plus_noise p w) (plus_noise p (vector_sum q w)).
Proof.
  intros LP L y. pose proof (distribution_ge0 _ LP) as P.
  assert (LS : forall q w : list Z, length q = length w -> length (vector_sum q w) = length w).
  { clear. induction q as [| a q IH]; intros [| b w]; simpl; try easy. intros L. f_equal.
    apply (IH w). lia. }
  destruct (Nat.eq_dec (length y) (length w)) as [E | E].
  - set (z := vector_sum (map Z.opp q) y). apply (sums_to_single _ _ z).
    + intros; now apply plus_noise_ge0.
    + unfold z; clear z LS. revert w y L E. induction q as [| a q IH]; intros [| b w] [| c y];
        simpl; try easy; intros L E. unfold vector_sum in *; cbn [combine map fst snd plus_noise].
      rewrite <- (IH w y) by lia. f_equal. f_equal. lia.
    + intros _. unfold z; clear z LS. revert w y L E.
      induction q as [| a q IH]; intros [| b w] [| c y]; simpl; try easy; intros L E.
      unfold vector_sum in *; cbn [combine map fst snd]. f_equal; [lia | apply (IH w); lia].
    + intros x X N. destruct (Nat.eq_dec (length x) (length w)) as [EX | EX].
      * elim N. unfold z; clear z N LS. rewrite <- X. clear X E. revert w x L EX.
        induction q as [| a q IH]; intros [| b w] [| c x]; simpl; try easy; intros L EX.
        unfold vector_sum in *; cbn [combine map fst snd]. f_equal; [lia | apply (IH w); lia].
      * apply NNPP; intros W. apply EX. apply (plus_noise_length p). auto.
  - replace (plus_noise p (vector_sum q w) y) with 0.
    + apply sums_to_zero. intros x X. apply NNPP; intros W. apply plus_noise_length in W.
      apply E. rewrite <- X. rewrite LS; lia.
    + apply NNPP; intros W. apply E. rewrite <- (LS q w L). apply (plus_noise_length p). auto.
Qed.

Lemma image_tail p a q : distribution p -> image (@tl Z) (plus_noise p (a :: q)) (plus_noise p q).
Proof.
  intros LP. pose proof (distribution_shift p a LP) as LS.
  pose proof (distribution_plus_noise p q LP) as LQ.
  eapply image_after; [| apply (image_cons p a q LP) |]; [now apply distribution_pair |].
  intros y. cbn [tl]. replace (plus_noise p q y) with (1 * plus_noise p q y) by ring.
  eapply sums_to_ext; [| apply (sums_to_independent _ _ everything (fun z => z = y)
    1 (plus_noise p q y) (distribution_ge0 _ LS) (distribution_ge0 _ LQ) (distribution_one _ LS))].
  - intros (b, z); simpl; unfold everything; tauto.
  - apply (sums_to_single _ _ y); try easy. apply (distribution_ge0 _ LQ).
Qed.

(** ** The theorem *)

Section Several.
Variables (p : Z -> R) (eps delta : R).
Hypothesis LP : distribution p.
Hypothesis Concave : log_concave p.
Hypothesis Symmetric : forall z, p (- z)%Z = p z.

Lemma fewer_numbers d k j : (j <= k)%nat ->
  indistinguishable eps delta (noise p k) (plus_noise p (repeat d k)) ->
  indistinguishable eps delta (noise p j) (plus_noise p (repeat d j)).
Proof.
  intros J. induction J as [| k J IH]; trivial. intros H. apply IH.
  refine (post_processing eps delta (@tl Z) _ _ _ _ _ _ (image_tail p 0 _ LP)
    (image_tail p d _ LP) H);
    now apply distribution_plus_noise.
Qed.

Theorem several_numbers k d r r' : changes k d r r' ->
  indistinguishable eps delta (noise p k) (plus_noise p (repeat (- d)%Z k)) ->
  indistinguishable eps delta (plus_noise p r) (plus_noise p r').
Proof.
  intros (F & K) H.
  assert (E : length r = length r') by (clear - F; induction F; simpl; congruence).
  (* the places that change *)
  set (mask := map (fun c => negb (Z.eqb (fst c) (snd c))) (combine r r')).
  assert (M : length mask = length r) by (unfold mask; rewrite map_length, combine_length; lia).
  set (q := chosen true mask r). set (q' := chosen true mask r').
  assert (S : chosen false mask r' = chosen false mask r).
  { unfold mask. clear. revert r'; induction r as [| a r IH]; intros [| b r']; simpl; trivial.
    destruct (Z.eqb_spec a b); simpl; [subst; f_equal; apply IH | apply IH]. }
  assert (Q : length q = changed r r' /\ length q' = changed r r' /\
    Forall2 (fun a b => (Z.abs (b - a) <= d)%Z) q q').
  { unfold q, q', mask. clear - F. induction F as [| a b r r' D F (A & B & C)];
      [repeat split; constructor |].
    simpl. destruct (Z.eqb_spec a b); simpl; [easy |]. repeat split; try congruence.
    now constructor. }
  destruct Q as (Q & Q' & FQ).
  rewrite <- (merge_chosen mask r), <- (merge_chosen mask r') by lia. rewrite S. fold q q'.
  assert (F1 : fits mask q (chosen false mask r) = true) by (apply fits_chosen; lia).
  assert (F2 : fits mask q' (chosen false mask r) = true).
  { rewrite <- S. apply fits_chosen. lia. }
  refine (post_processing eps delta _ _ _ _ _ _ _ (image_merge p mask _ _ LP F1)
    (image_merge p mask _ _ LP F2) _);
      try (apply distribution_pair; now apply distribution_plus_noise).
  apply indistinguishable_beside; try now apply distribution_plus_noise.
  (* all numbers of q change *)
  set (v := vector_sum (map Z.opp q) q').
  assert (V : q' = vector_sum q v /\ length v = length q /\
    Forall2 (fun a b => (Z.abs a <= Z.abs b)%Z) v (repeat (- d)%Z (length q))).
  { unfold v. clear - FQ. induction FQ as [| a b q q' D FQ (A & B & C)];
      [repeat split; constructor |].
    unfold vector_sum in *; cbn [map combine fst snd length repeat]. repeat split.
    - f_equal; [lia | exact A].
    - now rewrite B.
    - constructor; [lia | exact C]. }
  destruct V as (V & LV & FV). rewrite V. clearbody v.
  apply (worst_case_difference p eps delta LP Concave Symmetric q v (repeat (- d)%Z (length q)));
    trivial.
  - now rewrite repeat_length.
  - assert (Z0 : vector_sum q (repeat 0%Z (length q)) = q).
    { clear. induction q as [| a q IH]; [easy |]. unfold vector_sum in *;
        cbn [length repeat combine map fst snd].
      rewrite IH. f_equal. lia. }
    rewrite <- Z0 at 1.
    apply (post_processing eps delta (vector_sum q) (noise p (length q))
      (plus_noise p (repeat (- d)%Z (length q)))).
    + now apply distribution_plus_noise.
    + now apply distribution_plus_noise.
    + apply image_translation; trivial. now rewrite repeat_length.
    + apply image_translation; trivial. now rewrite repeat_length.
    + apply (fewer_numbers (- d) k); trivial. lia.
Qed.
End Several.
