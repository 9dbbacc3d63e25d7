(** The weights of Theorem 4: N(v) e^(-rate B(v)), N(v) the number of leaves under v and B(v) a bound on their values that does
    not fall from parent to child. They are sound, and so the search trees of the library are samplers. *)
Require Import ZArith List Permutation Lia Reals Lra.
Require Import Semiring OrderedField Distribution Trials TreeSampler RoundedSampler Masses DataSets Probability Exponential.
Import ListNotations.
Open Scope R_scope.

Section Search.
Variable L : nat -> BinInt.Z.
Variables rate scale : R.
Hypothesis rate_nonneg : 0 <= rate.
Hypothesis scale_positive : 0 < scale.

Inductive search :=
| Query (q : nat)
| Branch (B : BinInt.Z) (children : list search).

Definition bound (s : search) : BinInt.Z := match s with Query q => L q | Branch B _ => B end.

Fixpoint found (s : search) : list nat :=
  match s with Query q => [q] | Branch _ children => flat_map found children end.

Inductive admissible : search -> Prop :=
| admissible_query : forall q, admissible (Query q)
| admissible_branch : forall B children, Forall admissible children ->
    Forall (fun c => (B <= bound c)%Z) children -> admissible (Branch B children).

Definition leaf_weight (q : nat) : R := scale * exp (- (rate * IZR (L q))).

Definition node_weight (s : search) : R := INR (length (found s)) * (scale * exp (- (rate * IZR (bound s)))).

Fixpoint weighted (s : search) : tree real_field :=
  match s with
  | Query q => Leaf real_field q
  | Branch _ children => Node real_field (node_weight s) (map weighted children)
  end.

Lemma search_induction : forall P : search -> Prop,
  (forall q, P (Query q)) -> (forall B children, Forall P children -> P (Branch B children)) -> forall s, P s.
Proof.
  intros P HQ HB. fix IH 1. intros [q|B children]; [apply HQ | apply HB].
  induction children as [|c children IHc]; constructor; [apply IH | exact IHc].
Qed.

Lemma weighted_weight : forall s, weight real_field leaf_weight (weighted s) = node_weight s.
Proof.
  intros [q|B children]; simpl; [|reflexivity]. unfold node_weight, leaf_weight. simpl. ring.
Qed.

Lemma weighted_leaves : forall s, leaves real_field (weighted s) = found s.
Proof.
  induction s as [q|B children IH] using search_induction; simpl; [reflexivity|].
  induction IH as [|c children H _ IH]; simpl; congruence.
Qed.

Lemma children_weigh_less : forall B children, Forall (fun c => (B <= bound c)%Z) children ->
  sum reals node_weight children <= INR (length (flat_map found children)) * (scale * exp (- (rate * IZR B))).
Proof.
  intros B children F. induction F as [|c children H F IH]; simpl; [lra|].
  rewrite app_length, plus_INR, Rmult_plus_distr_r. apply Rplus_le_compat; [|exact IH].
  unfold node_weight. apply Rmult_le_compat_l; [apply pos_INR|]. apply Rmult_le_compat_l; [lra|].
  apply exp_at_most. apply IZR_le in H. nra.
Qed.

Theorem search_sound : forall s, admissible s -> sound real_field leaf_weight (weighted s).
Proof.
  induction s as [q|B children IH] using search_induction; intro A; simpl; constructor; inversion A; subst.
  - apply Forall_map. rewrite Forall_forall in *. auto.
  - unfold total_weight. rewrite (sum_map real_field).
    rewrite (sum_equal real_field _ _ node_weight) by (intros; apply weighted_weight).
    now apply children_weigh_less.
Qed.
End Search.

(** Theorem 4 as the text has it: start from the root, go on from what was refined, until a trial accepts. *)
Theorem search_sampler_draws : forall record holds n lattice sign offset rate S root f, 0 <= rate ->
  let values := score record holds lattice sign offset S in
  admissible values root -> Permutation (found root) (seq 0 (1 + n)) ->
  Un_cv (fun trials => chance
      (sampler real_field (leaf_weight values rate 1) (resume [weighted values rate 1 root]) trials) f)
    (exponential record holds n lattice sign offset rate f S).
Proof.
  intros record holds n lattice sign offset rate S root f Hr values A P.
  assert (0 < node_weight values rate 1 root) as W.
  { unfold node_weight. apply Rmult_lt_0_compat; [|apply Rmult_lt_0_compat; [lra | apply exp_pos]].
    apply lt_0_INR. rewrite (Permutation_length P), seq_length. lia. }
  apply (tree_sampler_draws record holds n lattice sign offset rate S 1 _ (node_weight values rate 1 root)); auto; [lra|].
  apply resume_valid. repeat split.
  - constructor; [|constructor]. apply search_sound; auto. lra.
  - simpl. now rewrite app_nil_r, weighted_leaves.
  - unfold total_weight. simpl. rewrite Rplus_0_r. right. apply weighted_weight.
Qed.

(** There is such a tree for every data set: its leaves under one root. *)
Lemma search_tree_exists : forall L n, exists root, admissible L root /\ Permutation (found root) (seq 0 (1 + n)).
Proof.
  intros L n.
  assert (forall E : list nat, exists B, Forall (fun q => (B <= L q)%Z) E) as least.
  { induction E as [|q E [B IH]]; [exists 0%Z; constructor|]. exists (Z.min B (L q)). constructor; [lia|].
    eapply Forall_impl; [|exact IH]. simpl. lia. }
  destruct (least (seq 0 (1 + n))) as [B HB]. exists (Branch B (map Query (seq 0 (1 + n)))). split.
  - constructor; apply Forall_map; [|exact HB]. apply Forall_forall. constructor.
  - cbn [found]. generalize (seq 0 (1 + n)). induction l; simpl; auto.
Qed.
