(** Vectors with noise on every number, and their reduction modulo p. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions
  PostProcessing Indistinguishable.
Import ListNotations.
Open Scope R_scope.

Lemma distribution_shift p (a : Z) : distribution p -> distribution (fun b => p (b - a)%Z).
Proof.
  intros LP. apply (distribution_relabel p _ (fun z => (z + a)%Z) (fun b => (b - a)%Z)); trivial;
    intros; try (f_equal; lia); try lia.
  apply (distribution_ge0 _ LP).
Qed.

Lemma plus_noise_ge0 p q y : (forall z, 0 <= p z) -> 0 <= plus_noise p q y.
Proof. intros P; revert y; induction q as [| a q IH]; intros [| b y]; simpl; try lra.
now apply Rmult_le_pos. Qed.

Lemma distribution_plus_noise p q : distribution p -> distribution (plus_noise p q).
Proof.
  intros LP. induction q as [| a q IH].
  - split; [intros; apply plus_noise_ge0, (distribution_ge0 _ LP) |].
    apply (sums_to_single _ _ []); try easy;
      [intros; apply plus_noise_ge0, (distribution_ge0 _ LP) | now intros [| b y]].
  - apply (distribution_relabel (independent (fun b => p (b - a)%Z) (plus_noise p q)) _
      (fun z => fst z :: snd z)
       (fun y => match y with b :: y => (b, y) | [] => (0%Z, []) end)).
    + apply distribution_pair; trivial. now apply distribution_shift.
    + now intros (b, y).
    + easy.
    + intros; apply plus_noise_ge0, (distribution_ge0 _ LP).
    + intros [| b y]; simpl; [intros N; now elim N | easy].
Qed.

Lemma plus_noise_length p q y : plus_noise p q y <> 0 -> length y = length q.
Proof.
  revert y; induction q as [| a q IH]; intros [| b y]; simpl; intros N; try easy; try (now elim N).
  f_equal; apply IH. intros Z; apply N; rewrite Z; ring.
Qed.

Lemma plus_noise_is_sum p q : distribution p ->
  image (fun z => map (fun c => (fst c + snd c)%Z) (combine q z)) (noise p (length q))
    (plus_noise p q).
Proof.
  intros LP y. pose proof (distribution_ge0 _ LP) as P.
  destruct (Nat.eq_dec (length y) (length q)) as [L | L].
  - set (z := map (fun c => (snd c - fst c)%Z) (combine q y)).
    apply (sums_to_single _ _ z); [intros; apply plus_noise_ge0, P | | intros _ |]; unfold z;
      clear z; revert y L; unfold noise.
    + induction q as [| a q IH]; intros [| b y]; simpl; try easy; intros L.
      rewrite <- (IH y) by lia. f_equal. f_equal; lia.
    + induction q as [| a q IH]; intros [| b y]; simpl; try easy; intros L.
      f_equal; [lia | apply IH; lia].
    + induction q as [| a q IH]; intros [| b y]; simpl; try easy; intros L [| c z]; simpl; try easy.
      intros [= <- E] N. rewrite (IH y ltac:(lia) z E); [ring |]. intros Z; apply N. rewrite <- Z.
      f_equal. lia.
  - replace (plus_noise p q y) with 0.
    + apply sums_to_zero. intros z <-. apply NNPP; intros N. apply L. apply plus_noise_length in N.
      rewrite repeat_length in N. rewrite map_length, combine_length; lia.
    + apply NNPP; intros N. apply L. apply (plus_noise_length p). auto.
Qed.

(** Reducing and adding in the field is adding and reducing. *)
Lemma add_modulo_sum p q z : add_modulo p (modulo p q) (modulo p z) =
  modulo p (map (fun c => (fst c + snd c)%Z) (combine q z)).
Proof.
  revert z; induction q as [| a q IH]; intros [| b z]; try easy.
  unfold add_modulo, modulo in *; simpl. rewrite IH. f_equal. now rewrite <- Zplus_mod.
Qed.

Lemma prio3_release_modulo p d q M : distribution d -> prio3_release p d q M ->
  image (modulo p) (plus_noise d q) M.
Proof.
  intros LD I. eapply image_after; [| apply plus_noise_is_sum, LD |].
  - now apply distribution_plus_noise.
  - intros y. eapply sums_to_ext; [| apply I]. intros z; cbv beta; now rewrite add_modulo_sum.
Qed.

(** What holds of the integers with noise holds of the field elements that Prio3 releases. *)
Lemma prio3_release_indistinguishable eps delta p d q q' M M' : distribution d ->
  indistinguishable eps delta (plus_noise d q) (plus_noise d q') ->
  prio3_release p d q M -> prio3_release p d q' M' -> indistinguishable eps delta M M'.
Proof.
  intros LD H I I'. refine (post_processing eps delta (modulo p) _ _ _ _ _ _ _ _ H);
    now apply distribution_plus_noise || now apply prio3_release_modulo.
Qed.

(** A vector from its first number and the others. *)
Lemma image_cons d a q : distribution d ->
  image (fun z => fst z :: snd z) (independent (fun b => d (b - a)%Z) (plus_noise d q))
    (plus_noise d (a :: q)).
Proof.
  intros LD y. pose proof (distribution_ge0 _ LD) as P. destruct y as [| b y].
  - now apply sums_to_zero.
  - apply (sums_to_single _ _ (b, y)); try easy.
    + intros; apply Rmult_le_pos; [apply P | now apply plus_noise_ge0].
    + intros (b', y') [= -> ->]; easy.
Qed.
