(** The hypotheses of the theorems can be met, and what they say can be computed. *)
Require Import ZArith QArith Qcanon List Permutation Lia Reals Lra.
Require Import Vectors Semiring OrderedField PerturbedMinimisation KHot DataSets Masses Probability Private.
Require Import Distribution Trials TreeSampler RoundedSampler.
Import ListNotations.

(** Masses may be rational numbers, and then no axiom is left in the number system either. *)
Definition khot_rationals := fun n k m phi Delta H1 H2 H3 H4 H5 =>
  khot_perturbed_minimisation n k m phi Delta H1 H2 H3 H4 H5 rationals.

(** Two queries, one part each, as in report noisy min. *)
Definition two (q : nat) : vec := match q with O => [1%Z; 0%Z] | _ => [0%Z; 1%Z] end.

Example two_queries :
  (forall q, (q <= 1)%nat -> length (two q) = 2%nat /\ binary (two q) /\ total (two q) = 1%Z) /\
  (forall a b, (a <= 1)%nat -> (b <= 1)%nat -> two a = two b -> a = b).
Proof.
  split.
  - intros [|[|q]] H; try lia; unfold binary; simpl; auto 6.
  - intros [|[|a]] [|[|b]] Ha Hb E; try lia; discriminate.
Qed.

(** Report noisy min over them with geometric noise of scale 2/ε is ε-DP: nothing is left to assume but the neighbours. *)
Theorem report_noisy_min : forall record (holds : nat -> record -> bool) epsilon (positive : (0 < 2 / epsilon)%R) event S S',
  (0 < epsilon)%R -> replace_one record S S' ->
  (khot_probability record holds 1 2 two 1 1 (fun _ => 0%Z) (2 / epsilon) positive event S <=
   exp epsilon * khot_probability record holds 1 2 two 1 1 (fun _ => 0%Z) (2 / epsilon) positive event S')%R.
Proof.
  intros record holds epsilon positive event S S' He nb. destruct two_queries as [H inj].
  apply khot_replace_one with (k := 1%nat); auto; try lia; try (intros; now apply H).
  replace (INR (Z.to_nat (1 * 2 * Z.of_nat 1))) with 2%R by (simpl; lra). right. field. lra.
Qed.

(** A root of weight 1 over leaves of weight 1/2 and 1/4: a trial ends at them with these probabilities, and rejects with 1/4. *)
Definition small_weight (q : nat) : Qc := match q with O => Q2Qc (1 # 2) | _ => Q2Qc (1 # 4) end.
Definition small_tree : tree rational_field := Node rational_field 1%Qc [Leaf rational_field 0; Leaf rational_field 1].

Example small_frontier : frontier_of_queries rational_field small_weight [0%nat; 1%nat] 1%Qc [small_tree].
Proof.
  repeat split.
  - constructor; [|constructor]. constructor; [repeat constructor | discriminate].
  - apply Permutation_refl.
  - discriminate.
Qed.

Example small_trial : forall q, (q <= 1)%nat ->
  expect (TreeSampler.trial rational_field small_weight [small_tree]) (TreeSampler.hit rational_field (is q)) = small_weight q.
Proof. intros [|[|q]] H; try lia; apply Qc_is_canon; reflexivity. Qed.

(** Three trials, each from what the last one has refined: after the first, the leaves are the frontier, and no trial rejects. *)
Example small_sampler : forall q, (q <= 1)%nat ->
  expect (sampler rational_field small_weight (resume [small_tree]) 3) (accepted (is q)) =
    (small_weight q / Q2Qc (3 # 4))%Qc.
Proof. intros [|[|q]] H; try lia; apply Qc_is_canon; reflexivity. Qed.
