(** Differential privacy (Dwork, McSherry, Nissim, Smith 2006), for all events. *)
From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability.
Import ListNotations.
Open Scope R_scope.

(** P(X in E) <= e^eps P(X' in E) + delta for every event E, X distributed as p and X' as q: in this
    order only, and meant for distributions, in which every event has a probability. *)
Definition indistinguishable {A} (eps delta : R) (p q : A -> R) :=
  forall E a b, sums_to p E a -> sums_to q E b -> a <= exp eps * b + delta.

(** M x is the distribution of what is released about x. Neighbours differ in one person's data. *)
Definition differentially_private {X A} (neighbours : X -> X -> Prop) (eps delta : R)
    (M : X -> A -> R) :=
  forall x x', neighbours x x' -> indistinguishable eps delta (M x) (M x').

(** (p - e^eps q)+, whose sum is the hockey-stick divergence delta(eps). *)
Definition excess {A} (eps : R) (p q : A -> R) (y : A) := Rmax 0 (p y - exp eps * q y).

(** ** Privacy losses on a lattice, and tables of their probabilities *)

(** The losses of the numbers y, L x that of x, on the lattice; the loss j of k numbers is k base +
    step j, and so much of its probability is lost: (1 - e^(eps - loss))+. *)
Definition total_loss (L : Z -> Z) (y : list Z) : Z :=
  fold_right (fun x sum => (L x + sum)%Z) 0%Z y.
Definition loss_of (base step : R) (k : nat) (j : Z) := INR k * base + step * IZR j.
Definition lost (base step eps : R) (k : nat) (j : Z) :=
  Rmax 0 (1 - exp (eps - loss_of base step k j)).

(** Entry n of the table is at most q (lo + n), and no entry is negative. *)
Definition table_below (q : Z -> R) (lo : Z) (T : list R) :=
  Forall (fun t => 0 <= t) T /\ forall n, (n < length T)%nat -> nth n T 0 <= q (lo + Z.of_nat n)%Z.

(** The convolution of two tables. *)
Fixpoint add_lists (T U : list R) : list R :=
  match T, U with
  | [], _ => U
  | _, [] => T
  | a :: T, b :: U => (a + b) :: add_lists T U
  end.
Fixpoint convolve (T U : list R) : list R :=
  match T with
  | [] => []
  | a :: T => add_lists (map (fun b => a * b) U) (0 :: convolve T U)
  end.
