(** Tables of losses that Coq computes, in integers: sums of losses by convolution, rounded down,
    and what they bound. *)
From Coq Require Import Reals QArith Qreals List Lra Lia ZArith Bool.
From Bignums Require Import BigZ.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions Integers
  NoiseVectors LossTable Intervals.
Import ListNotations.
Open Scope R_scope.

(** ** Tables in units of 2^-u *)

Definition units (u : nat) (b : BigZ.t) : R := IZR (BigZ.to_Z b) / 2 ^ u.

Fixpoint add_b (T U : list BigZ.t) : list BigZ.t :=
  match T, U with
  | [], _ => U
  | _, [] => T
  | a :: T, b :: U => BigZ.add a b :: add_b T U
  end.
Fixpoint convolve_b (T U : list BigZ.t) : list BigZ.t :=
  match T with
  | [] => []
  | a :: T => add_b (map (BigZ.mul a) U) (BigZ.zero :: convolve_b T U)
  end.

(** Back to units of 2^-u, rounded down. *)
Definition round_b (u : nat) (T : list BigZ.t) : list BigZ.t :=
  map (fun b => BigZ.shiftr b (BigZ.of_Z (Z.of_nat u))) T.

(** The table of the sum of k values. *)
Fixpoint power_b (u : nat) (T : list BigZ.t) (k : nat) : list BigZ.t :=
  match k with
  | O => [BigZ.of_Z (2 ^ Z.of_nat u)]
  | S O => T
  | S k => round_b u (convolve_b T (power_b u T k))
  end.

Lemma units_add u T U : map (units u) (add_b T U) = add_lists (map (units u) T) (map (units u) U).
Proof.
  revert U; induction T as [| a T IH]; intros [| b U]; simpl; trivial. rewrite IH. f_equal.
  unfold units. rewrite BigZ.spec_add, plus_IZR. unfold Rdiv; ring.
Qed.

Lemma units_convolve u T U :
  map (units (u + u)) (convolve_b T U) = convolve (map (units u) T) (map (units u) U).
Proof.
  induction T as [| a T IH]; simpl; trivial. rewrite units_add. f_equal.
  - rewrite !map_map. apply map_ext. intros b. unfold units. rewrite BigZ.spec_mul, mult_IZR,
      pow_add.
    field. apply pow_nonzero. lra.
  - simpl. rewrite IH. f_equal. unfold units. rewrite BigZ.spec_0. unfold Rdiv; ring.
Qed.

Lemma units_round u T : Forall (fun t => 0 <= t) (map (units (u + u)) T) ->
  Forall2 (fun x t => 0 <= x <= t) (map (units u) (round_b u T)) (map (units (u + u)) T).
Proof.
  assert (K : 0 < 2 ^ u) by (apply pow_lt; lra).
  induction T as [| b T IH]; simpl; intros F; [constructor |]. inversion F; subst.
  constructor; [| now apply IH]. unfold units in *. rewrite BigZ.spec_shiftr, BigZ.spec_of_Z.
  rewrite Z.shiftr_div_pow2 by lia. set (z := BigZ.to_Z b) in *. set (m := (2 ^ Z.of_nat u)%Z).
  assert (M : (0 < m)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (E : IZR m = 2 ^ u) by (unfold m; now rewrite <- pow_IZR).
  assert (Z0 : (0 <= z)%Z).
  { apply le_IZR. apply Rmult_le_reg_r with (/ 2 ^ (u + u)).
    - apply Rinv_0_lt_compat, pow_lt; lra.
    - rewrite Rmult_0_l. exact H1. }
  split.
  - apply Rmult_le_pos; [apply IZR_le, Z.div_pos; lia | left; now apply Rinv_0_lt_compat].
  - rewrite pow_add. apply Rmult_le_reg_r with (2 ^ u * 2 ^ u); [now apply Rmult_lt_0_compat |].
    replace (IZR (z / m) / 2 ^ u * (2 ^ u * 2 ^ u)) with (IZR (z / m) * IZR m)
      by (rewrite E; field; lra).
    replace (IZR z / (2 ^ u * 2 ^ u) * (2 ^ u * 2 ^ u)) with (IZR z) by (field; lra).
    rewrite <- mult_IZR. apply IZR_le. pose proof (Z.mul_div_le z m M). lia.
Qed.

Lemma table_below_map q lo u f m :
  (forall i, (i < m)%nat -> 0 <= units u (f i) <= q (lo + Z.of_nat i)%Z) ->
  table_below q lo (map (units u) (map f (seq 0 m))).
Proof.
  intros E. rewrite map_map. split.
  - apply Forall_forall. intros y J. apply in_map_iff in J as (i & <- & J). apply in_seq in J.
    apply E. lia.
  - intros i L. rewrite map_length, seq_length in L.
    rewrite (nth_indep _ _ (units u (f O))) by (rewrite map_length, seq_length; lia).
    rewrite (map_nth (fun i => units u (f i))), seq_nth by lia. apply E. lia.
Qed.

(** The table of the losses of k numbers from that of one. *)
Lemma power_below u (p : Z -> R) L q1 lo T k : distribution p -> image L p q1 ->
  table_below q1 lo (map (units u) T) -> forall q, image (total_loss L) (noise p (S k)) q ->
  table_below q (Z.of_nat (S k) * lo) (map (units u) (power_b u T (S k))).
Proof.
  intros LP I1 B. pose proof (fun m => distribution_plus_noise p (repeat 0%Z m) LP) as LN.
  induction k as [| k IH]; intros q I.
  - destruct (image_exists (total_loss L) (noise p 0) (LN O)) as (q0 & I0 & _).
    (* no number has no loss *)
    assert (B0 : table_below q0 0 [1]).
    { split; [constructor; [lra | constructor] |]. intros [| n] H; simpl in *; [| lia].
      apply Req_le, eq_sym, (sums_to_unique (noise p 0) (fun y => total_loss L y = 0%Z));
        [apply I0 |].
      apply (sums_to_single _ _ []); try easy; [apply (distribution_ge0 _ (LN O)) |].
      now intros [| b y]. }
    pose proof (one_more_number p L LP 0 q1 q0 q lo 0 _ _ I1 I0 I B B0) as H.
    replace (Z.of_nat 1 * lo)%Z with (lo + 0)%Z by lia. simpl power_b.
    replace (map (units u) T) with (convolve (map (units u) T) [1]); trivial.
    generalize (map (units u) T). clear. intros V. induction V as [| a V IH]; [easy |].
    simpl. now rewrite IH, Rmult_1_r, Rplus_0_r.
  - destruct (image_exists (total_loss L) (noise p (S k)) (LN (S k))) as (q0 & I0 & _).
    pose proof (one_more_number p L LP (S k) q1 q0 q lo _ _ _ I1 I0 I B (IH q0 I0)) as H.
    replace (Z.of_nat (S (S k)) * lo)%Z with (lo + Z.of_nat (S k) * lo)%Z by lia.
    change (power_b u T (S (S k))) with (round_b u (convolve_b T (power_b u T (S k)))).
    apply table_below_smaller
      with (T := convolve (map (units u) T) (map (units u) (power_b u T (S k)))); trivial.
    + intros z. exact (sums_to_ge0 _ _ _ (I z)).
    + rewrite <- units_convolve. apply units_round. rewrite units_convolve. apply H.
Qed.

(** ** The sum of what is lost *)

(** Entries from the loss j on, times what is lost at each. *)
Fixpoint lost_sum (f : Z -> R) (T : list R) (j : Z) : R :=
  match T with
  | [] => 0
  | t :: T => t * f j + lost_sum f T (j + 1)
  end.

Lemma lost_sum_seq f T j :
  sum (fun n => nth n T 0 * f (j + Z.of_nat n)%Z) (seq 0 (length T)) = lost_sum f T j.
Proof.
  revert j; induction T as [| t T IH]; intros j; [easy |]. cbn [length seq sum nth lost_sum].
  rewrite <- seq_shift, sum_map. cbn [nth]. rewrite Z.add_0_r. f_equal. rewrite <- IH.
  apply sum_ext. intros n _. do 2 f_equal. lia.
Qed.

(** Nothing is lost before place n. *)
Lemma lost_sum_skip f T j n : (forall i, (i < j + Z.of_nat n)%Z -> f i = 0) ->
  lost_sum f T j = lost_sum f (skipn n T) (j + Z.of_nat n).
Proof.
  revert T j; induction n as [| n IH]; intros T j H; [now rewrite Z.add_0_r |].
  destruct T as [| t T]; [easy |]. cbn [lost_sum skipn]. rewrite (H j) by lia.
  rewrite (IH T (j + 1)%Z) by (intros; apply H; lia).
  replace (j + 1 + Z.of_nat n)%Z with (j + Z.of_nat (S n))%Z by lia. ring.
Qed.

Section Checker.
Variable prec : F.precision.

(** The lower end of an enclosure in units of 2^-u. Nothing is proved of it: it is checked. *)
Definition guess (i : I.type) (u : Z) : Z :=
  match F.toF (I.lower i) with
  | Basic.Float false m e => Z.shiftl (Zpos m) (e + u)
  | _ => 0%Z
  end.

(** Units that are at most the number in i: as many as are certain to be, or 0. *)
Definition units_below (u : nat) (i : I.type) : BigZ.t :=
  let t := guess i (Z.of_nat u) in
  if (Z.leb 0 t && at_most prec (int prec t) (I.mul prec (int prec (2 ^ Z.of_nat u)) i))%bool
  then BigZ.of_Z t else BigZ.zero.

Lemma units_below_true u i x : encloses i x -> 0 <= x -> 0 <= units u (units_below u i) <= x.
Proof.
  intros W X. assert (K : 0 < 2 ^ u) by (apply pow_lt; lra). unfold units_below, units.
  set (t := guess _ _). destruct (Z.leb 0 t && _)%bool eqn:C.
  - apply andb_true_iff in C as (T & C). apply Z.leb_le, IZR_le in T.
    pose proof (at_most_true prec _ _ _ _ (encloses_int prec t) (encloses_mul prec _ _ _ _
      (encloses_int prec (2 ^ Z.of_nat u)) W) C) as Y.
    rewrite <- pow_IZR in Y. rewrite BigZ.spec_of_Z. split.
    + apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat].
    + apply Rmult_le_reg_r with (2 ^ u); trivial. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      lra.
  - rewrite BigZ.spec_0. unfold Rdiv. rewrite Rmult_0_l. lra.
Qed.

(** t (1 - e) + ..., where e has e^(eps - loss) and r has e^(-step). *)
Fixpoint lost_i (T : list BigZ.t) (e r : I.type) : I.type :=
  match T with
  | [] => int prec 0
  | t :: T => I.add prec (I.mul prec (int prec (BigZ.to_Z t)) (I.sub prec (int prec 1) e))
      (lost_i T (I.mul prec e r) r)
  end.

Lemma encloses_lost base step eps k u T : 0 <= step -> forall j e r,
  eps <= loss_of base step k j ->
  encloses e (exp (eps - loss_of base step k j)) -> encloses r (exp (- step)) ->
  encloses (lost_i T e r) (2 ^ u * lost_sum (lost base step eps k) (map (units u) T) j).
Proof.
  intros S. induction T as [| t T IH]; intros j e r J E R0.
  - simpl. rewrite Rmult_0_r. apply encloses_int.
  - cbn [lost_i map lost_sum]. rewrite Rmult_plus_distr_l.
    assert (N : loss_of base step k (j + 1) = loss_of base step k j + step).
    { unfold loss_of. rewrite plus_IZR. ring. }
    apply encloses_add.
    + replace (2 ^ u * (units u t * lost base step eps k j)) with
        (IZR (BigZ.to_Z t) * (1 - exp (eps - loss_of base step k j))).
      * apply encloses_mul; [apply encloses_int |]. apply encloses_sub;
          [apply encloses_int | exact E].
      * unfold units, lost. rewrite Rmax_right.
        -- field. apply pow_nonzero. lra.
        -- assert (exp (eps - loss_of base step k j) <= 1); [apply exp_le_1 |]; lra.
    + apply IH; trivial.
      * rewrite N. lra.
      * rewrite N. replace (eps - (loss_of base step k j + step)) with
          (eps - loss_of base step k j + - step) by ring.
        rewrite exp_plus. now apply encloses_mul.
Qed.

(** Whether delta bounds what the table loses, and lacks: [before] is the loss at the place before
    [first], [at_] the one at [first]. *)
Definition table_delta (eps delta : Q) (u : nat) (table : list BigZ.t) (first : nat)
    (before at_ step : Q) : bool :=
  let all := BigZ.to_Z (fold_right BigZ.add BigZ.zero table) in
  let sum := lost_i (skipn first table)
    (I.exp prec (I.sub prec (enclose prec eps) (enclose prec at_)))
    (I.exp prec (I.neg (enclose prec step))) in
  (Qle_bool before eps && Qle_bool eps at_
   && at_most prec (I.add prec sum (int prec (2 ^ Z.of_nat u - all)))
     (I.mul prec (enclose prec delta) (int prec (2 ^ Z.of_nat u))))%bool.

Lemma table_delta_true base step k eps delta u table lo first b a r : 0 <= step ->
  Q2R b = loss_of base step k (lo + Z.of_nat first - 1) ->
  Q2R a = loss_of base step k (lo + Z.of_nat first) -> Q2R r = step ->
  table_delta eps delta u table first b a r = true ->
  sum (fun n => nth n (map (units u) table) 0 * lost base step (Q2R eps) k (lo + Z.of_nat n))
    (seq 0 (length (map (units u) table))) + (1 - sum (fun t => t) (map (units u) table))
    <= Q2R delta.
Proof.
  unfold table_delta. rewrite !andb_true_iff. intros ST HB HA HR ((L1 & L2) & N).
  set (j := (lo + Z.of_nat first)%Z) in *. assert (K2 : 0 < 2 ^ u) by (apply pow_lt; lra).
  apply Qle_bool_iff, Qle_Rle in L1, L2. rewrite HB in L1. rewrite HA in L2.
  assert (SUM : encloses
    (int prec (2 ^ Z.of_nat u - BigZ.to_Z (fold_right BigZ.add BigZ.zero table)))
    (2 ^ u * (1 - sum (fun t => t) (map (units u) table)))).
  { replace (2 ^ u * (1 - sum (fun t => t) (map (units u) table))) with
      (IZR (2 ^ Z.of_nat u - BigZ.to_Z (fold_right BigZ.add BigZ.zero table)));
        [apply encloses_int |].
    rewrite minus_IZR, <- pow_IZR. rewrite Rmult_minus_distr_l, Rmult_1_r. f_equal.
    clear. induction table as [| t T IH]; cbn [fold_right map sum];
      [rewrite BigZ.spec_0; ring |].
    rewrite BigZ.spec_add, plus_IZR, IH. rewrite Rmult_plus_distr_l. f_equal. unfold units.
    field. apply pow_nonzero. lra. }
  pose proof (encloses_rational prec a) as A. pose proof (encloses_rational prec r) as B.
  rewrite HA in A. rewrite HR in B.
  rewrite lost_sum_seq, (lost_sum_skip _ _ _ first); fold j.
  - pose proof (at_most_true prec _ _ _ _
      (encloses_add prec _ _ _ _
        (encloses_lost base step (Q2R eps) k u (skipn first table) ST j
        _ _ L2 (encloses_exp prec _ _ (encloses_sub prec _ _ _ _ (encloses_rational prec eps) A))
        (encloses_exp prec _ _ (encloses_neg _ _ B))) SUM)
      (encloses_mul prec _ _ _ _ (encloses_rational prec delta)
        (encloses_int prec (2 ^ Z.of_nat u))) N) as F.
    rewrite <- pow_IZR in F. rewrite skipn_map. apply Rmult_le_reg_l with (2 ^ u); trivial. lra.
  - intros i H. unfold lost. apply Rmax_left.
    assert (loss_of base step k i <= loss_of base step k (j - 1)).
    { unfold loss_of. apply Rplus_le_compat_l, Rmult_le_compat_l; trivial. apply IZR_le. lia. }
    assert (1 <= exp (Q2R eps - loss_of base step k i)) by (apply exp_ge_1; lra). lra.
Qed.

(** What the table T of one number's losses says of k numbers that change by d each. *)
Lemma many_sound p d L q1 base step lo T k eps delta u first b a r : distribution p ->
  (forall x, p x = exp (base + step * IZR (L x)) * p (x + d)%Z) ->
  image L p q1 -> table_below q1 lo (map (units u) T) -> 0 <= step ->
  Q2R b = loss_of base step (S k) (Z.of_nat (S k) * lo + Z.of_nat first - 1) ->
  Q2R a = loss_of base step (S k) (Z.of_nat (S k) * lo + Z.of_nat first) -> Q2R r = step ->
  table_delta eps delta u (power_b u T (S k)) first b a r = true ->
  indistinguishable (Q2R eps) (Q2R delta) (noise p (S k)) (plus_noise p (repeat (- d)%Z (S k))).
Proof.
  intros LP LOSS I1 B ST HB HA HR N.
  destruct (image_exists (total_loss L) (noise p (S k))) as (q & Iq & _);
    [apply distribution_plus_noise, LP |].
  apply (vector_delta p d L base step (Q2R eps) LP LOSS (S k) q (Z.of_nat (S k) * lo)
    (map (units u) (power_b u T (S k))) (Q2R delta) Iq).
  - now apply power_below with (p := p) (L := L) (q1 := q1).
  - now apply table_delta_true with (5 := N).
Qed.
End Checker.
