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
