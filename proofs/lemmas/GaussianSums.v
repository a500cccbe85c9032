(** Sums of e^(-s z^2): tails, numbers of one parity, the normalizer. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Noise FiniteSums Sums Distributions Integers.
Import ListNotations.
Open Scope R_scope.

Lemma weight_pos a z : 0 < weight a z. Proof. apply exp_pos. Qed.

Lemma weight_opp a z : weight a (- z) = weight a z.
Proof. unfold weight; rewrite opp_IZR; f_equal; ring. Qed.

(** Above the sum of e^(-a z^2) over the integers z > n. *)
Definition tail_bound (a : R) (n : Z) : R := weight a (n + 1) / (1 - exp (- (a * IZR (n + 1)))).

Lemma tail_ratio a n : 0 < a -> (0 <= n)%Z -> 0 < exp (- (a * IZR (n + 1))) < 1.
Proof.
  intros A N. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing.
  assert (0 < IZR (n + 1)) by (apply IZR_lt; lia). nra.
Qed.

Lemma tail_bound_pos a n : 0 < a -> (0 <= n)%Z -> 0 < tail_bound a n.
Proof. intros A N. pose proof (tail_ratio a n A N). unfold tail_bound. apply Rdiv_lt_0_compat;
  [apply weight_pos | lra]. Qed.

Lemma tail_sum a n l : 0 < a -> (0 <= n)%Z -> NoDup l -> (forall z, In z l -> (n < z)%Z) ->
  sum (weight a) l <= tail_bound a n.
Proof.
  intros A N D L. pose proof (tail_ratio a n A N) as R0. set (r := exp (- (a * IZR (n + 1)))) in *.
  assert (S : forall k i, sum (weight a) (map (fun i => n + 1 + Z.of_nat i)%Z (seq i k))
    <= weight a (n + 1) * (r ^ i - r ^ (i + k)) / (1 - r)).
  { induction k; intros i; cbn [seq map sum].
    - rewrite Nat.add_0_r. unfold Rdiv; rewrite Rminus_diag_eq, Rmult_0_r, Rmult_0_l by easy; lra.
    - specialize (IHk (S i)). assert (weight a (n + 1 + Z.of_nat i) <= weight a (n + 1) * r ^ i).
      { unfold r. rewrite exp_pow.
        unfold weight. rewrite <- exp_plus. apply exp_le. rewrite (plus_IZR (n + 1)),
          <- INR_IZR_INZ.
        assert (0 < IZR (n + 1)) by (apply IZR_lt; lia). pose proof (pos_INR i).
        set (u := IZR (n + 1)) in *. set (v := INR i) in *.
        assert (0 <= a * u * v) by (repeat apply Rmult_le_pos; lra). assert (0 <= a * v * v)
          by (repeat apply Rmult_le_pos; lra).
        replace (- (a * ((u + v) * (u + v)))) with (- (a * (u * u)) + - (a * u) * v - (a * u * v)
          - a * v * v) by ring. lra. }
      replace (i + S k)%nat with (S i + k)%nat by lia.
      apply Rle_trans with (weight a (n + 1) * r ^ i + weight a (n + 1) * (r ^ S i - r ^ (S i + k))
        / (1 - r)); [lra |].
      right. simpl. field. lra. }
  assert (exists k, incl l (map (fun i => n + 1 + Z.of_nat i)%Z (seq 0 k))) as (k & I).
  { clear D. induction l as [| z l IH]; [exists O; easy |]. destruct IH as (k & I);
      [intros; apply L; now right |].
    exists (Nat.max k (1 + Z.to_nat (z - n - 1))%nat). pose proof (L z (or_introl eq_refl)).
    intros y [<- | Y]; apply in_map_iff.
    - exists (Z.to_nat (z - n - 1)). rewrite in_seq. lia.
    - apply I, in_map_iff in Y as (i & <- & Y). exists i. rewrite in_seq in *. lia. }
  apply Rle_trans with (sum (weight a) (map (fun i => n + 1 + Z.of_nat i)%Z (seq 0 k))).
  - apply sum_incl; trivial. intros; left; apply weight_pos.
  - apply (Rle_trans _ _ _ (S k O)). unfold tail_bound; fold r. simpl. unfold Rdiv.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |].
    pose proof (weight_pos a (n + 1)).
    assert (0 <= r ^ k) by (apply pow_le; lra). nra.
Qed.

(** Sums of what is at most e^(-a z^2) exceed the sum over a window by at most two tails. *)
Lemma sum_beyond_window a f n l : 0 < a -> (forall z, 0 <= f z <= weight a z) -> NoDup l ->
  sum f l <= sum f (ball n) + 2 * tail_bound a (Z.of_nat n).
Proof.
  intros A F D. rewrite (sum_filter f (fun z => Z.leb (Z.abs z) (Z.of_nat n))).
  set (far := filter (fun z => negb (Z.leb (Z.abs z) (Z.of_nat n))) l).
  rewrite (sum_filter f (fun z => Z.ltb 0 z) far).
  assert (N : NoDup far) by now apply NoDup_filter.
  assert (sum f (filter (fun z => Z.leb (Z.abs z) (Z.of_nat n)) l) <= sum f (ball n)).
  { apply sum_incl; [apply F | now apply NoDup_filter |]. intros z I; apply filter_In in
      I as (_ & I). apply in_ball. lia. }
  assert (sum f (filter (fun z => Z.ltb 0 z) far) <= tail_bound a (Z.of_nat n)).
  { apply Rle_trans with (sum (weight a) (filter (fun z => Z.ltb 0 z) far));
      [apply sum_le; intros; apply F |].
    apply tail_sum; trivial; [lia | now apply NoDup_filter |]. intros z I. apply filter_In in
      I as (I & J).
    apply filter_In in I as (_ & I). lia. }
  assert (sum f (filter (fun z => negb (Z.ltb 0 z)) far) <= tail_bound a (Z.of_nat n)).
  { apply Rle_trans with (sum (weight a) (filter (fun z => negb (Z.ltb 0 z)) far));
      [apply sum_le; intros; apply F |].
    rewrite (sum_ext _ (fun z => weight a (- z))) by (intros; now rewrite weight_opp).
    rewrite <- (sum_map (weight a) Z.opp).
    apply tail_sum; trivial;
      [lia | apply Injective_map_NoDup; [intros x y; lia | now apply NoDup_filter] |].
    intros z I. apply in_map_iff in I as (y & <- & I). apply filter_In in I as (I & J).
    apply filter_In in I as (_ & I). lia. }
  lra.
Qed.

Lemma normalizer_exists s : 0 < s -> exists c, normalizer s c.
Proof.
  intros S. destruct
    (sums_to_exists (weight s) everything (sum (weight s) (ball 0) + 2 * tail_bound s (Z.of_nat 0)))
    as (c & T & _).
  - intros l D _. apply sum_beyond_window; trivial. intros z; pose proof (weight_pos s z); lra.
  - now exists c.
Qed.

Lemma normalizer_pos s c : normalizer s c -> 0 < c.
Proof.
  intros T. pose proof (sums_to_bound _ _ _ (ball 0) T (NoDup_ball 0) (all_everything _)) as L.
  simpl in L.
  pose proof (weight_pos s 0). lra.
Qed.

Lemma distribution_gaussian s c : normalizer s c -> distribution (gaussian s c).
Proof.
  intros T. pose proof (normalizer_pos _ _ T) as C. pose proof (Rinv_0_lt_compat _ C). split.
  - intros z. unfold gaussian. apply Rmult_le_pos; [lra | left; apply weight_pos].
  - rewrite <- (Rinv_l c) by lra. apply sums_to_scale; [lra | exact T].
Qed.

Lemma gaussian_opp s c z : gaussian s c (- z) = gaussian s c z.
Proof. unfold gaussian; now rewrite weight_opp. Qed.
