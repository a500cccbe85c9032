(** Independent symmetric log-concave noise on a vector: of all differences in a box, the corner is
    the worst, for every eps and delta at once, whatever the signs. So one bound at the corner holds
    for all neighbours: Prio3Sum, Prio3Average, Prio3SumVec, Prio3Histogram, Prio3MultihotCountVec
    ("Several coordinates" in section 1 of docs/calibration.md of dp-calibration;
    worst_case_difference.rs). It proves premise 1 in PROOFS.md for boxes. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Batches FiniteSums Sums Distributions
  PostProcessing NoiseVectors LargerDifference.
Import ListNotations.
Open Scope R_scope.

Lemma indistinguishable_ext {A} eps delta (p p' q q' : A -> R) : (forall x, p x = p' x) ->
  (forall x, q x = q' x) -> indistinguishable eps delta p q -> indistinguishable eps delta p' q'.
Proof.
  intros P Q H E a b TA TB. apply (H E).
  - apply (sums_to_eq p'); trivial. intros; now rewrite P.
  - apply (sums_to_eq q'); trivial. intros; now rewrite Q.
Qed.

(** A one-to-one relabelling h with the inverse k. *)
Lemma indistinguishable_relabel {A B} eps delta (h : A -> B) (k : B -> A) (p q : A -> R) :
  distribution p -> distribution q -> (forall x, k (h x) = x) -> (forall y, h (k y) = y) ->
  indistinguishable eps delta p q ->
  indistinguishable eps delta (fun y => p (k y)) (fun y => q (k y)).
Proof.
  intros LP LQ KH HK. apply (post_processing eps delta h); trivial; intros y.
  - apply (sums_to_single _ _ (k y)); trivial; [apply (distribution_ge0 _ LP) |].
    intros x <- N. elim N. now rewrite KH.
  - apply (sums_to_single _ _ (k y)); trivial; [apply (distribution_ge0 _ LQ) |].
    intros x <- N. elim N. now rewrite KH.
Qed.

Section Box.
Variables (p : Z -> R) (eps delta : R).
Hypothesis LP : distribution p.
Hypothesis Concave : log_concave p.
Hypothesis Symmetric : forall z, p (- z)%Z = p z.

Let SH := fun a => distribution_shift p a LP.

(** The sign of a difference does not matter. *)
Lemma sign_of_difference {B} a d (r r' : B -> R) : distribution r -> distribution r' ->
  indistinguishable eps delta (independent (fun x => p (x - a)%Z) r)
    (independent (fun x => p (x - (a + d))%Z) r') ->
  indistinguishable eps delta (independent (fun x => p (x - a)%Z) r)
    (independent (fun x => p (x - (a - d))%Z) r').
Proof.
  intros LR LR' H. set (h := fun z : Z * B => ((2 * a - fst z)%Z, snd z)).
  assert (HH : forall z, h (h z) = z) by (intros (x, b); unfold h; simpl; f_equal; lia).
  pose proof (indistinguishable_relabel eps delta h h _ _
    (distribution_pair _ _ (SH a) LR) (distribution_pair _ _ (SH (a + d)%Z) LR') HH HH H) as K.
  eapply indistinguishable_ext; [| | exact K]; intros (x, b); unfold independent, h; cbn [fst snd].
  - f_equal. rewrite <- Symmetric. f_equal. lia.
  - f_equal. rewrite <- Symmetric. f_equal. lia.
Qed.

(** One number beside anything independent of it. *)
Lemma smaller_difference {B} a d d' (r r' : B -> R) : distribution r -> distribution r' ->
  (Z.abs d' <= Z.abs d)%Z ->
  indistinguishable eps delta (independent (fun x => p (x - a)%Z) r)
    (independent (fun x => p (x - (a + d))%Z) r') ->
  indistinguishable eps delta (independent (fun x => p (x - a)%Z) r)
    (independent (fun x => p (x - (a + d'))%Z) r').
Proof.
  intros LR LR' D H.
  (* with negative signs, as the lemma on larger differences has it *)
  assert (N : indistinguishable eps delta (independent (fun x => p (x - a)%Z) r)
    (independent (fun x => p (x - (a - Z.abs d))%Z) r')).
  { destruct (Z.abs_eq_or_opp d) as [-> | ->]; [now apply sign_of_difference |].
    now replace (a - - d)%Z with (a + d)%Z by lia. }
  assert (N' : indistinguishable eps delta (independent (fun x => p (x - a)%Z) r)
    (independent (fun x => p (x - (a - Z.abs d'))%Z) r')).
  { assert (C : log_concave (fun x => p (x - a)%Z)).
    { destruct Concave as (P & C). split; intros z; [apply P |].
      specialize (C (z - a)%Z). replace (z - a - 1)%Z with (z - 1 - a)%Z in C by lia.
      now replace (z - a + 1)%Z with (z + 1 - a)%Z in C by lia. }
    pose proof (larger_difference_is_worse eps delta _ (Z.abs d) (Z.abs d') r r' (SH a) LR LR' C
      ltac:(lia)) as L.
    eapply indistinguishable_ext; [| | apply L; eapply indistinguishable_ext; [| | exact N]];
      intros (x, b); unfold independent; simpl; trivial; do 2 f_equal; lia. }
  destruct (Z.abs_eq_or_opp d') as [E | E]; rewrite E in N'.
  - replace (a + d')%Z with (a - - d')%Z by lia. apply sign_of_difference; trivial.
  - now replace (a - - d')%Z with (a + d')%Z in N' by lia.
Qed.

(** A vector beside anything independent of it: one number after the other. *)
Lemma box_beside q v w : Forall2 (fun a b => (Z.abs a <= Z.abs b)%Z) v w -> length q = length w ->
  forall B (r r' : B -> R), distribution r -> distribution r' ->
  indistinguishable eps delta (independent r (plus_noise p q))
    (independent r' (plus_noise p (vector_sum q w))) ->
  indistinguishable eps delta (independent r (plus_noise p q))
    (independent r' (plus_noise p (vector_sum q v))).
Proof.
  intros F; revert q. induction F as [| d' d v w D F IH]; intros [| a q]; try easy; intros L B r r'
    LR LR' H. injection L as L. cbn [vector_sum combine map fst snd] in *.
  fold (vector_sum q v) (vector_sum q w) in *. pose proof (distribution_plus_noise p) as PN.
  (* (b, y1 :: y) as (y1, (b, y)) and as ((y1, b), y) *)
  set (k := fun z : Z * (B * list Z) => (fst (snd z), fst z :: snd (snd z))).
  set (h := fun z : B * list Z => match snd z with
    | y :: l => (y, (fst z, l)) | [] => (0%Z, (fst z, [])) end).
  assert (X : forall x (s : B -> R), distribution s -> forall u,
    distribution (independent (fun y => p (y - x)%Z) (independent s (plus_noise p u)))).
  { intros; repeat apply distribution_pair; auto. }
  (* nothing has weight but vectors with a first number *)
  assert (IM : forall x (s : B -> R) u, distribution s ->
    image k (independent (fun y => p (y - x)%Z) (independent s (plus_noise p u)))
      (independent s (plus_noise p (x :: u)))).
  { intros x s u LS (b, y). pose proof (distribution_ge0 _ (X x s LS u)) as P0.
    destruct y as [| y l].
    - replace (independent s (plus_noise p (x :: u)) (b, [])) with 0
        by (unfold independent; simpl; ring).
      apply sums_to_zero. now intros (z, (b', l)) [=].
    - apply (sums_to_single _ _ (y, (b, l))); trivial.
      + unfold independent; simpl; ring.
      + intros (z, (b', l')) [= -> -> ->] N. now elim N. }
  assert (IH' : forall x (s : B -> R) u, distribution s ->
    image h (independent s (plus_noise p (x :: u)))
      (independent (fun y => p (y - x)%Z) (independent s (plus_noise p u)))).
  { intros x s u LS (y, (b, l)).
    apply (sums_to_single _ _ (b, y :: l)).
    - apply (distribution_ge0 _ (distribution_pair _ _ LS (PN _ LP))).
    - unfold independent; simpl; ring.
    - easy.
    - intros (b', [| y' l']); unfold h; simpl.
      + intros [= <- <- <-] _. unfold independent; simpl; ring.
      + intros [= -> -> ->] N. now elim N. }
  refine (post_processing eps delta k _ _ _ _ (X a r LR q) (X (a + d')%Z r' LR' _)
    (IM _ _ _ LR) (IM _ _ _ LR') _).
  (* the first number *)
  apply (smaller_difference a d d'); trivial; try (apply distribution_pair; auto).
  (* the others, beside the pair of r and the first number *)
  set (g := fun z : Z * (B * list Z) => ((fst z, fst (snd z)), snd (snd z))).
  set (g' := fun z : (Z * B) * list Z => (fst (fst z), (snd (fst z), snd z))).
  assert (GG : forall z, g' (g z) = z) by now intros (x, (b, l)).
  assert (GG' : forall z, g (g' z) = z) by now intros ((x, b), l).
  set (s := independent (fun y => p (y - a)%Z) r).
  set (s' := independent (fun y => p (y - (a + d))%Z) r').
  assert (LS : distribution s) by (apply distribution_pair; auto).
  assert (LS' : distribution s') by (apply distribution_pair; auto).
  apply indistinguishable_ext with (p := fun z => independent s (plus_noise p q) (g z))
    (q := fun z => independent s' (plus_noise p (vector_sum q v)) (g z)).
  1, 2: intros (x, (b, l)); unfold s, s', independent; simpl; ring.
  apply (indistinguishable_relabel eps delta g' g); trivial; try (apply distribution_pair; auto).
  apply IH; trivial.
  apply indistinguishable_ext with
    (p := fun z => independent (fun y => p (y - a)%Z) (independent r (plus_noise p q)) (g' z))
    (q := fun z => independent (fun y => p (y - (a + d))%Z)
      (independent r' (plus_noise p (vector_sum q w))) (g' z)).
  1, 2: intros ((x, b), l); unfold s, s', independent; simpl; ring.
  apply (indistinguishable_relabel eps delta g g'); auto.
  refine (post_processing eps delta h _ _ _ _ _ _ (IH' _ _ _ LR) (IH' _ _ _ LR') H);
    apply distribution_pair; auto.
Qed.

(** If the release is (eps, delta)-indistinguishable where the difference is w, it is so wherever no
    number changes by more than in w. *)
Theorem worst_case_difference q v w : Forall2 (fun a b => (Z.abs a <= Z.abs b)%Z) v w ->
  length q = length w ->
  indistinguishable eps delta (plus_noise p q) (plus_noise p (vector_sum q w)) ->
  indistinguishable eps delta (plus_noise p q) (plus_noise p (vector_sum q v)).
Proof.
  intros F L H. assert (U : distribution (fun _ : unit => 1)).
  { apply (distribution_finite _ [tt]); simpl; try lra; intros; try lra.
    - constructor; [easy | constructor].
    - destruct x; tauto. }
  pose proof (distribution_plus_noise p) as PN.
  set (h := fun y : list Z => (tt, y)). set (k := fun z : unit * list Z => snd z).
  assert (HK : forall z, h (k z) = z) by now intros ([], y).
  apply indistinguishable_ext with
    (p := fun y => independent (fun _ => 1) (plus_noise p q) (h y))
    (q := fun y => independent (fun _ => 1) (plus_noise p (vector_sum q v)) (h y)).
  1, 2: intros y; unfold independent, h; simpl; ring.
  apply (indistinguishable_relabel eps delta k h); try (apply distribution_pair; auto); trivial.
  apply (box_beside q v w); trivial.
  apply indistinguishable_ext with (p := fun z => plus_noise p q (k z))
    (q := fun z => plus_noise p (vector_sum q w) (k z)).
  1, 2: intros ([], y); unfold independent, k; simpl; ring.
  apply (indistinguishable_relabel eps delta h k); auto.
Qed.
End Box.
