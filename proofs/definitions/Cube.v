(** Noise in the shape of a cube. *)
From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Noise.
Import ListNotations.
Open Scope R_scope.

(** The largest difference of the entries of two vectors (L-infinity). *)
Fixpoint distance (r y : list Z) : Z :=
  match r, y with
  | a :: r, b :: y => Z.max (Z.abs (b - a)) (distance r y)
  | _, _ => 0%Z
  end.

(** Discrete K-norm noise of the largest entry, with scale t, on the vector r (Hardt, Talwar 2010):
    the probability of y. c is the sum of e^(-distance/t). *)
Definition k_norm (t c : R) (r y : list Z) : R :=
  if Nat.eqb (length y) (length r) then / c * exp (- IZR (distance r y) / t) else 0.

(** M is the distribution of the field elements "result + N" of Prio3, N the noise of one honest
    aggregator, drawn once for all entries. *)
Definition k_norm_release (p : Z) (t c : R) (result : list Z) (M : list Z -> R) :=
  image (fun z => add_modulo p (modulo p result) (modulo p z))
    (k_norm t c (repeat 0%Z (length result))) M.
