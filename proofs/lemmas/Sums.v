(** Sums over any type: [sums_to]. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability FiniteSums.
Import ListNotations.
Open Scope R_scope.

Lemma all_everything {A} (l : list A) : Forall everything l.
Proof. induction l; constructor; easy. Qed.

Global Hint Resolve all_everything : core.

Section Sums.
Context {A : Type}.
Implicit Types (f : A -> R) (l : list A).

Lemma sums_to_unique f (E : A -> Prop) v w : sums_to f E v -> sums_to f E w -> v = w.
Proof. intros [U L] [U' L']; apply Rle_antisym; auto. Qed.

Lemma sums_to_bound f E v l : sums_to f E v -> NoDup l -> Forall E l -> sum f l <= v.
Proof. intros [U _] D F; apply U; now exists l. Qed.

Lemma sums_to_exists f E b :
  (forall l, NoDup l -> Forall E l -> sum f l <= b) -> exists v, sums_to f E v /\ v <= b.
Proof.
  intros U. destruct (completeness (partial_sum f E)) as (v & V).
  - exists b. intros x (l & D & F & ->); auto.
  - exists 0, nil; repeat split; try constructor.
  - exists v; split; [exact V |]. apply V. intros x (l & D & F & ->); auto.
Qed.

Lemma sums_to_ge0 f E v : sums_to f E v -> 0 <= v.
Proof. intros T; apply (sums_to_bound f E v nil T); constructor. Qed.

End Sums.

(** One value has all the weight. *)
Lemma sums_to_single {A} (f : A -> R) (E : A -> Prop) x v : (forall y, 0 <= f y) -> f x = v ->
  (v <> 0 -> E x) ->
  (forall y, E y -> y <> x -> f y = 0) -> sums_to f E v.
Proof.
  intros F V X N. pose proof (F x).
  assert (Z : forall l, NoDup l -> Forall E l -> ~ In x l -> sum f l = 0).
  { induction l; simpl; trivial; intros D G I. inversion D; subst; inversion G; subst.
    rewrite N, IHl; tauto || lra || auto. }
  split.
  - intros w (l & D & G & ->). destruct (classic (In x l)) as [I | I]; [| rewrite Z; trivial; lra].
    apply in_split in I as (l1_distance & l2 & ->). pose proof (NoDup_remove_2 _ _ _ D).
    apply NoDup_remove_1 in D.
    assert (sum f (l1_distance ++ l2) = 0).
    { apply Z; trivial. apply Forall_app in G as (? & G). inversion G; subst. now apply Forall_app.
      }
    rewrite sum_app in H1 |- *; simpl; lra.
  - intros b U. destruct (Req_dec v 0) as [-> | V0].
    + apply U. exists nil; split; [constructor | split; [constructor | easy]].
    + apply U. exists [x]; split; [| split].
      * constructor; [easy | constructor]. * constructor; [auto | constructor]. * simpl; lra.
Qed.

Lemma sums_to_zero {A} (f : A -> R) (E : A -> Prop) : (forall y, E y -> f y = 0) -> sums_to f E 0.
Proof.
  intros N; split.
  - intros w (l & _ & G & ->). induction G; simpl; [lra |]. rewrite N; trivial; lra.
  - intros b U; apply U. exists nil; split; [constructor | split; [constructor | easy]].
Qed.

Lemma sums_to_ext {A} (f : A -> R) (E F : A -> Prop) v : (forall x, E x <-> F x) -> sums_to f E v ->
  sums_to f F v.
Proof.
  intros X [U L]; split.
  - intros w (l & D & G & ->). apply U; exists l; split; [easy | split; [| easy]].
    eapply Forall_impl; [| exact G]; intros; now apply X.
  - intros b V; apply L; intros w (l & D & G & ->). apply V; exists l; split;
      [easy | split; [| easy]].
    eapply Forall_impl; [| exact G]; intros; now apply X.
Qed.

Lemma sums_to_scale {A} (f : A -> R) (E : A -> Prop) c v : 0 <= c -> sums_to f E v ->
  sums_to (fun x => c * f x) E (c * v).
Proof.
  intros C T; split.
  - intros w (l & D & F & ->). rewrite sum_scale. apply Rmult_le_compat_l; trivial.
    now apply (sums_to_bound _ _ _ _ T).
  - intros b U. destruct C as [C | <-].
    + apply Rmult_le_reg_r with (/ c); [now apply Rinv_0_lt_compat |].
      rewrite (Rmult_comm c), Rmult_assoc, Rinv_r, Rmult_1_r by lra.
      apply T. intros w (l & D & F & ->). apply Rmult_le_reg_r with c; trivial.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply U; exists l; split; [easy | split; [easy |]]. rewrite sum_scale; ring.
    + rewrite Rmult_0_l. apply U; exists nil; split; [constructor | split; [constructor | easy]].
Qed.

Lemma sums_to_eq {A} (f g : A -> R) (E : A -> Prop) v : (forall x, E x -> f x = g x) ->
  sums_to f E v -> sums_to g E v.
Proof.
  intros X [U L]; assert (Y : forall l, Forall E l -> sum f l = sum g l).
  { intros l F; apply sum_ext; intros x I; apply X. rewrite Forall_forall in F; auto. }
  split.
  - intros w (l & D & F & ->). apply U; exists l; split;
      [easy | split; [easy | symmetry; now apply Y]].
  - intros b V. apply L; intros w (l & D & F & ->). apply V; exists l; split;
      [easy | split; [easy | now apply Y]].
Qed.

Lemma sums_to_independent {A B} (p : A -> R) (q : B -> R) E F v w : (forall x, 0 <= p x) ->
  (forall x, 0 <= q x) ->
  sums_to p E v -> sums_to q F w -> sums_to (independent p q) (fun z => E (fst z) /\ F (snd z))
    (v * w).
Proof.
  intros P Q TE TF. pose proof (sums_to_ge0 _ _ _ TE). pose proof (sums_to_ge0 _ _ _ TF). split.
  - intros x (l & D & G & ->). rewrite Forall_forall in G.
    destruct (as_set (map fst l)) as (m & M & I & I'), (as_set (map snd l)) as (n & N & J & J').
    apply Rle_trans with (sum (independent p q) (list_prod m n)).
    + apply sum_incl; trivial; [intros; now apply Rmult_le_pos |]. intros (a, b) K.
      apply in_prod; [apply I | apply J]; now apply in_map_iff; exists (a, b).
    + rewrite sum_prod. unfold independent; simpl. erewrite sum_ext by (intros; apply sum_scale).
      erewrite sum_ext by (intros; apply Rmult_comm). rewrite sum_scale, Rmult_comm.
      apply Rmult_le_compat; try now apply sum_ge0.
      * apply (sums_to_bound _ _ _ _ TE M). apply Forall_forall. intros y Y. apply I', in_map_iff in
          Y as (z & <- & Z). now apply G.
      * apply (sums_to_bound _ _ _ _ TF N). apply Forall_forall. intros y Y. apply J', in_map_iff in
          Y as (z & <- & Z). now apply G.
  - intros b U. apply (sums_to_scale q F v w); trivial. intros x (n & N & K & ->).
    rewrite sum_scale, Rmult_comm.
    apply (sums_to_scale p E (sum q n) v); trivial; [now apply sum_ge0 |].
    intros x (m & M & L & ->).
    apply U. exists (list_prod m n). split; [now apply NoDup_list_prod | split].
    + rewrite Forall_forall in *. intros (a, c) I. apply in_prod_iff in I as (I1 & I2).
      split; [now apply L | now apply K].
    + rewrite sum_prod. unfold independent; simpl. symmetry.
      erewrite sum_ext by (intros; apply sum_scale).
      erewrite sum_ext by (intros; apply Rmult_comm). now rewrite !sum_scale.
Qed.

Lemma sums_to_relabel {A B} (p : A -> R) (q : B -> R) (E : A -> Prop) (F : B -> Prop)
  (h : A -> B) v : (forall b, 0 <= q b) ->
  (forall a a', h a = h a' -> a = a') -> (forall a, q (h a) = p a) -> (forall a, E a <-> F (h a)) ->
  (forall b, F b -> q b <> 0 -> exists a, h a = b) -> sums_to p E v -> sums_to q F v.
Proof.
  intros Q INJ QH EF SUR T. split.
  - intros x (l & D & G & ->).
    assert (exists m, NoDup m /\ Forall E m /\ incl (map h m) l /\ sum q l = sum p m) as
      (m & M & K & _ & ->);
      [| now apply (sums_to_bound _ _ _ _ T)].
    induction D as [| b l N D IH]; [exists []; repeat split; try constructor; easy |].
    inversion G; subst. destruct (IH H2) as (m & M & K & I & S).
    destruct (Req_dec (q b) 0) as [Z | Z].
    + exists m. repeat split; trivial; [intros y Y; right; auto |]. simpl. rewrite Z, S; ring.
    + destruct (SUR b H1 Z) as (a & <-). exists (a :: m). repeat split.
      * constructor; trivial. intros Y. apply N, I. now apply in_map.
      * constructor; trivial. now apply EF.
      * intros y [<- | Y]; [now left | right; auto].
      * simpl. now rewrite S, QH.
  - intros b U. apply T. intros x (l & D & G & ->). apply U. exists (map h l). split; [| split].
    + apply Injective_map_NoDup; [exact INJ | easy].
    + apply Forall_forall. intros y Y. apply in_map_iff in Y as (a & <- & Y).
      rewrite Forall_forall in G. now apply EF, G.
    + rewrite sum_map. symmetry. now apply sum_ext.
Qed.

Lemma sums_to_or {A} (p : A -> R) (E F G : A -> Prop) v w : (forall x, G x <-> E x \/ F x) ->
  (forall x, E x -> ~ F x) ->
  sums_to p E v -> sums_to p F w -> sums_to p G (v + w).
Proof.
  intros GE EF TE TF. split.
  - intros x (l & D & K & ->). rewrite Forall_forall in K.
    set (c := fun y => if excluded_middle_informative (E y) then true else false).
    rewrite (sum_filter p c).
    apply Rplus_le_compat; [apply (sums_to_bound _ _ _ _ TE) | apply (sums_to_bound _ _ _ _ TF)];
      try now apply NoDup_filter.
    + apply Forall_forall. intros y I; apply filter_In in I as (_ & I). unfold c in I;
        now destruct (excluded_middle_informative _).
    + apply Forall_forall. intros y I; apply filter_In in I as (I & C). unfold c in C;
        destruct (excluded_middle_informative _); [easy |].
      specialize (K y I). apply GE in K. tauto.
  - intros b U. apply Rplus_le_reg_r with (- w). replace (v + w + - w) with v by ring. apply TE.
    intros x (l & D & K & ->).
    apply Rplus_le_reg_r with (w - sum p l). replace (sum p l + (w - sum p l)) with w by ring.
    apply TF. intros y (m & M & L & ->).
    rewrite Forall_forall in *. assert (sum p (l ++ m) <= b).
    { apply U. exists (l ++ m); split;
        [apply NoDup_app; trivial; intros a I J; exact (EF a (K a I) (L a J)) | split; trivial].
      apply Forall_forall. intros a I. apply GE. apply in_app_or in I as [I | I];
        [left; now apply K | right; now apply L]. }
    rewrite sum_app in H. lra.
Qed.

(** Nothing has weight in E but the elements of a list. *)
Lemma sums_to_finite {A} (f : A -> R) (E : A -> Prop) m : (forall x, 0 <= f x) -> NoDup m ->
  Forall E m -> (forall x, E x -> ~ In x m -> f x = 0) -> sums_to f E (sum f m).
Proof.
  intros F D EM Z. split.
  - intros v (l & L & EL & ->).
    set (c := fun x => if excluded_middle_informative (In x m) then true else false).
    rewrite (sum_filter f c), (sum_ext f (fun _ => 0 * 0) (filter (fun x => negb (c x)) l)),
      sum_scale.
    + assert (sum f (filter c l) <= sum f m); [| lra].
      apply sum_incl; trivial; [now apply NoDup_filter |]. intros x I.
      apply filter_In in I as (_ & I). unfold c in I.
      now destruct (excluded_middle_informative (In x m)).
    + intros x I. apply filter_In in I as (I & J). unfold c in J.
      destruct (excluded_middle_informative (In x m)) as [| N]; [easy |].
      rewrite Forall_forall in EL. rewrite Z by auto. ring.
  - intros b U. apply U. now exists m.
Qed.

Lemma sums_to_support {A} (f : A -> R) m : (forall x, 0 <= f x) -> NoDup m ->
  (forall x, ~ In x m -> f x = 0) -> sums_to f everything (sum f m).
Proof. intros F D Z. apply sums_to_finite; auto. Qed.
