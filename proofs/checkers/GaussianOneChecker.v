(** A checker of certificates of discrete Gaussian noise on one number that changes by d, which Coq
    runs, and the proof that what it accepts is true. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Bool Classical.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Privacy Rational Noise FiniteSums Sums Distributions
  Integers GaussianSums GaussianOne Intervals.
Import ListNotations.
Open Scope R_scope.

Section Checker.
Variable prec : F.precision.

Fixpoint one_terms_i (n : nat) (t r q e k : I.type) : I.type :=
  match n with
  | O => int prec 0
  | S m => I.add prec (I.mul prec t (I.sub prec (int prec 1) e))
    (one_terms_i m (I.mul prec t r) (I.mul prec r q) q (I.mul prec e k) k)
  end.

Lemma encloses_one_terms s eps d n : forall x t r q e k,
  encloses t (weight s x) -> encloses r (ratio s x) -> encloses q (exp (- (2 * s))) ->
    encloses e (exp (eps - one_loss s d x)) -> encloses k (exp (- (2 * s * IZR d))) ->
  encloses (one_terms_i n t r q e k) (one_terms s eps d x n).
Proof.
  induction n; intros x t r q e k T R0 Q E K; [apply encloses_int |].
  unfold one_terms. cbn [one_terms_i seq sum]. apply encloses_add.
  - rewrite Z.add_0_r. apply encloses_mul; trivial. apply encloses_sub; trivial. apply encloses_int.
  - rewrite <- seq_shift, sum_map.
    rewrite (sum_ext _
      (fun i => weight s (x + 1 + Z.of_nat i) *
      (1 - exp (eps - one_loss s d (x + 1 + Z.of_nat i))))).
    2: { intros i _. now replace (x + Z.of_nat (S i))%Z with (x + 1 + Z.of_nat i)%Z by lia. }
    apply IHn; trivial.
    + rewrite weight_next; now apply encloses_mul.
    + rewrite ratio_next; now apply encloses_mul.
    + replace (exp (eps - one_loss s d (x + 1))) with
        (exp (eps - one_loss s d x) * exp (- (2 * s * IZR d))); [now apply encloses_mul |].
      rewrite <- exp_plus. f_equal. unfold one_loss. rewrite plus_IZR. ring.
Qed.

Definition gaussian_one (variance eps delta : rational) (d : Z) (n : nat) (lo : Z)
  (count : nat) : bool :=
  let s := I.div prec (int prec 1) (I.mul prec (int prec 2) (enclose prec variance)) in
  let e := enclose prec eps in
  let loss_i x := I.mul prec s (int prec (2 * d * x + d * d)) in
  let z := window_i prec s n in
  let sum := one_terms_i count (weight_i prec s lo)
    (I.exp prec (I.neg (I.mul prec s (int prec (2 * lo + 1)))))
    (I.exp prec (I.neg (I.mul prec (int prec 2) s))) (I.exp prec (I.sub prec e (loss_i lo)))
    (I.exp prec (I.neg (I.mul prec (I.mul prec (int prec 2) s) (int prec d)))) in
  (Z.ltb 0 (fst variance) && Z.leb 1 lo && Z.leb 1 d && at_most prec (loss_i (lo - 1)%Z) e
    && at_most prec e (loss_i lo)
   && at_most prec (I.add prec sum (tail_bound_i prec s (lo + Z.of_nat count - 1)))
     (I.mul prec (enclose prec delta) (I.add prec (fst z) (snd z))))%bool.

Theorem gaussian_one_sound variance eps delta d n lo count c :
  gaussian_one variance eps delta d n lo count = true ->
  normalizer (s_of (real variance)) c ->
  forall l, NoDup l -> sum (one_excess (s_of (real variance)) c (real eps) d) l <= real delta.
Proof.
  unfold gaussian_one. rewrite !andb_true_iff. intros (((((V & LO) & D) & L1) & L2) & N) T.
  assert (V0 : 0 < real variance).
  { unfold real. apply Rdiv_lt_0_compat; apply IZR_lt; [now apply Z.ltb_lt | easy]. }
  set (s := s_of (real variance)) in *. assert (S0 : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (HS : encloses (I.div prec (int prec 1) (I.mul prec (int prec 2) (enclose prec variance)))
    s).
  { apply encloses_div; [lra | apply encloses_int | apply encloses_mul;
      [apply encloses_int | apply encloses_rational]]. }
  set (si := I.div prec (int prec 1) _) in *. apply Z.leb_le in LO, D.
  pose proof (encloses_rational prec eps) as HE.
  assert (HL : forall x, encloses (I.mul prec si (int prec (2 * d * x + d * d))) (one_loss s d x)).
  { intros x. unfold one_loss. rewrite <- !mult_IZR, <- plus_IZR. apply encloses_mul;
      [easy | apply encloses_int]. }
  assert (H2 : encloses (I.mul prec (int prec 2) si) (2 * s))
    by (apply encloses_mul; [apply encloses_int | easy]).
  apply (gaussian_one_delta s c (real eps) (real delta) n d lo count); trivial.
  - exact (at_most_true _ _ _ _ _ (HL _) HE L1).
  - exact (at_most_true _ _ _ _ _ HE (HL _) L2).
  - apply (fun H K => at_most_true _ _ _ _ _ H K N).
    + apply encloses_add; [| apply encloses_tail_bound; trivial; lia]. apply encloses_one_terms;
        trivial.
      * now apply encloses_weight.
      * apply encloses_exp, encloses_neg, encloses_mul; [easy |].
        replace (2 * IZR lo + 1) with (IZR (2 * lo + 1)); [apply encloses_int |].
        now rewrite plus_IZR, mult_IZR.
      * now apply encloses_exp, encloses_neg.
      * now apply encloses_exp, encloses_sub.
      * apply encloses_exp, encloses_neg, encloses_mul; [easy | apply encloses_int].
    + apply encloses_mul; [apply encloses_rational |].
      destruct (encloses_window prec si s n HS) as (E & O).
      rewrite !sum_parities. now apply encloses_add.
Qed.

End Checker.
