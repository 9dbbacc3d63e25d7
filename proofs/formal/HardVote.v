(** Theorem 6: every part of a table gives one answer or none, and an answer with c votes is released with probability B(c)/K. *)
Require Import List Ring Field Arith Lia.
Require Import Semiring OrderedField Distribution Parts ApprovalVote.
Import ListNotations.

Section Hard.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.
Variable ladder : nat -> mass K.          (* B(c)/K *)
Variables e beta : mass K.
Variable answers : list nat.              (* a finite list with all that anybody may answer *)
Hypothesis answers_distinct : NoDup answers.
Hypothesis ladder_zero : ladder 0 = 0.
Hypothesis ladder_rises : forall c, ladder c <= ladder (S c).
Hypothesis ladder_slow : forall c, (1 <= c)%nat -> ladder (S c) <= e * ladder c.
Hypothesis e_grows : 1 <= e.

Definition choice := option nat.
Definition own (a : choice) : list nat := match a with Some q => [q] | None => [] end.
Definition says (a : choice) (q : nat) : nat := if existsb (Nat.eqb q) (own a) then 1 else 0.
Definition votes (ballots : list choice) (q : nat) : nat := list_sum (map (fun a => says a q) ballots).

(** The probability that an answer is released, and the mean of a test f; None is silence. *)
Definition loud (ballots : list choice) : mass K := sum K (fun q => ladder (votes ballots q)) answers.
Definition hard_vote (f : option nat -> mass K) (ballots : list choice) : mass K :=
  (1 - loud ballots) * f None + sum K (fun q => ladder (votes ballots q) * f (Some q)) answers.

Lemma e_at_least_zero : 0 <= e.
Proof. eapply le_trans; [apply zero_le_one | exact e_grows]. Qed.

Lemma ladder_nonneg : forall c, 0 <= ladder c.
Proof. induction c; [rewrite ladder_zero; apply le_refl | eapply le_trans; eauto]. Qed.

Lemma ladder_grows : forall c x, ladder c <= ladder (c + x).
Proof.
  induction x; [rewrite Nat.add_0_r; apply le_refl | rewrite Nat.add_succ_r; eapply le_trans; eauto].
Qed.

Lemma votes_here : forall front a back q, votes (front ++ a :: back) q = (votes (front ++ back) q + says a q)%nat.
Proof. intros. unfold votes. rewrite !map_app, !list_sum_app. simpl. lia. Qed.

Lemma sum_own : forall a g, 0 <= g -> sum K (listed K (own a) g) answers <= g.
Proof.
  intros a g G. eapply le_trans; [now apply sum_listed|]. destruct a; simpl; [|exact G].
  replace (g + 0) with g by ring. apply le_refl.
Qed.

(** One part moves an answer's rung by one, or brings its own answer out of nothing. *)
Lemma ladder_moves : forall c a a' q,
  ladder (c + says a q) <= e * ladder (c + says a' q) + listed K (own a) (ladder 1) q.
Proof.
  intros c a a' q. pose proof e_at_least_zero as E.
  assert (forall x, ladder c <= e * ladder (c + x)) as still.
  { intro x. eapply le_trans; [apply (ladder_grows c x)|].
    replace (ladder (c + x)) with (1 * ladder (c + x)) at 1 by ring.
    apply le_times_right; [apply ladder_nonneg | exact e_grows]. }
  unfold says at 1, listed. destruct (existsb (Nat.eqb q) (own a)).
  - rewrite Nat.add_1_r. destruct c as [|c].
    + replace (ladder 1) with (0 + ladder 1) at 1 by ring. apply le_plus; [|apply le_refl].
      apply times_nonneg; [exact E | apply ladder_nonneg].
    + apply le_plus_nonneg; [|apply ladder_nonneg]. eapply le_trans; [apply ladder_slow; lia|].
      apply le_times; [exact E | apply ladder_grows].
  - rewrite Nat.add_0_r. apply le_plus_nonneg; [apply still | apply le_refl].
Qed.

(** Events without silence. *)
Theorem hard_released_stable : forall (f : option nat -> mass K), (forall o, 0 <= f o) -> (forall o, f o <= 1) ->
  forall front a a' back,
  sum K (fun q => ladder (votes (front ++ a :: back) q) * f (Some q)) answers <=
  e * sum K (fun q => ladder (votes (front ++ a' :: back) q) * f (Some q)) answers + ladder 1.
Proof.
  intros f F0 F1 front a a' back. rewrite <- sum_times.
  eapply le_trans; [|apply le_plus; [apply le_refl | apply (sum_own a (ladder 1)), ladder_nonneg]].
  rewrite <- sum_plus. apply sum_mono. intros q _. rewrite !votes_here. set (c := votes (front ++ back) q).
  eapply le_trans; [apply le_times_right; [apply F0 | apply (ladder_moves c a a' q)]|].
  replace ((e * ladder (c + says a' q) + listed K (own a) (ladder 1) q) * f (Some q)) with
    (e * (ladder (c + says a' q) * f (Some q)) + listed K (own a) (ladder 1) q * f (Some q)) by ring.
  apply le_plus; [apply le_refl|]. apply times_below; [apply listed_nonneg, ladder_nonneg | apply F1].
Qed.

(** What silence adds: β is found by going through all histograms, or by the closed form below. *)
Definition quiet : Prop := forall front a a' back,
  1 - loud (front ++ a :: back) <= e * (1 - loud (front ++ a' :: back)) + beta.

Theorem hard_stable : quiet -> 0 <= beta ->
  forall f, (forall o, 0 <= f o) -> (forall o, f o <= 1) -> forall front a a' back,
  hard_vote f (front ++ a :: back) <= e * hard_vote f (front ++ a' :: back) + (ladder 1 + beta).
Proof.
  intros Q Hb f F0 F1 front a a' back. unfold hard_vote.
  pose proof (hard_released_stable f F0 F1 front a a' back) as H.
  set (P := front ++ a :: back) in *. set (P' := front ++ a' :: back) in *.
  set (s := sum K (fun q => ladder (votes P q) * f (Some q)) answers) in *.
  set (s' := sum K (fun q => ladder (votes P' q) * f (Some q)) answers) in *.
  replace (e * ((1 - loud P') * f None + s') + (ladder 1 + beta)) with
    ((e * ((1 - loud P') * f None) + beta) + (e * s' + ladder 1)) by ring.
  apply le_plus; [|exact H].
  eapply le_trans; [apply le_times_right; [apply F0 | apply (Q front a a' back)]|]. fold P'.
  replace ((e * (1 - loud P') + beta) * f None) with (e * ((1 - loud P') * f None) + beta * f None) by ring.
  apply le_plus; [apply le_refl | now apply times_below].
Qed.

(** The closed form: no rung is higher than g, and an answer is never released with more than ρ. *)
Theorem quiet_by_rungs : forall g rho, (forall c, ladder (S c) <= ladder c + g) -> 0 <= g ->
  (forall ballots, loud ballots <= rho) -> g <= beta + (e - 1) * (1 - rho) -> quiet.
Proof.
  intros g rho rung G top closed front a a' back.
  assert (loud (front ++ a' :: back) <= loud (front ++ a :: back) + g) as near.
  { eapply le_trans; [|apply le_plus; [apply le_refl | apply (sum_own a' g G)]]. unfold loud. rewrite <- sum_plus.
    apply sum_mono. intros q _. rewrite !votes_here. set (c := votes (front ++ back) q).
    apply le_trans with (ladder c + listed K (own a') g q); [|apply le_plus; [apply ladder_grows | apply le_refl]].
    unfold says, listed. destruct (existsb (Nat.eqb q) (own a')).
    - rewrite Nat.add_1_r. apply rung.
    - rewrite Nat.add_0_r. apply le_plus_nonneg; apply le_refl. }
  set (F := loud (front ++ a :: back)) in *. set (F' := loud (front ++ a' :: back)) in *.
  apply le_trans with ((1 - F') + g).
  - apply le_by_difference. replace ((1 - F') + g - (1 - F)) with ((F + g) - F') by ring. now apply minus_nonneg.
  - replace (e * (1 - F') + beta) with ((1 - F') + (beta + (e - 1) * (1 - F'))) by ring.
    apply le_plus; [apply le_refl|]. apply le_trans with (1 := closed). apply le_plus; [apply le_refl|].
    apply le_times; [now apply minus_nonneg|]. apply le_by_difference.
    replace (1 - F' - (1 - rho)) with (rho - F') by ring. apply minus_nonneg, top.
Qed.

(** The whole of it: records choose parts by lot, parts answer by any function of their own records and coins. *)
Section Private.
Variable record : Type.
Variable parts : nat.
Variable label : dist K nat.
Variable voter : nat -> list record -> dist K choice.
Variable f : option nat -> mass K.
Hypothesis label_proper : proper label.
Hypothesis label_range : forall o, In o label -> (snd o < parts)%nat.
Hypothesis voter_proper : forall i data, proper (voter i data).
Hypothesis f_nonneg : forall o, 0 <= f o.
Hypothesis f_at_most_one : forall o, f o <= 1.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis silence : quiet.
Let law := released K record choice parts label voter (hard_vote f).
Let anything : choice -> Prop := fun _ => True.

Theorem hard_vote_replace_one : forall front x y back,
  law (front ++ x :: back) <= e * law (front ++ y :: back) + (ladder 1 + beta).
Proof.
  intros. apply parts_replace_one with (valid := anything); unfold anything; auto using e_at_least_zero, hard_stable.
Qed.

Theorem hard_vote_remove_one : forall front x back,
  law (front ++ x :: back) <= e * law (front ++ back) + (ladder 1 + beta).
Proof.
  intros. apply parts_remove_one with (valid := anything); unfold anything; auto using e_at_least_zero, hard_stable.
Qed.

Theorem hard_vote_add_one : forall front x back,
  law (front ++ back) <= e * law (front ++ x :: back) + (ladder 1 + beta).
Proof.
  intros. apply parts_add_one with (valid := anything); unfold anything; auto using e_at_least_zero, hard_stable.
Qed.
End Private.
End Hard.
