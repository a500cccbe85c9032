(** What one client changes in the result of a query: how many numbers, and by how much at most (the
    table of queries in docs/certificates.md of dp-check). *)
From Coq Require Import List Lia ZArith.
From PrivacyProofs Require Import Batches Changes Counts.
Import ListNotations.

Lemma changes_refl k d r : (0 <= d)%Z -> changes k d r r.
Proof.
  intros D. split.
  - induction r; constructor; trivial. lia.
  - replace (changed r r) with O; [lia |]. induction r as [| a r IH]; simpl; trivial.
    now rewrite Z.eqb_refl.
Qed.

Lemma changes_sym k d r r' : changes k d r r' -> changes k d r' r.
Proof.
  intros (F & C). split.
  - clear C. induction F; constructor; trivial. lia.
  - replace (changed r' r) with (changed r r'); trivial. clear.
    revert r'; induction r as [| a r IH]; intros [| b r']; simpl; trivial.
    now rewrite IH, Z.eqb_sym.
Qed.

(** One more measurement in bucket i. *)
Lemma changed_bump i v : (changed v (bump i v) <= 1)%nat.
Proof.
  assert (R : forall v, changed v v = O).
  { clear. induction v as [| a v IH]; simpl; trivial. now rewrite Z.eqb_refl. }
  revert i; induction v as [| a v IH]; intros [| i]; simpl; try lia.
  - rewrite R. destruct (Z.eqb a (a + 1)); lia.
  - rewrite Z.eqb_refl. apply IH.
Qed.

Lemma changes_bump i v : changes 1 1 v (bump i v).
Proof.
  split; [| apply changed_bump].
  revert i; induction v as [| a v IH]; intros [| i]; simpl; constructor; try lia; trivial.
  apply (changes_refl 0 1 v). lia.
Qed.

Lemma changed_two i j v : (changed (bump i v) (bump j v) <= 2)%nat.
Proof.
  revert i j; induction v as [| a v IH]; intros [| i] [| j]; simpl; try lia.
  - rewrite Z.eqb_refl. destruct (changes_refl 0 1 v ltac:(lia)) as (_ & C). lia.
  - pose proof (changed_bump j v). destruct (Z.eqb (a + 1) a); lia.
  - pose proof (changes_bump i v) as C. apply changes_sym in C as (_ & C).
    destruct (Z.eqb a (a + 1)); lia.
  - rewrite Z.eqb_refl. apply IH.
Qed.

(** Prio3Histogram: two counts change by 1 where a measurement is replaced ... *)
Theorem histogram_replacement n b b' : replacement n b b' -> changes 2 1 (counts n b) (counts n b').
Proof.
  intros (before & after & i & j & _ & _ & -> & ->). rewrite !counts_in_front.
  split; [| apply changed_two]. generalize (counts n (before ++ after)) as v.
  intros v; revert i j; induction v as [| a v IH]; intros [| i] [| j]; simpl; constructor;
    trivial; try lia.
  - apply (changes_refl 0 1 v). lia.
  - apply (changes_bump j v).
  - apply (changes_sym 1 1 _ _ (changes_bump i v)).
Qed.

(** ... and one where it is deleted. *)
Theorem histogram_deletion n b b' : deletion n b b' -> changes 1 1 (counts n b) (counts n b').
Proof.
  intros (before & after & i & _ & [(-> & ->) | (-> & ->)]); rewrite counts_in_front.
  - apply changes_sym, changes_bump.
  - apply changes_bump.
Qed.

(** Prio3Sum, Prio3Count, Prio3Average: one number, by at most [max]. *)
Lemma sum_of_batch_changed max b b' : replaced_number max b b' ->
  (Z.abs (sum_of_batch b' - sum_of_batch b) <= max)%Z.
Proof.
  intros (u & v & x & y & X & Y & -> & ->). unfold sum_of_batch.
  induction u as [| a u IH]; cbn [app fold_right]; lia.
Qed.

Theorem sum_replacement max b b' : replaced_number max b b' ->
  changes 1 max [sum_of_batch b] [sum_of_batch b'].
Proof.
  intros N. split.
  - constructor; [| constructor]. now apply sum_of_batch_changed.
  - simpl. destruct (Z.eqb _ _); lia.
Qed.
