(** All draws of a block are independent and have the distribution of one draw, though undecided
    draws take spare draws in order and decided ones take none (`digits` in table_scan.rs). Where a
    block needs more spares than it has, the exceptional path draws more: there are always enough. *)
From Coq Require Import Reals List FinFun Lra Lia ZArith Classical ClassicalDescription.
From PrivacyProofs Require Import Probability Samplers FiniteSums Sums Distributions.
Import ListNotations.
Open Scope R_scope.

Section Block.
Context {W A : Type} (decide : W -> option A).

Variables (u : W -> R) (r : A -> R) (yields : A -> R) (none : R).

Hypothesis LU : distribution u.
Hypothesis LR : distribution r.
Hypothesis Given : forall x, sums_to u (fun w => decide w = Some x) (yields x).
Hypothesis None_ : sums_to u (fun w => decide w = None) none.

(** The distribution of one draw. *)
Definition one_draw (x : A) := yields x + none * r x.

Theorem block_independent n : forall m, (n <= m)%nat ->
  image (fun z => block decide (fst z) (snd z)) (independent (iid u n) (iid r m)) (iid one_draw n).
Proof.
  pose proof (distribution_ge0 _ LU) as U. pose proof (distribution_ge0 _ LR) as R0.
  destruct (distribution_inhabited _ LR) as (x0 & _).
  induction n; intros m L y.
  - destruct y as [| x y].
    + change (iid one_draw 0 []) with 1.
      apply (sums_to_relabel (iid r m) _ everything _ (fun ss => ([], ss))).
      * intros; apply Rmult_le_pos; now apply iid_ge0.
      * now intros ? ? [=].
      * intros; unfold independent; simpl; ring.
      * easy.
      * intros ([| w ws], ss) _ N; [now exists ss |]. elim N. unfold independent; simpl; ring.
      * exact (distribution_one _ (distribution_iid r m x0 LR)).
    + change (iid one_draw 0 (x :: y)) with 0. apply sums_to_zero. intros ([| w ws], ss) E;
        [easy |]. unfold independent; simpl; ring.
  - destruct m as [| m]; [lia |]. destruct y as [| x y].
    + change (iid one_draw (S n) []) with 0. apply sums_to_zero. intros ([| w ws], ss) E;
        [unfold independent; simpl; ring |].
      unfold independent; simpl in *. destruct (decide w); [easy |]. destruct ss;
        [simpl; ring | easy].
    + change (iid one_draw (S n) (x :: y)) with ((yields x + none * r x) * iid one_draw n y).
      rewrite Rmult_plus_distr_r.
      apply (sums_to_or _ (fun z => exists w ws, fst z = w :: ws /\ decide w = Some x
        /\ block decide ws (snd z) = y)
                        (fun z => exists w ws ss, fst z = w :: ws /\ snd z = x :: ss /\ decide w
                          = None /\ block decide ws ss = y)).
      * intros (ws, ss); simpl. destruct ws as [| w ws];
          [split; [easy | intros [(w & ws & [=] & _) | (w & ws & s & [=] & _)]] |].
        simpl. destruct (decide w) as [x' |] eqn:E.
        -- split; [intros [= -> H]; left; now exists w, ws |].
           intros [(w' & ws' & [= <- <-] & E' & H) | (w' & ws' & s & [= <- <-] & _ & E' & _)];
             congruence.
        -- split.
           ++ destruct ss as [| s ss]; [easy |]. intros [= -> H]. right; now exists w, ws, ss.
           ++ intros [(w' & ws' & [= <- <-] & E' & H) | (w' & ws' & s & [= <- <-] & -> & E' & H)];
                congruence.
      * intros (ws, ss) (w & ws1 & E1 & E2 & _) (w' & ws1' & s & E1' & _ & E2' & _); simpl in *.
        congruence.
      * apply (sums_to_relabel (independent u (independent (iid u n) (iid r (S m)))) _
          (fun z => decide (fst z) = Some x /\ block decide (fst (snd z)) (snd (snd z)) = y) _
           (fun z => (fst z :: fst (snd z), snd (snd z)))).
        -- intros; apply Rmult_le_pos; now apply iid_ge0.
        -- intros (w, (ws, ss)) (w', (ws', ss')) [=]; now subst.
        -- intros (w, (ws, ss)); unfold independent; cbn [fst snd iid]; ring.
        -- intros (w, (ws, ss)); simpl.
           split; [intros (E & H); now exists w, ws | intros (w' & ws' & [= <- <-] & E & H); easy].
        -- intros (ws, ss) (w & ws' & E & _) _; simpl in E. subst ws. now exists (w, (ws', ss)).
        -- apply (sums_to_independent u _ (fun w => decide w = Some x)
             (fun z => block decide (fst z) (snd z) = y)); trivial.
           ++ intros; apply Rmult_le_pos; now apply iid_ge0.
           ++ apply IHn; lia.
      * apply (sums_to_relabel (independent (independent u r) (independent (iid u n) (iid r m))) _
           (fun z => (decide (fst (fst z)) = None /\ snd (fst z) = x) /\ block decide (fst (snd z))
             (snd (snd z)) = y) _
           (fun z => (fst (fst z) :: fst (snd z), snd (fst z) :: snd (snd z)))).
        -- intros; apply Rmult_le_pos; now apply iid_ge0.
        -- intros ((w, s), (ws, ss)) ((w', s'), (ws', ss')) [=]; now subst.
        -- intros ((w, s), (ws, ss)); unfold independent; cbn [fst snd iid]; ring.
        -- intros ((w, s), (ws, ss)); simpl. split.
           ++ intros ((E & ->) & H). now exists w, ws, ss.
           ++ intros (w' & ws' & ss' & [= <- <-] & [= -> <-] & E & H). easy.
        -- intros (ws, ss) (w & ws' & ss' & E & E' & _) _; simpl in E, E'. subst.
           now exists ((w, x), (ws', ss')).
        -- apply (sums_to_independent _ _ (fun z => decide (fst z) = None /\ snd z = x)
             (fun z => block decide (fst z) (snd z) = y)).
           ++ intros; now apply Rmult_le_pos.
           ++ intros; apply Rmult_le_pos; now apply iid_ge0.
           ++ apply (sums_to_independent u r (fun w => decide w = None) (fun s => s = x)); trivial.
              apply (sums_to_single _ _ x); easy.
           ++ apply IHn; lia.
Qed.

End Block.
