(** Several numbers change: the privacy losses of the numbers add up, and delta(eps) is bounded by a
    table of lower bounds on the probabilities of all losses on one lattice. What is missing to 1
    counts as an infinite loss ("Bounds" in docs/verification.md of dp-check; loss_table.rs). This
    covers all coordinates of a result, and several releases chosen in advance, with one noise. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions
  HockeyStick NoiseVectors.
Import ListNotations.
Open Scope R_scope.

(** ** Tables *)

(** The table as a function of all integers. *)
Definition entry (lo : Z) (T : list R) (z : Z) : R :=
  if Z.leb lo z then nth (Z.to_nat (z - lo)) T 0 else 0.

Lemma entry_range q lo T z : (forall z, 0 <= q z) -> table_below q lo T -> 0 <= entry lo T z <= q z.
Proof.
  intros Q (F & B). unfold entry. destruct (Z.leb_spec lo z) as [L | L]; [| split; [lra | apply Q]].
  destruct (Nat.lt_ge_cases (Z.to_nat (z - lo)) (length T)) as [I | I].
  - split.
    + rewrite Forall_forall in F. apply F, nth_In, I.
    + specialize (B _ I). rewrite Z2Nat.id in B by lia. now replace (lo + (z - lo))%Z with z in
        B by lia.
  - rewrite nth_overflow by trivial. split; [lra | apply Q].
Qed.

(** The places of the table. *)
Definition window (lo : Z) (T : list R) := map (fun n => lo + Z.of_nat n)%Z (seq 0 (length T)).

Lemma NoDup_window lo T : NoDup (window lo T).
Proof. apply Injective_map_NoDup; [intros x y; lia | apply seq_NoDup]. Qed.

Lemma sum_window lo T (f : Z -> R) :
  sum (fun z => entry lo T z * f z) (window lo T) =
  sum (fun n => nth n T 0 * f (lo + Z.of_nat n)%Z) (seq 0 (length T)).
Proof.
  unfold window. rewrite sum_map. apply sum_ext. intros n _. unfold entry.
  destruct (Z.leb_spec lo (lo + Z.of_nat n)); [| lia].
  now replace (Z.to_nat (lo + Z.of_nat n - lo)) with n by lia.
Qed.

Lemma entry_outside lo T z : ~ In z (window lo T) -> entry lo T z = 0.
Proof.
  intros N. unfold entry. destruct (Z.leb_spec lo z); trivial. apply nth_overflow.
  apply Nat.nlt_ge. intros I. apply N, in_map_iff. exists (Z.to_nat (z - lo)). rewrite in_seq. lia.
Qed.

(** The mean of 0 <= f <= 1: what the table does not have counts fully. *)
Theorem table_mean q lo T f l : distribution q -> table_below q lo T -> (forall z, 0 <= f z <= 1) ->
  NoDup l -> sum (fun z => q z * f z) l <=
    sum (fun n => nth n T 0 * f (lo + Z.of_nat n)%Z) (seq 0 (length T))
    + (1 - sum (fun t => t) T).
Proof.
  intros LQ B F D. pose proof (distribution_ge0 _ LQ) as Q.
  pose proof (fun z => entry_range q lo T z Q B) as E. set (t := entry lo T) in *.
  destruct (as_set (l ++ window lo T)) as (m & M & I & _).
  apply Rle_trans with (sum (fun z => t z * f z + (q z - t z)) m).
  - apply Rle_trans with (sum (fun z => q z * f z) m).
    + apply sum_incl; trivial; [| intros z Y; apply I, in_or_app; auto].
      intros z. apply Rmult_le_pos; [apply Q | apply F].
    + apply sum_le. intros z _. specialize (E z). specialize (F z). nra.
  - rewrite sum_plus.
    (* nothing of the table is outside of its window *)
    assert (S : forall g : Z -> R, (forall z, 0 <= g z) ->
      sum (fun z => t z * g z) m = sum (fun z => t z * g z) (window lo T)).
    { intros g G. assert (P : forall z, 0 <= t z * g z).
      { intros z. apply Rmult_le_pos; [apply E | apply G]. }
      apply Rle_antisym.
      - rewrite (sum_filter _ (fun z => if in_dec Z.eq_dec z (window lo T) then true else false)).
        rewrite (sum_ext _ (fun _ => 0 * 0) (filter (fun z => negb _) m)), sum_scale.
        + assert (sum (fun z => t z * g z) (filter (fun z =>
            if in_dec Z.eq_dec z (window lo T) then true else false) m)
            <= sum (fun z => t z * g z) (window lo T)); [| lra].
          apply sum_incl; trivial; [now apply NoDup_filter |]. intros z J.
          apply filter_In in J as (_ & J). now destruct (in_dec _ _ _).
        + intros z J. apply filter_In in J as (_ & J). destruct (in_dec _ _ _); [easy |].
          unfold t. rewrite entry_outside by trivial. ring.
      - apply sum_incl; trivial; [apply NoDup_window |]. intros z Y; apply I, in_or_app; auto. }
    rewrite (S f) by apply F. unfold t at 1. rewrite sum_window.
    rewrite (sum_ext (fun z => q z - t z) (fun z => q z + -1 * (t z * 1))) by (intros; ring).
    rewrite sum_plus, sum_scale, (S (fun _ => 1)) by (intros; lra). unfold t. rewrite sum_window.
    pose proof (distribution_sum q m LQ M).
    assert (X : sum (fun n => nth n T 0 * 1) (seq 0 (length T)) = sum (fun t => t) T).
    { clear. induction T as [| a T IH]; [easy |]. cbn [length seq sum nth].
      rewrite <- seq_shift, sum_map. cbn [nth]. rewrite IH. ring. }
    lra.
Qed.

(** ** Sums of independent losses *)

Lemma nth_add n T U : nth n (add_lists T U) 0 = nth n T 0 + nth n U 0.
Proof.
  revert n U; induction T as [| a T IH]; intros n U; [destruct n; simpl; ring |].
  destruct U as [| b U]; [destruct n; simpl; ring |]. destruct n; simpl; [ring | apply IH].
Qed.

Lemma nth_scaled n a U : nth n (map (fun b => a * b) U) 0 = a * nth n U 0.
Proof. revert n; induction U as [| b U IH]; intros [| n]; simpl; try ring. apply IH. Qed.

Lemma nth_convolve n T U :
  nth n (convolve T U) 0 = sum (fun i => nth i T 0 * nth (n - i) U 0) (seq 0 (S n)).
Proof.
  revert n; induction T as [| a T IH]; intros n.
  - simpl convolve. rewrite (sum_ext _ (fun _ => 0 * 0)), sum_scale.
    + destruct n; simpl; ring.
    + intros i _. destruct i; simpl; ring.
  - cbn [convolve]. rewrite nth_add, nth_scaled. cbn [seq sum nth]. rewrite Nat.sub_0_r. f_equal.
    rewrite <- seq_shift, sum_map. cbn [nth]. destruct n as [| n]; [easy |].
    cbn [nth]. rewrite IH. apply sum_ext. easy.
Qed.

Lemma convolve_ge0 T U : Forall (fun t => 0 <= t) T -> Forall (fun t => 0 <= t) U ->
  Forall (fun t => 0 <= t) (convolve T U).
Proof.
  intros FT FU. induction FT as [| a T A FT IH]; [constructor |]. cbn [convolve].
  assert (X : forall V W, Forall (fun t => 0 <= t) V -> Forall (fun t => 0 <= t) W ->
    Forall (fun t => 0 <= t) (add_lists V W)).
  { intros V W HV. revert W. induction HV as [| v V V0 HV IHV]; intros W HW; [easy |].
    destruct HW; simpl; constructor; trivial; [lra | now apply IHV]. }
  apply X.
  - clear - A FU. induction FU; simpl; constructor; trivial. now apply Rmult_le_pos.
  - constructor; [lra | exact IH].
Qed.

Lemma nth_ge0 n T : Forall (fun t => 0 <= t) T -> 0 <= nth n T 0.
Proof. intros F. revert n. induction F; intros [| n]; simpl; trivial; lra. Qed.

(** q is the distribution of the sum of independent integers, distributed as q1 and as q2. *)
Theorem convolve_below q1 q2 q lo1 lo2 T U : distribution q1 -> distribution q2 ->
  image (fun z => fst z + snd z)%Z (independent q1 q2) q ->
  table_below q1 lo1 T -> table_below q2 lo2 U -> table_below q (lo1 + lo2) (convolve T U).
Proof.
  intros L1 L2 I B1 B2. split; [apply convolve_ge0; [apply B1 | apply B2] |]. intros n _.
  rewrite nth_convolve. pose proof (distribution_ge0 _ L1) as Q1.
  pose proof (distribution_ge0 _ L2) as Q2.
  (* the pairs of entries that make the sum *)
  set (h := fun i => (lo1 + Z.of_nat i, lo2 + Z.of_nat (n - i))%Z).
  apply Rle_trans with (sum (independent q1 q2) (map h (seq 0 (S n)))).
  - rewrite sum_map. apply sum_le. intros i _. unfold independent, h; cbn [fst snd].
    assert (E : forall q lo T k, (forall z, 0 <= q z) -> table_below q lo T ->
      nth k T 0 <= q (lo + Z.of_nat k)%Z).
    { intros q' lo T' k Q' (_ & B). destruct (Nat.lt_ge_cases k (length T')); [now apply B |].
      rewrite nth_overflow by trivial. apply Q'. }
    apply Rmult_le_compat; try (apply nth_ge0; apply B1 || apply B2); now apply E.
  - apply (sums_to_bound _ _ _ _ (I _)).
    + apply Injective_map_NoDup; [| apply seq_NoDup]. intros i j [=]; lia.
    + apply Forall_forall. intros z J. apply in_map_iff in J as (i & <- & J). apply in_seq in J.
      unfold h; cbn [fst snd]. lia.
Qed.

(** Smaller entries are bounds as well. *)
Lemma table_below_smaller q lo T U : (forall z, 0 <= q z) -> Forall2 (fun u t => 0 <= u <= t) U T ->
  table_below q lo T -> table_below q lo U.
Proof.
  intros Q F (_ & B). split.
  - clear B. induction F; constructor; trivial; lra.
  - intros n L.
    assert (E : length U = length T) by (clear - F; induction F; simpl; congruence).
    rewrite E in L. apply Rle_trans with (nth n T 0); [| now apply B].
    clear B E. revert n L. induction F as [| u t U T H F IH]; intros n L; simpl in L; [lia |].
    destruct n; simpl; [lra | apply IH; lia].
Qed.

(** ** The losses of a vector *)

(** Every number changes by d, and its loss is base + step * L x on the noise x. *)
Section Vector.
Variables (p : Z -> R) (d : Z) (L : Z -> Z) (base step eps : R).
Hypothesis LP : distribution p.
Hypothesis Positive : forall x, 0 < p x.
Hypothesis Loss : forall x, p x = exp (base + step * IZR (L x)) * p (x + d)%Z.

Lemma vector_loss k y : length y = k -> noise p k y =
  exp (loss_of base step k (total_loss L y)) * plus_noise p (repeat (- d)%Z k) y.
Proof.
  revert y; induction k as [| k IH]; intros [| x y]; simpl length; try easy; intros K.
  - unfold noise, loss_of; simpl. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r, exp_0. lra.
  - unfold noise in *. simpl repeat. simpl plus_noise. rewrite (IH y) by lia.
    rewrite Z.sub_0_r, Loss. replace (x - - d)%Z with (x + d)%Z by lia.
    replace (loss_of base step (S k) (total_loss L (x :: y))) with
      (base + step * IZR (L x) + loss_of base step k (total_loss L y)).
    + rewrite (exp_plus (base + step * IZR (L x))). ring.
    + unfold loss_of. simpl total_loss. rewrite plus_IZR, S_INR. ring.
Qed.

Lemma vector_excess k y : excess eps (noise p k) (plus_noise p (repeat (- d)%Z k)) y =
  noise p k y * lost base step eps k (total_loss L y).
Proof.
  unfold excess. destruct (Nat.eq_dec (length y) k) as [K | K].
  - pose proof (vector_loss k y K) as V. set (e := loss_of base step k (total_loss L y)) in *.
    assert (N : 0 <= noise p k y) by (apply plus_noise_ge0, (distribution_ge0 _ LP)).
    assert (Q : plus_noise p (repeat (- d)%Z k) y = exp (- e) * noise p k y).
    { rewrite V, <- Rmult_assoc, <- exp_plus. replace (- e + e) with 0 by ring. rewrite exp_0. ring.
      }
    rewrite Q. unfold lost. fold e. rewrite <- RmaxRmult, Rmult_0_r by trivial. f_equal.
    unfold Rminus at 2 3. rewrite exp_plus. ring.
  - assert (Z0 : forall q, length q = k -> plus_noise p q y = 0).
    { intros q E. destruct (Req_dec (plus_noise p q y) 0) as [| N]; trivial.
      apply plus_noise_length in N. lia. }
    unfold noise. rewrite !Z0 by apply repeat_length. rewrite Rmult_0_r, Rmult_0_l. apply Rmax_left.
    lra.
Qed.

(** delta(eps) where all numbers change by d (the noise moves by -d) is at most this sum. *)
Theorem vector_delta k q lo T delta : image (total_loss L) (noise p k) q -> table_below q lo T ->
  sum (fun n => nth n T 0 * lost base step eps k (lo + Z.of_nat n)) (seq 0 (length T))
    + (1 - sum (fun t => t) T) <= delta ->
  indistinguishable eps delta (noise p k) (plus_noise p (repeat (- d)%Z k)).
Proof.
  intros I B D. assert (LN : distribution (noise p k)) by (apply distribution_plus_noise, LP).
  assert (F : forall j, 0 <= lost base step eps k j <= 1).
  { intros j. unfold lost. split; [apply Rmax_l |]. apply Rmax_lub; [lra |].
    pose proof (exp_pos (eps - loss_of base step k j)). lra. }
  assert (LQ : distribution q).
  { split; [intros z; exact (sums_to_ge0 _ _ _ (I z)) |].
    eapply image_event; [apply (distribution_ge0 _ LN) | exact I |]. exact (distribution_one _ LN).
    }
  (* the sum over vectors is one over losses *)
  set (g := fun y => lost base step eps k (total_loss L y) * noise p k y).
  assert (G : forall y, 0 <= g y).
  { intros y. apply Rmult_le_pos; [apply F | apply (distribution_ge0 _ LN)]. }
  apply hockey_stick_suffices. intros l N. rewrite (sum_ext _ g).
  2: { intros y _. rewrite vector_excess. apply Rmult_comm. }
  destruct (sums_to_exists g everything 1) as (v & V & _).
  { intros m M _. apply Rle_trans with (sum (noise p k) m); [| now apply distribution_sum].
    apply sum_le. intros y _. unfold g. specialize (F (total_loss L y)).
    pose proof (distribution_ge0 _ LN y). nra. }
  apply Rle_trans with v; [apply (sums_to_bound _ _ _ _ V N); auto |].
  assert (W : sums_to (fun j => lost base step eps k j * q j) everything v).
  { apply (image_event (total_loss L) g _ everything); trivial. intros j.
    apply (sums_to_eq (fun y => lost base step eps k j * noise p k y)); [now intros y <- |].
    apply sums_to_scale; [apply F | apply I]. }
  apply W. intros x (m & M & _ & ->). apply Rle_trans with (2 := D).
  rewrite (sum_ext _ (fun j => q j * lost base step eps k j)) by (intros; ring).
  now apply table_mean.
Qed.

(** The loss of one more number. *)
Theorem one_more_number k q1 q q' lo1 lo T U : image L p q1 -> image (total_loss L) (noise p k) q ->
  image (total_loss L) (noise p (S k)) q' -> table_below q1 lo1 T -> table_below q lo U ->
  table_below q' (lo1 + lo) (convolve T U).
Proof.
  intros I1 I I' B1 B. assert (LN : distribution (noise p k))
    by (apply distribution_plus_noise, LP).
  assert (LQ : forall A (h : A -> Z) r s, distribution r -> image h r s -> distribution s).
  { intros A h r s R0 J. split; [intros z; exact (sums_to_ge0 _ _ _ (J z)) |].
    eapply image_event; [apply (distribution_ge0 _ R0) | exact J |]. exact (distribution_one _ R0).
    }
  pose proof (LQ _ _ _ _ LP I1) as L1. pose proof (LQ _ _ _ _ LN I) as L0.
  refine (convolve_below q1 q q' lo1 lo T U L1 L0 _ B1 B). intros z.
  (* P(L x + losses of y = z) for independent x, y, in two ways *)
  set (both := independent p (noise p k)).
  destruct (distribution_event both (fun w => L (fst w) + total_loss L (snd w) = z)%Z) as
    (v & V & _).
  { now apply distribution_pair. }
  replace (q' z) with v.
  - apply (image_event (fun w => (L (fst w), total_loss L (snd w))) both _
      (fun w => fst w + snd w = z)%Z); trivial.
    + apply distribution_ge0, distribution_pair; trivial.
    + intros (a, b). eapply sums_to_ext; [| apply (sums_to_independent p (noise p k)
        (fun x => L x = a) (fun y => total_loss L y = b)); try apply distribution_ge0; trivial].
      intros (x, y); simpl. split; [intros (<- & <-); easy | now intros [=]].
  - pose proof (image_cons p 0 (repeat 0%Z k) LP) as C.
    apply (sums_to_unique (noise p (S k)) (fun y => total_loss L y = z)); [| apply I'].
    apply (image_event (fun w => fst w :: snd w) (independent (fun b => p (b - 0)%Z) (noise p k)) _
      (fun y => total_loss L y = z)).
    + intros (x, y). apply Rmult_le_pos;
        [apply (distribution_ge0 _ LP) | apply (distribution_ge0 _ LN)].
    + exact C.
    + eapply sums_to_eq; [| exact V]. intros (x, y) _. unfold both, independent; cbn [fst snd].
      now rewrite Z.sub_0_r.
Qed.
End Vector.
