(** Theorem 4 of exponential-mechanism.md: a branch-and-bound tree as an exact sampler.

    The leaves of a tree are queries, each inner node carries a weight of at least the sum of its children's, and a leaf
    weighs w(q). A frontier is a list of nodes that partition the queries. *)
Require Import List Permutation Ring Field Arith.
Require Import Semiring OrderedField Distribution Trials.
Import ListNotations.

Section Trees.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.
Variable w : nat -> mass K.
Hypothesis w_nonneg : forall q, 0 <= w q.

Inductive tree :=
| Leaf (q : nat)
| Node (W : mass K) (children : list tree).

Definition weight (t : tree) : mass K := match t with Leaf q => w q | Node W _ => W end.

Definition total_weight (frontier : list tree) : mass K := sum K weight frontier.

Fixpoint leaves (t : tree) : list nat :=
  match t with Leaf q => [q] | Node _ children => flat_map leaves children end.

Inductive sound : tree -> Prop :=
| sound_leaf : forall q, sound (Leaf q)
| sound_node : forall W children, Forall sound children -> total_weight children <= W -> sound (Node W children).

Definition outcome : Type := option nat * list tree.   (* the query or a rejection, and the refined frontier *)

(** One of the members is picked with probability W(c)/total, and the trial goes on from it; the others stay on the frontier. *)
Section Pick.
Variable go : tree -> dist K outcome.
Variable total : mass K.

Fixpoint pick (earlier members : list tree) : dist K outcome :=
  match members with
  | [] => []
  | c :: later =>
      scaled (weight c / total) (fun o => (fst o, earlier ++ snd o ++ later)) (go c) ++ pick (earlier ++ [c]) later
  end.
End Pick.

(** An inner node is replaced by its children; one of them is entered, or the trial rejects with what is left. *)
Fixpoint descend (t : tree) : dist K outcome :=
  match t with
  | Leaf q => [(1, (Some q, [Leaf q]))]
  | Node W children => (1 - total_weight children / W, (None, children)) :: pick descend W [] children
  end.

Definition trial (frontier : list tree) : dist K outcome := pick descend (total_weight frontier) [] frontier.

Definition hit (f : nat -> mass K) (o : outcome) : mass K := accepted f (fst o).

Lemma tree_induction : forall P : tree -> Prop,
  (forall q, P (Leaf q)) -> (forall W children, Forall P children -> P (Node W children)) -> forall t, P t.
Proof.
  intros P HL HN. fix IH 1. intros [q|W children]; [apply HL | apply HN].
  induction children as [|c children IHc]; constructor; [apply IH | exact IHc].
Qed.

Lemma sound_children : forall W children, sound (Node W children) -> Forall sound children /\ total_weight children <= W.
Proof. intros W children S. inversion S. auto. Qed.

Lemma weights_nonneg : forall t, sound t -> 0 <= weight t.
Proof.
  induction t as [q|W children IH] using tree_induction; intro S; [apply w_nonneg|].
  apply sound_children in S as [F H]. simpl. apply le_trans with (2 := H). apply sum_nonneg.
  rewrite Forall_forall in *. auto.
Qed.

Lemma frontier_nonneg : forall frontier, Forall sound frontier -> Forall (fun t => 0 <= weight t) frontier.
Proof. intros frontier F. eapply Forall_impl; [|exact F]. apply weights_nonneg. Qed.

Lemma expect_pick : forall go total members earlier f,
  expect (pick go total earlier members) (hit f) =
    sum K (fun c => weight c / total * expect (go c) (hit f)) members.
Proof.
  induction members as [|c members IH]; intros earlier f; [reflexivity|]. simpl.
  now rewrite expect_app, IH, expect_scaled.
Qed.

Lemma total_pick : forall go total members earlier, (forall c, In c members -> expect (go c) (fun _ => 1) = 1) ->
  expect (pick go total earlier members) (fun _ => 1) = total_weight members / total.
Proof.
  unfold total_weight. induction members as [|c members IH]; intros earlier H; simpl.
  - unfold expect. simpl. now rewrite divide_zero.
  - rewrite expect_app, IH, expect_scaled, H by (simpl in *; auto). rewrite !(Field_theory.Fdiv_def (field_laws K)). ring.
Qed.

Lemma picked_shares : forall W children (e : tree -> mass K), Forall sound children -> total_weight children <= W ->
  W * sum K (fun c => weight c / W * e c) children = sum K (fun c => weight c * e c) children.
Proof.
  intros W children e F H. rewrite <- sum_times. destruct (zero_or_not K W) as [->|N].
  - pose proof (members_zero K _ weight children (frontier_nonneg _ F) H) as M. rewrite Forall_forall in M.
    apply sum_equal. intros c I. rewrite (M c I). ring.
  - apply sum_equal. intros c _. field. exact N.
Qed.

(** The probabilities along a path telescope: from t the trial ends at q with probability w(q)/W(t). *)
Lemma descend_law : forall t f, sound t ->
  weight t * expect (descend t) (hit f) = sum K (fun q => w q * f q) (leaves t).
Proof.
  induction t as [q|W children IH] using tree_induction; intros f S.
  - unfold expect, hit. simpl. ring.
  - apply sound_children in S as [F H]. cbn [descend leaves weight].
    rewrite expect_cons. replace (hit f (None, children)) with (zero K) by reflexivity.
    match goal with |- W * (?p * 0 + ?e) = _ => replace (W * (p * 0 + e)) with (W * e) by ring end.
    rewrite expect_pick, picked_shares by auto. rewrite sum_flat_map. apply sum_equal.
    rewrite Forall_forall in *. intros c I. auto.
Qed.

Lemma descend_total : forall t, expect (descend t) (fun _ => 1) = 1.
Proof.
  induction t as [q|W children IH] using tree_induction.
  - unfold expect. simpl. ring.
  - cbn [descend]. rewrite Forall_forall in IH.
    rewrite expect_cons, total_pick by auto. ring.
Qed.

Lemma pick_nonneg : forall go total members earlier, Forall sound members -> total_weight members <= total ->
  (forall c, In c members -> Forall (fun o => 0 <= fst o) (go c)) ->
  Forall (fun o => 0 <= fst o) (pick go total earlier members).
Proof.
  intros go total members earlier F H G.
  assert (forall c, In c members -> 0 <= weight c / total) as share.
  { intros c I. pose proof (frontier_nonneg _ F) as N. pose proof (member_le_sum K _ weight members c N I) as L.
    pose proof (le_trans K _ _ _ L H) as B. rewrite Forall_forall in N. specialize (N c I).
    destruct (zero_or_not K total) as [->|Z].
    - rewrite divide_zero; [apply le_refl | now apply le_antisym].
    - apply divide_nonneg; auto. eapply le_trans; eauto. }
  clear F H. revert earlier. induction members as [|c members IH]; intro earlier; simpl; [constructor|].
  apply Forall_app. split; [apply scaled_nonneg; simpl in *; auto | apply IH; simpl in *; auto].
Qed.

Lemma descend_nonneg : forall t, sound t -> Forall (fun o => 0 <= fst o) (descend t).
Proof.
  induction t as [q|W children IH] using tree_induction; intro S; cbn [descend].
  - constructor; [apply zero_le_one | constructor].
  - apply sound_children in S as [F H]. pose proof F as F'. rewrite Forall_forall in IH, F'. constructor.
    + simpl. apply minus_nonneg. destruct (zero_or_not K W) as [->|N].
      * rewrite divide_zero; [apply zero_le_one|]. apply le_antisym; auto. now apply sum_nonneg, frontier_nonneg.
      * apply divide_le; auto.
        -- apply le_trans with (2 := H). now apply sum_nonneg, frontier_nonneg.
        -- replace (1 * W) with W by ring. exact H.
    + apply pick_nonneg; auto.
Qed.

(** What a trial has refined is a frontier again: the same leaves in the same order, sound, and of no more weight. *)
Definition refined (old new : list tree) : Prop :=
  Forall sound new /\ flat_map leaves new = flat_map leaves old /\ total_weight new <= total_weight old.

Lemma refined_middle : forall earlier later c part, Forall sound (earlier ++ c :: later) -> refined [c] part ->
  refined (earlier ++ c :: later) (earlier ++ part ++ later).
Proof.
  intros earlier later c part S (P & L & H). unfold refined, total_weight in *. repeat split.
  - rewrite !Forall_app in *. destruct S as [S1 S2]. inversion S2. auto.
  - change (c :: later) with ([c] ++ later). now rewrite !flat_map_app, L.
  - change (c :: later) with ([c] ++ later). rewrite !sum_app. apply le_plus; [apply le_refl|].
    apply le_plus; [exact H | apply le_refl].
Qed.

Lemma pick_refined : forall go total members earlier,
  Forall sound (earlier ++ members) ->
  (forall c, In c members -> Forall (fun o => refined [c] (snd (snd o))) (go c)) ->
  Forall (fun o => refined (earlier ++ members) (snd (snd o))) (pick go total earlier members).
Proof.
  induction members as [|c members IH]; intros earlier S G; simpl; [constructor|].
  apply Forall_app. split.
  - apply Forall_map. specialize (G c (or_introl eq_refl)). eapply Forall_impl; [|exact G]. intros o R. simpl.
    now apply refined_middle.
  - replace (earlier ++ c :: members) with ((earlier ++ [c]) ++ members) in * by (now rewrite <- app_assoc).
    apply IH; simpl in *; auto.
Qed.

Lemma refined_node : forall W children part, sound (Node W children) -> refined children part -> refined [Node W children] part.
Proof.
  intros W children part S (P & L & H). apply sound_children in S as [F B]. repeat split; auto.
  - simpl. now rewrite app_nil_r.
  - unfold total_weight in *. simpl. replace (W + 0) with W by ring. eapply le_trans; eauto.
Qed.

Lemma refined_refl : forall frontier, Forall sound frontier -> refined frontier frontier.
Proof. intros frontier F. repeat split; auto. apply le_refl. Qed.

Lemma descend_refined : forall t, sound t -> Forall (fun o => refined [t] (snd (snd o))) (descend t).
Proof.
  induction t as [q|W children IH] using tree_induction; intro S; cbn [descend].
  - repeat constructor. apply le_refl.
  - pose proof S as S'. apply sound_children in S' as [F H].
    assert (Forall (fun o => refined children (snd (snd o))) (pick descend W [] children)) as P.
    { apply (pick_refined descend W children []); auto. rewrite Forall_forall in *. auto. }
    constructor; [apply refined_node; auto; now apply refined_refl|].
    eapply Forall_impl; [|exact P]. intros o R. now apply refined_node.
Qed.

(** The queries, and the frontiers that partition them, none heavier than the first. *)
Variable queries : list nat.
Variable heaviest : mass K.
Notation Z := (Z K queries w).
Notation weighed := (weighed K queries w).
Hypothesis Z_positive : Z <> 0.

Definition frontier_of_queries (frontier : list tree) : Prop :=
  Forall sound frontier /\ Permutation (flat_map leaves frontier) queries /\ total_weight frontier <= heaviest.

Lemma sum_permutation : forall (f : nat -> mass K) a b, Permutation a b -> sum K f a = sum K f b.
Proof. intros f a b P. induction P; simpl; try ring; congruence. Qed.

(** A trial from any frontier ends at the queries in proportion to their weights... *)
Theorem trial_law : forall frontier f, frontier_of_queries frontier ->
  total_weight frontier * expect (trial frontier) (hit f) = weighed f.
Proof.
  intros frontier f (F & P & _). unfold trial. rewrite expect_pick, picked_shares by (auto; apply le_refl).
  unfold Trials.weighed. rewrite <- (sum_permutation _ _ _ P), sum_flat_map. apply sum_equal.
  intros c I. apply descend_law. rewrite Forall_forall in F. auto.
Qed.

Lemma total_not_zero : forall frontier, frontier_of_queries frontier -> total_weight frontier <> 0.
Proof.
  intros frontier V E. apply Z_positive. unfold Trials.Z. rewrite <- (trial_law frontier _ V), E. ring.
Qed.

(** ...at q with probability exactly w(q)/W(F), whatever is refined on the way. *)
Theorem trial_ends : forall frontier q, frontier_of_queries frontier -> NoDup queries -> In q queries ->
  expect (trial frontier) (hit (is q)) = w q / total_weight frontier.
Proof.
  intros frontier q V D I. pose proof (trial_law frontier (is q) V) as L. rewrite weighed_is in L by auto.
  rewrite <- L. field. now apply total_not_zero.
Qed.

Theorem trial_proper : forall frontier, frontier_of_queries frontier -> proper (trial frontier).
Proof.
  intros frontier V. pose proof (total_not_zero _ V). destruct V as [F _]. split.
  - apply pick_nonneg; auto using le_refl. intros c I. apply descend_nonneg. rewrite Forall_forall in F. auto.
  - unfold trial. rewrite total_pick by (intros; apply descend_total). field. auto.
Qed.

Theorem trial_refines : forall frontier o, frontier_of_queries frontier -> In o (trial frontier) ->
  refined frontier (snd (snd o)).
Proof.
  intros frontier o [F _] I.
  assert (Forall (fun o => refined frontier (snd (snd o))) (trial frontier)) as A.
  { apply (pick_refined descend _ frontier []); auto. intros c C. apply descend_refined. rewrite Forall_forall in F. auto. }
  rewrite Forall_forall in A. auto.
Qed.

Lemma refined_frontier : forall old new, frontier_of_queries old -> refined old new -> frontier_of_queries new.
Proof.
  intros old new (_ & P & H) (S & L & H'). repeat split; auto; [now rewrite L | eapply le_trans; eauto].
Qed.

(** Given that a trial accepts, its law is w(q)/Z: it depends neither on the frontier nor on the tree. *)
Theorem trial_conditional_law : forall frontier q, frontier_of_queries frontier -> NoDup queries -> In q queries ->
  expect (trial frontier) (hit (is q)) / expect (trial frontier) (hit (fun _ => 1)) = w q / Z.
Proof.
  intros frontier q V D I. pose proof (total_not_zero _ V) as N. rewrite trial_ends by auto.
  assert (expect (trial frontier) (hit (fun _ => 1)) = Z / total_weight frontier) as ->.
  { unfold Trials.Z. rewrite <- (trial_law frontier _ V). field. exact N. }
  field. auto.
Qed.

(** The loop: each trial starts from a frontier that is chosen by all refined frontiers so far, in any way. *)
Variable policy : list (list tree) -> list tree.
Hypothesis policy_frontier : forall history, Forall frontier_of_queries history -> frontier_of_queries (policy history).

Definition sampler (trials : nat) : dist K (option nat) := run K (list tree) (list tree) trial policy trials [].

Lemma trial_possible : forall frontier o, frontier_of_queries frontier -> In o (trial frontier) ->
  frontier_of_queries (snd (snd o)).
Proof. intros frontier o V I. eapply refined_frontier; eauto using trial_refines. Qed.

Theorem sampler_proper : forall trials, proper (sampler trials).
Proof.
  intro trials. apply (run_proper K _ _ trial frontier_of_queries frontier_of_queries); eauto using trial_proper, trial_possible.
Qed.

(** Theorem 4: given acceptance within any number of trials, the output is q with probability w(q)/Z. *)
Theorem sampler_law : forall trials f,
  Z * expect (sampler trials) (accepted f) = weighed f * expect (sampler trials) (accepted (fun _ => 1)).
Proof.
  intros trials f. apply (run_law K queries w _ _ trial total_weight frontier_of_queries frontier_of_queries);
    eauto using trial_possible, trial_law.
Qed.

Theorem sampler_conditional_law : forall trials q, NoDup queries -> In q queries ->
  expect (sampler trials) (accepted (fun _ => 1)) <> 0 ->
  expect (sampler trials) (accepted (is q)) / expect (sampler trials) (accepted (fun _ => 1)) = w q / Z.
Proof.
  intros trials q D I A. apply (conditional_law K queries w _ _ trial total_weight frontier_of_queries frontier_of_queries);
    eauto using trial_possible, trial_law.
Qed.

(** It ends: all of N trials reject with probability at most (1 - Z/heaviest)^N. *)
Theorem sampler_ends : forall trials,
  1 - expect (sampler trials) (accepted (fun _ => 1)) <= power K (1 - Z / heaviest) trials.
Proof.
  intro trials. apply (rejection K queries w _ _ trial total_weight frontier_of_queries frontier_of_queries);
    eauto using trial_possible, trial_law, trial_proper; intros h P; destruct (policy_frontier h P) as (F & _ & H); auto.
  now apply sum_nonneg, frontier_nonneg.
Qed.
End Trees.

(** The policy of the library: go on from what the last trial has refined. *)
Definition resume {K} (first : list (tree K)) (history : list (list (tree K))) : list (tree K) :=
  match history with [] => first | last :: _ => last end.

Lemma resume_valid : forall K (valid : list (tree K) -> Prop) first, valid first ->
  forall history, Forall valid history -> valid (resume first history).
Proof. intros K valid first V history F. destruct F; auto. Qed.
