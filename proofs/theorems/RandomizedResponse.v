(** k-ary randomized response of one client is exactly epsilon-differentially private. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Privacy Randomizers FiniteSums Sums Distributions
  Indistinguishable.
Import ListNotations.
Open Scope R_scope.

Lemma response_denominator k e : (0 < k)%nat -> 0 < exp e + INR k - 1.
Proof. intros K. pose proof (exp_pos e). apply le_INR in K; simpl in K; lra. Qed.

Lemma distribution_response k e x : (x < k)%nat -> distribution (response k e x).
Proof.
  intros X. pose proof (response_denominator k e ltac:(lia)) as T. pose proof (exp_pos e).
  apply (distribution_finite _ (seq 0 k)).
  - intros y; unfold response. destruct (Nat.ltb y k); [| lra]. apply Rlt_le, Rdiv_lt_0_compat;
      trivial.
    destruct (Nat.eqb x y); lra.
  - apply seq_NoDup.
  - intros y N. unfold response. destruct (Nat.ltb_spec y k); trivial. elim N. apply in_seq; lia.
  - set (c := / (exp e + INR k - 1)).
    rewrite (sum_ext _ (fun y => c * (if Nat.eqb x y then exp e else 1))).
    2: { intros y I; apply in_seq in I. unfold response. destruct (Nat.ltb_spec y k); [| lia].
    unfold c, Rdiv; ring. }
    rewrite sum_scale.
    assert (S0 : forall m s, sum (fun y => if Nat.eqb x y then exp e else 1) (seq s m) =
       INR m + (if (Nat.leb s x && Nat.ltb x (s + m))%bool then exp e - 1 else 0)).
    { induction m; intros s; cbn [seq sum].
      - destruct (Nat.leb_spec s x), (Nat.ltb_spec x (s + 0)); simpl; lia || lra.
      - rewrite IHm, S_INR. destruct (Nat.leb_spec s x), (Nat.leb_spec (S s) x),
          (Nat.ltb_spec x (S s + m)), (Nat.ltb_spec x (s + S m)),
         (Nat.eqb_spec x s); try lia; simpl; ring. }
    rewrite S0. destruct (Nat.ltb_spec x (0 + k)); [| lia]. simpl. unfold c; field; lra.
Qed.

Theorem randomized_response k e i j : 0 <= e -> (i < k)%nat -> (j < k)%nat -> i <> j ->
  indistinguishable e 0 (response k e i) (response k e j) /\
  (forall eps, indistinguishable eps 0 (response k e i) (response k e j) -> e <= eps).
Proof.
  intros E I J N. pose proof (response_denominator k e ltac:(lia)) as T.
  assert (1 <= exp e).
  { rewrite <- exp_0; destruct E as [E | <-]; [left; now apply exp_increasing | lra]. }
  pose proof (Rinv_0_lt_compat _ T). split.
  - apply indistinguishable_pointwise; intros y. unfold response, Rdiv. destruct (Nat.ltb y k);
      [| lra]. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra |]. destruct (Nat.eqb i y), (Nat.eqb j y); nra.
  - intros eps C.
    pose proof (pointwise_indistinguishable _ _ _ (distribution_response k e i I)
      (distribution_response k e j J) C i) as P.
    unfold response in P. destruct (Nat.ltb_spec i k); [| lia]. rewrite Nat.eqb_refl in P.
    destruct (Nat.eqb_spec j i); [lia |]. unfold Rdiv in P. rewrite <- Rmult_assoc in P.
    apply Rmult_le_reg_r in P; trivial.
    apply Rnot_lt_le; intros Y. apply exp_increasing in Y; lra.
Qed.
