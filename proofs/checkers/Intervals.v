(** Interval arithmetic of CoqInterval, and enclosures of sums of e^(-a z^2). *)
From Coq Require Import Reals QArith Qreals List Lra Lia ZArith.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Noise Samplers FiniteSums Sums Integers GaussianSums
  WordCounts.
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

(** ** Rational numbers *)

Lemma Q2R_positive q : Z.ltb 0 (Qnum q) = true -> 0 < Q2R q.
Proof.
  intros H. apply Rmult_lt_0_compat; [now apply IZR_lt, Z.ltb_lt |].
  now apply Rinv_0_lt_compat, IZR_lt.
Qed.

Lemma Q2R_integer z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R. simpl. now rewrite Rinv_1, Rmult_1_r. Qed.

Lemma Q2R_quotient p q : Z.ltb 0 (Qnum q) = true -> Q2R (p / q) = Q2R p / Q2R q.
Proof.
  intros H. apply Q2R_div. intros E. apply Qeq_eqR in E. apply Q2R_positive in H.
  rewrite RMicromega.Q2R_0 in E. lra.
Qed.

Definition enclose (q : Q) := I.div prec (int (Qnum q)) (int (QDen q)).

Lemma encloses_rational q : encloses (enclose q) (Q2R q).
Proof.
  apply (encloses_div _ _ (IZR (Qnum q)) (IZR (QDen q))); try apply encloses_int.
  now apply not_0_IZR.
Qed.

(** The s of discrete Gaussian noise with this variance. *)
Definition s_i (variance : Q) := I.div prec (int 1) (I.mul prec (int 2) (enclose variance)).

Lemma encloses_s variance : Z.ltb 0 (Qnum variance) = true ->
  encloses (s_i variance) (s_of (Q2R variance)) /\ 0 < s_of (Q2R variance).
Proof.
  intros V. apply Q2R_positive in V. split; [| apply Rdiv_lt_0_compat; lra].
  apply encloses_div; [lra | apply encloses_int |].
  apply encloses_mul; [apply encloses_int | apply encloses_rational].
Qed.

(** ** e^(-a z^2), its tail, and its sum *)

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

(** The sum of n terms e^(-a x^2), e^(-a (x + 1)^2), ..., by two multiplications each. t has
    e^(-a x^2), r has e^(-a (2x + 1)), q has e^(-2a). *)
Fixpoint weights_i (n : nat) (t r q : I.type) : I.type :=
  match n with
  | O => int 0
  | S m => I.add prec t (weights_i m (I.mul prec t r) (I.mul prec r q) q)
  end.

Definition ratio (a : R) (x : Z) := exp (- (a * (2 * IZR x + 1))).

Lemma weight_next a x : weight a (x + 1) = weight a x * ratio a x.
Proof. unfold weight, ratio. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring. Qed.

Lemma ratio_next a x : ratio a (x + 1) = ratio a x * exp (- (2 * a)).
Proof. unfold ratio. rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring. Qed.

Lemma encloses_weights a n : forall x t r q, encloses t (weight a x) -> encloses r (ratio a x) ->
  encloses q (exp (- (2 * a))) -> encloses (weights_i n t r q) (sum (weight a) (words x n)).
Proof.
  induction n as [| n IH]; intros x t r q T R0 Q; [apply encloses_int |]. cbn [weights_i words sum].
  apply encloses_add; trivial. apply IH; trivial.
  - rewrite weight_next. now apply encloses_mul.
  - rewrite ratio_next. now apply encloses_mul.
Qed.

Lemma sum_ball f n : (forall z, f (- z)%Z = f z) -> sum f (ball n) = f 0%Z + 2 * sum f (words 1 n).
Proof.
  intros E. induction n; [simpl; ring |]. replace (S n) with (n + 1)%nat at 2 by lia.
  rewrite words_app, sum_app.
  cbn [ball sum words]. rewrite IHn, E. replace (1 + Z.of_nat n)%Z with (Z.of_nat (S n)) by lia.
  ring.
Qed.

(** An upper bound on the sum over all integers: n terms on each side, and the tails. *)
Definition normalizer_i (a : I.type) (n : nat) : I.type :=
  let q := I.exp prec (I.neg (I.mul prec (int 2) a)) in
  let r := I.exp prec (I.neg (I.mul prec a (int 3))) in
  I.add prec (weight_i a 0) (I.mul prec (int 2)
    (I.add prec (weights_i n (weight_i a 1) r q) (tail_bound_i a (Z.of_nat n)))).

Lemma encloses_normalizer i a n c : encloses i a -> 0 < a -> normalizer a c ->
  exists high, encloses (normalizer_i i n) high /\ 0 < c <= high.
Proof.
  intros H A T. exists (sum (weight a) (ball n) + 2 * tail_bound a (Z.of_nat n)). split.
  - rewrite sum_ball by apply weight_opp.
    rewrite Rplus_assoc, <- Rmult_plus_distr_l. unfold normalizer_i.
    apply encloses_add; [now apply encloses_weight |].
    apply encloses_mul; [apply encloses_int |].
    apply encloses_add; [| apply encloses_tail_bound; trivial; lia].
    apply encloses_weights; [now apply encloses_weight | |];
      [unfold ratio; replace (2 * 1 + 1) with 3 by ring |];
      apply encloses_exp, encloses_neg, encloses_mul; trivial; apply encloses_int.
  - split; [now apply normalizer_pos in T |]. apply T. intros v (l & D & _ & ->).
    apply (sum_beyond_window a (weight a) n l A); trivial.
    intros x; pose proof (weight_pos a x); lra.
Qed.

End Intervals.
