(** The table scan of dp-samplers: words, thresholds, passes, blocks. *)
From Coq Require Import Reals List ZArith.
From PrivacyProofs Require Import Probability.
Import ListNotations.
Open Scope R_scope.

(** ** One pass (table_scan.rs): a word is compared with all thresholds. *)

(** The words start, ..., start + n - 1. *)
Fixpoint words (start : Z) (n : nat) : list Z :=
  match n with
  | O => []
  | S m => start :: words (start + 1) m
  end.

(** The last word of each outcome; m has the number of words of each. An outcome without words has
    the threshold before it. *)
Fixpoint thresholds (start : Z) (m : list nat) : list Z :=
  match m with
  | [] => []
  | a :: rest => (start + Z.of_nat a - 1)%Z :: thresholds (start + Z.of_nat a) rest
  end.

Definition all_words (m : list nat) := fold_right plus O m.

(** How many thresholds the word exceeds: `exceeded` and `positions`. *)
Fixpoint position (t : list Z) (word : Z) : nat :=
  match t with
  | [] => O
  | a :: rest => ((if Z.ltb a word then 1 else 0) + position rest word)%nat
  end.

Fixpoint count {A} (c : A -> bool) (l : list A) : nat :=
  match l with [] => O | x :: r => ((if c x then 1 else 0) + count c r)%nat end.

(** ** Passes (word_counts.rs) *)

(** Of 2^bits words so many yield each outcome, and so many none. *)
Record pass (A : Type) := { bits : nat; yield : A -> nat; undecided : nat }.
Arguments bits {A}. Arguments yield {A}. Arguments undecided {A}.

Definition yield_fraction {A} (q : pass A) (x : A) : R := INR (yield q x) / 2 ^ bits q.
Definition undecided_fraction {A} (q : pass A) : R := INR (undecided q) / 2 ^ bits q.

(** The distribution of a draw: an undecided word leads to the next pass, and in the last pass to a
    draw distributed as [rest]. *)
Fixpoint drawn {A} (passes : list (pass A)) (rest : A -> R) (x : A) : R :=
  match passes with
  | [] => rest x
  | q :: later => yield_fraction q x + undecided_fraction q * drawn later rest x
  end.

(** The probability that some pass yields x, and that none decides. *)
Fixpoint decided {A} (passes : list (pass A)) (x : A) : R :=
  match passes with
  | [] => 0
  | q :: later => yield_fraction q x + undecided_fraction q * decided later x
  end.
Fixpoint undecided_after {A} (passes : list (pass A)) : R :=
  match passes with
  | [] => 1
  | q :: later => undecided_fraction q * undecided_after later
  end.

(** The remainder of p: `Remainder`. *)
Definition remainder {A} (p : A -> R) (passes : list (pass A)) (x : A) : R :=
  (p x - decided passes x) / undecided_after passes.

(** Every word of a pass yields an outcome or none. *)
Definition complete {A} (passes : list (pass A)) :=
  Forall (fun q => sums_to (yield_fraction q) everything (1 - undecided_fraction q)) passes.

(** ** A lazy comparison of U with p (threshold.rs) *)

(** The integer v, the first k bits of U, decides "U < p" by a lower bound of p, and "U >= p" by an
    upper one. *)
Definition says_below (lower : R) (k : nat) (v : Z) := (IZR v + 1) / 2 ^ k <= lower.
Definition says_above (upper : R) (k : nat) (v : Z) := upper <= IZR v / 2 ^ k.

(** ** A block (`digits` in table_scan.rs) *)

(** Draws from the words ws. Undecided words, and no others, take the spare draws in order. Without
    spares the list ends: the exceptional path is not modelled. *)
Fixpoint block {W A} (decide : W -> option A) (ws : list W) (spares : list A) : list A :=
  match ws with
  | [] => []
  | w :: ws =>
    match decide w with
    | Some x => x :: block decide ws spares
    | None =>
      match spares with
      | [] => []
      | s :: spares => s :: block decide ws spares
      end
    end
  end.

(** The distribution of one draw: decided, or else a spare one distributed as r. *)
Definition one_draw {A} (r yields : A -> R) (none : R) (x : A) := yields x + none * r x.

Definition uniform (n : nat) (w : Z) : R :=
  if (Z.leb 0 w && Z.ltb w (Z.of_nat n))%bool then / INR n else 0.

(** The outcome of a word, a position, or none if it exceeds all thresholds. *)
Definition outcome_of (m : list nat) (w : Z) : option nat :=
  let i := position (thresholds 0 m) w in if Nat.ltb i (length m) then Some i else None.

Definition pass_of_words (b : nat) (m : list nat) : pass nat :=
  {| bits := b; yield := fun i => nth i m O; undecided := (2 ^ b - all_words m)%nat |}.
