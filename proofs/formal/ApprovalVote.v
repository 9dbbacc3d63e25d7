(** Theorem 6b: every part of a table approves of a few answers, wholly or in part, and one of these, or none, is drawn. *)
Require Import List Ring Field Arith Lia.
Require Import Semiring OrderedField Distribution Parts.
Import ListNotations.

Section Sums.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.

Lemma nonneg_plus : forall a b : mass K, 0 <= a -> 0 <= b -> 0 <= a + b.
Proof. intros a b A B. replace 0 with (0 + 0 : mass K) by ring. now apply le_plus. Qed.

Lemma le_plus_nonneg : forall a b c : mass K, a <= b -> 0 <= c -> a <= b + c.
Proof. intros a b c L C. replace a with (a + 0) by ring. now apply le_plus. Qed.

Lemma le_times_right : forall a b c : mass K, 0 <= c -> a <= b -> a * c <= b * c.
Proof. intros a b c C L. replace (a * c) with (c * a) by ring. replace (b * c) with (c * b) by ring. now apply le_times. Qed.

Lemma times_below : forall a c : mass K, 0 <= a -> c <= 1 -> a * c <= a.
Proof. intros a c A C. replace a with (a * 1) at 2 by ring. now apply le_times. Qed.

Lemma sum_mono : forall A (p p' : A -> mass K) E, (forall x, In x E -> p x <= p' x) -> sum K p E <= sum K p' E.
Proof.
  intros A p p' E. induction E as [|x E IH]; simpl; intro H; [apply le_refl|].
  apply le_plus; [apply H; now left | apply IH; intros; apply H; now right].
Qed.

Lemma sum_plus : forall A (p p' : A -> mass K) E, sum K (fun x => p x + p' x) E = sum K p E + sum K p' E.
Proof. intros. induction E as [|x E IH]; simpl; [ring | rewrite IH; ring]. Qed.

(** n times b. *)
Fixpoint multiple (n : nat) (b : mass K) : mass K :=
  match n with
  | O => 0
  | S n' => b + multiple n' b
  end.

Lemma multiple_grows : forall b n m, 0 <= b -> (n <= m)%nat -> multiple n b <= multiple m b.
Proof.
  intros b n m B L. induction L as [|m L IH]; [apply le_refl|]. simpl. apply le_trans with (1 := IH).
  replace (multiple m b) with (0 + multiple m b) at 1 by ring. apply le_plus; [exact B | apply le_refl].
Qed.

Lemma power_one_le : forall r n, 1 <= r -> 1 <= power K r n.
Proof.
  intros r n R. assert (0 <= r) as R0 by (eapply le_trans; [apply zero_le_one | exact R]).
  induction n as [|n IH]; simpl; [apply le_refl|]. apply le_trans with (1 := R).
  replace r with (r * 1) at 1 by ring. now apply le_times.
Qed.

(** Powers of a number that is at least one grow. *)
Lemma power_grows : forall r n m, 1 <= r -> (n <= m)%nat -> power K r n <= power K r m.
Proof.
  intros r n m R L. replace m with (n + (m - n))%nat by lia. rewrite power_plus.
  replace (power K r n) with (power K r n * 1) at 1 by ring. apply le_times; [|now apply power_one_le].
  eapply le_trans; [apply zero_le_one | now apply power_one_le].
Qed.

Definition listed (L : list nat) (b : mass K) (q : nat) : mass K := if existsb (Nat.eqb q) L then b else 0.

Lemma listed_nonneg : forall L b q, 0 <= b -> 0 <= listed L b q.
Proof. intros. unfold listed. destruct existsb; [assumption | apply le_refl]. Qed.

Lemma sum_one : forall x b E, 0 <= b -> NoDup E -> sum K (fun q => if Nat.eqb q x then b else 0) E <= b.
Proof.
  intros x b E B N. induction N as [|q E I N IH]; simpl; [exact B|]. destruct (Nat.eqb_spec q x) as [->|D].
  - assert (sum K (fun q => if Nat.eqb q x then b else 0) E = 0) as ->.
    { clear - I. induction E as [|y E IH]; simpl; [reflexivity|]. destruct (Nat.eqb_spec y x) as [->|D].
      - destruct I. now left.
      - rewrite IH; [ring|]. intro H. apply I. now right. }
    replace (b + 0) with b by ring. apply le_refl.
  - now replace (0 + sum K (fun q => if Nat.eqb q x then b else 0) E) with
      (sum K (fun q => if Nat.eqb q x then b else 0) E) by ring.
Qed.

(** Of answers that are all different at most as many are on a list as it is long. *)
Lemma sum_listed : forall L b E, 0 <= b -> NoDup E -> sum K (listed L b) E <= multiple (length L) b.
Proof.
  intros L b E B N. induction L as [|x L IH]; simpl.
  - clear N. induction E as [|q E IH]; simpl; [apply le_refl|]. unfold listed at 1. simpl.
    replace (0 + sum K (listed [] b) E) with (sum K (listed [] b) E) by ring. exact IH.
  - eapply le_trans with (sum K (fun q => (if Nat.eqb q x then b else 0) + listed L b q) E).
    + apply sum_mono. intros q _. unfold listed. simpl. destruct (Nat.eqb q x), (existsb (Nat.eqb q) L); simpl.
      * apply le_plus_nonneg; [apply le_refl | exact B].
      * apply le_plus_nonneg; apply le_refl.
      * replace (0 + b) with b by ring. apply le_refl.
      * apply le_plus_nonneg; apply le_refl.
    + rewrite sum_plus. apply le_plus; [now apply sum_one | exact IH].
Qed.
End Sums.

(** A whole vote is [grades] grades (eight in the library, one if answers are approved of wholly or not at all),
    a grade multiplies an answer's weight by r, and b is the weight of a whole vote. *)
Section Approval.
Variable K : ordered_field.
Add Field K_field_6b : (field_laws K).
Open Scope field_scope.
Variables grades most : nat.
Variables r W delta e : mass K.
Variable answers : list nat.              (* a finite list with all that anybody may approve of *)
Hypothesis answers_distinct : NoDup answers.
Hypothesis r_grows : 1 <= r.
Hypothesis W_nonneg : 0 <= W.
Hypothesis W_positive : W <> 0.
Hypothesis delta_nonneg : 0 <= delta.
Let b := power K r grades.
Hypothesis enough_silence : multiple K most b <= delta * W.
Hypothesis calibrated : b * b + delta * b <= e.

(** The grades that a part gives to each answer: at most a whole vote, and to at most so many answers. *)
Definition approval := nat -> nat.
Definition approves (a : approval) : Prop :=
  (forall q, (a q <= grades)%nat) /\ exists L, (length L <= most)%nat /\ forall q, (0 < a q)%nat -> In q L.

Definition given (ballots : list approval) (q : nat) : nat := list_sum (map (fun a => a q) ballots).
Definition weight (c : nat) : mass K := match c with O => 0 | S _ => power K r c end.

(** The mean of a test f over what is released; None is silence. An event is the test that is 1 on it and 0 elsewhere. *)
Definition weighed_test (f : option nat -> mass K) (ballots : list approval) : mass K :=
  W * f None + sum K (fun q => weight (given ballots q) * f (Some q)) answers.
Definition approval_vote (f : option nat -> mass K) (ballots : list approval) : mass K :=
  weighed_test f ballots / weighed_test (fun _ => 1) ballots.

Lemma b_one_le : 1 <= b.
Proof. now apply power_one_le. Qed.

Lemma b_nonneg : 0 <= b.
Proof. eapply le_trans; [apply zero_le_one | apply b_one_le]. Qed.

Lemma weight_nonneg : forall c, 0 <= weight c.
Proof.
  intros [|c]; [apply le_refl|]. apply (power_nonneg K r (S c)); [apply zero_le_one|].
  eapply le_trans; [apply zero_le_one | exact r_grows].
Qed.

(** One part moves an answer's weight by a factor b, or brings one of its own list out of nothing. *)
Lemma weight_moves : forall c x x' q L, (x <= grades)%nat -> ((0 < x)%nat -> In q L) ->
  weight (c + x) <= b * weight (c + x') + listed K L b q.
Proof.
  intros c x x' q L X I. pose proof b_nonneg as B. pose proof (listed_nonneg K L b q B) as N.
  destruct (c + x)%nat eqn:E.
  - simpl. apply nonneg_plus; [apply times_nonneg; [exact B | apply weight_nonneg] | exact N].
  - rewrite <- E. destruct (c + x')%nat eqn:E'.
    + assert (In q L) as Q by (apply I; lia). unfold listed.
      assert (existsb (Nat.eqb q) L = true) as -> by (apply existsb_exists; exists q; split; [exact Q | apply Nat.eqb_refl]).
      simpl. replace (b * 0 + b) with b by ring. unfold weight. rewrite E. apply power_grows; [exact r_grows | lia].
    + apply le_plus_nonneg; [|exact N]. unfold weight. rewrite E. unfold b. rewrite <- power_plus.
      apply power_grows; [exact r_grows | lia].
Qed.

Lemma given_here : forall front a back q, given (front ++ a :: back) q = (given (front ++ back) q + a q)%nat.
Proof. intros. unfold given. rewrite !map_app, !list_sum_app. simpl. lia. Qed.

Lemma weighed_moves : forall f front a a' back, (forall o, 0 <= f o) -> (forall o, f o <= 1) -> approves a ->
  weighed_test f (front ++ a :: back) <= b * weighed_test f (front ++ a' :: back) + delta * W.
Proof.
  intros f front a a' back F0 F1 [G (L & most_listed & I)]. pose proof b_nonneg as B. unfold weighed_test.
  set (all := fun ballots => sum K (fun q => weight (given ballots q) * f (Some q)) answers).
  fold (all (front ++ a :: back)) (all (front ++ a' :: back)).
  replace (b * (W * f None + all (front ++ a' :: back)) + delta * W) with
    (b * (W * f None) + (b * all (front ++ a' :: back) + delta * W)) by ring.
  apply le_plus.
  - replace (W * f None) with (1 * (W * f None)) at 1 by ring.
    apply le_times_right; [now apply times_nonneg | apply b_one_le].
  - apply le_trans with (b * all (front ++ a' :: back) + sum K (listed K L b) answers).
    + unfold all. rewrite <- sum_times, <- sum_plus. apply sum_mono. intros q _. rewrite !given_here.
      set (c := given (front ++ back) q).
      eapply le_trans; [apply le_times_right; [apply F0 | apply (weight_moves c (a q) (a' q) q L (G q) (I q))]|].
      replace ((b * weight (c + a' q) + listed K L b q) * f (Some q)) with
        (b * (weight (c + a' q) * f (Some q)) + listed K L b q * f (Some q)) by ring.
      apply le_plus; [apply le_refl | apply times_below; [now apply listed_nonneg | apply F1]].
    + apply le_plus; [apply le_refl|]. eapply le_trans; [now apply sum_listed|].
      eapply le_trans; [now apply multiple_grows with (m := most) | exact enough_silence].
Qed.

Lemma weighed_nonneg : forall f ballots, (forall o, 0 <= f o) -> 0 <= weighed_test f ballots.
Proof.
  intros f ballots F. apply nonneg_plus; [now apply times_nonneg|].
  apply sum_nonneg, Forall_forall. intros q _. apply times_nonneg; [apply weight_nonneg | apply F].
Qed.

Lemma silence_within : forall ballots, W <= weighed_test (fun _ => 1) ballots.
Proof.
  intro ballots. unfold weighed_test. replace W with (W * 1) at 1 by ring. apply le_plus_nonneg; [apply le_refl|].
  apply sum_nonneg, Forall_forall. intros q _. apply times_nonneg; [apply weight_nonneg | apply zero_le_one].
Qed.

Lemma whole_positive : forall ballots, weighed_test (fun _ => 1) ballots <> 0.
Proof.
  intros ballots H. apply W_positive. apply le_antisym; [rewrite <- H; apply silence_within | exact W_nonneg].
Qed.

Theorem approval_stable : forall f, (forall o, 0 <= f o) -> (forall o, f o <= 1) ->
  forall front a a' back, approves a -> approves a' ->
  approval_vote f (front ++ a :: back) <= e * approval_vote f (front ++ a' :: back) + delta.
Proof.
  intros f F0 F1 front a a' back A A'. unfold approval_vote. pose proof b_nonneg as B.
  set (P := front ++ a :: back). set (P' := front ++ a' :: back).
  assert (forall o : option nat, 0 <= (1 : mass K)) as Z0 by (intro; apply zero_le_one).
  assert (forall o : option nat, (1 : mass K) <= 1) as Z1 by (intro; apply le_refl).
  pose proof (weighed_moves f front a a' back F0 F1 A) as N. fold P P' in N.
  pose proof (weighed_moves (fun _ => 1) front a' a back Z0 Z1 A') as Z. fold P P' in Z.
  pose proof (whole_positive P) as ZP. pose proof (whole_positive P') as ZP'.
  pose proof (weighed_nonneg (fun _ => 1) P Z0) as ZN. pose proof (weighed_nonneg (fun _ => 1) P' Z0) as ZN'.
  pose proof (weighed_nonneg f P' F0) as N0. pose proof (silence_within P) as silent.
  set (z := weighed_test (fun _ => 1) P) in *. set (z' := weighed_test (fun _ => 1) P') in *.
  set (n' := weighed_test f P') in *. set (p := n' / z').
  assert (0 <= p) as p0 by (now apply divide_nonneg).
  assert (n' = p * z') as n'_is by (unfold p; field; exact ZP').
  assert (delta * W <= delta * z) as small by (now apply le_times).
  apply divide_le; auto. apply le_trans with (1 := N). rewrite n'_is.
  replace ((e * p + delta) * z) with (e * p * z + delta * z) by ring. apply le_plus; [|exact small].
  apply le_trans with (b * p * (b * z + delta * z)).
  - replace (b * (p * z')) with (b * p * z') by ring. apply le_times; [now apply times_nonneg|].
    apply le_trans with (1 := Z). apply le_plus; [apply le_refl | exact small].
  - replace (b * p * (b * z + delta * z)) with ((b * b + delta * b) * (p * z)) by ring.
    replace (e * p * z) with (e * (p * z)) by ring. apply le_times_right; [now apply times_nonneg | exact calibrated].
Qed.

(** The whole of it: records choose parts by lot, parts approve by any function of their own records and coins. *)
Section Private.
Variable record : Type.
Variable parts : nat.
Variable label : dist K nat.
Variable voter : nat -> list record -> dist K approval.
Variable f : option nat -> mass K.
Hypothesis label_proper : proper label.
Hypothesis label_range : forall o, In o label -> (snd o < parts)%nat.
Hypothesis voter_proper : forall i data, proper (voter i data).
Hypothesis voter_approves : forall i data o, In o (voter i data) -> approves (snd o).
Hypothesis f_nonneg : forall o, 0 <= f o.
Hypothesis f_at_most_one : forall o, f o <= 1.
Let law := released K record approval parts label voter (approval_vote f).

Lemma e_nonneg : 0 <= e.
Proof.
  eapply le_trans; [|exact calibrated]. pose proof b_nonneg. apply nonneg_plus; now apply times_nonneg.
Qed.

Theorem approval_vote_replace_one : forall front x y back,
  law (front ++ x :: back) <= e * law (front ++ y :: back) + delta.
Proof.
  intros. apply parts_replace_one with (valid := approves); auto using e_nonneg, approval_stable.
Qed.

Theorem approval_vote_remove_one : forall front x back, law (front ++ x :: back) <= e * law (front ++ back) + delta.
Proof.
  intros. apply parts_remove_one with (valid := approves); auto using e_nonneg, approval_stable.
Qed.

Theorem approval_vote_add_one : forall front x back, law (front ++ back) <= e * law (front ++ x :: back) + delta.
Proof.
  intros. apply parts_add_one with (valid := approves); auto using e_nonneg, approval_stable.
Qed.
End Private.
End Approval.
