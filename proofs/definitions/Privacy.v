(** Differential privacy (Dwork, McSherry, Nissim, Smith 2006), for all events. *)
From Coq Require Import Reals.
From PrivacyProofs Require Import Probability.
Open Scope R_scope.

(** P(X in E) <= e^eps P(X' in E) + delta for every event E, X distributed as p and X' as q. *)
Definition indistinguishable {A} (eps delta : R) (p q : A -> R) :=
  forall E a b, sums_to p E a -> sums_to q E b -> a <= exp eps * b + delta.

(** M x is the distribution of what is released about x. Neighbours differ in one person's data. *)
Definition differentially_private {X A} (neighbours : X -> X -> Prop) (eps delta : R)
    (M : X -> A -> R) :=
  forall x x', neighbours x x' -> indistinguishable eps delta (M x) (M x').

(** (p - e^eps q)+, whose sum is the hockey-stick divergence delta(eps). *)
Definition excess {A} (eps : R) (p q : A -> R) (y : A) := Rmax 0 (p y - exp eps * q y).
