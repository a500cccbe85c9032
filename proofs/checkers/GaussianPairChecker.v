(** A checker of certificates of discrete Gaussian noise on a replaced one-hot measurement, which
    Coq runs, and the proof that what it accepts is true. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Bool Classical.
From Interval Require Import Specific_bigint Specific_ops Float_full Xreal Basic Interval.Interval.
From PrivacyProofs Require Import Probability Privacy Rational Noise FiniteSums Sums Distributions
  Integers GaussianSums GaussianPair Intervals.
Import ListNotations.
Open Scope R_scope.

Section Checker.
Variable prec : F.precision.

Lemma window_bounds i a n : encloses i a -> 0 < a ->
  encloses (I.add prec (fst (window_i prec i n))
    (I.mul prec (int prec 2) (tail_bound_i prec i (Z.of_nat n)))) (parity_bound a n true) /\
  encloses (I.add prec (snd (window_i prec i n))
    (I.mul prec (int prec 2) (tail_bound_i prec i (Z.of_nat n)))) (parity_bound a n false).
Proof.
  intros H A. destruct (encloses_window prec i a n H) as (E & O).
  assert (encloses (I.mul prec (int prec 2) (tail_bound_i prec i (Z.of_nat n)))
    (2 * tail_bound a (Z.of_nat n))).
  { apply encloses_mul; [apply encloses_int | apply encloses_tail_bound; trivial; lia]. }
  split; now apply encloses_add.
Qed.

(** The terms of delta from S = x on. e has e^(eps - 2s(x + 1)), k has e^(-2s). *)
Fixpoint pair_terms_i (even odd : I.type) (n : nat) (is_even : bool)
  (t r q e k : I.type) : I.type :=
  match n with
  | O => int prec 0
  | S m => I.add prec
    (I.mul prec (if is_even then even else odd) (I.mul prec t (I.sub prec (int prec 1) e)))
             (pair_terms_i even odd m (negb is_even) (I.mul prec t r) (I.mul prec r q) q
               (I.mul prec e k) k)
  end.

Lemma encloses_pair_terms s eps b even odd n : encloses even (b true) -> encloses odd (b false) ->
  forall x t r q e k,
  encloses t (weight (s / 2) x) -> encloses r (ratio (s / 2) x) ->
    encloses q (exp (- (2 * (s / 2)))) ->
  encloses e (exp (eps - 2 * s * (IZR x + 1))) -> encloses k (exp (- (2 * s))) ->
  encloses (pair_terms_i even odd n (Z.even x) t r q e k) (pair_terms s eps b x n).
Proof.
  intros EV OD. induction n; intros x t r q e k T R0 Q E K; [apply encloses_int |].
  unfold pair_terms. cbn [pair_terms_i seq sum]. apply encloses_add.
  - rewrite Z.add_0_r. apply encloses_mul; [now destruct (Z.even x) |]. apply encloses_mul; trivial.
    apply encloses_sub; trivial. apply encloses_int.
  - rewrite <- seq_shift, sum_map.
    rewrite (sum_ext _
      (fun i => b (Z.even (x + 1 + Z.of_nat i)) * (weight (s / 2) (x + 1 + Z.of_nat i) *
       (1 - exp (eps - 2 * s * (IZR (x + 1 + Z.of_nat i) + 1)))))).
    2: { intros i _. now replace (x + Z.of_nat (S i))%Z with (x + 1 + Z.of_nat i)%Z by lia. }
    replace (negb (Z.even x)) with (Z.even (x + 1))
      by (now rewrite Z.even_add; destruct (Z.even x)).
    apply IHn; trivial.
    + rewrite weight_next; now apply encloses_mul.
    + rewrite ratio_next; now apply encloses_mul.
    + replace (exp (eps - 2 * s * (IZR (x + 1) + 1))) with
        (exp (eps - 2 * s * (IZR x + 1)) * exp (- (2 * s))).
      * now apply encloses_mul.
      * rewrite <- exp_plus. f_equal. rewrite plus_IZR. ring.
Qed.

(** Discrete Gaussian noise with 1/(2 variance) = s, on two counts that change by 1, is (eps,
    delta)-private? *)
Definition gaussian_pair (variance eps delta : rational) (n : nat) (lo : Z) (count : nat) : bool :=
  let s := I.div prec (int prec 1) (I.mul prec (int prec 2) (enclose prec variance)) in
  let a := I.div prec s (int prec 2) in
  let e := enclose prec eps in
  let two_s := I.mul prec (int prec 2) s in
  let far := I.mul prec (int prec 2) (tail_bound_i prec a (Z.of_nat n)) in
  let near := window_i prec a n in
  let even := I.add prec (fst near) far in
  let odd := I.add prec (snd near) far in
  let sum := pair_terms_i even odd count (Z.even lo) (weight_i prec a lo)
    (I.exp prec (I.neg (I.mul prec a (int prec (2 * lo + 1)))))
    (I.exp prec (I.neg (I.mul prec (int prec 2) a)))
      (I.exp prec (I.sub prec e (I.mul prec two_s (int prec (lo + 1)))))
      (I.exp prec (I.neg two_s)) in
  let rest := I.mul prec (I.add prec even odd) (tail_bound_i prec a (lo + Z.of_nat count - 1)) in
  let z := window_i prec s n in
  let z := I.add prec (fst z) (snd z) in
  (Z.ltb 0 (fst variance) && Z.leb 1 lo
   && at_most prec (I.mul prec two_s (int prec lo)) e
   && at_most prec e (I.mul prec two_s (int prec (lo + 1)))
   && at_most prec (I.add prec sum rest) (I.mul prec (enclose prec delta) (I.mul prec z z)))%bool.

Theorem gaussian_pair_sound variance eps delta n lo count c :
  gaussian_pair variance eps delta n lo count = true ->
  normalizer (s_of (real variance)) c ->
  forall l, NoDup l -> sum (pair_excess (s_of (real variance)) c (real eps)) l <= real delta.
Proof.
  unfold gaussian_pair. rewrite !andb_true_iff. intros ((((V & LO) & L1) & L2) & N) T.
  assert (V0 : 0 < real variance).
  { unfold real. apply Rdiv_lt_0_compat; apply IZR_lt; [now apply Z.ltb_lt | easy]. }
  set (s := s_of (real variance)) in *. assert (S0 : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (HS : encloses (I.div prec (int prec 1) (I.mul prec (int prec 2) (enclose prec variance)))
    s).
  { apply encloses_div; [lra | apply encloses_int | apply encloses_mul;
      [apply encloses_int | apply encloses_rational]]. }
  set (si := I.div prec (int prec 1) _) in *.
  assert (HA : encloses (I.div prec si (int prec 2)) (s / 2))
    by (apply encloses_div; [lra | easy | apply encloses_int]).
  set (ai := I.div prec si (int prec 2)) in *. assert (A : 0 < s / 2) by lra. apply Z.leb_le in LO.
  pose proof (encloses_rational prec eps) as HE.
  destruct (window_bounds ai (s / 2) n HA A) as (HT & HF).
  assert (H2 : encloses (I.mul prec (int prec 2) si) (2 * s))
    by (apply encloses_mul; [apply encloses_int | easy]).
  assert (HL : encloses (int prec (lo + 1)) (IZR lo + 1))
    by (rewrite <- plus_IZR; apply encloses_int).
  apply (gaussian_pair_delta s c (real eps) (real delta) n lo count); trivial.
  - apply (at_most_true prec _ _ _ _ (encloses_mul prec _ _ _ _ H2 (encloses_int prec lo)) HE L1).
  - apply (at_most_true prec _ _ _ _ HE (encloses_mul prec _ _ _ _ H2 HL) L2).
  - apply (fun H K => at_most_true prec _ _ _ _ H K N).
    + apply encloses_add.
      * apply encloses_pair_terms; trivial.
        -- now apply encloses_weight.
        -- apply encloses_exp, encloses_neg, encloses_mul; [easy |].
           replace (2 * IZR lo + 1) with (IZR (2 * lo + 1)); [apply encloses_int |].
           now rewrite plus_IZR, mult_IZR.
        -- apply encloses_exp, encloses_neg, encloses_mul; [apply encloses_int | easy].
        -- apply encloses_exp, encloses_sub; [easy | now apply encloses_mul].
        -- now apply encloses_exp, encloses_neg.
      * apply encloses_mul; [now apply encloses_add | apply encloses_tail_bound; trivial; lia].
    + apply encloses_mul; [apply encloses_rational |].
      destruct (encloses_window prec si s n HS) as (E & O).
      rewrite !sum_parities. apply encloses_mul; now apply encloses_add.
Qed.

End Checker.
