(** Sums over any type, and probability distributions. Every theorem is stated in these words.

    A sum of nonnegative numbers is the least upper bound of its finite sums. So no order, no
    measurable sets and no limits are needed, and the probability of an event, whatever the event,
    is a sum. *)
From Coq Require Import Reals List.
Import ListNotations.
Open Scope R_scope.

(** The sum of f over a list. *)
Fixpoint sum {A} (f : A -> R) (l : list A) : R :=
  match l with
  | [] => 0
  | x :: rest => f x + sum f rest
  end.

(** v is the sum of f over finitely many different elements of E. *)
Definition partial_sum {A} (f : A -> R) (E : A -> Prop) (v : R) :=
  exists l, NoDup l /\ Forall E l /\ v = sum f l.

(** v is the sum over E of f >= 0. *)
Definition sums_to {A} (f : A -> R) (E : A -> Prop) (v : R) := is_lub (partial_sum f E) v.

Definition everything {A} (_ : A) := True.

(** p is the distribution of a random value X: P(X = x) = p x, and P(X in E) is the v with
    [sums_to p E v]. *)
Record distribution {A} (p : A -> R) : Prop := {
  distribution_ge0 : forall x, 0 <= p x;
  distribution_one : sums_to p everything 1
}.

(** q is the distribution of h(X) for X distributed as p. *)
Definition image {A B} (h : A -> B) (p : A -> R) (q : B -> R) :=
  forall y, sums_to p (fun x => h x = y) (q y).

(** The distribution of two independent values. *)
Definition independent {A B} (p : A -> R) (r : B -> R) (z : A * B) := p (fst z) * r (snd z).

(** The distribution of n independent values distributed as p. *)
Fixpoint iid {A} (p : A -> R) (n : nat) (l : list A) : R :=
  match n, l with
  | O, [] => 1
  | S n, x :: l => p x * iid p n l
  | _, _ => 0
  end.

(** The distribution of a value X distributed as p and of a second one whose distribution r X
    depends on X: what an adversary gets who chooses the second release after the first. *)
Definition and_then {A B} (p : A -> R) (r : A -> B -> R) (z : A * B) :=
  p (fst z) * r (fst z) (snd z).
