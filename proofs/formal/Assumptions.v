(** What the theorems stand on: nothing for Theorem 1 and its embeddings; for the statements in real numbers, the axioms
    with which the standard library builds the reals. *)
Require Import ZArith List Lia.
Require Import Vectors PerturbedMinimisation KHot Separator DataSets Masses Private.
Import ListNotations.

(** Masses may be rational numbers, and then no axiom is left in the number system either. *)
Definition khot_rationals := fun n k m phi Delta H1 H2 H3 H4 H5 =>
  khot_perturbed_minimisation n k m phi Delta H1 H2 H3 H4 H5 rationals.

(** The hypotheses can be met: two queries, one part each, as in report noisy min. *)
Definition two (q : nat) : vec := match q with O => [1%Z; 0%Z] | _ => [0%Z; 1%Z] end.

Example two_queries :
  (forall q, (q <= 1)%nat -> length (two q) = 2%nat /\ binary (two q) /\ total (two q) = 1%Z) /\
  (forall a b, (a <= 1)%nat -> (b <= 1)%nat -> two a = two b -> a = b).
Proof.
  split.
  - intros [|[|q]] H; try lia; unfold binary; simpl; auto 6.
  - intros [|[|a]] [|[|b]] Ha Hb E; try lia; discriminate.
Qed.

(* Closed under the global context. *)
Print Assumptions inclusion.
Print Assumptions perturbed_minimisation.
Print Assumptions khot_perturbed_minimisation.
Print Assumptions separator_perturbed_minimisation.
Print Assumptions replace_one_sensitivity.
Print Assumptions add_remove_sensitivity.
Print Assumptions khot_rationals.
Print Assumptions two_queries.

(* The axioms of the standard library's real numbers. *)
Print Assumptions khot_replace_one.
Print Assumptions khot_add_remove.
Print Assumptions separator_replace_one.
Print Assumptions separator_add_remove.
