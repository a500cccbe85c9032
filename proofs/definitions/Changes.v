(** What one client changes in the result of any query, or in the results of several releases. *)
From Coq Require Import List ZArith.
Import ListNotations.

(** In how many places two vectors differ. *)
Fixpoint changed (r r' : list Z) : nat :=
  match r, r' with
  | a :: r, b :: r' => ((if Z.eqb a b then 0 else 1) + changed r r')%nat
  | _, _ => 0%nat
  end.

(** At most k numbers change, each by at most d: "k, Delta" in docs/certificates.md of dp-check. *)
Definition changes (k : nat) (d : Z) (r r' : list Z) :=
  Forall2 (fun a b => (Z.abs (b - a) <= d)%Z) r r' /\ (changed r r' <= k)%nat.

(** One of the measurements, vectors, is replaced by another that differs from it in at most k
    numbers, by at most d each. *)
Definition replaced_vector (k : nat) (d : Z) (b b' : list (list Z)) :=
  exists before after x y, changes k d x y /\
    b = before ++ x :: after /\ b' = before ++ y :: after.
