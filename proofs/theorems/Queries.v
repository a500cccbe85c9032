(** What one client changes in the result of a query: how many numbers, and by how much at most (the
    table of queries in docs/certificates.md of dp-check). *)
From Coq Require Import List Lia ZArith.
From PrivacyProofs Require Import Batches Changes.
Import ListNotations.

(** ** A vector is replaced by another *)

Lemma vector_sum_comm v w : vector_sum v w = vector_sum w v.
Proof.
  unfold vector_sum. revert w; induction v as [| a v IH]; intros [| b w]; simpl; trivial.
  now rewrite IH, Z.add_comm.
Qed.

(** What is added to both vectors changes nothing. *)
Lemma changes_sum k d x y v : changes k d x y -> changes k d (vector_sum x v) (vector_sum y v).
Proof.
  unfold vector_sum. intros (F & K). split.
  - clear K. revert v; induction F as [| a b x y H F IH]; intros [| c v]; simpl; constructor; auto.
    lia.
  - apply Nat.le_trans with (2 := K). clear K.
    revert v; induction F as [| a b x y H F IH]; intros [| c v]; simpl; try lia. specialize (IH v).
    destruct (Z.eqb_spec (a + c) (b + c)), (Z.eqb_spec a b); lia.
Qed.

Lemma changes_total n k d before x y after : changes k d x y ->
  changes k d (total n (before ++ x :: after)) (total n (before ++ y :: after)).
Proof.
  intros C. induction before as [| v before IH]; simpl; [now apply changes_sum |].
  rewrite !(vector_sum_comm v). now apply changes_sum.
Qed.

(** Vectors, such as the measurements of Prio3SumVec and Prio3MultihotCountVec. *)
Theorem vector_replacement n k d b b' : replaced_vector k d b b' ->
  changes k d (total n b) (total n b').
Proof. intros (before & after & x & y & C & -> & ->). now apply changes_total. Qed.

(** ** Prio3Histogram *)

(** How often the bucket i is one of n: once or never. *)
Definition place (n i : nat) : nat := count_occ Nat.eq_dec (seq 0 n) i.

Lemma place_at_most n i : (place n i <= 1)%nat.
Proof. apply NoDup_count_occ, seq_NoDup. Qed.

Lemma no_place n : place n n = O.
Proof. apply count_occ_not_In. rewrite in_seq. lia. Qed.

Lemma changes_one_hot n i j k : (place n i + place n j <= k)%nat ->
  changes k 1 (one_hot n i) (one_hot n j).
Proof.
  unfold one_hot, place. generalize (seq 0 n) as l. intros l K. split.
  - clear K. induction l as [| m l IH]; simpl; constructor; trivial.
    destruct (Nat.eqb i m), (Nat.eqb j m); lia.
  - apply Nat.le_trans with (2 := K). clear K. induction l as [| m l IH]; simpl; trivial.
    destruct (Nat.eqb_spec i m), (Nat.eqb_spec j m), (Nat.eq_dec m i), (Nat.eq_dec m j);
      simpl; lia.
Qed.

(** A measurement beyond the n buckets counts nowhere, as if it was deleted. *)
Lemma counts_deleted n before after :
  counts n (before ++ n :: after) = counts n (before ++ after).
Proof.
  assert (L : forall b, length (counts n b) = n).
  { unfold counts, total, vector_sum. induction b as [| i b IH]; simpl; [apply repeat_length |].
    unfold one_hot at 1. rewrite map_length, combine_length, map_length, seq_length, IH. lia. }
  specialize (L after). unfold counts, total in *. rewrite !map_app. cbn [map].
  induction (map (one_hot n) before) as [| v u IH]; simpl; [| now rewrite IH].
  set (w := fold_right _ _ _) in *.
  assert (X : forall w s, (s + length w <= n)%nat -> vector_sum
    (map (fun j => if Nat.eqb n j then 1%Z else 0%Z) (seq s (length w))) w = w).
  { clear. unfold vector_sum. induction w as [| a w IH]; intros s S; simpl in *; trivial.
    rewrite IH by lia. destruct (Nat.eqb_spec n s); [lia | easy]. }
  specialize (X w O). rewrite L in X. apply X. lia.
Qed.

(** Two counts change by 1 where a measurement is replaced ... *)
Theorem histogram_replacement n b b' : replacement n b b' -> changes 2 1 (counts n b) (counts n b').
Proof.
  intros (before & after & i & j & _ & _ & -> & ->). unfold counts. rewrite !map_app.
  apply changes_total, changes_one_hot. pose proof (place_at_most n i). pose proof (place_at_most n j).
  lia.
Qed.

(** ... and one where it is deleted. *)
Theorem histogram_deletion n b b' : deletion n b b' -> changes 1 1 (counts n b) (counts n b').
Proof.
  intros (before & after & i & _ & [(-> & ->) | (-> & ->)]);
    rewrite <- (counts_deleted n before after); unfold counts; rewrite !map_app;
    apply changes_total, changes_one_hot; rewrite no_place; pose proof (place_at_most n i); lia.
Qed.

(** ** Prio3Sum, Prio3Count, Prio3Average: one number changes, by at most [max]. *)
Theorem sum_replacement max b b' : replaced_number max b b' ->
  changes 1 max [sum_of_batch b] [sum_of_batch b'].
Proof.
  intros (before & after & x & y & X & Y & -> & ->). split.
  - constructor; [| constructor]. unfold sum_of_batch.
    induction before as [| a before IH]; cbn [app fold_right]; lia.
  - simpl. destruct (Z.eqb _ _); lia.
Qed.
