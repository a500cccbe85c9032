(** The two passes of a sampler of discrete Gaussian noise: `passes` of a claim about draws in
    docs/certificates.md of dp-check. They draw the magnitude; a fair sign is added. *)
From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability Noise Samplers.
Import ListNotations.
Open Scope R_scope.

(** The distribution of the magnitude of discrete Gaussian noise. *)
Definition magnitude (s c : R) (x : Z) :=
  if Z.ltb x 0 then 0 else if Z.eqb x 0 then gaussian s c 0 else 2 * gaussian s c x.

(** A fair bit, and a magnitude with it as its sign. *)
Definition fair (_ : bool) : R := 1 / 2.
Definition signed (z : Z * bool) : Z := if snd z then (- fst z)%Z else fst z.

(** An outcome, its words in the first pass, and its words in the second. *)
Definition row := (Z * Z * Z)%type.
Definition outcome (r : row) := fst (fst r).
Definition first_words (r : row) := snd (fst r).
Definition second_words (r : row) := snd r.

(** The number of words f in the row of outcome x, and in all rows. *)
Fixpoint value (f : row -> Z) (rows : list row) (x : Z) : Z :=
  match rows with
  | [] => 0%Z
  | r :: rest => if Z.eqb (outcome r) x then f r else value f rest x
  end.
Definition all (f : row -> Z) (rows : list row) : Z :=
  fold_right (fun r sum => (f r + sum)%Z) 0%Z rows.

(** Words of b bits; those that yield no outcome are undecided. *)
Definition pass_of (f : row -> Z) (b : nat) (rows : list row) : pass Z :=
  {| bits := b;
     yield := fun x => Z.to_nat (value f rows x);
     undecided := Z.to_nat (2 ^ Z.of_nat b - all f rows) |}.

Definition two_passes b1 b2 rows := [pass_of first_words b1 rows; pass_of second_words b2 rows].
