(** Theorem 4 with rounded weights, as the library draws: a member is picked by one number and kept by another.

    A node has an integer a by which it is picked, a factor d = e^(-rate x) that is paid when it is kept, and inside it the
    weight v from which its children are picked. Rounding is free as long as (i) the children's a sum to at most v and
    (ii) d v <= a. *)
Require Import List Permutation Ring Field Arith.
Require Import Semiring OrderedField Distribution Trials.
Import ListNotations.

Section Rounded.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.
Variable unit : mass K.                (* 2^63, the weight inside a leaf *)
Hypothesis unit_nonneg : 0 <= unit.

Inductive rounded :=
| End (a d : mass K) (q : nat)
| Inner (a d v : mass K) (children : list rounded).

Definition picked_by (t : rounded) : mass K := match t with End a _ _ => a | Inner a _ _ _ => a end.
Definition factor (t : rounded) : mass K := match t with End _ d _ => d | Inner _ d _ _ => d end.
Definition inside (t : rounded) : mass K := match t with End _ _ _ => unit | Inner _ _ v _ => v end.
Definition all_picked (members : list rounded) : mass K := sum K picked_by members.

(** (ii), and then (i). *)
Definition keepable (t : rounded) : Prop := 0 <= factor t /\ 0 <= inside t /\ factor t * inside t <= picked_by t.

Inductive rounds : rounded -> Prop :=
| rounds_end : forall a d q, keepable (End a d q) -> rounds (End a d q)
| rounds_inner : forall a d v children, keepable (Inner a d v children) ->
    Forall rounds children -> all_picked children <= v -> rounds (Inner a d v children).

(** What each leaf weighs: the unit times the factors on its path. *)
Fixpoint ends (t : rounded) : list (nat * mass K) :=
  match t with
  | End _ d q => [(q, d * unit)]
  | Inner _ d _ children => map (fun e => (fst e, d * snd e)) (flat_map ends children)
  end.

(** What a trial shows: which members it picked, and whether it kept them. *)
Inductive step := Picked (number : nat) | Kept.
Definition outcome : Type := option nat * list step.

Section Pick.
Variable go : rounded -> dist K outcome.
Variable total : mass K.

Fixpoint pick (number : nat) (members : list rounded) : dist K outcome :=
  match members with
  | [] => []
  | c :: rest =>
      scaled (picked_by c / total) (fun o => (fst o, Picked number :: snd o)) (go c) ++ pick (S number) rest
  end.
End Pick.

(** A picked node is kept with probability d v/a; a kept leaf is the output; at a kept inner node a child is picked, or none. *)
Definition keep (t : rounded) : mass K := factor t * inside t / picked_by t.

Fixpoint enter (t : rounded) : dist K outcome :=
  (1 - keep t, (None, [])) :: scaled (keep t) (fun o => (fst o, Kept :: snd o))
    match t with
    | End _ _ q => [(1, (Some q, []))]
    | Inner _ _ v children => (1 - all_picked children / v, (None, [])) :: pick enter v O children
    end.

Definition trial (frontier : list rounded) : dist K outcome := pick enter (all_picked frontier) O frontier.

Definition hit (f : nat -> mass K) (o : outcome) : mass K := accepted f (fst o).
Definition mass_of (f : nat -> mass K) (e : nat * mass K) : mass K := snd e * f (fst e).

Lemma rounded_induction : forall P : rounded -> Prop,
  (forall a d q, P (End a d q)) -> (forall a d v children, Forall P children -> P (Inner a d v children)) -> forall t, P t.
Proof.
  intros P HE HI. fix IH 1. intros [a d q|a d v children]; [apply HE | apply HI].
  induction children as [|c children IHc]; constructor; [apply IH | exact IHc].
Qed.

Lemma rounds_keepable : forall t, rounds t -> keepable t.
Proof. intros t R. now inversion R. Qed.

Lemma rounds_children : forall a d v children, rounds (Inner a d v children) ->
  Forall rounds children /\ all_picked children <= v.
Proof. intros a d v children R. inversion R. auto. Qed.

Lemma picked_by_nonneg : forall t, rounds t -> 0 <= picked_by t.
Proof.
  intros t R. destruct (rounds_keepable t R) as (D & V & H). apply le_trans with (2 := H). now apply times_nonneg.
Qed.

Lemma members_nonneg : forall members, Forall rounds members -> Forall (fun t => 0 <= picked_by t) members.
Proof. intros members F. eapply Forall_impl; [|exact F]. apply picked_by_nonneg. Qed.

Lemma all_picked_nonneg : forall members, Forall rounds members -> 0 <= all_picked members.
Proof. intros members F. now apply sum_nonneg, members_nonneg. Qed.

(** The rounding is undone: picking by a and keeping by d v/a is d v, and 0 where a is. *)
Lemma picked_and_kept : forall t, rounds t -> picked_by t * keep t = factor t * inside t.
Proof.
  intros t R. destruct (rounds_keepable t R) as (D & V & H). unfold keep.
  destruct (zero_or_not K (picked_by t)) as [E|N]; [|field; exact N].
  assert (factor t * inside t = 0) as ->; [|rewrite E; ring].
  apply le_antisym; [now rewrite <- E | now apply times_nonneg].
Qed.

Lemma share_nonneg : forall a b : mass K, 0 <= a -> a <= b -> 0 <= a / b /\ 0 <= 1 - a / b.
Proof.
  intros a b A B. destruct (zero_or_not K b) as [->|N].
  - rewrite divide_zero by (now apply le_antisym). split; [apply le_refl|]. apply minus_nonneg, zero_le_one.
  - assert (0 <= b) by (eapply le_trans; eauto). split; [now apply divide_nonneg|]. apply minus_nonneg, divide_le; auto.
    replace (1 * b) with b by ring. exact B.
Qed.

Lemma expect_marked : forall c mark d f,
  expect (scaled c (fun o => (fst o, mark :: snd o)) d) (hit f) = c * expect d (hit f).
Proof. intros. now rewrite expect_scaled. Qed.

Lemma expect_pick : forall go total members number f,
  expect (pick go total number members) (hit f) = sum K (fun c => picked_by c / total * expect (go c) (hit f)) members.
Proof.
  induction members as [|c members IH]; intros number f; [reflexivity|]. simpl.
  now rewrite expect_app, IH, expect_scaled.
Qed.

Lemma total_pick : forall go total members number, (forall c, In c members -> expect (go c) (fun _ => 1) = 1) ->
  expect (pick go total number members) (fun _ => 1) = all_picked members / total.
Proof.
  unfold all_picked. induction members as [|c members IH]; intros number H; simpl.
  - unfold expect. simpl. now rewrite divide_zero.
  - rewrite expect_app, IH, expect_scaled, H by (simpl in *; auto). rewrite !(Field_theory.Fdiv_def (field_laws K)). ring.
Qed.

Lemma picked_shares : forall v children (e : rounded -> mass K), Forall rounds children -> all_picked children <= v ->
  v * sum K (fun c => picked_by c / v * e c) children = sum K (fun c => picked_by c * e c) children.
Proof.
  intros v children e F H. rewrite <- sum_times. destruct (zero_or_not K v) as [->|N].
  - pose proof (members_zero K _ picked_by children (members_nonneg _ F) H) as M. rewrite Forall_forall in M.
    apply sum_equal. intros c I. rewrite (M c I). ring.
  - apply sum_equal. intros c _. field. exact N.
Qed.

(** Each a cancels with its own keep, each v with the pick below it. *)
Lemma enter_law : forall t f, rounds t -> picked_by t * expect (enter t) (hit f) = sum K (mass_of f) (ends t).
Proof.
  induction t as [a d q|a d v children IH] using rounded_induction; intros f R;
    pose proof (picked_and_kept _ R) as E; cbn [enter ends]; rewrite expect_cons, expect_marked;
    replace (hit f (None, [])) with (zero K) by reflexivity.
  - match goal with |- ?a * (?p * 0 + ?k * ?e) = _ => replace (a * (p * 0 + k * e)) with (a * k * e) by ring end.
    rewrite E. unfold expect, hit, mass_of. simpl. ring.
  - match goal with |- ?a * (?p * 0 + ?k * ?e) = _ => replace (a * (p * 0 + k * e)) with (a * k * e) by ring end.
    rewrite E, expect_cons. cbn [factor inside]. apply rounds_children in R as [F H].
    replace (hit f (None, [])) with (zero K) by reflexivity.
    match goal with |- _ * (?p * 0 + ?e) = _ => replace (d * v * (p * 0 + e)) with (d * (v * e)) by ring end.
    rewrite expect_pick, picked_shares by auto. rewrite sum_map, sum_flat_map, <- sum_times.
    apply sum_equal. intros c I. rewrite Forall_forall in *. rewrite IH by auto. rewrite <- sum_times.
    apply sum_equal. intros e _. unfold mass_of. simpl. ring.
Qed.

Lemma enter_total : forall t, expect (enter t) (fun _ => 1) = 1.
Proof.
  induction t as [a d q|a d v children IH] using rounded_induction; cbn [enter]; rewrite expect_cons, expect_scaled, expect_cons.
  - unfold expect. simpl. ring.
  - rewrite Forall_forall in IH. rewrite total_pick by auto. ring.
Qed.

Lemma pick_nonneg : forall go total members number, Forall rounds members -> all_picked members <= total ->
  (forall c, In c members -> Forall (fun o => 0 <= fst o) (go c)) ->
  Forall (fun o => 0 <= fst o) (pick go total number members).
Proof.
  intros go total members number F H G.
  assert (forall c, In c members -> 0 <= picked_by c / total) as share.
  { intros c I. pose proof (members_nonneg _ F) as N. apply share_nonneg.
    - rewrite Forall_forall in N. auto.
    - apply le_trans with (2 := H). now apply member_le_sum. }
  clear F H. revert number. induction members as [|c members IH]; intro number; simpl; [constructor|].
  apply Forall_app. split; [apply scaled_nonneg; simpl in *; auto | apply IH; simpl in *; auto].
Qed.

Lemma enter_nonneg : forall t, rounds t -> Forall (fun o => 0 <= fst o) (enter t).
Proof.
  assert (forall t, rounds t -> 0 <= keep t /\ 0 <= 1 - keep t) as kept.
  { intros t R. destruct (rounds_keepable t R) as (D & V & H). apply share_nonneg; auto using times_nonneg. }
  induction t as [a d q|a d v children IH] using rounded_induction; intro R; destruct (kept _ R) as [P P'];
    cbn [enter]; constructor; auto; apply scaled_nonneg; auto.
  - constructor; [apply zero_le_one | constructor].
  - apply rounds_children in R as [F H]. rewrite Forall_forall in IH. pose proof F as F'. rewrite Forall_forall in F'.
    constructor; [apply share_nonneg; auto using all_picked_nonneg | apply pick_nonneg; auto].
Qed.

(** Frontiers of the queries: whatever their integers, the leaves weigh w. *)
Variable queries : list nat.
Variable w : nat -> mass K.
Notation Z := (Z K queries w).
Notation weighed := (weighed K queries w).
Hypothesis w_nonneg : forall q, 0 <= w q.
Hypothesis Z_positive : Z <> 0.

Definition rounded_frontier (frontier : list rounded) : Prop :=
  Forall rounds frontier /\ Permutation (flat_map ends frontier) (map (fun q => (q, w q)) queries).

Theorem rounded_trial_law : forall frontier f, rounded_frontier frontier ->
  all_picked frontier * expect (trial frontier) (hit f) = weighed f.
Proof.
  intros frontier f [F P]. unfold trial. rewrite expect_pick, picked_shares by (auto; apply le_refl).
  transitivity (sum K (mass_of f) (map (fun q => (q, w q)) queries)).
  - transitivity (sum K (mass_of f) (flat_map ends frontier)).
    + rewrite sum_flat_map. apply sum_equal. intros c I. apply enter_law. rewrite Forall_forall in F. auto.
    + clear - P. induction P; simpl; try ring; congruence.
  - rewrite sum_map. reflexivity.
Qed.

Lemma all_picked_not_zero : forall frontier, rounded_frontier frontier -> all_picked frontier <> 0.
Proof.
  intros frontier V E. apply Z_positive. unfold Trials.Z. rewrite <- (rounded_trial_law frontier _ V), E. ring.
Qed.

(** A trial ends at q with probability exactly w(q)/A, A the sum of the integers on the frontier. *)
Theorem rounded_trial_ends : forall frontier q, rounded_frontier frontier -> NoDup queries -> In q queries ->
  expect (trial frontier) (hit (is q)) = w q / all_picked frontier.
Proof.
  intros frontier q V D I. pose proof (rounded_trial_law frontier (is q) V) as L. rewrite weighed_is in L by auto.
  rewrite <- L. field. now apply all_picked_not_zero.
Qed.

Theorem rounded_trial_proper : forall frontier, rounded_frontier frontier -> proper (trial frontier).
Proof.
  intros frontier V. pose proof (all_picked_not_zero _ V). destruct V as [F _]. split.
  - apply pick_nonneg; auto using le_refl. intros c I. apply enter_nonneg. rewrite Forall_forall in F. auto.
  - unfold trial. rewrite total_pick by (intros; apply enter_total). field. auto.
Qed.

(** There is such a frontier: every query by itself, picked by its weight and always kept. *)
Lemma finest_frontier : unit <> 0 -> rounded_frontier (map (fun q => End (w q) (w q / unit) q) queries).
Proof.
  intro N. split.
  - apply Forall_map, Forall_forall. intros q _. constructor. repeat split; simpl; auto using divide_nonneg.
    replace (w q / unit * unit) with (w q) by (field; exact N). apply le_refl.
  - clear Z_positive. induction queries as [|q rest IH]; simpl; [constructor|].
    replace (w q / unit * unit) with (w q) by (field; exact N). now constructor.
Qed.

(** The loop: the next frontier, with all its integers, depends in any way on all steps of all trials so far. *)
Variable policy : list (list step) -> list rounded.
Hypothesis policy_frontier : forall history, rounded_frontier (policy history).

Definition rounded_sampler (trials : nat) : dist K (option nat) :=
  run K (list rounded) (list step) trial policy trials [].

Theorem rounded_sampler_proper : forall trials, proper (rounded_sampler trials).
Proof.
  intro trials. apply (run_proper K _ _ trial rounded_frontier (fun _ => True)); eauto using rounded_trial_proper.
Qed.

Theorem rounded_sampler_law : forall trials f,
  Z * expect (rounded_sampler trials) (accepted f) = weighed f * expect (rounded_sampler trials) (accepted (fun _ => 1)).
Proof.
  intros trials f. apply (run_law K queries w _ _ trial all_picked rounded_frontier (fun _ => True));
    eauto using rounded_trial_law.
Qed.

Theorem rounded_sampler_conditional_law : forall trials q, NoDup queries -> In q queries ->
  expect (rounded_sampler trials) (accepted (fun _ => 1)) <> 0 ->
  expect (rounded_sampler trials) (accepted (is q)) / expect (rounded_sampler trials) (accepted (fun _ => 1)) = w q / Z.
Proof.
  intros trials q D I A. apply (conditional_law K queries w _ _ trial all_picked rounded_frontier (fun _ => True));
    eauto using rounded_trial_law.
Qed.

Theorem rounded_sampler_ends : forall A trials, (forall history, all_picked (policy history) <= A) ->
  1 - expect (rounded_sampler trials) (accepted (fun _ => 1)) <= power K (1 - Z / A) trials.
Proof.
  intros A trials H. apply (rejection K queries w _ _ trial all_picked rounded_frontier (fun _ => True));
    eauto using rounded_trial_law, rounded_trial_proper.
  intros h _. apply all_picked_nonneg. now apply policy_frontier.
Qed.
End Rounded.
