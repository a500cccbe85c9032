(** A checker of discrete Laplace noise on several numbers that change by d each, with delta > 0,
    which Coq runs, and the proof that what it accepts is true (section 5 of docs/calibration.md of
    dp-calibration). *)
From Coq Require Import Reals QArith Qreals List FinFun Lra Lia ZArith Bool.
From Bignums Require Import BigZ.
From PrivacyProofs Require Import Probability Privacy Noise FiniteSums Sums Distributions Integers
  LargerDifference LaplaceMechanism LossTable Intervals LossTableChecker.
Import ListNotations.
Open Scope R_scope.

(** Noise x has the loss (2 level - d)/t; levels are from 0 to d. *)
Definition level (d x : Z) : Z := Z.max 0 (Z.min d (x + d)).

Lemma laplace_loss t d x : 0 < t -> (1 <= d)%Z ->
  laplace t x = exp (- IZR d / t + 2 / t * IZR (level d x)) * laplace t (x + d).
Proof.
  intros T D. unfold laplace. set (a := (exp (1 / t) - 1) / (exp (1 / t) + 1)).
  assert (L : (Z.abs (x + d) - Z.abs x = 2 * level d x - d)%Z) by (unfold level; lia).
  apply (f_equal IZR) in L. rewrite !minus_IZR, mult_IZR in L.
  replace (exp (- IZR d / t + 2 / t * IZR (level d x)) * (a * exp (- IZR (Z.abs (x + d)) / t))) with
    (a * (exp (- IZR d / t + 2 / t * IZR (level d x)) * exp (- IZR (Z.abs (x + d)) / t))) by ring.
  rewrite <- exp_plus. do 2 f_equal.
  replace (- IZR d / t + 2 / t * IZR (level d x) + - IZR (Z.abs (x + d)) / t) with
    ((2 * IZR (level d x) - IZR d - IZR (Z.abs (x + d))) / t) by (field; lra).
  rewrite <- L. field. lra.
Qed.

(** Sums of (1 - q) q^(x + i) for i < n. *)
Lemma geometric_sum q m n :
  sum (fun i => (1 - q) * q ^ (m + i)) (seq 0 n) = q ^ m * (1 - q ^ n).
Proof.
  induction n as [| n IH]; [simpl; ring |].
  rewrite seq_S, sum_app, IH. simpl. rewrite pow_add. ring.
Qed.

Lemma laplace_log_concave t : 0 < t -> log_concave (laplace t).
Proof.
  intros T. split; intros z; [now apply laplace_pos |]. unfold laplace.
  set (a := (exp (1 / t) - 1) / (exp (1 / t) + 1)). assert (A : 0 <= a * a) by nra.
  replace (a * exp (- IZR (Z.abs (z - 1)) / t) * (a * exp (- IZR (Z.abs (z + 1)) / t))) with
    (a * a * (exp (- IZR (Z.abs (z - 1)) / t) * exp (- IZR (Z.abs (z + 1)) / t))) by ring.
  replace (a * exp (- IZR (Z.abs z) / t) * (a * exp (- IZR (Z.abs z) / t))) with
    (a * a * (exp (- IZR (Z.abs z) / t) * exp (- IZR (Z.abs z) / t))) by ring.
  apply Rmult_le_compat_l; trivial. rewrite <- !exp_plus. apply exp_le. unfold Rdiv.
  rewrite <- !Rmult_plus_distr_r. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
  rewrite <- !opp_IZR, <- !plus_IZR. apply IZR_le. lia.
Qed.

Lemma laplace_opp t z : laplace t (- z) = laplace t z.
Proof. unfold laplace. now rewrite Z.abs_opp. Qed.

Section Laplace.
Variables (t : R) (d : Z).
Hypothesis T : 0 < t.
Hypothesis D : (1 <= d)%Z.
Let q := exp (- (1 / t)).

Lemma q_range : 0 < q < 1.
Proof.
  split; [apply exp_pos |]. unfold q. rewrite <- exp_0 at 2. apply exp_increasing.
  assert (0 < 1 / t) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.

Lemma laplace_power x : laplace t x = / (1 + q) * ((1 - q) * q ^ Z.abs_nat x).
Proof.
  pose proof q_range. unfold laplace. replace (exp (1 / t)) with (/ q).
  - replace (exp (- IZR (Z.abs x) / t)) with (q ^ Z.abs_nat x); [field; lra |].
    unfold q. rewrite exp_pow. f_equal. rewrite INR_IZR_INZ, Zabs2Nat.id_abs. field. lra.
  - unfold q. rewrite exp_Ropp. apply Rinv_inv.
Qed.

(** A lower bound on the probability of level i, by n terms of an infinite sum at both ends. *)
Definition laplace_entry (n i : nat) : R :=
  / (1 + q) * (if Nat.eqb i 0 then q ^ Z.to_nat d * (1 - q ^ n)
    else if Nat.eqb i (Z.to_nat d) then 1 - q ^ n
    else (1 - q) * q ^ (Z.to_nat d - i)).

Lemma laplace_entry_below n i p1 : image (level d) (laplace t) p1 -> (i <= Z.to_nat d)%nat ->
  0 <= laplace_entry n i <= p1 (Z.of_nat i).
Proof.
  intros I L. pose proof q_range as Q. assert (C : 0 < / (1 + q)) by (apply Rinv_0_lt_compat; lra).
  assert (QN : forall m, 0 < q ^ m) by (intros; apply pow_lt; lra).
  assert (Q1 : forall m, q ^ m <= 1) by (intros m; rewrite <- (pow1 m); apply pow_incr; lra).
  (* different noise of this level *)
  assert (X : forall l, NoDup l -> (forall x, In x l -> level d x = Z.of_nat i)%Z ->
    sum (laplace t) l <= p1 (Z.of_nat i)).
  { intros l N A. apply (sums_to_bound _ _ _ _ (I _) N). now apply Forall_forall. }
  unfold laplace_entry. destruct (Nat.eqb_spec i 0) as [-> | I0];
    [| destruct (Nat.eqb_spec i (Z.to_nat d)) as [-> | ID]].
  - split; [apply Rmult_le_pos; [lra |]; apply Rmult_le_pos; [specialize (QN (Z.to_nat d)); lra |];
      specialize (Q1 n); lra |].
    rewrite <- (geometric_sum q (Z.to_nat d) n), <- sum_scale.
    rewrite (sum_ext _ (fun k => laplace t (- d - Z.of_nat k))).
    + rewrite <- (sum_map (laplace t) (fun k => - d - Z.of_nat k)%Z). apply X.
      * apply Injective_map_NoDup; [intros a b; lia | apply seq_NoDup].
      * intros x J. apply in_map_iff in J as (k & <- & _). unfold level. lia.
    + intros k _. rewrite laplace_power. do 3 f_equal. lia.
  - split; [apply Rmult_le_pos; [lra |]; specialize (Q1 n); lra |].
    replace (1 - q ^ n) with (q ^ 0 * (1 - q ^ n)) by (simpl; ring).
    rewrite <- (geometric_sum q 0 n), <- sum_scale.
    rewrite (sum_ext _ (fun k => laplace t (Z.of_nat k))).
    + rewrite <- (sum_map (laplace t) Z.of_nat). apply X.
      * apply Injective_map_NoDup; [intros a b; lia | apply seq_NoDup].
      * intros x J. apply in_map_iff in J as (k & <- & _). unfold level. lia.
    + intros k _. rewrite laplace_power. do 3 f_equal. lia.
  - split.
    + apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra |]. left; apply QN.
    + apply Rle_trans with (sum (laplace t) [(Z.of_nat i - d)%Z]).
      * simpl. rewrite laplace_power, Rplus_0_r. apply Req_le. do 3 f_equal. lia.
      * apply X; [constructor; [easy | constructor] |]. intros x [<- | []]. unfold level. lia.
Qed.
End Laplace.

Section Checker.
Variable prec : F.precision.

(** q^k, where r encloses 1/t. *)
Definition power_i (r : I.type) (k : Z) : I.type := I.exp prec (I.neg (I.mul prec (int prec k) r)).

Definition entry_i (r : I.type) (d : Z) (n i : nat) : I.type :=
  I.mul prec (I.div prec (int prec 1) (I.add prec (int prec 1) (power_i r 1)))
    (if Nat.eqb i 0
     then I.mul prec (power_i r d) (I.sub prec (int prec 1) (power_i r (Z.of_nat n)))
     else if Nat.eqb i (Z.to_nat d) then I.sub prec (int prec 1) (power_i r (Z.of_nat n))
     else I.mul prec (I.sub prec (int prec 1) (power_i r 1))
       (power_i r (Z.of_nat (Z.to_nat d - i)))).

Definition laplace_table (r : I.type) (d : Z) (u n : nat) : list BigZ.t :=
  map (fun i => units_below prec u (entry_i r d n i)) (seq 0 (S (Z.to_nat d))).

Lemma encloses_power r t k : 0 < t -> encloses r (1 / t) ->
  encloses (power_i r (Z.of_nat k)) (exp (- (1 / t)) ^ k).
Proof.
  intros T R0. rewrite exp_pow. replace (- (1 / t) * INR k) with (- (IZR (Z.of_nat k) * (1 / t)))
    by (rewrite <- INR_IZR_INZ; ring).
  apply encloses_exp, encloses_neg, encloses_mul; [apply encloses_int | exact R0].
Qed.

Lemma encloses_entry r t d n i : 0 < t -> (1 <= d)%Z -> encloses r (1 / t) ->
  encloses (entry_i r d n i) (laplace_entry t d n i).
Proof.
  intros T D R0. pose proof (q_range t T) as Q.
  pose proof (fun k => encloses_power r t k T R0) as P.
  pose proof (P 1%nat) as P1. rewrite pow_1 in P1.
  unfold entry_i, laplace_entry. apply encloses_mul.
  - rewrite <- (Rmult_1_l (/ _)). apply encloses_div; [lra | apply encloses_int |].
    apply encloses_add; [apply encloses_int | exact P1].
  - destruct (Nat.eqb i 0); [| destruct (Nat.eqb i (Z.to_nat d))].
    + apply encloses_mul.
      * pose proof (P (Z.to_nat d)) as PD. rewrite Z2Nat.id in PD by lia. exact PD.
      * apply encloses_sub; [apply encloses_int | apply P].
    + apply encloses_sub; [apply encloses_int | apply P].
    + apply encloses_mul; [| apply P]. apply encloses_sub; [apply encloses_int | exact P1].
Qed.

Lemma table_laplace r t d u n p1 : 0 < t -> (1 <= d)%Z -> encloses r (1 / t) ->
  image (level d) (laplace t) p1 -> table_below p1 0 (map (units u) (laplace_table r d u n)).
Proof.
  intros T D R0 I. apply table_below_map. intros i L.
  destruct (laplace_entry_below t d T D n i p1 I) as (P & B); [lia |].
  destruct (units_below_true prec u (entry_i r d n i) (laplace_entry t d n i)); trivial.
  - now apply encloses_entry.
  - split; trivial. now apply Rle_trans with (2 := B).
Qed.

(** k numbers change by d; the losses from place [first] of the table on exceed eps. *)
Definition laplace_many (scale eps delta : Q) (k : nat) (d : Z) (u n first : nat) : bool :=
  let r := I.div prec (int prec 1) (enclose prec scale) in
  let j := Z.of_nat first in
  let loss j := (inject_Z (2 * j - Z.of_nat k * d) / scale)%Q in
  (Z.ltb 0 (Qnum scale) && Z.leb 1 d && Nat.leb 1 k
   && table_delta prec eps delta u (power_b u (laplace_table r d u n) k) first
     (loss (j - 1)%Z) (loss j) (inject_Z 2 / scale)%Q)%bool.

Theorem laplace_many_sound scale eps delta k d u n first :
  laplace_many scale eps delta k d u n first = true ->
  indistinguishable (Q2R eps) (Q2R delta) (noise (laplace (Q2R scale)) k)
    (plus_noise (laplace (Q2R scale)) (repeat (- d)%Z k)).
Proof.
  unfold laplace_many. rewrite !andb_true_iff. intros (((V & D) & K) & N).
  pose proof (Q2R_positive _ V) as T. apply Z.leb_le in D. apply Nat.leb_le in K.
  destruct k as [| k]; [lia |].
  set (t := Q2R scale) in *. pose proof (distribution_laplace t T) as LP.
  assert (R0 : encloses (I.div prec (int prec 1) (enclose prec scale)) (1 / t)).
  { apply encloses_div; [lra | apply encloses_int | apply encloses_rational]. }
  set (r := I.div prec (int prec 1) _) in *.
  destruct (image_exists (level d) (laplace t) LP) as (p1 & I1 & _).
  assert (HL : forall j, Q2R (inject_Z (2 * j - Z.of_nat (S k) * d) / scale)
    = loss_of (- IZR d / t) (2 / t) (S k) (Z.of_nat (S k) * 0 + j)).
  { intros j. rewrite Q2R_quotient, Q2R_integer, minus_IZR, !mult_IZR, <- INR_IZR_INZ by trivial.
    unfold loss_of. rewrite Z.mul_0_r, Z.add_0_l. unfold t. field. unfold t in T. lra. }
  apply (many_sound prec) with (L := level d) (q1 := p1) (base := - IZR d / t) (step := 2 / t)
    (9 := N) (lo := 0%Z); trivial.
  - intros x. now apply laplace_loss.
  - now apply table_laplace with (t := t).
  - left. apply Rdiv_lt_0_compat; lra.
  - rewrite <- Z.add_sub_assoc. apply HL.
  - now rewrite Q2R_quotient, Q2R_integer.
Qed.
End Checker.
