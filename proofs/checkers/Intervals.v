(** Interval arithmetic of CoqInterval, and enclosures of sums of e^(-a z^2). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Bool Classical.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Privacy Rational Noise Samplers FiniteSums Sums
  Distributions Integers GaussianSums WordCounts.
Import ListNotations.
Open Scope R_scope.

Module F := SpecificFloat BigIntRadix2.
Module I := FloatIntervalFull F.

(** The interval i has x in it. *)
Definition encloses (i : I.type) (x : R) := contains (I.convert i) (Xreal x).

Section Intervals.
Variable prec : F.precision.

Definition int (z : Z) := I.fromZ prec z.

Lemma encloses_int z : encloses (int z) (IZR z). Proof. apply I.fromZ_correct. Qed.

Lemma encloses_add i j x y : encloses i x -> encloses j y -> encloses (I.add prec i j) (x + y).
Proof. apply (I.add_correct prec i j (Xreal x) (Xreal y)). Qed.

Lemma encloses_sub i j x y : encloses i x -> encloses j y -> encloses (I.sub prec i j) (x - y).
Proof. apply (I.sub_correct prec i j (Xreal x) (Xreal y)). Qed.

Lemma encloses_mul i j x y : encloses i x -> encloses j y -> encloses (I.mul prec i j) (x * y).
Proof. apply (I.mul_correct prec i j (Xreal x) (Xreal y)). Qed.

Lemma encloses_neg i x : encloses i x -> encloses (I.neg i) (- x). Proof.
apply (I.neg_correct i (Xreal x)). Qed.

Lemma encloses_exp i x : encloses i x -> encloses (I.exp prec i) (exp x). Proof.
apply (I.exp_correct prec i (Xreal x)). Qed.

Lemma encloses_div i j x y : y <> 0 -> encloses i x -> encloses j y ->
  encloses (I.div prec i j) (x / y).
Proof.
  intros N H K. pose proof (I.div_correct prec i j (Xreal x) (Xreal y) H K) as D. unfold Xdiv in D;
    simpl in D.
  unfold Xdiv' in D. now destruct (is_zero_spec y).
Qed.

Definition at_most (i j : I.type) : bool :=
  match I.sign_large (I.sub prec i j) with Xlt | Xeq => true | _ => false end.

Lemma at_most_true i j x y : encloses i x -> encloses j y -> at_most i j = true -> x <= y.
Proof.
  intros H K. unfold at_most. pose proof (I.sign_large_correct (I.sub prec i j)) as S.
  pose proof (encloses_sub i j x y H K) as D.
  destruct (I.sign_large _); try easy; intros _.
  - specialize (S _ D). injection S; lra.
  - destruct (S _ D) as (_ & L); simpl in L; lra.
Qed.

(** Rational numbers. *)
Definition enclose (q : rational) := I.div prec (int (fst q)) (int (Zpos (snd q))).

Lemma encloses_rational q : encloses (enclose q) (real q).
Proof. apply encloses_div; try apply encloses_int. apply not_0_IZR; easy. Qed.

(** e^(-a z^2), the tail, and what is summed. *)
Definition weight_i (a : I.type) (z : Z) := I.exp prec (I.neg (I.mul prec a (int (z * z)))).

Lemma encloses_weight i a z : encloses i a -> encloses (weight_i i z) (weight a z).
Proof. intros H. unfold weight_i, weight. rewrite <- mult_IZR. apply encloses_exp, encloses_neg,
  encloses_mul; [easy | apply encloses_int]. Qed.

Definition tail_bound_i (a : I.type) (n : Z) :=
  I.div prec (weight_i a (n + 1))
    (I.sub prec (int 1) (I.exp prec (I.neg (I.mul prec a (int (n + 1)))))).

Lemma encloses_tail_bound i a n : encloses i a -> 0 < a -> (0 <= n)%Z ->
  encloses (tail_bound_i i n) (tail_bound a n).
Proof.
  intros H A N. pose proof (tail_ratio a n A N). apply encloses_div;
    [lra | now apply encloses_weight |].
  apply encloses_sub; [apply encloses_int | apply encloses_exp, encloses_neg, encloses_mul;
    [easy | apply encloses_int]].
Qed.

(** The sums of e^(-a x^2), e^(-a (x + 2)^2), ... and of e^(-a (x + 1)^2), ..., n terms in all, by
    two multiplications each. t has e^(-a x^2), r has e^(-a (2x + 1)), q has e^(-2a). *)
Fixpoint alternating (n : nat) (t r q : I.type) : I.type * I.type :=
  match n with
  | O => (int 0, int 0)
  | S m => let '(e, o) := alternating m (I.mul prec t r) (I.mul prec r q) q in (I.add prec t o, e)
  end.

Definition ratio (a : R) (x : Z) := exp (- (a * (2 * IZR x + 1))).

Lemma weight_next a x : weight a (x + 1) = weight a x * ratio a x.
Proof. unfold weight, ratio. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring. Qed.

Lemma ratio_next a x : ratio a (x + 1) = ratio a x * exp (- (2 * a)).
Proof. unfold ratio. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring. Qed.

Lemma encloses_alternating a n : forall x t r q, encloses t (weight a x) -> encloses r (ratio a x)
  -> encloses q (exp (- (2 * a))) ->
  encloses (fst (alternating n t r q)) (sum (of_parity a (Z.even x)) (words x n)) /\
  encloses (snd (alternating n t r q)) (sum (of_parity a (negb (Z.even x))) (words x n)).
Proof.
  induction n; intros x t r q T R0 Q; [split; apply encloses_int |]. cbn [alternating words sum].
  destruct (IHn (x + 1)%Z (I.mul prec t r) (I.mul prec r q) q) as (E & O); trivial.
  - rewrite weight_next; now apply encloses_mul.
  - rewrite ratio_next; now apply encloses_mul.
  - destruct (alternating n _ _ q) as (e, o). cbn [fst snd] in *.
    replace (Z.even (x + 1)) with (negb (Z.even x)) in
      * by (now rewrite Z.even_add; destruct (Z.even x)).
    rewrite negb_involutive in O. split.
    + apply encloses_add; trivial. unfold of_parity at 1. now rewrite Bool.eqb_reflx.
    + replace (of_parity a (negb (Z.even x)) x) with 0; [now rewrite Rplus_0_l |].
      unfold of_parity. now destruct (Z.even x).
Qed.

Lemma sum_ball f n : (forall z, f (- z)%Z = f z) -> sum f (ball n) = f 0%Z + 2 * sum f (words 1 n).
Proof.
  intros E. induction n; [simpl; ring |]. replace (S n) with (n + 1)%nat at 2 by lia.
  rewrite words_app, sum_app.
  cbn [ball sum words]. rewrite IHn, E. replace (1 + Z.of_nat n)%Z with (Z.of_nat (S n)) by lia.
  ring.
Qed.

(** The sums over even and over odd numbers of size at most n. *)
Definition window_i (a : I.type) (n : nat) : I.type * I.type :=
  let q := I.exp prec (I.neg (I.mul prec (int 2) a)) in
  let r := I.exp prec (I.neg (I.mul prec a (int 3))) in
  let '(o, e) := alternating n (weight_i a 1) r q in
  (I.add prec (weight_i a 0) (I.mul prec (int 2) e), I.mul prec (int 2) o).

Lemma encloses_window i a n : encloses i a ->
  encloses (fst (window_i i n)) (sum (of_parity a true) (ball n)) /\ encloses (snd (window_i i n))
    (sum (of_parity a false) (ball n)).
Proof.
  intros H. unfold window_i. set (q := I.exp prec (I.neg (I.mul prec (int 2) i))).
  set (r := I.exp prec (I.neg (I.mul prec i (int 3)))).
  assert (Q : encloses q (exp (- (2 * a)))) by (apply encloses_exp, encloses_neg, encloses_mul;
    [apply encloses_int | easy]).
  assert (R0 : encloses r (ratio a 1)).
  { unfold ratio. replace (2 * 1 + 1) with 3 by ring. apply encloses_exp, encloses_neg,
      encloses_mul; [easy | apply encloses_int]. }
  destruct (encloses_alternating a n 1 (weight_i i 1) r q (encloses_weight _ _ _ H) R0 Q) as
    (O & E).
  destruct (alternating n (weight_i i 1) r q) as (o, e). cbn [fst snd] in *.
  assert (OP : forall b z, of_parity a b (- z) = of_parity a b z).
  { intros b z; unfold of_parity. now rewrite Z.even_opp, weight_opp. }
  rewrite !sum_ball by apply OP. split.
  - apply encloses_add; [now apply encloses_weight |]. apply encloses_mul;
      [apply encloses_int | easy].
  - replace (of_parity a false 0) with 0 by reflexivity. rewrite Rplus_0_l. apply encloses_mul;
      [apply encloses_int | easy].
Qed.

End Intervals.
