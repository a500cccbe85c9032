(** The counts of a batch, and how one measurement changes them. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Batches.
Import ListNotations.
Open Scope R_scope.

Lemma length_counts n b : length (counts n b) = n.
Proof.
  induction b as [| i b IH]; simpl; [apply repeat_length |]. unfold vector_sum, one_hot.
  rewrite map_length, combine_length, map_length, seq_length, IH; lia.
Qed.

(** A measurement adds 1 at its place. *)
Fixpoint bump (i : nat) (v : list Z) : list Z :=
  match v, i with [], _ => [] | a :: v, O => (a + 1)%Z :: v | a :: v, S i => a :: bump i v end.

Lemma vector_sum_one_hot n i v : length v = n -> vector_sum (one_hot n i) v = bump i v.
Proof.
  intros <-. assert
    (X : forall v s, vector_sum (map (fun j => if Nat.eqb i j then 1%Z else 0%Z) (seq s (length v)))
      v =
     if Nat.leb s i then bump (i - s) v else v).
  { clear v. induction v as [| a v IH]; intros s; cbn [length seq map];
      [now destruct (Nat.leb s i), (i - s)%nat |].
    unfold vector_sum in *; cbn [combine map fst snd]. rewrite IH.
    destruct (Nat.eqb_spec i s) as [-> | N].
    - rewrite Nat.leb_refl, Nat.sub_diag. destruct (Nat.leb_spec (S s) s); [lia |]. cbn [bump].
      f_equal; lia.
    - destruct (Nat.leb_spec (S s) i), (Nat.leb_spec s i); try lia; f_equal; trivial.
      replace (i - s)%nat with (S (i - S s)) by lia. reflexivity. }
  unfold one_hot. rewrite X. simpl. now rewrite Nat.sub_0_r.
Qed.

Lemma bump_at u a r : bump (length u) (u ++ a :: r) = u ++ (a + 1)%Z :: r.
Proof. induction u; simpl; [easy | now rewrite IHu]. Qed.

Lemma bump_bump i j v : bump i (bump j v) = bump j (bump i v).
Proof.
  revert i j; induction v as [| a v IH]; intros i j; simpl; [now destruct i, j |].
  destruct i, j; simpl; trivial; now rewrite IH.
Qed.

Lemma counts_in_front n before i after : counts n (before ++ i :: after)
  = bump i (counts n (before ++ after)).
Proof.
  induction before as [| k b IH]; simpl.
  - now rewrite vector_sum_one_hot by apply length_counts.
  - rewrite IH, !vector_sum_one_hot; [apply bump_bump | apply length_counts |].
    rewrite <- IH; apply length_counts.
Qed.

Lemma two_places (v : list Z) i j : (i < j)%nat -> (j < length v)%nat ->
  exists u a m b w, length u = i /\ length (u ++ a :: m) = j /\ v = u ++ a :: m ++ b :: w.
Proof.
  intros I J. destruct (nth_split v 0%Z J) as (x & w & E & X).
  destruct (nth_split x 0%Z (n := i) ltac:(lia)) as (u & m & F & U).
  exists u, (nth i x 0%Z), m, (nth j v 0%Z), w. repeat split; trivial; [congruence |].
  rewrite E at 1. rewrite F at 1.
  now rewrite <- app_assoc.
Qed.
