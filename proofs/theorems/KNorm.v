(** K-norm noise of a cube under any difference in a box is at least as private as scalar Laplace
    noise of its scale under the box's largest difference, for every eps and delta. At the corner it
    is y (1, ..., 1) + V, with y discrete Laplace noise and V independent of it. The distribution:
    discrete_k_norm.rs of dp-samplers. *)
From Coq Require Import Reals List Lra Lia ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Cube Batches FiniteSums Sums
  Distributions PostProcessing NoiseVectors Indistinguishable Integers LaplaceMechanism KNormCorner.
Import ListNotations.
Open Scope R_scope.

(** ** The largest and the smallest entry of a :: z *)

Definition high (a : Z) (z : list Z) := fold_right Z.max a z.
Definition low (a : Z) (z : list Z) := fold_right Z.min a z.

Lemma distance_ends s a z : distance (repeat s (S (length z))) (a :: z)
  = Z.max (high a z - s) (s - low a z).
Proof.
  simpl. induction z as [| b z IH]; simpl in *; lia.
Qed.

Lemma ends_shifted y a z : high (y + a) (map (Z.add y) z) = (y + high a z)%Z /\
  low (y + a) (map (Z.add y) z) = (y + low a z)%Z.
Proof. unfold high, low. induction z as [| b z (IH & IL)]; simpl; lia. Qed.

(** There is such noise, for every scale and length. *)
Theorem k_norm_exists t n : 0 < t ->
  exists c, 0 < c /\ distribution (k_norm t c (repeat 0%Z n)).
Proof.
  intros T. set (w := fun y => if Nat.eqb (length y) n
    then exp (- IZR (distance (repeat 0%Z n) y) / t) else 0).
  assert (W : forall y, 0 <= w y).
  { intros y. unfold w. destruct (Nat.eqb _ _); [left; apply exp_pos | lra]. }
  (* at most independent Laplace noise of a larger scale, but for a factor *)
  set (s := INR (S n) * t). set (l := (exp (1 / s) - 1) / (exp (1 / s) + 1)).
  assert (S0 : 0 < s) by (apply Rmult_lt_0_compat; trivial; apply lt_0_INR; lia).
  assert (L0 : 0 < l).
  { pose proof (exp_gt_1 (1 / s) ltac:(apply Rdiv_lt_0_compat; lra)). apply Rdiv_lt_0_compat; lra. }
  assert (X : forall m y D, length y = m -> (distance (repeat 0%Z m) y <= D)%Z ->
    l ^ m * exp (- (INR m * IZR D) / s) <= noise (laplace s) m y).
  { induction m as [| m IH]; intros [| b y] D; try easy; intros E DY.
    - unfold noise, Rdiv. simpl. rewrite Rmult_0_l, Ropp_0, Rmult_0_l, exp_0. lra.
    - injection E as E. simpl in DY. specialize (IH y D E ltac:(lia)). rewrite S_INR.
      replace (- ((INR m + 1) * IZR D) / s) with (- IZR D / s + - (INR m * IZR D) / s)
        by (field; lra).
      rewrite exp_plus. unfold noise in *. cbn [repeat plus_noise pow].
      apply Rle_trans with (l * exp (- IZR D / s) * (l ^ m * exp (- (INR m * IZR D) / s)));
        [right; ring |].
      apply Rmult_le_compat; trivial; try (apply Rmult_le_pos; [lra | left; apply exp_pos]).
      + apply Rmult_le_pos; [apply pow_le; lra | left; apply exp_pos].
      + unfold laplace. fold l. apply Rmult_le_compat_l; [lra |]. apply exp_le. unfold Rdiv.
        apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
        assert (IZR (Z.abs (b - 0)) <= IZR D) by (apply IZR_le; lia). lra. }
  pose proof (pow_lt l n L0) as LN. destruct (sums_to_exists w everything (/ l ^ n)) as (c & V & _).
  { intros m M _. apply Rmult_le_reg_l with (l ^ n); trivial. rewrite Rinv_r, <- sum_scale by lra.
    apply Rle_trans with (sum (noise (laplace s) n) m);
      [| apply distribution_sum; trivial; now apply distribution_plus_noise, distribution_laplace].
    apply sum_le. intros y _. unfold w. destruct (Nat.eqb_spec (length y) n) as [E | E].
    - apply Rle_trans with (2 := X n y _ E (Z.le_refl _)). apply Rmult_le_compat_l; [lra |].
      apply exp_le. set (D := distance _ _).
      assert (0 <= IZR D) by (apply IZR_le; unfold D; clear; revert y; induction n as [| n IH];
        intros [| b y]; simpl; try lia).
      unfold s, Rdiv. rewrite Rinv_mult. pose proof (pos_INR n). rewrite S_INR.
      assert (INR n * / (INR n + 1) <= 1).
      { apply Rmult_le_reg_r with (INR n + 1); [lra |]. rewrite Rmult_assoc, Rinv_l; lra. }
      assert (0 <= IZR D * / t).
      { apply Rmult_le_pos; trivial. left. now apply Rinv_0_lt_compat. }
      replace (- (INR n * IZR D) * (/ (INR n + 1) * / t)) with
        (- (INR n * / (INR n + 1)) * (IZR D * / t)) by ring.
      nra.
    - rewrite Rmult_0_r. apply plus_noise_ge0. intros. now apply Rlt_le, laplace_pos. }
  exists c. assert (C : 0 < c).
  { apply Rlt_le_trans with (sum w [repeat 0%Z n]).
    - simpl. unfold w. rewrite repeat_length, Nat.eqb_refl, Rplus_0_r. apply exp_pos.
    - apply (sums_to_bound _ _ _ _ V); trivial. constructor; [easy | constructor]. }
  split; trivial. assert (E : forall y, k_norm t c (repeat 0%Z n) y = / c * w y).
  { intros y. unfold k_norm, w. rewrite repeat_length. destruct (Nat.eqb _ _); ring. }
  split.
  - intros y. rewrite E. apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat | apply W].
  - rewrite <- (Rinv_l c) by lra. apply (sums_to_eq (fun y => / c * w y)); [easy |].
    apply sums_to_scale; [left; now apply Rinv_0_lt_compat | exact V].
Qed.

Section KNorm.
Variables (t c : R) (n : nat).
Hypothesis T : 0 < t.
Hypothesis C : 0 < c.
Let zeros := repeat 0%Z (S n).
Hypothesis Distribution : distribution (k_norm t c zeros).
Let q := exp (- 1 / t).
Let l0 := (exp (1 / t) - 1) / (exp (1 / t) + 1).

Lemma k_norm_ge0 r y : 0 <= k_norm t c r y.
Proof.
  unfold k_norm. destruct (Nat.eqb _ _); [| lra]. left.
  apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat | apply exp_pos].
Qed.

(** V: twice its middle is 0, or 1 or -1 with half of the weight. *)
Definition side (v : list Z) : R :=
  match v with
  | [] => 0
  | a :: z => if Z.eqb (high a z + low a z) 0 then 1
    else if Z.eqb (Z.abs (high a z + low a z)) 1 then / (1 + q) else 0
  end.
Definition shape (v : list Z) : R := side v * k_norm t c zeros v / l0.

Lemma l0_pos : 0 < l0.
Proof.
  pose proof (exp_gt_1 (1 / t) ltac:(apply Rdiv_lt_0_compat; lra)).
  apply Rdiv_lt_0_compat; lra.
Qed.

Lemma shape_ge0 v : 0 <= shape v.
Proof.
  pose proof l0_pos. pose proof (exp_pos (- 1 / t)) as Q. fold q in Q. unfold shape, Rdiv.
  apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
  apply Rmult_le_pos; [| apply k_norm_ge0]. destruct v as [| a z]; simpl; [lra |].
  destruct (Z.eqb _ 0); [lra |]. destruct (Z.eqb _ 1); [| lra].
  left. apply Rinv_0_lt_compat. lra.
Qed.

Definition put (z : Z * list Z) := map (Z.add (fst z)) (snd z).

(** The probability of y and V together, where V + y is a :: z. *)
Lemma together s y a z : length z = n ->
  laplace t (y - s) * shape (map (Z.add (- y)) (a :: z)) =
  side (map (Z.add (- y)) (a :: z)) * (/ c * exp
    (- IZR (Z.abs (y - s) + Z.max (high a z - y) (y - low a z)) / t)).
Proof.
  intros L. pose proof l0_pos. unfold shape, laplace. fold l0. unfold k_norm, zeros.
  rewrite map_length, repeat_length. cbn [length]. rewrite L, Nat.eqb_refl. cbn [map].
  rewrite <- L, <- (map_length (Z.add (- y)) z), distance_ends.
  destruct (ends_shifted (- y) a z) as (-> & ->).
  replace (- y + high a z - 0)%Z with (high a z - y)%Z by lia.
  replace (0 - (- y + low a z))%Z with (y - low a z)%Z by lia.
  rewrite plus_IZR. set (m := Z.max _ _). set (w := side _).
  replace (- (IZR (Z.abs (y - s)) + IZR m) / t) with (- IZR (Z.abs (y - s)) / t + - IZR m / t)
    by (field; lra).
  rewrite exp_plus. field. lra.
Qed.

(** Noise at the corner (s, ..., s) is y (1, ..., 1) + V with y around s. *)
Lemma image_corner s : image put (independent (fun y => laplace t (y - s)) shape)
  (k_norm t c (repeat s (S n))).
Proof.
  intros z. set (f := independent _ _).
  assert (P : forall w, 0 <= f w).
  { intros (y, v). apply Rmult_le_pos; [left; now apply laplace_pos | apply shape_ge0]. }
  assert (V : forall y v, put (y, v) = z -> v = map (Z.add (- y)) z).
  { intros y v <-. unfold put; cbn [fst snd]. rewrite map_map, <- (map_id v) at 1.
    apply map_ext. intros; lia. }
  destruct (Nat.eq_dec (length z) (S n)) as [L | L].
  2: { unfold k_norm. rewrite repeat_length. destruct (Nat.eqb_spec (length z) (S n)); [easy |].
    apply sums_to_zero. intros (y, v) E. apply V in E as ->. unfold f, independent, shape, k_norm.
    cbn [fst snd]. unfold zeros. rewrite map_length, repeat_length.
    destruct (Nat.eqb_spec (length z) (S n)); [easy |]. unfold Rdiv. ring. }
  destruct z as [| a z]; [easy |]. injection L as L. set (k := ((high a z + low a z) / 2)%Z).
  set (at_ := fun y : Z => (y, map (Z.add (- y)) (a :: z))).
  replace (k_norm t c (repeat s (S n)) (a :: z)) with (sum f [at_ k; at_ (k + 1)%Z]).
  - apply sums_to_finite; trivial.
    + constructor; [intros [E | []]; injection E; lia | constructor; [easy | constructor]].
    + repeat constructor; unfold at_, put; cbn [fst snd]; rewrite map_map;
        rewrite <- (map_id (a :: z)) at 2; apply map_ext; intros; lia.
    + intros (y, v) E N. apply V in E as ->. unfold f, independent; cbn [fst snd].
      (* elsewhere twice the middle of V is beyond 1 *)
      unfold shape. replace (side (map (Z.add (- y)) (a :: z))) with 0; [unfold Rdiv; ring |].
      cbn [map side]. destruct (ends_shifted (- y) a z) as (-> & ->).
      pose proof (Z.div_mod (high a z + low a z) 2 ltac:(lia)) as D. fold k in D.
      pose proof (Z.mod_pos_bound (high a z + low a z) 2 ltac:(lia)).
      assert (y <> k /\ y <> k + 1)%Z.
      { split; intros ->; apply N; [now left | right; now left]. }
      destruct (Z.eqb_spec (- y + high a z + (- y + low a z)) 0); [lia |].
      destruct (Z.eqb_spec (Z.abs (- y + high a z + (- y + low a z))) 1); [lia | easy].
  - cbn [sum]. unfold f, independent, at_; cbn [fst snd]. rewrite !together by trivial.
    cbn [map side]. destruct (ends_shifted (- k) a z) as (-> & ->).
    destruct (ends_shifted (- (k + 1)) a z) as (-> & ->).
    unfold k_norm. rewrite repeat_length. cbn [length]. rewrite L, Nat.eqb_refl.
    rewrite <- L, distance_ends. clear V P f at_. pose proof (exp_pos (- 1 / t)) as Q. fold q in Q.
    pose proof (Z.div_mod (high a z + low a z) 2 ltac:(lia)) as D. fold k in D.
    pose proof (Z.mod_pos_bound (high a z + low a z) 2 ltac:(lia)).
    set (h := high a z) in *. set (l := low a z) in *. clearbody h l k.
    destruct (Z.eqb_spec (- k + h + (- k + l)) 0) as [E | E].
    + destruct (Z.eqb_spec (- (k + 1) + h + (- (k + 1) + l)) 0); [lia |].
      destruct (Z.eqb_spec (Z.abs (- (k + 1) + h + (- (k + 1) + l))) 1); [lia |].
      rewrite Rmult_0_l, !Rplus_0_r, Rmult_1_l. do 5 f_equal. lia.
    + destruct (Z.eqb_spec (Z.abs (- k + h + (- k + l))) 1); [| lia].
      destruct (Z.eqb_spec (- (k + 1) + h + (- (k + 1) + l)) 0); [lia |].
      destruct (Z.eqb_spec (Z.abs (- (k + 1) + h + (- (k + 1) + l))) 1); [| lia].
      set (m := Z.max (h - s) (s - l)).
      (* one of the two terms is q times the other *)
      assert (X : forall i j, (i = m /\ j = m + 1 \/ i = m + 1 /\ j = m)%Z ->
        / (1 + q) * (/ c * exp (- IZR i / t)) + (/ (1 + q) * (/ c * exp (- IZR j / t)) + 0)
        = / c * exp (- IZR m / t)).
      { assert (E1 : exp (- IZR (m + 1) / t) = q * exp (- IZR m / t)).
        { unfold q. rewrite <- exp_plus, plus_IZR. f_equal. field. lra. }
        intros i j [(-> & ->) | (-> & ->)]; rewrite E1; field; lra. }
      apply X. lia.
Qed.

Lemma distribution_image {A B} (h : A -> B) p p' : distribution p -> image h p p' ->
  distribution p'.
Proof.
  intros P I. split; [intros y; exact (sums_to_ge0 _ _ _ (I y)) |].
  eapply image_event; [apply (distribution_ge0 _ P) | exact I | apply (distribution_one _ P)].
Qed.

Lemma distribution_shape : distribution shape.
Proof.
  pose proof l0_pos as L0. pose proof (distribution_laplace t T) as LP.
  assert (E0 : laplace t 0 = l0).
  { unfold laplace. fold l0. simpl. unfold Rdiv at 1. rewrite Ropp_0, Rmult_0_l, exp_0. ring. }
  (* V itself, with y = 0, is one way to get V *)
  assert (S : forall v, l0 * shape v <= k_norm t c zeros v).
  { intros v.
    apply Rle_trans with (sum (independent (fun y => laplace t (y - 0)) shape) [(0%Z, v)]).
    - simpl. unfold independent; cbn [fst snd]. rewrite Z.sub_0_r, E0. lra.
    - apply (sums_to_bound _ _ _ _ (image_corner 0 v)); [constructor; [easy | constructor] |].
      repeat constructor. unfold put; cbn [fst snd]. rewrite <- (map_id v) at 2.
      now apply map_ext. }
  split; [apply shape_ge0 |].
  destruct (sums_to_exists shape everything (/ l0)) as (v & V & _).
  { intros l N _. apply Rmult_le_reg_l with l0; trivial. rewrite Rinv_r, <- sum_scale by lra.
    apply Rle_trans with (sum (k_norm t c zeros) l); [apply sum_le; intros; apply S |].
    now apply distribution_sum. }
  replace 1 with v; trivial.
  apply (sums_to_unique (k_norm t c zeros) everything); [| apply (distribution_one _ Distribution)].
  apply (image_event put (independent (fun y => laplace t (y - 0)) shape) _ everything).
  - intros w. apply Rmult_le_pos; [now apply Rlt_le, laplace_pos | apply shape_ge0].
  - exact (image_corner 0).
  - rewrite <- (Rmult_1_l v).
    apply (sums_to_ext _ (fun z : Z * list Z => everything (fst z) /\ everything (snd z)));
      [easy |].
    apply sums_to_independent; trivial; [intros; now apply Rlt_le, laplace_pos | apply shape_ge0 |].
    apply (distribution_one _ (distribution_shift (laplace t) 0 LP)).
Qed.

(** Noise around r is r and noise. *)
Lemma image_around r : length r = S n -> image (vector_sum r) (k_norm t c zeros) (k_norm t c r).
Proof.
  intros L y. unfold zeros. rewrite <- L. clear - C. unfold vector_sum.
  assert (LV : forall z, length z = length r ->
    length (map (fun c => (fst c + snd c)%Z) (combine r z)) = length r).
  { intros z E. rewrite map_length, combine_length, E. lia. }
  destruct (Nat.eq_dec (length y) (length r)) as [E | E].
  - set (z := map (fun c => (snd c - fst c)%Z) (combine r y)).
    assert (Z0 : length z = length r) by (unfold z; rewrite map_length, combine_length; lia).
    apply (sums_to_single _ _ z).
    + apply k_norm_ge0.
    + unfold k_norm. rewrite Z0, E, repeat_length, Nat.eqb_refl. do 5 f_equal. unfold z. clear - E.
      revert y E; induction r as [| a r IH]; intros [| b y]; simpl; try easy. intros E.
      rewrite IH by lia. f_equal. lia.
    + intros _. unfold z. clear - E.
      revert y E; induction r as [| a r IH]; intros [| b y]; simpl; try easy. intros E.
      rewrite IH by lia. f_equal. lia.
    + intros x X N. unfold k_norm. rewrite repeat_length.
      destruct (Nat.eqb_spec (length x) (length r)) as [EX |]; trivial. elim N. unfold z.
      rewrite <- X. clear - EX. revert x EX; induction r as [| a r IH]; intros [| b x]; simpl;
        try easy. intros EX. f_equal; [lia | apply IH; lia].
  - unfold k_norm at 2. destruct (Nat.eqb_spec (length y) (length r)); [easy |].
    apply sums_to_zero. intros x X. unfold k_norm. rewrite repeat_length.
    destruct (Nat.eqb_spec (length x) (length r)); trivial. elim E. rewrite <- X. now apply LV.
Qed.

Theorem k_norm_is_scalar eps delta d v : length v = S n -> Forall (fun a => Z.abs a <= d)%Z v ->
  indistinguishable eps delta (laplace t) (fun y => laplace t (y - d)) ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c v).
Proof.
  intros L F H.
  assert (D : forall r, length r = S n -> distribution (k_norm t c r)).
  { intros r R0. apply (distribution_image _ _ _ Distribution (image_around r R0)). }
  apply (corner t c eps delta (S n) T C D d v F [] L). simpl. rewrite L.
  pose proof (distribution_laplace t T) as LP. pose proof distribution_shape as LS.
  refine (post_processing eps delta put _ _ _ _ _ _ (image_corner 0) (image_corner d) _).
  - apply distribution_pair; trivial. exact (distribution_shift (laplace t) 0 LP).
  - apply distribution_pair; trivial. exact (distribution_shift (laplace t) d LP).
  - apply indistinguishable_beside; trivial;
      [exact (distribution_shift (laplace t) 0 LP) | exact (distribution_shift (laplace t) d LP) |].
    intros E a b A B. apply (H E a b); trivial. eapply sums_to_eq; [| exact A].
    intros y _. cbv beta. now rewrite Z.sub_0_r.
Qed.
End KNorm.

(** Entries of a total that one client changes by at most d each, in Prio3 with K-norm noise: at
    least as private as one number with Laplace noise that changes by d, which is a premise. *)
Theorem k_norm_release_private p t c eps delta d r r' M M' : 0 < t -> 0 < c -> r <> [] ->
  distribution (k_norm t c (repeat 0%Z (length r))) ->
  Forall2 (fun a b => Z.abs (b - a) <= d)%Z r r' ->
  indistinguishable eps delta (laplace t) (fun y => laplace t (y - d)) ->
  k_norm_release p t c r M -> k_norm_release p t c r' M' -> indistinguishable eps delta M M'.
Proof.
  intros T C N LD F H I I'. set (v := vector_sum (map Z.opp r) r').
  assert (V : vector_sum r v = r' /\ length r' = length r /\ length v = length r /\
    Forall (fun a => Z.abs a <= d)%Z v).
  { unfold v. clear - F. unfold vector_sum. induction F as [| a b r r' A F (E & L & K & G)];
      [repeat split; constructor |]. simpl. rewrite E, L, K. repeat split.
    - f_equal. lia.
    - constructor; trivial. lia. }
  destruct V as (E & L' & L & G). clearbody v.
  destruct r as [| a r]; [easy |]. cbn [length] in *.
  pose proof (image_around t c (length r) C v L) as IV.
  apply (post_processing eps delta (fun z => add_modulo p (modulo p (a :: r)) (modulo p z))
    (k_norm t c (repeat 0%Z (S (length r)))) (k_norm t c v)); trivial.
  - exact (distribution_image _ _ _ LD IV).
  - apply (image_after _ _ _ _ _ LD IV). intros y. unfold k_norm_release in I'. rewrite L' in I'.
    eapply sums_to_ext; [| apply I']. intros z. cbv beta. rewrite !add_modulo_sum, <- E.
    replace (map _ (combine (vector_sum (a :: r) v) z)) with
      (map (fun c => (fst c + snd c)%Z) (combine (a :: r) (vector_sum v z))); [easy |].
    unfold vector_sum. clear. generalize (a :: r) as u. intros u.
    revert v z; induction u as [| b u IH]; intros [| e v] [| f z]; simpl; trivial.
    rewrite IH. f_equal. lia.
  - now apply k_norm_is_scalar with (d := d).
Qed.

(** Every scale of at least d/eps. *)
Corollary k_norm_pure p t c eps d r r' M M' : 0 < t -> 0 < c -> r <> [] -> IZR d <= eps * t ->
  distribution (k_norm t c (repeat 0%Z (length r))) ->
  Forall2 (fun a b => Z.abs (b - a) <= d)%Z r r' ->
  k_norm_release p t c r M -> k_norm_release p t c r' M' -> indistinguishable eps 0 M M'.
Proof.
  intros T C N E LD F. apply (k_norm_release_private p t c eps 0 d r r'); trivial.
  apply indistinguishable_pointwise. intros y. pose proof (laplace_shift t 0 d y T) as S.
  rewrite Z.sub_0_r in S. apply (Rle_trans _ _ _ S).
  apply Rmult_le_compat_r; [now apply Rlt_le, laplace_pos |]. apply exp_le.
  apply Rmult_le_reg_r with t; trivial. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  destruct r as [| a r]; [easy |]. inversion F as [| x b ? ? D]; subst.
  replace (Z.abs (0 - d)) with d by lia. exact E.
Qed.
