(** What the certificates of dp-check claim (docs/certificates.md), for the kinds that have a
    theorem: one honest aggregator, or one client. certificate.py writes a certificate as a file of
    Coq that ends in one of these. *)
From Coq Require Import Reals List Lra Lia ZArith Bool.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Privacy Rational Noise Batches Changes Randomizers
  Samplers Tables Integers NoiseVectors GaussianSums SeveralNumbers GaussianManyChecker
  LaplaceManyChecker LaplaceMechanism HistogramLaplace SumLaplace Queries Rappor Intervals
  TableChecker.
Open Scope R_scope.

Lemma s_of_positive variance : Z.ltb 0 (fst variance) = true -> 0 < s_of (real variance).
Proof.
  intros V. apply Rdiv_lt_0_compat; [lra |]. apply Rmult_lt_0_compat; [lra |].
  apply Rdiv_lt_0_compat; apply IZR_lt; [now apply Z.ltb_lt | easy].
Qed.

(** ** `gaussian` *)

Section Gaussian.
Variables (bits : positive) (n : nat).
Variables (variance epsilon delta : rational).
Let s := s_of (real variance).

(** Any query, and several releases: a result, or the results of all releases one after the other,
    of which one client changes at most k numbers by at most d each. *)
Theorem certified_gaussian_several k d u first :
  gaussian_many (F.PtoP bits) variance epsilon delta k d u n first = true ->
  forall p batches (neighbours : batches -> batches -> Prop) result c M, normalizer s c ->
  (forall b b', neighbours b b' -> changes k d (result b) (result b')) ->
  (forall b, prio3_release p (gaussian s c) (result b) (M b)) ->
  differentially_private neighbours (real epsilon) (real delta) M.
Proof.
  intros H p batches neighbours result c M T C I b b' N.
  pose proof (distribution_gaussian _ _ T) as LG.
  apply (prio3_release_indistinguishable _ _ p (gaussian s c) _ _ _ _ LG) with
    (2 := I b) (3 := I b').
  apply several_numbers with (k := k) (d := d); auto; [| apply gaussian_opp |].
  - apply gaussian_log_concave; trivial. apply s_of_positive.
    unfold gaussian_many in H. rewrite !andb_true_iff in H. tauto.
  - now apply (gaussian_many_sound _ _ _ _ _ _ _ _ _ _ H).
Qed.

Theorem certified_gaussian_histogram u first :
  gaussian_many (F.PtoP bits) variance epsilon delta 2 1 u n first = true ->
  forall p buckets c M, normalizer s c ->
  (forall batch, prio3_release p (gaussian s c) (counts buckets batch) (M batch)) ->
  differentially_private (replacement buckets) (real epsilon) (real delta) M.
Proof.
  intros H p buckets c M T.
  exact (certified_gaussian_several _ _ _ _ H p _ _ _ c M T (histogram_replacement buckets)).
Qed.

Theorem certified_gaussian_histogram_deletion u first :
  gaussian_many (F.PtoP bits) variance epsilon delta 1 1 u n first = true ->
  forall p buckets c M, normalizer s c ->
  (forall batch, prio3_release p (gaussian s c) (counts buckets batch) (M batch)) ->
  differentially_private (deletion buckets) (real epsilon) (real delta) M.
Proof.
  intros H p buckets c M T.
  exact (certified_gaussian_several _ _ _ _ H p _ _ _ c M T (histogram_deletion buckets)).
Qed.

Theorem certified_gaussian_sum max u first :
  gaussian_many (F.PtoP bits) variance epsilon delta 1 max u n first = true ->
  forall p c M, normalizer s c ->
  (forall batch, prio3_release p (gaussian s c) (cons (sum_of_batch batch) nil) (M batch)) ->
  differentially_private (replaced_number max) (real epsilon) (real delta) M.
Proof.
  intros H p c M T.
  exact (certified_gaussian_several _ _ _ _ H p _ _ _ c M T (sum_replacement max)).
Qed.
End Gaussian.

(** ** `laplace` with delta = 0: the scale is at least the sensitivity over epsilon. *)

(** sensitivity <= epsilon * scale *)
Definition laplace_scale (sensitivity : Z) (scale epsilon : rational) : bool :=
  (Z.ltb 0 (fst epsilon) && Z.ltb 0 (fst scale)
   && Z.leb (sensitivity * Zpos (snd epsilon * snd scale)) (fst epsilon * fst scale))%bool.

Lemma laplace_scale_true sensitivity scale epsilon :
  laplace_scale sensitivity scale epsilon = true ->
  0 < real epsilon /\ 0 < real scale /\ IZR sensitivity <= real epsilon * real scale.
Proof.
  unfold laplace_scale, real. rewrite !andb_true_iff. intros ((E & T) & H).
  apply Z.ltb_lt, IZR_lt in E, T. apply Z.leb_le, IZR_le in H.
  rewrite mult_IZR, Pos2Z.inj_mul, !mult_IZR in H.
  assert (P : forall q : positive, 0 < IZR (Zpos q)) by (intros; now apply IZR_lt).
  pose proof (P (snd epsilon)). pose proof (P (snd scale)).
  repeat split; try now apply Rdiv_lt_0_compat.
  apply Rmult_le_reg_r with (IZR (Zpos (snd epsilon)) * IZR (Zpos (snd scale)));
    [now apply Rmult_lt_0_compat |].
  replace (IZR (fst epsilon) / IZR (Zpos (snd epsilon)) * (IZR (fst scale) / IZR (Zpos (snd scale)))
    * (IZR (Zpos (snd epsilon)) * IZR (Zpos (snd scale)))) with
        (IZR (fst epsilon) * IZR (fst scale));
    trivial. field; lra.
Qed.

Section Laplace.
Variables (scale epsilon : rational).

Theorem certified_laplace_histogram : laplace_scale 2 scale epsilon = true ->
  forall p buckets M,
  (forall batch, prio3_release p (laplace (real scale)) (counts buckets batch) (M batch)) ->
  differentially_private (replacement buckets) (real epsilon) 0 M.
Proof.
  intros H p buckets M. destruct (laplace_scale_true _ _ _ H) as (E & T & L).
  now apply (histogram_laplace_replacement p).
Qed.

Theorem certified_laplace_histogram_deletion : laplace_scale 1 scale epsilon = true ->
  forall p buckets M,
  (forall batch, prio3_release p (laplace (real scale)) (counts buckets batch) (M batch)) ->
  differentially_private (deletion buckets) (real epsilon) 0 M.
Proof.
  intros H p buckets M. destruct (laplace_scale_true _ _ _ H) as (E & T & L).
  now apply (histogram_laplace_deletion p).
Qed.

Theorem certified_laplace_sum max : laplace_scale max scale epsilon = true ->
  forall p M,
  (forall batch,
    prio3_release p (laplace (real scale)) (cons (sum_of_batch batch) nil) (M batch)) ->
  differentially_private (replaced_number max) (real epsilon) 0 M.
Proof.
  intros H p M. destruct (laplace_scale_true _ _ _ H) as (E & T & L).
  now apply (sum_laplace p).
Qed.
End Laplace.

(** Any query, and several releases, with delta > 0. *)
Theorem certified_laplace_several bits k d u n first scale epsilon delta :
  laplace_many (F.PtoP bits) scale epsilon delta k d u n first = true ->
  forall p batches (neighbours : batches -> batches -> Prop) result M,
  (forall b b', neighbours b b' -> changes k d (result b) (result b')) ->
  (forall b, prio3_release p (laplace (real scale)) (result b) (M b)) ->
  differentially_private neighbours (real epsilon) (real delta) M.
Proof.
  intros H p batches neighbours result M C I b b' N. assert (T : 0 < real scale).
  { unfold laplace_many in H. rewrite !andb_true_iff in H. destruct H as (((V & _) & _) & _).
    apply Rdiv_lt_0_compat; apply IZR_lt; [now apply Z.ltb_lt | easy]. }
  pose proof (distribution_laplace _ T) as LP.
  apply (prio3_release_indistinguishable _ _ p (laplace (real scale)) _ _ _ _ LP) with
    (2 := I b) (3 := I b').
  apply several_numbers with (k := k) (d := d); auto.
  - now apply laplace_log_concave.
  - apply laplace_opp.
  - now apply (laplace_many_sound _ _ _ _ _ _ _ _ _ H).
Qed.

(** ** `rappor` of one client *)

(** flips * epsilon0 <= epsilon, flips the number of bits in which two measurements differ. *)
Definition rappor_epsilon (flips : nat) (epsilon0 epsilon : rational) : bool :=
  (Z.leb 0 (fst epsilon0)
   && Z.leb (Z.of_nat flips * fst epsilon0 * Zpos (snd epsilon))
     (fst epsilon * Zpos (snd epsilon0)))%bool.

Section Rappor.
Variables (flips : nat) (epsilon0 epsilon : rational).
Hypothesis Checked : rappor_epsilon flips epsilon0 epsilon = true.

(** Any bits, such as those of Prio3MultihotCountVec. *)
Theorem certified_rappor : differentially_private
  (fun x x' => length x = length x' /\ (hamming x x' <= flips)%nat) (real epsilon) 0
  (rappor (real epsilon0)).
Proof.
  intros x x' (L & H). unfold rappor_epsilon in Checked. rewrite andb_true_iff in Checked.
  destruct Checked as (E & C). apply Z.leb_le, IZR_le in E, C.
  rewrite !mult_IZR, <- INR_IZR_INZ in C. unfold real.
  assert (P : forall q : positive, 0 < IZR (Zpos q)) by (intros; now apply IZR_lt).
  pose proof (P (snd epsilon0)) as P0. pose proof (P (snd epsilon)) as P1.
  assert (E0 : 0 <= IZR (fst epsilon0) / IZR (Zpos (snd epsilon0))).
  { apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]. }
  apply rappor_at_most; trivial.
  apply Rle_trans with (IZR (fst epsilon0) / IZR (Zpos (snd epsilon0)) * INR flips).
  - apply Rmult_le_compat_l; trivial. now apply le_INR.
  - apply Rmult_le_reg_r with (IZR (Zpos (snd epsilon0)) * IZR (Zpos (snd epsilon)));
      [now apply Rmult_lt_0_compat |].
    replace (IZR (fst epsilon0) / IZR (Zpos (snd epsilon0)) * INR flips *
      (IZR (Zpos (snd epsilon0)) * IZR (Zpos (snd epsilon)))) with
      (INR flips * IZR (fst epsilon0) * IZR (Zpos (snd epsilon))) by (field; lra).
    replace (IZR (fst epsilon) / IZR (Zpos (snd epsilon)) *
      (IZR (Zpos (snd epsilon0)) * IZR (Zpos (snd epsilon)))) with
      (IZR (fst epsilon) * IZR (Zpos (snd epsilon0))) by (field; lra).
    exact C.
Qed.
End Rappor.

(** Prio3Histogram: two bits differ where a measurement is replaced, one where it is deleted. *)
Theorem certified_rappor_histogram epsilon0 epsilon : rappor_epsilon 2 epsilon0 epsilon = true ->
  forall n i j, (i < n)%nat -> (j < n)%nat -> indistinguishable (real epsilon) 0
    (rappor (real epsilon0) (one_hot_bits n i)) (rappor (real epsilon0) (one_hot_bits n j)).
Proof.
  intros C n i j I J. apply (certified_rappor 2 epsilon0 epsilon C). split.
  - unfold one_hot_bits. now rewrite !map_length.
  - now apply hamming_replacement.
Qed.

Theorem certified_rappor_histogram_deletion epsilon0 epsilon :
  rappor_epsilon 1 epsilon0 epsilon = true -> forall n i, (i < n)%nat ->
  indistinguishable (real epsilon) 0
    (rappor (real epsilon0) (one_hot_bits n i)) (rappor (real epsilon0) (no_bits n)) /\
  indistinguishable (real epsilon) 0
    (rappor (real epsilon0) (no_bits n)) (rappor (real epsilon0) (one_hot_bits n i)).
Proof.
  intros C n i I. assert (L : length (one_hot_bits n i) = length (no_bits n)).
  { unfold one_hot_bits, no_bits. now rewrite !map_length. }
  split; apply (certified_rappor 1 epsilon0 epsilon C); split; trivial; try now symmetry.
  - now rewrite hamming_deleted.
  - now rewrite hamming_sym, hamming_deleted.
Qed.

(** ** Draws: `passes` *)

Theorem certified_passes bits n b1 b2 rows variance :
  scan_of_gaussian (F.PtoP bits) variance n b1 b2 rows = true ->
  forall c, normalizer (s_of (real variance)) c ->
  let p := magnitude (s_of (real variance)) c in let passes := two_passes b1 b2 rows in
  distribution (remainder p passes) /\ (forall x, drawn passes (remainder p passes) x = p x).
Proof. intros H c. now apply (scan_of_gaussian_exact (F.PtoP bits) variance n b1 b2 rows c). Qed.
