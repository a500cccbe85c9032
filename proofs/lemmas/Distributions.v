(** Distributions: events, independent values, functions of random values. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability FiniteSums Sums.
Import ListNotations.
Open Scope R_scope.

(** Every event has a probability, at most 1. *)
Lemma distribution_event {A} (p : A -> R) E : distribution p -> exists v, sums_to p E v /\ 0 <= v
  <= 1.
Proof.
  intros [P O]. destruct (sums_to_exists p E 1) as (v & T & L).
  - intros l D _. now apply (sums_to_bound p _ 1 l O D).
  - exists v; split; [exact T | split; [now apply sums_to_ge0 in T | exact L]].
Qed.

Lemma distribution_inhabited {A} (p : A -> R) : distribution p -> exists x : A, True.
Proof.
  intros [P [_ L]]. apply NNPP; intros N. assert (1 <= 0); [| lra].
  apply L. intros v ([| x l] & _ & _ & ->); [simpl; lra | elim N; now exists x].
Qed.

Lemma distribution_sum {A} (p : A -> R) l : distribution p -> NoDup l -> sum p l <= 1.
Proof. intros [P O] D. now apply (sums_to_bound p _ 1 l O D). Qed.

Lemma distribution_pair {A B} (p : A -> R) (r : B -> R) : distribution p -> distribution r ->
  distribution (independent p r).
Proof.
  intros LP LR. pose proof (distribution_ge0 _ LP) as P. pose proof (distribution_ge0 _ LR) as R0.
  split.
  - intros; now apply Rmult_le_pos.
  - split.
    + intros v (l & D & _ & ->). destruct (sum_pairs (independent p r) l) as (m & n & M & N & S);
        trivial.
      { intros; now apply Rmult_le_pos. }
      apply (Rle_trans _ _ _ S). unfold independent; simpl.
      erewrite sum_ext by (intros; apply sum_scale).
      erewrite sum_ext by (intros; apply Rmult_comm). rewrite sum_scale.
      pose proof (distribution_sum p m LP M). pose proof (distribution_sum r n LR N).
      pose proof (sum_ge0 p m P). pose proof (sum_ge0 r n R0). nra.
    + intros b U. apply le_epsilon; intros e E0.
      assert (X : forall T (q : T -> R), distribution q -> forall d, 0 < d -> exists l, NoDup l
        /\ 1 - d < sum q l).
      { intros T q LQ d D0. apply NNPP; intros N. destruct (distribution_one _ LQ) as [_ L].
        specialize (L (1 - d)). assert (1 <= 1 - d); [apply L | lra].
        intros v (l & D & _ & ->). apply Rnot_lt_le; intros Y; apply N; now exists l. }
      set (d := Rmin (e / 2) (1 / 2)).
      assert (0 < d <= e / 2 /\ d <= 1 / 2) as (D1 & D2).
      { unfold d, Rmin; destruct (Rle_dec _ _); lra. }
      destruct (X _ p LP d) as (m & M & Y); [lra |]. destruct (X _ r LR d) as (n & N & Z); [lra |].
      assert (sum (independent p r) (list_prod m n) <= b).
      { apply U. exists (list_prod m n); repeat split; trivial; now apply NoDup_list_prod. }
      rewrite sum_prod in H. unfold independent in H; simpl in H.
      erewrite sum_ext in H by (intros; apply sum_scale).
      erewrite sum_ext in H by (intros; apply Rmult_comm). rewrite sum_scale in H. nra.
Qed.

(** A one-to-one relabelling onto all values that have weight keeps a distribution. *)
Lemma distribution_relabel {A B} (p : A -> R) (q : B -> R) (h : A -> B) (k : B -> A) :
  distribution p -> (forall a, k (h a) = a) -> (forall a, q (h a) = p a) ->
  (forall b, 0 <= q b) -> (forall b, q b <> 0 -> h (k b) = b) -> distribution q.
Proof.
  intros LP KH QH Q HK. split; trivial. split.
  - intros v (l & D & _ & ->).
    set (c := fun b => if Req_EM_T (q b) 0 then false else true).
    rewrite (sum_filter q c).
    assert (sum q (filter (fun b => negb (c b)) l) = 0).
    { clear D; induction l; simpl; trivial. unfold c at 1; destruct (Req_EM_T (q a) 0); simpl; lra.
      }
    assert (G : forall b, In b (filter c l) -> h (k b) = b).
    { intros b I; apply filter_In in I as (_ & C); apply HK; unfold c in C;
        now destruct (Req_EM_T (q b) 0). }
    pose proof (NoDup_filter c D) as D'. clear D. revert H G D'; generalize (filter c l) as m;
      intros m Z G D'.
    rewrite Z, Rplus_0_r. replace (sum q m) with (sum p (map k m)).
    + apply distribution_sum; trivial. clear Z. induction D'; simpl; constructor.
      * intros I; apply in_map_iff in I as (y & E & Y). apply H.
        rewrite <- (G x (or_introl eq_refl)), <- E, (G y (or_intror Y)); easy.
      * apply IHD'; intros; apply G; now right.
    + rewrite sum_map; apply sum_ext; intros b I. rewrite <- QH, (G b I); easy.
  - intros b U. apply (distribution_one _ LP). intros v (l & D & _ & ->).
    apply U. exists (map h l); repeat split.
    + apply Injective_map_NoDup; trivial. intros x y E. now rewrite <- (KH x), E.
    + easy.
    + rewrite sum_map; now apply sum_ext.
Qed.

(** P(h(X) in E) computed from the distribution of h(X) is that computed from the distribution of
    X. *)
Lemma image_event {A B} (h : A -> B) p q E v : (forall x, 0 <= p x) -> image h p q ->
  sums_to p (fun x => E (h x)) v -> sums_to q E v.
Proof.
  intros P I T. split.
  - intros w (l & D & F & ->). apply le_epsilon; intros e E0.
    (* finite sets of the fibres, near their sums *)
    assert (X : forall d, 0 < d -> exists m, NoDup m /\ Forall (fun x => In (h x) l) m /\
                sum q l <= sum p m + INR (length l) * d).
    { intros d D0. clear F. induction D as [| y l N D IH].
      - exists nil; repeat split; simpl; try constructor; lra.
      - destruct IH as (m & M & H & S).
        assert (exists k, NoDup k /\ Forall (fun x => h x = y) k /\ q y - d < sum p k) as
          (k & K & HK & SK).
        { apply NNPP; intros Z. destruct (I y) as [_ L]. specialize (L (q y - d)).
          assert (q y <= q y - d); [apply L | lra]. intros v' (k & K & HK & ->).
          apply Rnot_lt_le; intros Y; apply Z; now exists k. }
        exists (k ++ m); repeat split.
        + clear - K M H HK N. induction K as [| x k NX K IK]; simpl; trivial. inversion HK; subst.
          constructor; [| now apply IK].
          intros J; apply in_app_or in J as [J | J]; [easy |]. rewrite Forall_forall in H. apply N.
          now apply H.
        + apply Forall_app; split; eapply Forall_impl; try eassumption; simpl; auto.
        + rewrite sum_app. change (length (y :: l)) with (Datatypes.S (length l)). rewrite S_INR;
            simpl; lra. }
    destruct (X (e / (INR (length l) + 1))) as (m & M & H & S).
    { apply Rdiv_lt_0_compat; [easy |]. pose proof (pos_INR (length l)); lra. }
    assert (sum p m <= v).
    { apply (sums_to_bound _ _ _ _ T M). rewrite Forall_forall in *; intros x J; apply F;
        now apply H. }
    assert (INR (length l) * (e / (INR (length l) + 1)) <= e).
    { pose proof (pos_INR (length l)). unfold Rdiv. rewrite <- Rmult_assoc, (Rmult_comm _ e),
        Rmult_assoc.
      rewrite <- (Rmult_1_r e) at 2. apply Rmult_le_compat_l; [lra |].
      apply Rmult_le_reg_r with (INR (length l) + 1); [lra |]. rewrite Rmult_assoc, Rinv_l; lra. }
    lra.
  - intros b U. apply T. intros w (l & D & F & ->).
    destruct (as_set (map h l)) as (m & M & I1 & I2).
    apply (Rle_trans _ (sum q m)).
    + clear I2. revert l D F I1; induction M as [| y m N M IH]; intros l D F I1.
      * destruct l as [| x l]; simpl; [lra |]. destruct (I1 (h x)); now left.
      * set (c := fun x => if excluded_middle_informative (h x = y) then true else false).
        rewrite (sum_filter p c). simpl. apply Rplus_le_compat.
        -- apply (sums_to_bound _ _ _ _ (I y)); [now apply NoDup_filter |].
           apply Forall_forall; intros x J; apply filter_In in J as (_ & J).
           unfold c in J; now destruct (excluded_middle_informative _).
        -- apply IH; [now apply NoDup_filter | |].
           ++ rewrite Forall_forall in *; intros x J; apply filter_In in J as (J & _); now apply F.
           ++ intros z J. apply in_map_iff in J as (x & <- & J). apply filter_In in J as (J & C).
              unfold c in C; destruct (excluded_middle_informative _) as [| NE]; [easy |].
              destruct (I1 (h x)) as [E' | ?]; [now apply in_map | now symmetry in E' | easy].
    + apply U. exists m; repeat split; trivial. rewrite Forall_forall in *; intros y J.
      apply I2 in J. apply in_map_iff in J as (x & <- & J); now apply F.
Qed.

(** The distribution of a function of a random value exists, and is a distribution. *)
Lemma image_exists {A B} (h : A -> B) p : distribution p -> exists q, image h p q /\ distribution q.
Proof.
  intros LP. assert (U : forall y, exists! v, sums_to p (fun x => h x = y) v).
  { intros y. destruct (distribution_event p (fun x => h x = y) LP) as (v & T & _).
    exists v; split; [easy |]. intros w W; eapply sums_to_unique; eassumption. }
  exists (fun y => proj1_sig (constructive_definite_description _ (U y))).
  assert (I : image h p (fun y => proj1_sig (constructive_definite_description _ (U y)))).
  { intros y; exact (proj2_sig (constructive_definite_description _ (U y))). }
  split; [exact I |]. split.
  - intros y. exact (sums_to_ge0 _ _ _ (I y)).
  - eapply image_event; [apply (distribution_ge0 _ LP) | exact I |]. exact (distribution_one _ LP).
Qed.

Lemma image_after {A B C} (h : A -> B) (k : B -> C) p q r : distribution p ->
  image h p q -> image (fun x => k (h x)) p r -> image k q r.
Proof. intros LP I J y.
exact (image_event h p q (fun b => k b = y) _ (distribution_ge0 _ LP) I (J y)). Qed.

Lemma distribution_finite {A} (p : A -> R) l : (forall x, 0 <= p x) -> NoDup l ->
  (forall x, ~ In x l -> p x = 0) -> sum p l = 1 -> distribution p.
Proof. intros P D Z S. split; trivial. rewrite <- S. now apply sums_to_support. Qed.

Lemma iid_ge0 {A} (q : A -> R) n l : (forall x, 0 <= q x) -> 0 <= iid q n l.
Proof. intros Q; revert l; induction n; intros [| x l]; simpl; try lra. now apply Rmult_le_pos. Qed.

Lemma distribution_iid {A} (q : A -> R) n (x0 : A) : distribution q -> distribution (iid q n).
Proof.
  intros L. pose proof (distribution_ge0 _ L) as Q. induction n.
  - split; [intros; now apply iid_ge0 |]. apply (sums_to_single _ _ []); try easy;
      [intros; now apply iid_ge0 | now intros [| y l]].
  - apply (distribution_relabel (independent q (iid q n)) _ (fun z => fst z :: snd z)
      (fun l => match l with x :: l => (x, l) | [] => (x0, []) end)).
    + now apply distribution_pair.
    + now intros (y, l).
    + easy.
    + intros; now apply iid_ge0.
    + intros [| y l]; simpl; [intros N; now elim N | easy].
Qed.
