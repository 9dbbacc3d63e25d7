(** The probability that the guarantee speaks of exists: a countably additive measure on noise vectors, of total mass one.

    The probability of an event is the least upper bound of the masses of finite lists of distinct noise vectors on which it
    happens: the value of the countable sum of nonnegative masses. *)
Require Import ZArith List Permutation Lia Reals Lra Classical_Prop.
Require Import Vectors Semiring KHot Separator Masses TotalMass.
Import ListNotations.
Open Scope R_scope.

Definition finite_masses (m : nat) (p : vec -> R) (event : vec -> Prop) (x : R) : Prop :=
  exists E, NoDup E /\ Forall (fun noise => length noise = m /\ event noise) E /\ sum reals p E = x.

(** The law of a noise vector with m coordinates. *)
Record law (m : nat) := {
  point : vec -> R;
  point_nonneg : forall noise, 0 <= point noise;
  point_total : is_lub (finite_masses m point (fun _ => True)) 1
}.
Arguments point {m}.

Lemma real_sum_app : forall (p : vec -> R) E E', sum reals p (E ++ E') = sum reals p E + sum reals p E'.
Proof. intros p E E'. induction E as [|x E IH]; simpl in *; lra. Qed.

Lemma real_sum_permutation : forall (p : vec -> R) E E', Permutation E E' -> sum reals p E = sum reals p E'.
Proof. intros p E E' P. induction P; simpl in *; lra. Qed.

Section Measure.
Variable m : nat.
Variable l : law m.

Lemma masses_bounded : forall event, bound (finite_masses m (point l) event).
Proof.
  intro event. exists 1. intros x (E & D & F & <-). apply (proj1 (point_total m l)). exists E. repeat split; auto.
  eapply Forall_impl; [|exact F]. simpl. tauto.
Qed.

Lemma masses_inhabited : forall event, exists x, finite_masses m (point l) event x.
Proof. intro event. exists 0, []. repeat split; constructor. Qed.

(** Existence: the reals are complete. *)
Definition Pr (event : vec -> Prop) : R :=
  proj1_sig (completeness (finite_masses m (point l) event) (masses_bounded event) (masses_inhabited event)).

Lemma Pr_is : forall event, is_lub (finite_masses m (point l) event) (Pr event).
Proof. intro event. unfold Pr. now destruct (completeness _ _ _). Qed.

Lemma Pr_unique : forall event x, is_lub (finite_masses m (point l) event) x -> Pr event = x.
Proof. intros event x [U L]. destruct (Pr_is event) as [U' L']. apply Rle_antisym; auto. Qed.

Lemma Pr_above : forall (event : vec -> Prop) E, NoDup E -> Forall (fun noise => length noise = m /\ event noise) E ->
  sum reals (point l) E <= Pr event.
Proof. intros event E D F. apply (proj1 (Pr_is event)). exists E. auto. Qed.

Lemma Pr_below : forall (event : vec -> Prop) x,
  (forall E, NoDup E -> Forall (fun noise => length noise = m /\ event noise) E -> sum reals (point l) E <= x) ->
  Pr event <= x.
Proof. intros event x H. apply (proj2 (Pr_is event)). intros y (E & D & F & <-). auto. Qed.

(** Probabilities are nonnegative... *)
Theorem Pr_nonneg : forall event, 0 <= Pr event.
Proof. intro event. apply (Pr_above event []); constructor. Qed.

(** ...the sure event has probability one... *)
Theorem Pr_sure : Pr (fun _ => True) = 1.
Proof. apply Pr_unique, point_total. Qed.

Lemma Pr_monotone : forall (A B : vec -> Prop), (forall noise, A noise -> B noise) -> Pr A <= Pr B.
Proof.
  intros A B H. apply Pr_below. intros E D F. apply Pr_above; auto. eapply Forall_impl; [|exact F]. simpl. intuition.
Qed.

Lemma split_list : forall (A B : vec -> Prop) E, NoDup E -> Forall (fun x => length x = m /\ (A x \/ B x)) E ->
  exists E1 E2, Permutation E (E1 ++ E2) /\ NoDup E1 /\ NoDup E2 /\
    Forall (fun x => length x = m /\ A x) E1 /\ Forall (fun x => length x = m /\ B x) E2.
Proof.
  intros A B E D F. induction F as [|x E [L H] F IH].
  - exists [], []. repeat split; constructor.
  - inversion D as [|? ? X D']; subst. destruct (IH D') as (E1 & E2 & P & D1 & D2 & F1 & F2).
    assert (~ In x E1 /\ ~ In x E2) as [X1 X2].
    { split; intro I; apply X; apply (Permutation_in x (Permutation_sym P)), in_app_iff; auto. }
    destruct H as [H|H].
    + exists (x :: E1), E2. repeat split; auto; try (constructor; auto).
    + exists E1, (x :: E2). repeat split; auto; try (constructor; auto). now apply Permutation_cons_app.
Qed.

Lemma joined_list : forall E1 E2 : list vec, NoDup E1 -> NoDup E2 -> (forall x, In x E1 -> ~ In x E2) -> NoDup (E1 ++ E2).
Proof.
  intros E1 E2 D1 D2. induction D1 as [|x E1 X D1 IH]; intro H; simpl; [exact D2|]. constructor.
  - rewrite in_app_iff. intros [I|I]; [tauto|]. apply (H x); simpl; auto.
  - apply IH. intros y Y. apply H. simpl. auto.
Qed.

Lemma Pr_additive : forall A B : vec -> Prop, (forall x, A x -> ~ B x) -> Pr (fun x => A x \/ B x) = Pr A + Pr B.
Proof.
  intros A B disjoint. apply Rle_antisym.
  - apply Pr_below. intros E D F. destruct (split_list A B E D F) as (E1 & E2 & P & D1 & D2 & F1 & F2).
    rewrite (real_sum_permutation _ _ _ P), real_sum_app. apply Rplus_le_compat; now apply Pr_above.
  - assert (forall E1 E2, NoDup E1 -> NoDup E2 -> Forall (fun x => length x = m /\ A x) E1 ->
      Forall (fun x => length x = m /\ B x) E2 ->
      sum reals (point l) E1 + sum reals (point l) E2 <= Pr (fun x => A x \/ B x)) as both.
    { intros E1 E2 D1 D2 F1 F2. rewrite <- real_sum_app. rewrite Forall_forall in F1, F2. apply Pr_above.
      - apply joined_list; auto. intros x X1 X2. apply (disjoint x); [apply F1 | apply F2]; auto.
      - apply Forall_app. split; apply Forall_forall; intros x X; [apply F1 in X | apply F2 in X]; tauto. }
    assert (forall E2, NoDup E2 -> Forall (fun x => length x = m /\ B x) E2 ->
      Pr A <= Pr (fun x => A x \/ B x) - sum reals (point l) E2) as one.
    { intros E2 D2 F2. apply Pr_below. intros E1 D1 F1. specialize (both E1 E2 D1 D2 F1 F2). lra. }
    assert (Pr B <= Pr (fun x => A x \/ B x) - Pr A); [|lra].
    apply Pr_below. intros E2 D2 F2. specialize (one E2 D2 F2). lra.
Qed.

Lemma Pr_impossible : forall A : vec -> Prop, (forall x, ~ A x) -> Pr A = 0.
Proof.
  intros A H. apply Rle_antisym; [|apply Pr_nonneg]. apply Pr_below. intros [|x E] _ F; simpl; [lra|].
  inversion F as [|? ? [_ X] _]. elim (H x X).
Qed.

Lemma Pr_partial : forall (A : nat -> vec -> Prop), (forall i j x, A i x -> A j x -> i = j) -> forall N,
  sum_f_R0 (fun i => Pr (A i)) N = Pr (fun x => exists i, (i <= N)%nat /\ A i x).
Proof.
  intros A disjoint. assert (forall A B : vec -> Prop, (forall x, A x <-> B x) -> Pr A = Pr B) as same.
  { intros B C H. apply Rle_antisym; apply Pr_monotone; intro x; apply H. }
  induction N as [|N IH]; simpl.
  - apply same. intro x. split; [exists O; auto|]. intros (i & L & H). now replace O with i by lia.
  - rewrite IH, <- Pr_additive.
    + apply same. intro x. split.
      * intros [(i & L & H)|H]; eauto.
      * intros (i & L & H). destruct (Nat.eq_dec i (S N)) as [->|Ne]; [auto|]. left. exists i. split; [lia | auto].
    + intros x (i & L & H) H'. specialize (disjoint i (S N) x H H'). lia.
Qed.

(** ...and they add up over any sequence of disjoint events. *)
Theorem Pr_countably_additive : forall A : nat -> vec -> Prop, (forall i j x, A i x -> A j x -> i = j) ->
  infinite_sum (fun i => Pr (A i)) (Pr (fun x => exists i, A i x)).
Proof.
  intros A disjoint eps Heps. set (P := Pr (fun x => exists i, A i x)).
  assert (exists E, NoDup E /\ Forall (fun x => length x = m /\ exists i, A i x) E /\ P - eps < sum reals (point l) E)
    as (E & D & F & near).
  { apply NNPP. intro none. assert (P <= P - eps); [|lra]. apply Pr_below. intros E D F.
    destruct (Rle_or_lt (sum reals (point l) E) (P - eps)) as [H|H]; [exact H|]. elim none. exists E. auto. }
  assert (exists N, Forall (fun x => length x = m /\ exists i, (i <= N)%nat /\ A i x) E) as [N FN].
  { clear D near. induction F as [|x E (L & i & H) F [N IH]]; [exists O; constructor|]. exists (N + i)%nat. constructor.
    - split; [exact L|]. exists i. split; [lia | exact H].
    - eapply Forall_impl; [|exact IH]. intros y (Ly & j & Lj & Hj). split; [exact Ly|]. exists j. split; [lia | exact Hj]. }
  exists N. intros k Hk. rewrite Pr_partial by exact disjoint.
  assert (sum reals (point l) E <= Pr (fun x => exists i, (i <= k)%nat /\ A i x)).
  { apply Pr_above; auto. eapply Forall_impl; [|exact FN]. intros y (Ly & j & Lj & Hj). split; [exact Ly|].
    exists j. split; [lia | exact Hj]. }
  assert (Pr (fun x => exists i, (i <= k)%nat /\ A i x) <= P).
  { apply Pr_monotone. intros x (i & _ & H'). eauto. }
  unfold R_dist. apply Rabs_def1; lra.
Qed.
End Measure.
Arguments Pr {m}.

Lemma constant_limit : forall c, Un_cv (fun _ => c) c.
Proof. intros c eps H. exists O. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; auto. Qed.

(** A product of one-dimensional masses that sum to one is a law. *)
Section ProductLaw.
Variable f : Z -> R.
Hypothesis f_nonneg : forall x, 0 <= f x.
Hypothesis f_bounded : forall M, sum reals f (interval M) <= 1.
Hypothesis f_total : Un_cv (fun M => sum reals f (interval M)) 1.

Lemma product_total : forall m, is_lub (finite_masses m (product reals f) (fun _ => True)) 1.
Proof.
  intro m. split.
  - intros x (E & D & F & <-). apply (product_at_most_one reals f f_nonneg Rle_0_1 m); auto.
    eapply Forall_impl; [|exact F]. simpl. tauto.
  - intros x U. apply (@Rle_cv_lim (fun M => sum reals (product reals f) (box m M)) (fun _ => x) 1 x).
    + intro M. apply U. exists (box m M). repeat split; auto using box_distinct. apply Forall_forall. intros y I.
      apply in_box in I. tauto.
    + apply (Un_cv_ext (fun M => sum reals f (interval M) ^ m)).
      { intro M. rewrite <- real_power. symmetry. exact (box_mass reals f m M). }
      clear U. induction m as [|m IH]; simpl.
      * apply constant_limit.
      * replace 1 with (1 * 1) by ring. now apply CV_mult.
    + apply constant_limit.
Qed.

Definition product_law (m : nat) : law m := {|
  point := product reals f; point_nonneg := product_nonneg reals f f_nonneg Rle_0_1; point_total := product_total m
|}.
End ProductLaw.

Lemma tail_vanishes : forall r c, 0 <= r < 1 -> Un_cv (fun M => c * r ^ S M) 0.
Proof.
  intros r c [H0 H1]. replace 0 with (c * (r * 0)) by ring.
  apply CV_mult; [|apply CV_mult].
  - apply constant_limit.
  - apply constant_limit.
  - intros eps H. destruct (pow_lt_1_zero r) with (y := eps) as [N HN]; [rewrite Rabs_right; lra | exact H |].
    exists N. intros k Hk. unfold R_dist. rewrite Rminus_0_r. now apply HN.
Qed.

Lemma one_but_tail : forall (s tail : nat -> R), (forall M, s M + tail M = 1) -> Un_cv tail 0 -> Un_cv s 1.
Proof.
  intros s tail E H eps Heps. destruct (H eps Heps) as [N HN]. exists N. intros k Hk. specialize (HN k Hk).
  unfold R_dist in *. replace (s k - 1) with (- (tail k - 0)) by (specialize (E k); lra). now rewrite Rabs_Ropp.
Qed.

(** The two noises of the library, at any ratio r in [0, 1). *)
Section Noises.
Variable r : R.
Hypothesis r_range : 0 <= r < 1.

Lemma geometric_is_nonneg : forall x, 0 <= geometric reals (1 - r) r x.
Proof.
  intro x. unfold geometric. destruct (x <=? 0)%Z; [|simpl; lra].
  apply (times_nonneg reals); [simpl; lra|]. apply (power_nonneg reals); simpl; lra.
Qed.

Lemma geometric_sums : forall M, sum reals (geometric reals (1 - r) r) (interval M) + 1 * r ^ S M = 1.
Proof.
  intro M. rewrite <- real_power, Rmult_1_l. apply (geometric_interval reals (1 - r) r). simpl. lra.
Qed.

Definition geometric_law : forall m, law m.
Proof.
  refine (product_law (geometric reals (1 - r) r) geometric_is_nonneg _ _).
  - intro M. pose proof (geometric_sums M). pose proof (pow_le r (S M) (proj1 r_range)). lra.
  - apply (one_but_tail _ _ geometric_sums). now apply tail_vanishes.
Defined.

Lemma laplace_is_nonneg : forall x, 0 <= laplace reals ((1 - r) / (1 + r)) r x.
Proof.
  intro x. apply (laplace_nonneg reals); simpl; try lra. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma laplace_sums : forall M,
  sum reals (laplace reals ((1 - r) / (1 + r)) r) (interval M) + (/ (1 + r) + / (1 + r)) * r ^ S M = 1.
Proof.
  intro M. rewrite <- real_power. apply (laplace_interval reals ((1 - r) / (1 + r)) r (/ (1 + r))); simpl; field; lra.
Qed.

Definition laplace_law : forall m, law m.
Proof.
  refine (product_law (laplace reals ((1 - r) / (1 + r)) r) laplace_is_nonneg _ _).
  - intro M. pose proof (laplace_sums M). pose proof (pow_le r (S M) (proj1 r_range)).
    assert (0 < / (1 + r)) by (apply Rinv_0_lt_compat; lra). nra.
  - apply (one_but_tail _ _ laplace_sums). now apply tail_vanishes.
Defined.

(** They are the masses of Theorem 1. *)
Theorem geometric_law_is : forall m, point (geometric_law m) = geometric_mass reals (1 - r) r.
Proof. reflexivity. Qed.

Theorem laplace_law_is : forall m, point (laplace_law m) = laplace_mass reals ((1 - r) / (1 + r)) r.
Proof. reflexivity. Qed.
End Noises.
