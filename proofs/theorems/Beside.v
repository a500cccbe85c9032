(** A client's report is released together with values of parties that do not depend on it: other
    clients' reports, aggregators' noise. What is computed from all of them is as private as the
    report. So the guarantee of a randomizer (one client alone, OC) holds for sums of reports of any
    number of clients, modulo any p. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Distributions PostProcessing
  Indistinguishable.
Import ListNotations.
Open Scope R_scope.

(** Whatever is computed from one client's report and from independent values beside it (the other
    clients' reports, noise of aggregators) is as private as the report: so a sum of RAPPOR reports
    modulo p, for every number of clients, is 2 eps0-private. *)
Corollary aggregate_indistinguishable {A B C} eps delta (h : A * B -> C) (p q : A -> R)
  (r : B -> R) m m' :
  distribution p -> distribution q -> distribution r -> indistinguishable eps delta p q ->
  image h (independent p r) m -> image h (independent q r) m' -> indistinguishable eps delta m m'.
Proof.
  intros LP LQ LR K I J.
  refine (post_processing eps delta h (independent p r) (independent q r) m m' _ _ I J _);
    [now apply distribution_pair | now apply distribution_pair | now apply
      indistinguishable_beside].
Qed.
