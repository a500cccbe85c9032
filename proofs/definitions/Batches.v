(** Batches of measurements, their results, and neighbouring batches. *)
From Coq Require Import List ZArith.
Import ListNotations.

(** The sum of two vectors of equal length. *)
Definition vector_sum (v w : list Z) := map (fun c => (fst c + snd c)%Z) (combine v w).

(** The measurement of Prio3Histogram with n buckets whose bucket is i. *)
Definition one_hot (n i : nat) : list Z :=
  map (fun j => if Nat.eqb i j then 1%Z else 0%Z) (seq 0 n).

(** The result of a query whose measurements are vectors of n numbers: their sum. *)
Definition total (n : nat) (batch : list (list Z)) : list Z :=
  fold_right vector_sum (repeat 0%Z n) batch.

(** The result of Prio3Histogram with n buckets: how many measurements of the batch are in each. *)
Definition counts (n : nat) (batch : list nat) : list Z := total n (map (one_hot n) batch).

(** One of the measurements, buckets below n, is replaced by another. *)
Definition replacement (n : nat) (b b' : list nat) :=
  exists before after i j, (i < n)%nat /\ (j < n)%nat /\
    b = before ++ i :: after /\ b' = before ++ j :: after.

(** One measurement, a bucket below n, counts in one of the two batches only: deletion or addition.
    That the numbers of reports differ is not released. *)
Definition deletion (n : nat) (b b' : list nat) :=
  exists before after i, (i < n)%nat /\
    (b = before ++ i :: after /\ b' = before ++ after \/
     b = before ++ after /\ b' = before ++ i :: after).

(** The result of Prio3Sum. Prio3Count is the sum of measurements of at most 1. *)
Definition sum_of_batch (batch : list Z) : Z := fold_right Z.add 0%Z batch.

(** One of the measurements, from 0 to max, is replaced by another. Replacement by 0 is
    deletion where the number of reports is not released. *)
Definition replaced_number (max : Z) (b b' : list Z) :=
  exists before after x y, (0 <= x <= max)%Z /\ (0 <= y <= max)%Z /\
    b = before ++ x :: after /\ b' = before ++ y :: after.
