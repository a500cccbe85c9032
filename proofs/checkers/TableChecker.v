(** A checker of the two passes of a sampler of discrete Gaussian noise, which Coq runs, and the
    proof that what it accepts draws the noise's magnitude exactly. *)
From Coq Require Import Reals QArith Qreals List FinFun Lra Lia ZArith Bool Classical.
From PrivacyProofs Require Import Probability Noise FiniteSums Sums Distributions Integers
  GaussianSums Samplers Tables Passes Magnitude Intervals.
Import ListNotations.
Open Scope R_scope.

Fixpoint sorted (least : Z) (rows : list row) : bool :=
  match rows with [] => true | r :: l => (Z.leb least (outcome r) && Z.leb 0 (first_words r)
    && Z.leb 0 (second_words r) && sorted (outcome r + 1) l)%bool end.

Lemma sorted_true rows : forall least, sorted least rows = true -> NoDup (map outcome rows) /\
  (forall r, In r rows -> (least <= outcome r /\ 0 <= first_words r /\ 0 <= second_words r)%Z).
Proof.
  induction rows as [| r l IH]; intros least; simpl; [split; [constructor | easy] |].
  rewrite !andb_true_iff, !Z.leb_le. intros (((A & B) & C) & D). destruct (IH _ D) as (N & I).
  split.
  - constructor; trivial. intros J. apply in_map_iff in J as (q & E & Q). specialize (I q Q). lia.
  - intros q [<- | Q]; [lia |]. specialize (I q Q). lia.
Qed.

Lemma value_row f rows r : NoDup (map outcome rows) -> In r rows -> value f rows (outcome r) = f r.
Proof.
  induction rows as [| q l IH]; simpl; intros D I; [easy |]. inversion D; subst.
  destruct (Z.eqb_spec (outcome q) (outcome r)) as [E |].
  - destruct I as [<- | I]; trivial. elim H1. rewrite E. now apply in_map.
  - destruct I as [<- | I]; [easy | auto].
Qed.

Lemma value_no_row f rows x : ~ In x (map outcome rows) -> value f rows x = 0%Z.
Proof. induction rows as [| q l IH]; simpl; intros N; trivial. destruct (Z.eqb_spec (outcome q) x);
  [tauto | apply IH; tauto]. Qed.

Lemma pass_complete f b rows : NoDup (map outcome rows) -> (forall r, In r rows -> (0 <= f r)%Z) ->
  (all f rows <= 2 ^ Z.of_nat b)%Z ->
  sums_to (yield_fraction (pass_of f b rows)) everything
    (1 - undecided_fraction (pass_of f b rows)).
Proof.
  intros D F L. assert (K : 0 < 2 ^ b) by (apply pow_lt; lra).
  replace (1 - undecided_fraction (pass_of f b rows)) with
    (sum (yield_fraction (pass_of f b rows)) (map outcome rows)).
  - apply sums_to_support; trivial.
    + intros x. unfold yield_fraction. apply Rmult_le_pos;
        [apply pos_INR | left; now apply Rinv_0_lt_compat].
    + intros x N. unfold yield_fraction, pass_of; simpl. rewrite value_no_row by trivial. simpl.
      unfold Rdiv; ring.
  - rewrite sum_map. rewrite (sum_ext _ (fun r => / 2 ^ b * IZR (f r))).
    + rewrite sum_scale. assert (E : sum (fun r => IZR (f r)) rows = IZR (all f rows)).
      { clear. induction rows; simpl; trivial. now rewrite IHrows, plus_IZR. }
      rewrite E. unfold undecided_fraction, pass_of; simpl. rewrite INR_IZR_INZ, Z2Nat.id,
        minus_IZR, <- pow_IZR by lia. field; lra.
    + intros r I. unfold yield_fraction, pass_of; simpl. rewrite value_row, INR_IZR_INZ, Z2Nat.id
        by auto. unfold Rdiv; ring.
Qed.

Section Table.
Variable prec : F.precision.

Definition scan_of_gaussian (variance : Q) (n b1 b2 : nat) (rows : list row) : bool :=
  let s := s_i prec variance in
  let c := normalizer_i prec s n in
  let u1 := (2 ^ Z.of_nat b1 - all first_words rows)%Z in
  let u2 := (2 ^ Z.of_nat b2 - all second_words rows)%Z in
  (Z.ltb 0 (Qnum variance) && sorted 0 rows && Z.ltb 0 u1 && Z.ltb 0 u2
   && forallb (fun r => at_most prec
     (I.mul prec (int prec (first_words r * 2 ^ Z.of_nat b2 + u1 * second_words r)) c)
        (I.mul prec (int prec (2 ^ Z.of_nat (b1 + b2) * if Z.eqb (outcome r) 0 then 1 else 2))
          (weight_i prec s (outcome r)))) rows)%bool.

Theorem scan_of_gaussian_exact variance n b1 b2 rows c :
  scan_of_gaussian variance n b1 b2 rows = true -> let s := s_of (Q2R variance) in
  let p := magnitude s c in let passes := two_passes b1 b2 rows in normalizer s c ->
  distribution (remainder p passes) /\ forall x, drawn passes (remainder p passes) x = p x.
Proof.
  unfold scan_of_gaussian. rewrite !andb_true_iff, forallb_forall. intros HYP; cbv zeta; intros T.
  destruct HYP as ((((V & S) & U1) & U2) & H). set (s := s_of (Q2R variance)) in *.
  set (p := magnitude s c) in *.
  set (passes := two_passes b1 b2 rows) in *.
  destruct (encloses_s prec variance V) as (HS & S0). fold s in HS, S0.
  destruct (encloses_normalizer prec _ _ n c HS S0 T) as (C & HC & CB).
  set (si := s_i prec variance) in *.
  pose proof (normalizer_pos _ _ T) as C0. apply Z.ltb_lt in U1, U2.
  destruct (sorted_true rows 0 S) as (D & R0).
  set (u1 := (2 ^ Z.of_nat b1 - all first_words rows)%Z) in *.
  set (u2 := (2 ^ Z.of_nat b2 - all second_words rows)%Z) in *.
  assert (K1 : 0 < 2 ^ b1) by (apply pow_lt; lra). assert (K2 : 0 < 2 ^ b2) by (apply pow_lt; lra).
  assert (LO : forall f b u, u = (2 ^ Z.of_nat b - all f rows)%Z -> (0 < u)%Z ->
    undecided_fraction (pass_of f b rows) = IZR u / 2 ^ b).
  { intros f b u -> P. unfold undecided_fraction, pass_of; simpl. rewrite INR_IZR_INZ, Z2Nat.id
      by lia. easy. }
  assert (OP : 0 < undecided_after passes).
  { unfold passes, two_passes; simpl. rewrite (LO first_words b1 u1), (LO second_words b2 u2)
      by easy.
    rewrite Rmult_1_r. apply Rmult_lt_0_compat; apply Rdiv_lt_0_compat; trivial; now apply IZR_lt. }
  assert (DL : forall x, decided passes x <= p x).
  { intros x. unfold passes, two_passes; simpl. rewrite Rmult_0_r, Rplus_0_r, (LO first_words b1 u1)
      by easy.
    unfold yield_fraction, pass_of; simpl. destruct (classic (In x (map outcome rows))) as [J | J].
    - apply in_map_iff in J as (r & <- & J). rewrite !value_row by trivial.
      destruct (R0 r J) as (X & W1 & W2).
      rewrite !INR_IZR_INZ, !Z2Nat.id by trivial. specialize (H r J).
      pose proof (at_most_true prec _ _ _ _ (encloses_mul prec _ _ _ _ (encloses_int prec _) HC)
        (encloses_mul prec _ _ _ _ (encloses_int prec _) (encloses_weight prec si s (outcome r) HS))
        H) as Q.
      set (w := (first_words r * 2 ^ Z.of_nat b2 + u1 * second_words r)%Z) in *.
      assert (W : 0 <= IZR w).
      { apply IZR_le. unfold w. assert (0 <= 2 ^ Z.of_nat b2)%Z by (apply Z.pow_nonneg; lia). nia. }
      assert (E : IZR (first_words r) / 2 ^ b1 + IZR u1 / 2 ^ b1 * (IZR (second_words r) / 2 ^ b2)
        = IZR w / 2 ^ (b1 + b2)).
      { unfold w. rewrite plus_IZR, !mult_IZR, <- pow_IZR, pow_add. field; lra. }
      rewrite E. pose proof (Rmult_le_compat_l _ _ _ W (proj2 CB)) as Q'.
      rewrite mult_IZR, <- pow_IZR in Q. assert (K : 0 < 2 ^ (b1 + b2)) by (apply pow_lt; lra).
      apply Rmult_le_reg_r with (2 ^ (b1 + b2) * c); [now apply Rmult_lt_0_compat |].
      replace (IZR w / 2 ^ (b1 + b2) * (2 ^ (b1 + b2) * c)) with (IZR w * c) by (field; lra).
      apply (Rle_trans _ _ _ Q'). apply (Rle_trans _ _ _ Q). right. unfold p, magnitude, gaussian.
      destruct (Z.ltb_spec (outcome r) 0); [lia |]. destruct (Z.eqb_spec (outcome r) 0) as [-> |];
        field; lra.
    - rewrite !value_no_row by trivial. simpl. unfold Rdiv. rewrite !Rmult_0_l, Rmult_0_r,
        Rplus_0_l. apply (distribution_ge0 _ (distribution_magnitude s c T)). }
  split.
  - apply remainder_distribution; trivial; [now apply distribution_magnitude |].
    unfold complete, passes,
      two_passes.
    constructor; [| constructor; [| constructor]]; apply pass_complete; trivial; try lia;
      intros r J; apply R0; trivial.
  - apply passes_exact. lra.
Qed.

End Table.
