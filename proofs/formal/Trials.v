(** Trials are repeated until one accepts. Where each one starts may depend on everything the earlier ones have shown;
    if a trial that starts at s accepts q with probability w(q)/W(s), then the loop has the law w(q)/Z, Z the sum of w. *)
Require Import List Ring Field Arith.
Require Import Semiring OrderedField Distribution.
Import ListNotations.

(** The event that an outcome is q. *)
Definition is {K : ordered_field} (q other : nat) : mass K := if Nat.eqb other q then one K else zero K.

(** A trial accepts a label or none; f is looked at only when it accepts. *)
Definition accepted {K : ordered_field} (f : nat -> mass K) (o : option nat) : mass K :=
  match o with Some q => f q | None => zero K end.

Section Loop.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.

Variable queries : list nat.
Variable w : nat -> mass K.            (* e^(-rate L(q)) *)
Variable start : Type.                 (* where a trial starts: a frontier *)
Variable seen : Type.                  (* what it shows: the nodes it opened *)
Variable trial : start -> dist K (option nat * seen).
Variable weight_of : start -> mass K.
Variable valid : start -> Prop.
Variable possible : seen -> Prop.

Definition weighed (f : nat -> mass K) : mass K := sum K (fun q => w q * f q) queries.
Definition Z := weighed (fun _ => 1).

(** The share of one query is its weight. *)
Lemma weighed_is : forall q, NoDup queries -> In q queries -> weighed (is q) = w q.
Proof.
  unfold weighed, is. intros q D. induction D as [|x rest X D IH]; simpl; [tauto|]. intros [->|I].
  - rewrite Nat.eqb_refl. rewrite (sum_equal _ _ _ (fun _ => 0 * 0)).
    + rewrite sum_times. ring.
    + intros y Y. destruct (Nat.eqb_spec y q); [subst; tauto | ring].
  - destruct (Nat.eqb_spec x q); [subst; tauto|]. rewrite IH by exact I. ring.
Qed.

Hypothesis w_nonneg : forall q, 0 <= w q.
Hypothesis Z_positive : Z <> 0.
Hypothesis trial_proper : forall s, valid s -> proper (trial s).
Hypothesis trial_possible : forall s o, valid s -> In o (trial s) -> possible (snd (snd o)).
Hypothesis trial_law : forall s f, valid s ->
  weight_of s * expect (trial s) (fun o => accepted f (fst o)) = weighed f.

(** Where the next trial starts: any function of all that was seen, as long as it is a valid start. *)
Variable policy : list seen -> start.
Hypothesis policy_valid : forall history, Forall possible history -> valid (policy history).

(** At most [trials] trials. *)
Fixpoint run (trials : nat) (history : list seen) : dist K (option nat) :=
  match trials with
  | O => [(1, None)]
  | S rest => andthen (trial (policy history)) (fun o =>
      match fst o with Some q => [(1, Some q)] | None => run rest (snd o :: history) end)
  end.

Definition accepts (trials : nat) (history : list seen) : mass K := expect (run trials history) (accepted (fun _ => 1)).

Lemma Z_nonneg : 0 <= Z.
Proof.
  apply sum_nonneg, Forall_forall. intros q _. apply times_nonneg; auto using zero_le_one.
Qed.

Lemma weight_not_zero : forall s, valid s -> weight_of s <> 0.
Proof.
  intros s V E. apply Z_positive. unfold Z. rewrite <- (trial_law s _ V), E. ring.
Qed.

Lemma run_proper : forall trials history, Forall possible history -> proper (run trials history).
Proof.
  induction trials as [|rest IH]; intros history P; simpl; [apply proper_sure|].
  apply proper_andthen; auto. intros [p [[q|] s]] I; simpl; [apply proper_sure|].
  apply IH. constructor; auto. exact (trial_possible _ _ (policy_valid history P) I).
Qed.

(** The loop accepts f with the share of f in w, whatever the number of trials and wherever they start. *)
Theorem run_law : forall trials history f, Forall possible history ->
  Z * expect (run trials history) (accepted f) = weighed f * accepts trials history.
Proof.
  unfold accepts. induction trials as [|rest IH]; intros history f P; simpl; [unfold expect; simpl; ring|].
  pose proof (policy_valid history P) as V. pose proof (weight_not_zero _ V) as N. set (s := policy history) in *.
  assert (forall g, expect (andthen (trial s) (fun o =>
      match fst o with Some q => [(1, Some q)] | None => run rest (snd o :: history) end)) (accepted g) =
    expect (trial s) (fun o => accepted g (fst o)) +
    expect (trial s) (fun o => match fst o with Some _ => 0 | None => expect (run rest (snd o :: history)) (accepted g) end))
    as split.
  { intro g. rewrite expect_andthen, <- expect_plus. apply expect_equal. intros [p [[q|] t]] _; simpl; [|ring].
    unfold expect. simpl. ring. }
  rewrite !split. clear split.
  assert (forall g, expect (trial s) (fun o => accepted g (fst o)) = weighed g / weight_of s) as once.
  { intro g. rewrite <- (trial_law s g V). field. exact N. }
  rewrite !once. fold Z.
  assert (Z * expect (trial s) (fun o =>
      match fst o with Some _ => 0 | None => expect (run rest (snd o :: history)) (accepted f) end) =
    weighed f * expect (trial s) (fun o =>
      match fst o with Some _ => 0 | None => expect (run rest (snd o :: history)) (accepted (fun _ => 1)) end)) as later.
  { rewrite <- !expect_times. apply expect_equal. intros [p [[q|] t]] I; simpl; [ring|].
    apply IH. constructor; auto. exact (trial_possible _ _ V I). }
  replace (Z * (weighed f / weight_of s + _)) with (Z * weighed f / weight_of s + Z *
    expect (trial s) (fun o => match fst o with Some _ => 0 | None => expect (run rest (snd o :: history)) (accepted f) end))
    by (field; exact N).
  rewrite later. field. exact N.
Qed.

(** Given acceptance within any number of trials, the output is q with probability w(q)/Z. *)
Theorem conditional_law : forall trials history q, NoDup queries -> In q queries -> Forall possible history ->
  accepts trials history <> 0 ->
  expect (run trials history) (accepted (is q)) / accepts trials history = w q / Z.
Proof.
  intros trials history q D I P A. pose proof (run_law trials history (is q) P) as L. rewrite weighed_is in L by auto.
  replace (w q / Z) with (w q * accepts trials history / (Z * accepts trials history)) by (field; auto).
  rewrite <- L. field. auto.
Qed.

(** The loop ends: if no start weighs more than A, all of N trials reject with probability at most (1 - Z/A)^N. *)
Theorem rejection : forall A trials history, (forall h, Forall possible h -> weight_of (policy h) <= A) ->
  (forall h, Forall possible h -> 0 <= weight_of (policy h)) ->
  Forall possible history ->
  1 - accepts trials history <= power K (1 - Z / A) trials.
Proof.
  intros A trials history HA H0. revert history. unfold accepts.
  induction trials as [|rest IH]; intros history P.
  { unfold expect. simpl. match goal with |- ?a <= ?b => replace a with b by ring end. apply le_refl. }
  pose proof (policy_valid history P) as V. pose proof (weight_not_zero _ V) as N. specialize (HA history P) as HA'.
  specialize (H0 history P) as H0'. destruct (trial_proper _ V) as [M T]. simpl. set (s := policy history) in *.
  assert (A0 : 0 <= A) by (eapply le_trans; eauto).
  assert (AN : A <> 0) by (intros ->; apply N, le_antisym; auto).
  set (c := power K (1 - Z / A) rest) in *.
  set (miss := fun o : option nat * seen => match fst o with Some _ => 0 | None => 1 : mass K end).
  assert (expect (trial s) miss = 1 - Z / weight_of s) as E.
  { replace (Z / weight_of s) with (expect (trial s) (fun o => accepted (fun _ => 1) (fst o))).
    - set (hit := expect (trial s) (fun o => accepted (fun _ => 1) (fst o))).
      assert (expect (trial s) miss + hit = 1) as S; [|transitivity (expect (trial s) miss + hit - hit); [ring | now rewrite S]].
      unfold hit. rewrite <- expect_plus. transitivity (expect (trial s) (fun _ => 1)); [|exact T].
      apply expect_equal. intros [p [[q|] t]] _; unfold miss; simpl; ring.
    - pose proof (trial_law s (fun _ => 1) V) as L. fold Z in L. rewrite <- L. field. exact N. }
  apply le_trans with (c * expect (trial s) miss).
  - rewrite expect_andthen, <- expect_times.
    match goal with |- 1 - expect ?d ?g <= _ =>
      replace (1 - expect d g) with (expect d (fun o => 1 + negate K 1 * g o)) by
        (rewrite expect_plus, expect_times, T; ring) end.
    apply expect_le; auto. intros [p [[q|] t]] I; unfold miss; simpl.
    + unfold expect. simpl. match goal with |- ?a <= ?b => replace a with b by ring end. apply le_refl.
    + match goal with |- 1 + negate K 1 * ?e <= _ => replace (1 + negate K 1 * e) with (1 - e) by ring end.
      replace (c * 1) with c by ring. apply IH. constructor; auto. exact (trial_possible _ _ V I).
  - rewrite E. replace ((1 - Z / A) * c) with (c * (1 - Z / A)) by ring.
    assert (Z <= weight_of s) as ZW.
    { pose proof (trial_law s (fun _ => 1) V) as L. fold Z in L. rewrite <- L.
      replace (weight_of s) with (weight_of s * 1) at 2 by ring.
      apply le_times; auto. apply le_trans with (expect (trial s) (fun _ => 1)); [|rewrite T; apply le_refl].
      apply expect_le; auto. intros [p [[q|] t]] _; simpl; [apply le_refl | apply zero_le_one]. }
    apply le_times.
    + unfold c. apply power_nonneg; [apply zero_le_one|]. apply minus_nonneg. apply divide_le; auto.
      replace (1 * A) with A by ring. eapply le_trans; eauto.
    + apply le_by_difference.
      replace (1 - Z / A - (1 - Z / weight_of s)) with (Z * (A - weight_of s) / (A * weight_of s)) by (field; auto).
      rewrite (Field_theory.Fdiv_def (field_laws K)).
      apply times_nonneg; [apply times_nonneg; auto using Z_nonneg, minus_nonneg|].
      apply invert_nonneg; [now apply times_nonneg|]. intro B. apply N, (product_zero K A); auto.
Qed.
End Loop.
