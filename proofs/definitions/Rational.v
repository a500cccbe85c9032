(** Exact numbers of certificates. *)
From Coq Require Import Reals ZArith.
Open Scope R_scope.

(** A rational number n/d, d > 0, and the real number that it is. *)
Definition rational := (Z * positive)%type.
Definition real (q : rational) : R := IZR (fst q) / IZR (Zpos (snd q)).
