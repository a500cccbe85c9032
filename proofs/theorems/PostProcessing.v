(** A function of what is released is as private as what is released. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Sums Distributions.
Import ListNotations.
Open Scope R_scope.

Theorem post_processing {A B} eps delta (h : A -> B) p q p' q' : distribution p -> distribution q ->
  image h p p' -> image h q q' ->
  indistinguishable eps delta p q -> indistinguishable eps delta p' q'.
Proof.
  intros LP LQ I J C E a b TA TB.
  destruct (distribution_event p (fun x => E (h x)) LP) as (v & V & _),
    (distribution_event q (fun x => E (h x)) LQ) as (w & W & _).
  rewrite (sums_to_unique _ _ _ _ TA (image_event h p p' E v (distribution_ge0 _ LP) I V)).
  rewrite (sums_to_unique _ _ _ _ TB (image_event h q q' E w (distribution_ge0 _ LQ) J W)).
  now apply (C (fun x => E (h x))).
Qed.
