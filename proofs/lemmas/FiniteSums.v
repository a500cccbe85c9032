(** Sums over lists, and lists without repetitions. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability.
Import ListNotations.
Open Scope R_scope.

Section Sums.
Context {A B : Type}.
Implicit Types (f g : A -> R) (l : list A).

Lemma sum_ge0 f l : (forall x, 0 <= f x) -> 0 <= sum f l.
Proof. intros F; induction l; simpl; [lra | specialize (F a); lra]. Qed.

Lemma sum_app f l m : sum f (l ++ m) = sum f l + sum f m.
Proof. induction l; simpl; [ring | rewrite IHl; ring]. Qed.

Lemma sum_le f g l : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l; simpl; intros F; [lra |].
  specialize (IHl (fun x i => F x (or_intror i))). specialize (F a (or_introl eq_refl)); lra.
Qed.

Lemma sum_ext f g l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof. intros F; apply Rle_antisym; apply sum_le; intros; rewrite F by easy; lra. Qed.

Lemma sum_plus f g l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l; simpl; [ring | rewrite IHl; ring]. Qed.

Lemma sum_scale f c l : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l; simpl; [ring | rewrite IHl; ring]. Qed.

Lemma sum_incl f l m : (forall x, 0 <= f x) -> NoDup l -> incl l m -> sum f l <= sum f m.
Proof.
  intros F; revert m; induction l as [| x l IH]; intros m D I; simpl; [now apply sum_ge0 |].
  inversion D; subst. destruct (in_split x m (I x (or_introl eq_refl))) as (m1 & m2 & ->).
  assert (sum f l <= sum f (m1 ++ m2)).
  { apply IH; trivial. intros y Y. destruct (in_app_or _ _ _ (I y (or_intror Y))) as [? | [? | ?]].
    - apply in_or_app; auto. - subst; contradiction. - apply in_or_app; auto. }
  rewrite sum_app in H |- *; simpl; lra.
Qed.

Lemma sum_map f (h : B -> A) (l : list B) : sum f (map h l) = sum (fun x => f (h x)) l.
Proof. induction l; simpl; [easy | rewrite IHl; easy]. Qed.

Lemma sum_filter f (c : A -> bool) l :
  sum f l = sum f (filter c l) + sum f (filter (fun x => negb (c x)) l).
Proof. induction l; simpl; [ring |]. destruct (c a); simpl; rewrite IHl; ring. Qed.

End Sums.

Lemma sum_prod {A B} (f : A * B -> R) (l : list A) (m : list B) :
  sum f (list_prod l m) = sum (fun a => sum (fun b => f (a, b)) m) l.
Proof. induction l; simpl; [easy |]. now rewrite sum_app, sum_map, IHl. Qed.

(** A list without repetitions that has the same elements. *)
Lemma as_set {A} (l : list A) : exists m, NoDup m /\ incl l m /\ incl m l.
Proof.
  induction l as [| x l (m & D & I & J)].
  - exists nil; repeat split; try easy; constructor.
  - destruct (classic (In x m)).
    + exists m; repeat split; trivial; intros y [<- | Y] || intros y Y; auto. right; auto.
    + exists (x :: m); repeat split.
      * now constructor.
      * intros y [<- | Y]; [now left | right; auto].
      * intros y [<- | Y]; [now left | right; auto].
Qed.

Lemma NoDup_app {A} (l m : list A) : NoDup l -> NoDup m -> (forall a, In a l -> ~ In a m) ->
  NoDup (l ++ m).
Proof.
  induction 1; simpl; intros M N; trivial. constructor.
  - intros J; apply in_app_or in J as [J | J]; [easy |]. apply (N x); [now left | easy].
  - apply IHNoDup; trivial. intros a I; apply N; now right.
Qed.

Lemma NoDup_list_prod {A B} (l : list A) (m : list B) : NoDup l -> NoDup m -> NoDup (list_prod l m).
Proof.
  intros D E; induction D as [| x l N D IH]; simpl; [constructor |]. apply NoDup_app; trivial.
  - apply Injective_map_NoDup; trivial. intros y z [=]; easy.
  - intros a I J. apply in_map_iff in I as (y & <- & _). apply in_prod_iff in J; tauto.
Qed.

(** Sums over pairs are at most products of sums over coordinates. *)
Lemma sum_pairs {A B} (f : A * B -> R) l : (forall x, 0 <= f x) -> NoDup l ->
  exists m n, NoDup m /\ NoDup n /\ sum f l <= sum (fun a => sum (fun b => f (a, b)) n) m.
Proof.
  intros F D. destruct (as_set (map fst l)) as (m & M & I & _), (as_set (map snd l)) as
    (n & N & J & _).
  exists m, n; repeat split; trivial. rewrite <- sum_prod. apply sum_incl; trivial.
  intros (a, b) H. apply in_prod; [apply I | apply J]; now apply in_map_iff; exists (a, b).
Qed.
