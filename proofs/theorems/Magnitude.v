(** Discrete Gaussian noise is a magnitude and a fair sign, which may also be given to 0: a draw
    by words of a magnitude and a sign bit (`apply_signs` in table_scan/lanes.rs) has its
    distribution. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical.
From PrivacyProofs Require Import Probability Noise Tables FiniteSums Sums Distributions
  GaussianSums.
Import ListNotations.
Open Scope R_scope.

Lemma magnitude_image s c : normalizer s c -> image Z.abs (gaussian s c) (magnitude s c).
Proof.
  intros T x. pose proof (distribution_ge0 _ (distribution_gaussian _ _ T)) as P. unfold magnitude.
  assert (O : forall z, gaussian s c (- z) = gaussian s c z)
    by (intros; unfold gaussian; now rewrite weight_opp).
  destruct (Z.ltb_spec x 0); [| destruct (Z.eqb_spec x 0)].
  - apply sums_to_zero. intros y Y; lia.
  - subst x. apply (sums_to_single _ _ 0%Z); trivial; intros; lia.
  - split.
    + intros v (l & D & F & ->). apply Rle_trans with (sum (gaussian s c) [x; (- x)%Z]);
        [| simpl; rewrite O; lra].
      apply sum_incl; trivial. intros y Y. rewrite Forall_forall in F. specialize (F y Y).
      simpl; lia.
    + intros b U. apply U. exists [x; (- x)%Z]. split; [| split].
      * constructor; [simpl; lia | constructor; [easy | constructor]].
      * constructor; [lia | constructor; [lia | constructor]].
      * simpl. rewrite O; ring.
Qed.

Lemma distribution_magnitude s c : normalizer s c -> distribution (magnitude s c).
Proof.
  intros T. pose proof (distribution_gaussian _ _ T) as L. split.
  - intros x; exact (sums_to_ge0 _ _ _ (magnitude_image s c T x)).
  - eapply image_event; [apply (distribution_ge0 _ L) | apply magnitude_image, T |].
    exact (distribution_one _ L).
Qed.

Theorem magnitude_and_sign s c : normalizer s c ->
  image signed (independent (magnitude s c) fair) (gaussian s c).
Proof.
  intros T y. pose proof (distribution_ge0 _ (distribution_magnitude s c T)) as P.
  set (f := independent (magnitude s c) fair).
  assert (F : forall z, 0 <= f z) by (intros; apply Rmult_le_pos; [apply P | unfold fair; lra]).
  destruct (Z.eq_dec y 0) as [-> | N].
  - (* 0 with either sign *)
    replace (gaussian s c 0) with (gaussian s c 0 / 2 + gaussian s c 0 / 2) by lra.
    apply (sums_to_or f (fun z => z = (0, true)%Z) (fun z => z = (0, false)%Z)).
    + intros (x, []); unfold signed; simpl; split; intros H.
      * left; f_equal; lia.
      * destruct H as [[= ->] | [=]]; easy.
      * right; f_equal; lia.
      * destruct H as [[=] | [= ->]]; easy.
    + intros z -> [=].
    + apply (sums_to_single _ _ (0, true)%Z); try easy.
      unfold f, independent, fair, magnitude; simpl; lra.
    + apply (sums_to_single _ _ (0, false)%Z); try easy.
      unfold f, independent, fair, magnitude; simpl; lra.
  - apply (sums_to_single f _ (Z.abs y, Z.ltb y 0)); trivial.
    + unfold f, independent, fair, magnitude; cbn [fst snd].
      destruct (Z.ltb_spec (Z.abs y) 0); [lia |]. destruct (Z.eqb_spec (Z.abs y) 0); [lia |].
      destruct (Z.abs_eq_or_opp y) as [-> | ->]; rewrite ?gaussian_opp; lra.
    + intros _. unfold signed; cbn [fst snd]. destruct (Z.ltb_spec y 0); lia.
    + (* the magnitude that would be negative has no weight *)
      intros (x, b) E NE. unfold f, independent, magnitude; cbn [fst snd].
      destruct (Z.ltb_spec x 0) as [| X]; [ring |]. elim NE.
      unfold signed in E; cbn [fst snd] in E.
      destruct b, (Z.ltb_spec y 0); f_equal; lia || (exfalso; lia).
Qed.
