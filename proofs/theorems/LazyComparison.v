(** A comparison of a uniform U with p that takes more bits of U and narrower enclosures of p until
    it is decided (the head of threshold.rs; `draw_remainder` in word_counts.rs). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Samplers FiniteSums Sums Distributions WordCounts.
Import ListNotations.
Open Scope R_scope.

(** At most (b - a)*2^n words u of n bits have an interval [u/2^n, (u + 1)/2^n) inside [a, b). *)
Lemma dyadic_count a b n l : a <= b -> NoDup l ->
  (forall u, In u l -> a * 2 ^ n <= IZR u /\ IZR u + 1 <= b * 2 ^ n) -> INR (length l)
    <= (b - a) * 2 ^ n.
Proof.
  intros AB D H. assert (P : 0 < 2 ^ n) by (apply pow_lt; lra).
  set (lo := (1 - up (- (a * 2 ^ n)))%Z). set (hi := (up (b * 2 ^ n) - 1)%Z).
  destruct (archimed (- (a * 2 ^ n))) as (A1 & A2), (archimed (b * 2 ^ n)) as (B1 & B2).
  assert (LO : IZR lo = 1 - IZR (up (- (a * 2 ^ n)))) by (unfold lo; rewrite minus_IZR; easy).
  assert (HI : IZR hi = IZR (up (b * 2 ^ n)) - 1) by (unfold hi; rewrite minus_IZR; easy).
  assert (I : forall u, In u l -> (lo <= u < hi)%Z).
  { intros u J. destruct (H u J) as (H1 & H2). split.
    - apply Z.lt_succ_r, lt_IZR. unfold Z.succ; rewrite plus_IZR. lra.
    - apply lt_IZR. apply Rle_lt_trans with (b * 2 ^ n - 1); [lra |]. rewrite HI. lra. }
  destruct l as [| u l]; [simpl; pose proof (Rmult_le_compat_r _ _ _ (Rlt_le _ _ P) AB); lra |].
  assert (L : (length (u :: l) <= Z.to_nat (hi - lo))%nat).
  { rewrite <- (length_words lo (Z.to_nat (hi - lo))). apply NoDup_incl_length; trivial.
    intros w J. apply in_words. specialize (I w J). lia. }
  apply le_INR in L. apply (Rle_trans _ _ _ L). rewrite INR_IZR_INZ, Z2Nat.id
    by (specialize (I u (or_introl eq_refl)); lia).
  rewrite minus_IZR, HI, LO. lra.
Qed.

(** Draws that never give x more than r(x), and decide in the end with probability 1, have the
    distribution r. *)
Theorem lazy_exact {A} (r : A -> R) (d : nat -> A -> R) : distribution r ->
  (forall n x, 0 <= d n x <= r x) ->
  (forall e, 0 < e -> exists n0, forall n, (n0 <= n)%nat ->
    exists l, NoDup l /\ 1 - e < sum (d n) l) ->
  forall x e, 0 < e -> exists n0, forall n, (n0 <= n)%nat -> r x - e < d n x <= r x.
Proof.
  intros LR U T x e E. destruct (T e E) as (n0 & N). exists n0; intros n L. split; [| apply U].
  destruct (N n L) as (l & D & S). apply Rnot_le_lt; intros Y.
  assert (exists m, NoDup m /\ In x m /\ 1 - e < sum (d n) m) as (m & M & I & B).
  { destruct (classic (In x l)).
    - exists l; repeat split; trivial; lra.
    - exists (x :: l); repeat split; [now constructor | now left |]. simpl.
      pose proof (proj1 (U n x)). lra. }
  apply in_split in I as (m1 & m2 & ->). pose proof (distribution_sum r _ LR M) as S1.
  rewrite sum_app in B, S1; simpl in B, S1.
  pose proof (sum_le (d n) r m1 (fun y _ => proj2 (U n y))).
  pose proof (sum_le (d n) r m2 (fun y _ => proj2 (U n y))). lra.
Qed.

(** A word of n bits lies in the interval of its first k bits. *)
Lemma first_bits k n u : (k <= n)%nat -> let v := IZR (u / 2 ^ Z.of_nat (n - k)) in
  v / 2 ^ k * 2 ^ n <= IZR u /\ IZR u + 1 <= (v + 1) / 2 ^ k * 2 ^ n.
Proof.
  intros L. cbv zeta. set (b := (2 ^ Z.of_nat (n - k))%Z).
  assert (B : (0 < b)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (K : 0 < 2 ^ k) by (apply pow_lt; lra).
  replace (2 ^ n) with (2 ^ k * IZR b).
  2: { unfold b. rewrite <- pow_IZR, <- pow_add. f_equal. lia. }
  assert (U : (u / b * b <= u /\ u + 1 <= (u / b + 1) * b)%Z)
    by (pose proof (Z.mod_pos_bound u b B); pose proof (Z.div_mod u b); nia).
  destruct U as (U1 & U2). apply IZR_le in U1, U2. rewrite mult_IZR in U1, U2.
  rewrite !plus_IZR in U2.
  replace (_ / _ * _) with (IZR (u / b) * IZR b) by (field; lra).
  replace ((_ + 1) / _ * _) with ((IZR (u / b) + 1) * IZR b) by (field; lra). now split.
Qed.

(** What the first k bits of a word of n bits decide is true of the whole word. *)
Lemma says_below_true p lower k n u : (k <= n)%nat -> lower <= p ->
  says_below lower k (u / 2 ^ Z.of_nat (n - k)) -> IZR u + 1 <= p * 2 ^ n.
Proof.
  intros L P S. apply (Rle_trans _ _ _ (proj2 (first_bits k n u L))).
  apply Rmult_le_compat_r; [left; apply pow_lt; lra | exact (Rle_trans _ _ _ S P)].
Qed.

Lemma says_above_true p upper k n u : (k <= n)%nat -> p <= upper ->
  says_above upper k (u / 2 ^ Z.of_nat (n - k)) -> p * 2 ^ n <= IZR u.
Proof.
  intros L P S. refine (Rle_trans _ _ _ _ (proj1 (first_bits k n u L))).
  apply Rmult_le_compat_r; [left; apply pow_lt; lra | exact (Rle_trans _ _ _ P S)].
Qed.

(** T are the words of n bits for which "U < p" was said by then, F those for which "U >= p" was
    said, and lower and upper enclose p at step n: "U < p" was said with a probability between
    p - 3/2^n and p. The limit, that it is said with probability p, is left to the reader. *)
Theorem comparison_exact p lower upper n (T F : list Z) : 0 <= p <= 1 -> lower <= p <= upper ->
  upper - lower <= / 2 ^ n -> NoDup T -> NoDup F ->
  (forall u, In u T -> (0 <= u)%Z /\ IZR u + 1 <= p * 2 ^ n) ->
  (forall u, In u F -> p * 2 ^ n <= IZR u /\ IZR u + 1 <= 2 ^ n) ->
  (forall u, In u (words 0 (2 ^ n)) -> 
    In u T \/ In u F \/ (~ says_below lower n u /\ ~ says_above upper n u)) ->
  p - 3 / 2 ^ n <= INR (length T) / 2 ^ n <= p.
Proof.
  intros P E W DT DF HT HF A. assert (K : 0 < 2 ^ n) by (apply pow_lt; lra).
  assert (LT : INR (length T) <= p * 2 ^ n).
  { replace (p * 2 ^ n) with ((p - 0) * 2 ^ n) by ring. apply dyadic_count; trivial; [lra |].
    intros u I.
    destruct (HT u I) as (H0 & H1). apply IZR_le in H0. lra. }
  assert (LF : INR (length F) <= (1 - p) * 2 ^ n).
  { apply dyadic_count; trivial; [lra |]. intros u I. specialize (HF u I). lra. }
  set (c := fun u => if excluded_middle_informative (In u T \/ In u F) then false else true).
  set (U := filter c (words 0 (2 ^ n))).
  assert (ND : NoDup (words 0 (2 ^ n))).
  { generalize 0%Z as s. generalize (2 ^ n)%nat as m. induction m; intros s; cbn [words];
      constructor; trivial. rewrite in_words; lia. }
  assert (LU : INR (length U) <= (upper + / 2 ^ n - (lower - / 2 ^ n)) * 2 ^ n).
  { apply dyadic_count; [assert (0 < / 2 ^ n) by (now apply Rinv_0_lt_compat);
      lra | now apply NoDup_filter |].
    intros u I. apply filter_In in I as (I & C). destruct (A u I) as [X | [X | (X & Y)]];
      try (unfold c in C; destruct (excluded_middle_informative _); [easy | tauto]).
    unfold says_below in X. unfold says_above in Y. apply Rnot_le_lt in X, Y.
    rewrite Rmult_minus_distr_r, Rmult_plus_distr_r, Rinv_l by lra.
    apply (Rmult_lt_compat_r _ _ _ K) in X, Y. unfold Rdiv in X, Y. rewrite Rmult_assoc, Rinv_l,
      Rmult_1_r in X, Y by lra. lra. }
  assert (S : (2 ^ n <= length T + length F + length U)%nat).
  { rewrite <- (length_words 0 (2 ^ n)) at 1. rewrite <- !app_length. apply NoDup_incl_length;
      trivial.
    intros u I. apply in_or_app. destruct (c u) eqn:C;
      [right; now apply filter_In | left; apply in_or_app].
    unfold c in C; now destruct (excluded_middle_informative _). }
  apply le_INR in S. rewrite !plus_INR, pow_INR in S. change (INR 2) with 2 in S.
  assert (X : (upper + / 2 ^ n - (lower - / 2 ^ n)) * 2 ^ n <= 3).
  { replace 3 with (3 * / 2 ^ n * 2 ^ n) by (field; lra). apply Rmult_le_compat_r; lra. }
  split.
  - apply Rmult_le_reg_r with (2 ^ n); trivial. unfold Rdiv. rewrite Rmult_minus_distr_r,
      !Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_le_reg_r with (2 ^ n); trivial. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra.
Qed.
