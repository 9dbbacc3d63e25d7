(** What the library checks before a vote, in real numbers, and what follows: Pr[A(S) in event] <= e^ε Pr[A(S') in event] + δ. *)
Require Import List Arith Lia QArith Qcanon Reals Lra.
Require Import Semiring OrderedField Distribution Masses Parts ApprovalVote HardVote.
Import ListNotations.

Lemma real_multiple : forall n b, multiple real_field n b = (INR n * b)%R.
Proof.
  induction n as [|n IH]; intro b; [simpl; lra|]. rewrite S_INR. change (b + multiple real_field n b = (INR n + 1) * b)%R.
  rewrite IH. lra.
Qed.

Section Eighths.
Open Scope R_scope.
Variable record : Type.
Variables parts most : nat.
Variables epsilon delta r W : R.
Variable answers : list nat.
Variable label : dist real_field nat.
Variable voter : nat -> list record -> dist real_field approval.
Hypothesis answers_distinct : NoDup answers.
Hypothesis r_grows : 1 <= r.
Hypothesis W_positive : 0 < W.
Hypothesis delta_nonneg : 0 <= delta.
Hypothesis enough_silence : INR most * r ^ 8 <= delta * W.
Hypothesis calibrated : r ^ 16 + delta * r ^ 8 <= exp epsilon.
Hypothesis label_proper : proper label.
Hypothesis label_range : forall o, In o label -> (snd o < parts)%nat.
Hypothesis voter_proper : forall i data, proper (voter i data).
Hypothesis voter_approves : forall i data o, In o (voter i data) -> approves 8 most (snd o).

(** The probability of an event over what is released: an answer, or None for ⊥. *)
Definition eighths_probability (event : option nat -> bool) (S : list record) : R :=
  released real_field record approval parts label voter
    (approval_vote real_field r W answers (fun o => if event o then 1 else 0)) S.

Lemma indicator : forall (event : option nat -> bool) o, 0 <= (if event o then 1 else 0) <= 1.
Proof. intros. destruct (event o); lra. Qed.

Lemma silence_in_reals : multiple real_field most (power real_field r 8) <= delta * W.
Proof. rewrite real_multiple. replace (power real_field r 8) with (r ^ 8) by (symmetry; apply real_power). exact enough_silence. Qed.

Lemma calibrated_in_reals : power real_field r 8 * power real_field r 8 + delta * power real_field r 8 <= exp epsilon.
Proof.
  replace (power real_field r 8) with (r ^ 8) by (symmetry; apply real_power). replace (r ^ 8 * r ^ 8) with (r ^ 16) by ring.
  exact calibrated.
Qed.

Theorem eighths_replace_one : forall event front x y back,
  eighths_probability event (front ++ x :: back) <= exp epsilon * eighths_probability event (front ++ y :: back) + delta.
Proof.
  intros event front x y back.
  apply (approval_vote_replace_one real_field 8 most r W delta (exp epsilon) answers);
    simpl; auto using silence_in_reals, calibrated_in_reals; try lra; try (intro o; apply (indicator event o)).
Qed.

Theorem eighths_add_remove : forall event front x back,
  eighths_probability event (front ++ x :: back) <= exp epsilon * eighths_probability event (front ++ back) + delta /\
  eighths_probability event (front ++ back) <= exp epsilon * eighths_probability event (front ++ x :: back) + delta.
Proof.
  intros event front x back. split;
    [apply (approval_vote_remove_one real_field 8 most r W delta (exp epsilon) answers)
    |apply (approval_vote_add_one real_field 8 most r W delta (exp epsilon) answers)];
    simpl; auto using silence_in_reals, calibrated_in_reals; try lra; try (intro o; apply (indicator event o)).
Qed.
End Eighths.

(** Two parts, one whole vote each, r = 2, W = 4: with two votes for one answer it is as likely as silence. *)
Definition votes_for (q x : nat) : nat := if Nat.eqb q x then 1 else 0.

Example small_vote :
  approval_vote rational_field (Q2Qc 2) (Q2Qc 4) [0%nat; 1%nat] (fun o => match o with Some O => 1%Qc | _ => 0%Qc end)
    [votes_for 0; votes_for 0] = Q2Qc (1 # 2) /\
  approval_vote rational_field (Q2Qc 2) (Q2Qc 4) [0%nat; 1%nat] (fun o => match o with Some O => 1%Qc | _ => 0%Qc end)
    [votes_for 0; votes_for 1] = Q2Qc (1 # 4) /\ approves 1 1 (votes_for 0).
Proof.
  split; [|split]; try (apply Qc_is_canon; reflexivity). split.
  - intro q. unfold votes_for. destruct (Nat.eqb 0 q); lia.
  - exists [0%nat]. split; [simpl; lia|]. intro q. unfold votes_for.
    destruct (Nat.eqb_spec 0 q) as [->|N]; [left; reflexivity | lia].
Qed.

(** A ladder for two parts at e = 2: one vote is heard with 1/8, two with 1/4; no rung is higher than 1/8. *)
Definition small_ladder (c : nat) : Qc := match c with O => 0%Qc | S O => Q2Qc (1 # 8) | _ => Q2Qc (1 # 4) end.

Example small_ladder_holds : small_ladder 0 = 0%Qc /\ (forall c, (small_ladder c <= small_ladder (S c))%Qc) /\
  (forall c, (1 <= c)%nat -> (small_ladder (S c) <= Q2Qc 2 * small_ladder c)%Qc) /\
  (forall c, (small_ladder (S c) <= small_ladder c + Q2Qc (1 # 8))%Qc).
Proof.
  repeat split; try (intros [|[|c]]; discriminate). intros [|[|c]] L; [lia | discriminate | discriminate].
Qed.
