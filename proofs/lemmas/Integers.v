(** Sums over all integers, by balls around 0; exponentials. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability FiniteSums Sums.
Import ListNotations.
Open Scope R_scope.

(** The integers of size at most n. *)
Fixpoint ball (n : nat) : list Z :=
  match n with O => [0%Z] | S m => Z.of_nat n :: (- Z.of_nat n)%Z :: ball m end.

Lemma in_ball n z : In z (ball n) <-> (Z.abs z <= Z.of_nat n)%Z.
Proof. induction n; cbn [ball In]; [| rewrite IHn]; lia. Qed.

Lemma NoDup_ball n : NoDup (ball n).
Proof.
  induction n; cbn [ball].
  - constructor; [easy | constructor].
  - constructor; [| constructor; trivial]; cbn [In]; rewrite in_ball; lia.
Qed.

Lemma incl_ball (l : list Z) : exists n, incl l (ball n).
Proof.
  induction l as [| z l (n & I)]; [exists O; easy |].
  exists (Nat.max n (Z.abs_nat z)). intros y [<- | Y]; apply in_ball; [lia |]. apply I, in_ball in
    Y; lia.
Qed.

(** A nonnegative function of integers whose sums over balls stay below v and come near v has the
    sum v. *)
Lemma sums_to_balls (f : Z -> R) v : (forall z, 0 <= f z) -> (forall n, sum f (ball n) <= v) ->
  (forall e, 0 < e -> exists n, v - e < sum f (ball n)) -> sums_to f everything v.
Proof.
  intros F U L; split.
  - intros w (l & D & _ & ->). destruct (incl_ball l) as (n & I).
    apply Rle_trans with (sum f (ball n)); trivial. now apply sum_incl.
  - intros b B. apply le_epsilon; intros e E. destruct (L e E) as (n & N).
    assert (sum f (ball n) <= b); [| lra]. apply B. exists (ball n); split;
      [apply NoDup_ball | split; trivial].
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [L | ->]; [left; now apply exp_increasing | lra]. Qed.

Lemma exp_gt_1 x : 0 < x -> 1 < exp x.
Proof. intros; rewrite <- exp_0; now apply exp_increasing. Qed.

Lemma exp_ge_1 x : 0 <= x -> 1 <= exp x.
Proof. intros; rewrite <- exp_0; now apply exp_le. Qed.

Lemma exp_le_1 x : x <= 0 -> exp x <= 1.
Proof. intros; rewrite <- exp_0; now apply exp_le. Qed.

Lemma exp_pow x i : exp x ^ i = exp (x * INR i).
Proof. induction i; [simpl; now rewrite Rmult_0_r, exp_0 |]. rewrite S_INR, Rmult_plus_distr_l,
  exp_plus, <- IHi, Rmult_1_r; simpl; ring. Qed.
