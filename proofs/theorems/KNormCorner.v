(** K-norm noise of a cube: of all differences in a box, the corner is the worst, for every eps and
    delta at once. A reflection of one entry exchanges two centres that differ in this entry. Of a
    vector and its reflection, the one nearer to the centre that is closer to 0 is itself nearer
    to 0. So the excesses of the two at the other centre are larger. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith.
From PrivacyProofs Require Import Probability Privacy Noise Cube FiniteSums Sums Distributions
  HockeyStick PostProcessing Integers.
Import ListNotations.
Open Scope R_scope.

(** Entry i becomes m less itself. *)
Fixpoint reflect (i : nat) (m : Z) (z : list Z) : list Z :=
  match z, i with
  | [], _ => []
  | b :: z, O => (m - b)%Z :: z
  | b :: z, S i => b :: reflect i m z
  end.

Lemma reflect_twice i m z : reflect i m (reflect i m z) = z.
Proof.
  revert i; induction z as [| b z IH]; intros [| i]; simpl; trivial; f_equal; trivial. lia.
Qed.

Lemma length_reflect i m z : length (reflect i m z) = length z.
Proof. revert i; induction z as [| b z IH]; intros [| i]; simpl; trivial. now rewrite IH. Qed.

Lemma distance_reflect x a a' w y :
  distance (x ++ a :: w) (reflect (length x) (a + a') y) = distance (x ++ a' :: w) y.
Proof.
  revert y; induction x as [| b x IH]; intros [| e y]; simpl; trivial; [| now rewrite IH].
  f_equal. lia.
Qed.

Lemma distance_mirrored n i y :
  distance (repeat 0%Z n) (reflect i 0 y) = distance (repeat 0%Z n) y.
Proof.
  revert n y; induction i as [| i IH]; intros [| n] [| b y]; simpl; trivial; [| now rewrite IH].
  f_equal. lia.
Qed.

(** Who is nearer to a than to a' is nearer to 0 than its reflection. *)
Lemma reflect_order x a a' w y : (0 <= a <= a')%Z -> let f := reflect (length x) (a + a') in
  let zeros := repeat 0%Z (length (x ++ a :: w)) in
  (distance (x ++ a :: w) y <= distance (x ++ a' :: w) y /\ distance zeros y <= distance zeros (f y)
  \/ distance (x ++ a' :: w) y <= distance (x ++ a :: w) y
    /\ distance zeros (f y) <= distance zeros y)%Z.
Proof.
  intros B. revert y; induction x as [| b x IH]; intros [| e y]; simpl; try lia.
  specialize (IH y). cbv zeta in IH. destruct IH; [left | right]; lia.
Qed.

Section KNorm.
Variables (t c eps delta : R) (n : nat).
Hypothesis T : 0 < t.
Hypothesis C : 0 < c.
Hypothesis Distribution : forall r, length r = n -> distribution (k_norm t c r).
Let zeros := repeat 0%Z n.

Lemma k_norm_falls r r' y y' : length y = length y' -> length r = length r' ->
  (distance r y <= distance r' y')%Z -> k_norm t c r' y' <= k_norm t c r y.
Proof.
  intros Y R0 D. unfold k_norm. rewrite Y, R0. destruct (Nat.eqb _ _); [| lra].
  apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat |]. apply exp_le. unfold Rdiv.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |]. apply IZR_le in D. lra.
Qed.

(** The larger one entry of the centre is, the worse. *)
Lemma one_entry x a a' w : length (x ++ a :: w) = n -> (0 <= a <= a')%Z ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c (x ++ a' :: w)) ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c (x ++ a :: w)).
Proof.
  intros L B H. set (p := k_norm t c zeros) in *. set (q := k_norm t c (x ++ a :: w)).
  set (q' := k_norm t c (x ++ a' :: w)) in *. set (f := reflect (length x) (a + a')).
  assert (L' : length (x ++ a' :: w) = n) by (rewrite app_length in *; simpl in *; lia).
  assert (LZ : length zeros = n) by apply repeat_length.
  assert (FF : forall y, f (f y) = y) by (intros; apply reflect_twice).
  apply hockey_stick_suffices. intros l N. destruct (as_set (l ++ map f l)) as (m & M & I & J).
  assert (CL : forall y, In y m -> In (f y) m).
  { intros y Y. apply J, in_app_or in Y. apply I, in_or_app. destruct Y as [Y | Y].
    - right. now apply in_map.
    - apply in_map_iff in Y as (u & <- & U). left. now rewrite FF. }
  apply Rle_trans with (sum (excess eps p q) m).
  { apply sum_incl; trivial; [intros; apply excess_ge0 |]. intros y Y. apply I, in_or_app; auto. }
  apply Rle_trans with (sum (excess eps p q') m); [| apply hockey_stick_necessary; trivial;
    now apply Distribution].
  (* m has with each vector its reflection *)
  assert (S : forall h, (forall y, 0 <= h y) -> sum (fun y => h (f y)) m = sum h m).
  { intros h P. rewrite <- sum_map. apply Rle_antisym; apply sum_incl; trivial.
    - apply Injective_map_NoDup; trivial. intros u v E. now rewrite <- (FF u), E, FF.
    - intros y Y. apply in_map_iff in Y as (u & <- & U). now apply CL.
    - intros y Y. apply in_map_iff. exists (f y). split; [apply FF | now apply CL]. }
  assert (SUM : sum (fun y => excess eps p q y + excess eps p q (f y)) m
    <= sum (fun y => excess eps p q' y + excess eps p q' (f y)) m).
  { apply sum_le. intros y _.
    assert (LF : length (f y) = length y) by apply length_reflect.
    assert (E1 : forall z, q (f z) = q' z).
    { intros z. unfold q, q', k_norm, f. rewrite distance_reflect, length_reflect, L, L'. easy. }
    assert (E2 : q' (f y) = q y) by (rewrite <- (FF y) at 2; now rewrite E1).
    assert (O : q' y <= q y /\ p (f y) <= p y \/ q y <= q' y /\ p y <= p (f y)).
    { destruct (reflect_order x a a' w y B) as [(D1 & D2) | (D1 & D2)]; [left | right];
        rewrite L in D2; split; apply k_norm_falls; trivial; lia || easy. }
    unfold excess. rewrite E1, E2. set (u := exp eps * q y). set (u' := exp eps * q' y).
    assert (K : u' <= u /\ p (f y) <= p y \/ u <= u' /\ p y <= p (f y)).
    { pose proof (exp_pos eps) as E. destruct O as [(O1 & O2) | (O1 & O2)]; [left | right];
        split; trivial; apply Rmult_le_compat_l; lra. }
    unfold Rmax. repeat destruct (Rle_dec _ _); lra. }
  rewrite !sum_plus, !S in SUM by (intros; apply excess_ge0). lra.
Qed.

(** The sign of an entry does not matter. *)
Lemma mirrored x a w : length (x ++ a :: w) = n ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c (x ++ a :: w)) ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c (x ++ (- a)%Z :: w)).
Proof.
  intros L. set (f := reflect (length x) 0).
  assert (FF : forall y, f (f y) = y) by (intros; apply reflect_twice).
  assert (I : forall r r', length r = length r' ->
    (forall y, distance r (f y) = distance r' y) -> image f (k_norm t c r) (k_norm t c r')).
  { intros r r' E D y. apply (sums_to_single _ _ (f y)).
    - intros z. unfold k_norm. destruct (Nat.eqb _ _); [| lra].
      apply Rmult_le_pos; left; [now apply Rinv_0_lt_compat | apply exp_pos].
    - unfold k_norm, f. rewrite length_reflect, E. fold f. now rewrite D.
    - intros _. apply FF.
    - intros z <- N. now rewrite FF in N. }
  refine (post_processing eps delta f _ _ _ _ _ _ (I zeros zeros _ _) (I _ _ _ _)).
  - apply Distribution, repeat_length.
  - now apply Distribution.
  - easy.
  - intros y. apply distance_mirrored.
  - now rewrite !app_length.
  - intros y. unfold f. rewrite <- (Z.add_opp_diag_r a). apply distance_reflect.
Qed.

(** The corner is the worst difference of the box. *)
Lemma corner d v : Forall (fun a => Z.abs a <= d)%Z v -> forall x, length (x ++ v) = n ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c (x ++ repeat d (length v))) ->
  indistinguishable eps delta (k_norm t c zeros) (k_norm t c (x ++ v)).
Proof.
  intros F. induction F as [| a v A F IH]; intros x L H; trivial. simpl in H.
  specialize (IH (x ++ [d])). rewrite <- !app_assoc in IH. simpl in IH.
  assert (L' : forall b, length (x ++ b :: v) = n).
  { intros b. rewrite <- L, !app_length. reflexivity. }
  specialize (IH (L' d) H). destruct (Z.le_ge_cases 0 a).
  - apply one_entry with (a' := d); trivial. lia.
  - rewrite <- (Z.opp_involutive a). apply mirrored; trivial.
    apply one_entry with (a' := d); trivial. lia.
Qed.
End KNorm.
