(** All draws of a block are independent and have the distribution of one draw, though undecided
    draws take spare draws in order and decided ones take none (`digits` in table_scan.rs). Where
    a block needs more spares than it has, the exceptional path of the code draws more: here are
    enough from the start, one for each draw, and one pass before the spares. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Samplers FiniteSums Sums Distributions WordCounts
  Passes.
Import ListNotations.
Open Scope R_scope.

Section Block.
Context {W A : Type} (decide : W -> option A).

Variables (u : W -> R) (r : A -> R) (yields : A -> R) (none : R).

Hypothesis LU : distribution u.
Hypothesis LR : distribution r.
Hypothesis Given : forall x, sums_to u (fun w => decide w = Some x) (yields x).
Hypothesis None_ : sums_to u (fun w => decide w = None) none.

Theorem block_independent n : forall m, (n <= m)%nat ->
  image (fun z => block decide (fst z) (snd z)) (independent (iid u n) (iid r m))
    (iid (one_draw r yields none) n).
Proof.
  pose proof (distribution_ge0 _ LU) as U. pose proof (distribution_ge0 _ LR) as R0.
  destruct (distribution_inhabited _ LR) as (x0 & _).
  induction n; intros m L y.
  - destruct y as [| x y].
    + change (iid (one_draw r yields none) 0 []) with 1.
      apply (sums_to_relabel (iid r m) _ everything _ (fun ss => ([], ss))).
      * intros; apply Rmult_le_pos; now apply iid_ge0.
      * now intros ? ? [=].
      * intros; unfold independent; simpl; ring.
      * easy.
      * intros ([| w ws], ss) _ N; [now exists ss |]. elim N. unfold independent; simpl; ring.
      * exact (distribution_one _ (distribution_iid r m x0 LR)).
    + change (iid (one_draw r yields none) 0 (x :: y)) with 0. apply sums_to_zero.
      intros ([| w ws], ss) E; [easy |]. unfold independent; simpl; ring.
  - destruct m as [| m]; [lia |]. destruct y as [| x y].
    + change (iid (one_draw r yields none) (S n) []) with 0. apply sums_to_zero.
      intros ([| w ws], ss) E; [unfold independent; simpl; ring |].
      unfold independent; simpl in *. destruct (decide w); [easy |]. destruct ss;
        [simpl; ring | easy].
    + change (iid (one_draw r yields none) (S n) (x :: y)) with
        ((yields x + none * r x) * iid (one_draw r yields none) n y).
      rewrite Rmult_plus_distr_r.
      apply (sums_to_or _ (fun z => exists w ws, fst z = w :: ws /\ decide w = Some x
        /\ block decide ws (snd z) = y)
                        (fun z => exists w ws ss, fst z = w :: ws /\ snd z = x :: ss /\ decide w
                          = None /\ block decide ws ss = y)).
      * intros (ws, ss); simpl. destruct ws as [| w ws];
          [split; [easy | intros [(w & ws & [=] & _) | (w & ws & s & [=] & _)]] |].
        simpl. destruct (decide w) as [x' |] eqn:E.
        -- split; [intros [= -> H]; left; now exists w, ws |].
           intros [(w' & ws' & [= <- <-] & E' & H) | (w' & ws' & s & [= <- <-] & _ & E' & _)];
             congruence.
        -- split.
           ++ destruct ss as [| s ss]; [easy |]. intros [= -> H]. right; now exists w, ws, ss.
           ++ intros [(w' & ws' & [= <- <-] & E' & H) | (w' & ws' & s & [= <- <-] & -> & E' & H)];
                congruence.
      * intros (ws, ss) (w & ws1 & E1 & E2 & _) (w' & ws1' & s & E1' & _ & E2' & _); simpl in *.
        congruence.
      * apply (sums_to_relabel (independent u (independent (iid u n) (iid r (S m)))) _
          (fun z => decide (fst z) = Some x /\ block decide (fst (snd z)) (snd (snd z)) = y) _
           (fun z => (fst z :: fst (snd z), snd (snd z)))).
        -- intros; apply Rmult_le_pos; now apply iid_ge0.
        -- intros (w, (ws, ss)) (w', (ws', ss')) [=]; now subst.
        -- intros (w, (ws, ss)); unfold independent; cbn [fst snd iid]; ring.
        -- intros (w, (ws, ss)); simpl.
           split; [intros (E & H); now exists w, ws | intros (w' & ws' & [= <- <-] & E & H); easy].
        -- intros (ws, ss) (w & ws' & E & _) _; simpl in E. subst ws. now exists (w, (ws', ss)).
        -- apply (sums_to_independent u _ (fun w => decide w = Some x)
             (fun z => block decide (fst z) (snd z) = y)); trivial.
           ++ intros; apply Rmult_le_pos; now apply iid_ge0.
           ++ apply IHn; lia.
      * apply (sums_to_relabel (independent (independent u r) (independent (iid u n) (iid r m))) _
           (fun z => (decide (fst (fst z)) = None /\ snd (fst z) = x) /\ block decide (fst (snd z))
             (snd (snd z)) = y) _
           (fun z => (fst (fst z) :: fst (snd z), snd (fst z) :: snd (snd z)))).
        -- intros; apply Rmult_le_pos; now apply iid_ge0.
        -- intros ((w, s), (ws, ss)) ((w', s'), (ws', ss')) [=]; now subst.
        -- intros ((w, s), (ws, ss)); unfold independent; cbn [fst snd iid]; ring.
        -- intros ((w, s), (ws, ss)); simpl. split.
           ++ intros ((E & ->) & H). now exists w, ws, ss.
           ++ intros (w' & ws' & ss' & [= <- <-] & [= -> <-] & E & H). easy.
        -- intros (ws, ss) (w & ws' & ss' & E & E' & _) _; simpl in E, E'. subst.
           now exists ((w, x), (ws', ss')).
        -- apply (sums_to_independent _ _ (fun z => decide (fst z) = None /\ snd z = x)
             (fun z => block decide (fst z) (snd z) = y)).
           ++ intros; now apply Rmult_le_pos.
           ++ intros; apply Rmult_le_pos; now apply iid_ge0.
           ++ apply (sums_to_independent u r (fun w => decide w = None) (fun s => s = x)); trivial.
              apply (sums_to_single _ _ x); easy.
           ++ apply IHn; lia.
Qed.

End Block.

(** ** The table scan: the words of the first pass are compared with thresholds. *)

Lemma uniform_ge0 n w : 0 <= uniform n w.
Proof.
  unfold uniform. destruct (_ && _)%bool; [| lra]. destruct n; [simpl; rewrite Rinv_0; lra |].
  left. apply Rinv_0_lt_compat, lt_0_INR. lia.
Qed.

Lemma words_distinct n : forall s, NoDup (words s n).
Proof. induction n; intros s; cbn [words]; constructor; trivial. rewrite in_words. lia. Qed.

(** The probability of words with a property is their number over n. *)
Lemma sums_to_count n (c : Z -> bool) (E : Z -> Prop) : (forall w, c w = true <-> E w) ->
  sums_to (uniform n) E (INR (count c (words 0 n)) / INR n).
Proof.
  intros C. replace (INR (count c (words 0 n)) / INR n) with
    (sum (uniform n) (filter c (words 0 n))).
  - apply sums_to_finite.
    + apply uniform_ge0.
    + apply NoDup_filter, words_distinct.
    + apply Forall_forall. intros w I. apply filter_In in I as (_ & I). now apply C.
    + intros w Ew N. unfold uniform.
      destruct (Z.leb_spec 0 w), (Z.ltb_spec w (Z.of_nat n)); trivial. elim N.
      apply filter_In. rewrite in_words. split; [lia | now apply C].
  - assert (X : forall l, (forall w, In w l -> (0 <= w < Z.of_nat n)%Z) ->
      sum (uniform n) (filter c l) = INR (count c l) / INR n).
    { induction l as [| w l IH]; intros H; simpl; [unfold Rdiv; ring |].
      rewrite plus_INR. specialize (IH (fun v I => H v (or_intror I))).
      specialize (H w (or_introl eq_refl)). destruct (c w); simpl; rewrite IH.
      - replace (uniform n w) with (/ INR n); [unfold Rdiv; ring |]. unfold uniform.
        destruct (Z.leb_spec 0 w), (Z.ltb_spec w (Z.of_nat n)); simpl; lia || easy.
      - unfold Rdiv; ring. }
    apply X. intros w I. apply in_words in I. lia.
Qed.

Lemma position_at_most t w : (position t w <= length t)%nat.
Proof. induction t as [| a t IH]; simpl; [lia |]. destruct (Z.ltb a w); lia. Qed.

Lemma length_thresholds s m : length (thresholds s m) = length m.
Proof. revert s; induction m; intros s; simpl; congruence. Qed.

(** All but the undecided words yield an outcome. *)
Lemma pass_of_words_complete b m : (all_words m <= 2 ^ b)%nat ->
  sums_to (yield_fraction (pass_of_words b m)) everything
    (1 - undecided_fraction (pass_of_words b m)).
Proof.
  intros L. assert (K : 0 < 2 ^ b) by (apply pow_lt; lra).
  replace (1 - undecided_fraction (pass_of_words b m)) with
    (sum (yield_fraction (pass_of_words b m)) (seq 0 (length m))).
  - apply sums_to_support.
    + intros i. unfold yield_fraction. apply Rmult_le_pos; [apply pos_INR |].
      left; now apply Rinv_0_lt_compat.
    + apply seq_NoDup.
    + intros i N. unfold yield_fraction, pass_of_words; cbn [yield bits].
      rewrite nth_overflow; [simpl; unfold Rdiv; ring |].
      destruct (Nat.le_gt_cases (length m) i); trivial. elim N. apply in_seq. lia.
  - assert (X : sum (fun i => INR (nth i m O)) (seq 0 (length m)) = INR (all_words m)).
    { clear L. induction m as [| a m IH]; [easy |]. cbn [length seq sum nth].
      rewrite <- seq_shift, sum_map. cbn [nth]. rewrite IH. simpl all_words.
      now rewrite plus_INR. }
    rewrite (sum_ext _ (fun i => / 2 ^ b * INR (nth i m O))).
    2: { intros i _. unfold yield_fraction, pass_of_words; cbn [yield bits]. unfold Rdiv; ring. }
    rewrite sum_scale, X. unfold undecided_fraction, pass_of_words; cbn [undecided bits].
    rewrite minus_INR, pow_INR by trivial. change (INR 2) with 2. field. lra.
Qed.

(** A block of n draws is distributed as n independent values of p, where no outcome has more words
    than its probability and the spares are drawn from the remainder of p. *)
Theorem block_exact p b m n spares : distribution p -> (all_words m < 2 ^ b)%nat ->
  (forall i, INR (nth i m O) / 2 ^ b <= p i) -> (n <= spares)%nat ->
  let first := pass_of_words b m in
  image (fun z => block (outcome_of m) (fst z) (snd z))
    (independent (iid (uniform (2 ^ b)) n) (iid (remainder p [first]) spares)) (iid p n).
Proof.
  intros LP M H L first. assert (K : 0 < 2 ^ b) by (apply pow_lt; lra).
  assert (K2 : INR (2 ^ b) = 2 ^ b) by now rewrite pow_INR.
  assert (Y : forall i, sums_to (uniform (2 ^ b)) (fun w => outcome_of m w = Some i)
    (INR (nth i m O) / 2 ^ b)).
  { intros i. rewrite <- K2. destruct (Nat.ltb_spec i (length m)) as [I | I].
    - replace (nth i m O) with (count (fun w => Nat.eqb (position (thresholds 0 m) w) i)
        (words 0 (2 ^ b))).
      + apply sums_to_count. intros w. unfold outcome_of. rewrite Nat.eqb_eq.
        destruct (Nat.ltb_spec (position (thresholds 0 m) w) (length m)); split.
        * intros ->; easy.
        * now intros [= ->].
        * intros E; lia.
        * easy.
      + rewrite word_counts by lia. destruct (Nat.eqb_spec i (length m)); [lia | easy].
    - rewrite nth_overflow by lia. simpl. unfold Rdiv; rewrite Rmult_0_l.
      replace 0 with (INR (count (fun _ => false) (words 0 (2 ^ b))) / INR (2 ^ b)).
      + apply sums_to_count. intros w. unfold outcome_of. split; [easy |].
        destruct (Nat.ltb_spec (position (thresholds 0 m) w) (length m)); [| easy].
        intros [= <-]. lia.
      + rewrite (count_all _ _ false) by easy. simpl. unfold Rdiv; ring. }
  assert (U : sums_to (uniform (2 ^ b)) (fun w => outcome_of m w = None)
    (undecided_fraction first)).
  { unfold undecided_fraction, first, pass_of_words; cbn [bits undecided]. rewrite <- K2.
    replace (2 ^ b - all_words m)%nat with
      (count (fun w => Nat.eqb (position (thresholds 0 m) w) (length m)) (words 0 (2 ^ b))).
    - apply sums_to_count. intros w. unfold outcome_of. rewrite Nat.eqb_eq.
      pose proof (position_at_most (thresholds 0 m) w) as P. rewrite length_thresholds in P.
      destruct (Nat.ltb_spec (position (thresholds 0 m) w) (length m)); split; lia || easy.
    - rewrite word_counts by lia. now rewrite Nat.eqb_refl. }
  assert (UN : distribution (uniform (2 ^ b))).
  { split; [apply uniform_ge0 |].
    replace 1 with (INR (count (fun _ => true) (words 0 (2 ^ b))) / INR (2 ^ b)).
    - now apply sums_to_count.
    - rewrite (count_all _ _ true), length_words by easy. apply Rinv_r. rewrite K2. lra. }
  assert (OP : 0 < undecided_after [first]).
  { simpl. rewrite Rmult_1_r. unfold undecided_fraction, first, pass_of_words; cbn [bits undecided].
    apply Rdiv_lt_0_compat; trivial. apply lt_0_INR. lia. }
  assert (LR : distribution (remainder p [first])).
  { apply remainder_distribution; trivial.
    - constructor; [| constructor].
      apply pass_of_words_complete; lia.
    - intros i. simpl. rewrite Rmult_0_r, Rplus_0_r. apply H. }
  pose proof (block_independent (outcome_of m) _ _ _ _ UN LR Y U n spares L) as B.
  intros y. replace (iid p n y) with (iid (one_draw (remainder p [first])
    (fun i => INR (nth i m O) / 2 ^ b) (undecided_fraction first)) n y); [apply B |].
  assert (X : forall x, one_draw (remainder p [first]) (fun i => INR (nth i m O) / 2 ^ b)
    (undecided_fraction first) x = p x).
  { intros x. rewrite <- (passes_exact p [first]) by lra. easy. }
  clear - X. revert y; induction n; intros [| x y]; simpl; trivial. now rewrite X, IHn.
Qed.
