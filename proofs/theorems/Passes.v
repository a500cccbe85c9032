(** Passes and a draw from the remainder together draw p exactly, and the remainder is a
    distribution if no outcome has more words than its probability, which `dp-check` verifies
    ("Tables" in docs/verification.md of dp-check; the head of word_counts.rs). *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Samplers FiniteSums Sums Distributions.
Import ListNotations.
Open Scope R_scope.

Lemma drawn_split {A} (ps : list (pass A)) rest x :
  drawn ps rest x = decided ps x + undecided_after ps * rest x.
Proof. induction ps; simpl; [ring |]. rewrite IHps. ring. Qed.

Theorem passes_exact {A} (p : A -> R) ps : undecided_after ps <> 0 ->
  forall x, drawn ps (remainder p ps) x = p x.
Proof. intros O x. rewrite drawn_split. unfold remainder. field. exact O. Qed.

(** The rest is a distribution if no outcome has more words than its probability: what dp-check
    verifies. *)
Theorem remainder_distribution {A} (p : A -> R) ps : distribution p -> complete ps ->
  0 < undecided_after ps -> (forall x, decided ps x <= p x) ->
  distribution (remainder p ps).
Proof.
  intros LP C O D. assert (LO : forall q : pass A, 0 <= undecided_fraction q).
  { intros q. unfold undecided_fraction. apply Rmult_le_pos;
      [apply pos_INR | left; apply Rinv_0_lt_compat, pow_lt; lra]. }
  assert (SH : forall (q : pass A) x, 0 <= yield_fraction q x).
  { intros q x. unfold yield_fraction. apply Rmult_le_pos;
      [apply pos_INR | left; apply Rinv_0_lt_compat, pow_lt; lra]. }
  assert (OP : forall l : list (pass A), 0 <= undecided_after l)
    by (induction l; simpl; [lra | now apply Rmult_le_pos]).
  assert (DP : forall (l : list (pass A)) x, 0 <= decided l x).
  { induction l; intros x; simpl; [lra |]. pose proof (SH a x).
    pose proof (Rmult_le_pos _ _ (LO a) (IHl x)). lra. }
  (* what is decided sums to 1 - open *)
  assert (T : forall l : list (pass A), complete l ->
    (forall k : list A, NoDup k -> sum (decided l) k <= 1 - undecided_after l) /\
     (forall e, 0 < e -> exists k, NoDup k /\ 1 - undecided_after l - e < sum (decided l) k)).
  { induction l as [| q l IH]; intros K; simpl.
    - split; [intros k _; induction k; simpl; lra | intros e E; exists []; split;
        [constructor | simpl; lra]].
    - inversion K; subst. destruct (IH H2) as (U & V). pose proof (LO q). split.
      + intros k N. rewrite sum_plus, sum_scale.
        pose proof (sums_to_bound _ _ _ _ H1 N (all_everything _)). specialize (U k N).
        pose proof (Rmult_le_compat_l _ _ _ H U). lra.
      + intros e E. set (d := e / (2 * (1 + undecided_fraction q))).
        assert (D0 : 0 < d) by (apply Rdiv_lt_0_compat; lra).
        destruct (V d D0) as (k & N & B).
        assert (exists k', NoDup k' /\ 1 - undecided_fraction q - d < sum (yield_fraction q) k') as
          (k' & N' & B').
        { apply NNPP; intros Z. destruct H1 as [_ L]. specialize (L (1 - undecided_fraction q - d)).
          assert (1 - undecided_fraction q <= 1 - undecided_fraction q - d); [apply L | lra].
          intros v (k' & N' & _ & ->).
          apply Rnot_lt_le; intros Y; apply Z; now exists k'. }
        destruct (as_set (k ++ k')) as (m & M & I & _). exists m; split; trivial.
        rewrite sum_plus, sum_scale.
        assert (sum (decided l) k <= sum (decided l) m) by (apply sum_incl; trivial; intros x J;
          apply I, in_or_app; auto).
        assert (sum (yield_fraction q) k' <= sum (yield_fraction q) m)
          by (apply sum_incl; trivial; intros x J; apply I, in_or_app; auto).
        assert (1 - undecided_after l - d <= sum (decided l) m) by lra.
        pose proof (Rmult_le_compat_l _ _ _ H H4).
        assert (d * (1 + undecided_fraction q) = e / 2) by (unfold d; field; lra). nra. }
  destruct (T ps C) as (U & V). split.
  - intros x. unfold remainder. apply Rmult_le_pos;
      [specialize (D x); lra | left; now apply Rinv_0_lt_compat].
  - assert (E : forall k, undecided_after ps * sum (remainder p ps) k
      = sum p k - sum (decided ps) k).
    { intros k. rewrite <- sum_scale. induction k; simpl; [ring |]. rewrite IHk. unfold remainder.
      field; lra. }
    split.
    + intros v (k & N & _ & ->). apply le_epsilon; intros e E0.
      destruct (V (e * undecided_after ps)) as (k' & N' & B); [now apply Rmult_lt_0_compat |].
      destruct (as_set (k ++ k')) as (m & M & I & _).
      apply Rle_trans with (sum (remainder p ps) m).
      * apply sum_incl; trivial; [| intros x J; apply I, in_or_app; auto].
        intros x; unfold remainder.
        apply Rmult_le_pos; [specialize (D x); lra | left; now apply Rinv_0_lt_compat].
      * apply Rmult_le_reg_l with (undecided_after ps); trivial. rewrite E.
        pose proof (distribution_sum p m LP M).
        assert (sum (decided ps) k' <= sum (decided ps) m) by (apply sum_incl; trivial; intros x J;
          apply I, in_or_app; auto). lra.
    + intros b B. apply Rmult_le_reg_l with (undecided_after ps); trivial. apply le_epsilon;
        intros e E0. apply Rplus_le_reg_r with (- e).
      replace (undecided_after ps * b + e + - e) with (undecided_after ps * b) by ring.
      destruct (distribution_one _ LP) as [_ L]. assert (exists k, NoDup k /\ 1 - e < sum p k) as
        (k & N & K).
      { apply NNPP; intros Z. specialize (L (1 - e)). assert (1 <= 1 - e); [apply L | lra].
        intros v (k & N & _ & ->). apply Rnot_lt_le; intros Y; apply Z; now exists k. }
      assert (sum (remainder p ps) k <= b) by (apply B; now exists k).
      pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ O) H). rewrite E in H0. specialize (U k N).
      lra.
Qed.
