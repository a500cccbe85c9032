(** Discrete Laplace noise of scale GS/eps is eps-differentially private for every difference of L1
    norm at most GS, in any dimension, and remains so modulo p: Theorem 4 of Cook, "Differential
    Privacy Mechanism for Prio3 and PureDpDiscreteLaplace" (2024); section 5 of docs/calibration.md
    of dp-calibration. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions Integers
  Indistinguishable NoiseVectors.
Import ListNotations.
Open Scope R_scope.

Lemma laplace_pos t z : 0 < t -> 0 < laplace t z.
Proof.
  intros T. pose proof (exp_gt_1 (1 / t) ltac:(apply Rdiv_lt_0_compat; lra)).
  unfold laplace. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | apply exp_pos].
Qed.

Lemma distribution_laplace t : 0 < t -> distribution (laplace t).
Proof.
  intros T. pose proof (exp_gt_1 (1 / t) ltac:(apply Rdiv_lt_0_compat; lra)) as E.
  set (e := exp (1 / t)) in *. set (r := / e).
  assert (R0 : 0 < r < 1). { unfold r; split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1.
  apply Rinv_lt_contravar; lra. }
  assert (P : forall n, exp (- IZR (Z.of_nat n) / t) = r ^ n).
  { induction n; [simpl; rewrite Ropp_0; unfold Rdiv; rewrite Rmult_0_l; apply exp_0 |].
    rewrite Nat2Z.inj_succ, succ_IZR.
    replace (- (IZR (Z.of_nat n) + 1) / t) with (- (1 / t) + - IZR (Z.of_nat n) / t).
    2: field; lra. rewrite exp_plus, IHn, exp_Ropp; easy. }
  assert (S : forall n, sum (laplace t) (ball n) = 1 - 2 / (1 + r) * r ^ (n + 1)).
  { assert (C : (e - 1) / (e + 1) = (1 - r) / (1 + r)) by (unfold r; field; lra).
    induction n; cbn [ball sum].
    - unfold laplace; fold e. change (Z.abs 0) with (Z.of_nat 0). rewrite C, (P O). simpl.
      field; lra.
    - rewrite IHn. unfold laplace; fold e. rewrite Z.abs_opp, Z.abs_eq, C, P by lia.
      replace (Datatypes.S n + 1)%nat with (Datatypes.S (Datatypes.S n)) by lia.
      replace (n + 1)%nat with (Datatypes.S n) by lia. simpl. field; lra. }
  split; [intros; left; now apply laplace_pos |]. apply sums_to_balls.
  - intros; left; now apply laplace_pos.
  - intros n; rewrite S. assert (0 <= 2 / (1 + r) * r ^ (n + 1)); [| lra].
    apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra | apply pow_le; lra].
  - intros d D. destruct (pow_lt_1_zero r ltac:(rewrite Rabs_right; lra) (d / 2) ltac:(lra)) as
      (n & N).
    exists n. rewrite S. specialize (N (n + 1)%nat ltac:(lia)). rewrite Rabs_right in N.
    2: apply Rle_ge, pow_le; lra. assert (0 <= r ^ (n + 1)) by (apply pow_le; lra).
    assert (2 / (1 + r) * r ^ (n + 1) < d); [| lra].
    apply Rle_lt_trans with (2 * r ^ (n + 1)); [| lra]. apply Rmult_le_compat_r; trivial.
    apply Rmult_le_reg_r with (1 + r); [lra |]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma laplace_shift t a b y : 0 < t -> laplace t (y - a)
  <= exp (IZR (Z.abs (a - b)) / t) * laplace t (y - b).
Proof.
  intros T. unfold laplace. pose proof (exp_gt_1 (1 / t) ltac:(apply Rdiv_lt_0_compat; lra)).
  set (c := (exp (1 / t) - 1) / (exp (1 / t) + 1)). assert (0 < c) by (apply Rdiv_lt_0_compat; lra).
  rewrite (Rmult_comm c), (Rmult_comm c), <- Rmult_assoc, <- exp_plus. apply Rmult_le_compat_r;
    [lra |].
  assert (H1 : - IZR (Z.abs (y - a)) / t <= IZR (Z.abs (a - b)) / t + - IZR (Z.abs (y - b)) / t).
  { unfold Rdiv. rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r;
      [left; now apply Rinv_0_lt_compat |].
    rewrite <- !opp_IZR, <- plus_IZR. apply IZR_le. lia. }
  destruct H1 as [H1 | ->]; [left; now apply exp_increasing | lra].
Qed.

Lemma laplace_pointwise t q q' y : 0 < t -> length q = length q' ->
  plus_noise (laplace t) q y <= exp (l1_distance q q' / t) * plus_noise (laplace t) q' y.
Proof.
  intros T; revert q' y; induction q as [| a q IH]; intros [| b q'] [| c y]; simpl; try easy;
    intros L;
    try (rewrite ?Rmult_0_r; lra).
  - unfold Rdiv; rewrite Rmult_0_l, exp_0; lra.
  - unfold Rdiv; rewrite Rmult_plus_distr_r, exp_plus.
    fold (Rdiv (l1_distance q q') t) (Rdiv (IZR (Z.abs (a - b))) t).
    pose proof (IH q' y ltac:(lia)). pose proof (laplace_shift t a b c T).
    pose proof (laplace_pos t (c - a) T).
    pose proof (plus_noise_ge0 (laplace t) q y (fun z => Rlt_le _ _ (laplace_pos t z T))).
    replace (exp (IZR (Z.abs (a - b)) / t) * exp (l1_distance q q' / t) *
      (laplace t (c - b) * plus_noise (laplace t) q' y)) with
      ((exp (IZR (Z.abs (a - b)) / t) * laplace t (c - b)) *
        (exp (l1_distance q q' / t) * plus_noise (laplace t) q' y)) by ring.
    apply Rmult_le_compat; lra.
Qed.

Theorem laplace_mechanism eps gs q q' : 0 < eps -> 0 < gs -> length q = length q' ->
  l1_distance q q' <= gs ->
  indistinguishable eps 0 (plus_noise (laplace (gs / eps)) q) (plus_noise (laplace (gs / eps)) q').
Proof.
  intros E G L D. assert (T : 0 < gs / eps) by now apply Rdiv_lt_0_compat.
  apply indistinguishable_pointwise; intros y.
  apply Rle_trans with (exp (l1_distance q q' / (gs / eps)) * plus_noise (laplace (gs / eps)) q' y);
    [now apply laplace_pointwise |].
  apply Rmult_le_compat_r; [apply plus_noise_ge0; intros; left; now apply laplace_pos |].
  assert (l1_distance q q' / (gs / eps) <= eps).
  { replace (l1_distance q q' / (gs / eps)) with (l1_distance q q' * (eps / gs)) by (field; lra).
    replace eps with (gs * (eps / gs)) at 2 by (field; lra). apply Rmult_le_compat_r; [| easy].
    left; now apply Rdiv_lt_0_compat. }
  destruct H as [H | ->]; [left; now apply exp_increasing | lra].
Qed.

(** Theorem 4 of the note: pi(q) + pi(Z), Z of scale GS/eps, is eps-differentially private. *)
Theorem cook_theorem_4 p eps gs q q' M M' : 0 < eps -> 0 < gs ->
  length q = length q' -> l1_distance q q' <= gs ->
  prio3_release p (laplace (gs / eps)) q M -> prio3_release p (laplace (gs / eps)) q' M' ->
  indistinguishable eps 0 M M'.
Proof.
  intros E G L D. apply prio3_release_indistinguishable.
  - now apply distribution_laplace, Rdiv_lt_0_compat.
  - now apply laplace_mechanism.
Qed.
