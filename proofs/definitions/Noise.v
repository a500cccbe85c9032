(** Noise, and how an aggregator adds it to its share. *)
From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability.
Import ListNotations.
Open Scope R_scope.

(** Discrete Laplace noise of scale t: Definition 2 of Cook, "Differential Privacy Mechanism for
    Prio3 and PureDpDiscreteLaplace" (2024). *)
Definition laplace (t : R) (z : Z) : R :=
  (exp (1 / t) - 1) / (exp (1 / t) + 1) * exp (- IZR (Z.abs z) / t).

(** e^(-s z^2), and the s of noise with the variance parameter sigma^2. *)
Definition s_of (variance : R) : R := 1 / (2 * variance).
Definition weight (s : R) (z : Z) : R := exp (- (s * (IZR z * IZR z))).

(** c is the sum of e^(-s z^2) over all integers. Lemma [normalizer_exists]: there is one. *)
Definition normalizer (s c : R) := sums_to (weight s) everything c.

(** Discrete Gaussian noise (Canonne, Kamath, Steinke 2020), c its normalizer. *)
Definition gaussian (s c : R) (z : Z) := / c * weight s z.

(** The distribution of the vector q + N: the numbers of N are independent, distributed as d. *)
Fixpoint plus_noise (d : Z -> R) (q y : list Z) : R :=
  match q, y with
  | [], [] => 1
  | a :: q, b :: y => d (b - a)%Z * plus_noise d q y
  | _, _ => 0
  end.

(** The distribution of a vector of n independent numbers distributed as d. *)
Definition noise (d : Z -> R) (n : nat) := plus_noise d (repeat 0%Z n).

(** The L1 distance of two vectors. *)
Fixpoint l1_distance (q q' : list Z) : R :=
  match q, q' with a :: q, b :: q' => IZR (Z.abs (a - b)) + l1_distance q q' | _, _ => 0 end.

(** Noise is positive, and its logarithm concave. *)
Definition log_concave (p : Z -> R) :=
  (forall z, 0 < p z) /\ (forall z, p (z - 1)%Z * p (z + 1)%Z <= p z * p z).

(** A vector of integers as a vector of field elements, integers modulo the prime p, and the sum of
    two vectors of field elements. *)
Definition modulo (p : Z) (v : list Z) : list Z := map (fun z => (z mod p)%Z) v.
Definition add_modulo (p : Z) (v w : list Z) : list Z :=
  map (fun z => ((fst z + snd z) mod p)%Z) (combine v w).

(** M is the distribution of the field elements "result + N" of Prio3, N the noise of one honest
    aggregator. Shares add up to the result; the other aggregators' noise and all that comes later
    is post-processing. *)
Definition prio3_release (p : Z) (d : Z -> R) (result : list Z) (M : list Z -> R) :=
  image (fun z => add_modulo p (modulo p result) (modulo p z)) (noise d (length result)) M.
