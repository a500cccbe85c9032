(** One pass of the table scan: of n words as many yield each outcome as its thresholds say
    (table_scan.rs, `positions`). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Samplers.
Import ListNotations.
Open Scope R_scope.

Lemma count_app {A} (c : A -> bool) l m : count c (l ++ m) = (count c l + count c m)%nat.
Proof. induction l; simpl; lia. Qed.

Lemma count_all {A} (c : A -> bool) l b : (forall x, In x l -> c x = b) ->
  count c l = if b then length l else O.
Proof. induction l; simpl; intros H; [now destruct b |]. rewrite (H a) by auto. rewrite IHl by auto.
now destruct b. Qed.

Lemma count_ext {A} (c d : A -> bool) l : (forall x, In x l -> c x = d x) -> count c l = count d l.
Proof. induction l; simpl; intros H; trivial. rewrite (H a), IHl; auto. Qed.

Lemma words_app s n m : words s (n + m) = words s n ++ words (s + Z.of_nat n) m.
Proof.
  revert s; induction n; intros s; simpl plus; cbn [words app]; [f_equal; lia |]. rewrite IHn.
  f_equal. f_equal. f_equal. lia.
Qed.

Lemma in_words s n z : In z (words s n) <-> (s <= z < s + Z.of_nat n)%Z.
Proof. revert s; induction n; intros s; cbn [words In]; [lia |]. rewrite IHn. lia. Qed.

Lemma length_words s n : length (words s n) = n.
Proof. revert s; induction n; intros s; cbn [words length]; congruence. Qed.

Lemma position_below s m word : (word < s)%Z -> position (thresholds s m) word = O.
Proof.
  revert s; induction m as [| a m IH]; intros s L; simpl; trivial. rewrite IH by lia.
  destruct (Z.ltb_spec (s + Z.of_nat a - 1) word); lia.
Qed.

Lemma position_step s a m word : (s + Z.of_nat a <= word)%Z ->
  position (thresholds s (a :: m)) word = S (position (thresholds (s + Z.of_nat a) m) word).
Proof. intros L; simpl. destruct (Z.ltb_spec (s + Z.of_nat a - 1) word); lia. Qed.

(** Of n >= sum m words, m_i have the position i, and the rest the position `length m`:
    undecided. *)
Theorem word_counts m n s i : (all_words m <= n)%nat ->
  count (fun w => Nat.eqb (position (thresholds s m) w) i) (words s n) =
  if Nat.eqb i (length m) then (n - all_words m)%nat else nth i m O.
Proof.
  revert n s i; induction m as [| a m IH]; intros n s i L; simpl all_words in *.
  - rewrite (count_all _ _ (Nat.eqb 0 i)) by reflexivity. rewrite length_words. destruct i; simpl;
      [lia | now destruct i].
  - replace n with (a + (n - a))%nat by lia. rewrite words_app, count_app.
    rewrite (count_all _ (words s a) (Nat.eqb 0 i)).
    2: { intros w I. apply in_words in I. simpl. rewrite position_below by lia.
         destruct (Z.ltb_spec (s + Z.of_nat a - 1) w); [lia | easy]. }
    rewrite length_words.
    rewrite (count_ext _ (fun w => Nat.eqb (S (position (thresholds (s + Z.of_nat a) m) w)) i)
      (words (s + Z.of_nat a) (n - a))).
    2: { intros w I. apply in_words in I. now rewrite position_step by lia. }
    destruct i as [| i]; simpl.
    + rewrite (count_all _ _ false) by reflexivity. lia.
    + rewrite IH by lia. destruct (Nat.eqb i (length m)); lia.
Qed.
