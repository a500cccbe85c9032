(** Randomizers: what a client sends in place of the measurement. *)
From Coq Require Import Reals List.
Import ListNotations.
Open Scope R_scope.

(** ** Symmetric RAPPOR (Erlingsson, Pihur, Korolova 2014, with eps0 = eps/2) *)

(** Every bit is flipped with probability 1/(e^eps0 + 1). *)
Definition flip_probability (e0 : R) := / (exp e0 + 1).
Definition flipped (e0 : R) (a b : bool) :=
  if Bool.eqb a b then 1 - flip_probability e0 else flip_probability e0.

(** The probability that the bits x are sent as y. *)
Fixpoint rappor (e0 : R) (x y : list bool) : R :=
  match x, y with
  | [], [] => 1
  | a :: x, b :: y => flipped e0 a b * rappor e0 x y
  | _, _ => 0
  end.

(** The measurement i of n, and the vector of zeros that stands for a deleted one. *)
Definition one_hot_bits (n i : nat) : list bool := map (Nat.eqb i) (seq 0 n).
Definition no_bits (n : nat) : list bool := map (fun _ => false) (seq 0 n).

(** In how many places two vectors differ. *)
Fixpoint hamming (x x' : list bool) : nat :=
  match x, x' with
  | a :: x, b :: x' => ((if Bool.eqb a b then 0 else 1) + hamming x x')%nat
  | _, _ => 0%nat
  end.

(** ** k-ary randomized response (Warner 1965; Kairouz, Bonawitz, Ramage 2016) *)

(** The probability that the answer x of k is sent as y. *)
Definition response (k : nat) (e : R) (x y : nat) : R :=
  if Nat.ltb y k then (if Nat.eqb x y then exp e else 1) / (exp e + INR k - 1) else 0.
