(** Comparison sensitivity: 2 for replace-one, 1 for add/remove-one, in lattice units 2^s. *)
Require Import ZArith List Permutation Lia.
Require Import PerturbedMinimisation.
Import ListNotations.
Open Scope Z_scope.

Section Data.
Variable record : Type.

(** How many records a query holds on. *)
Fixpoint count (q : record -> bool) (data : list record) : Z :=
  match data with
  | [] => 0
  | x :: rest => (if q x then 1 else 0) + count q rest
  end.

Lemma count_permutation : forall q a b, Permutation a b -> count q a = count q b.
Proof.
  intros q a b P. induction P; simpl; lia.
Qed.

(** One record is exchanged, or one is added; data sets are multisets. *)
Definition replace_one (a b : list record) : Prop :=
  exists x y rest, Permutation a (x :: rest) /\ Permutation b (y :: rest).

Definition add_or_remove_one (a b : list record) : Prop :=
  exists x, Permutation a (x :: b) \/ Permutation b (x :: a).

Variable queries : nat -> record -> bool.
Variable n : nat.
Variable lattice : Z.                  (* 2^s *)
Variable sign : Z.                     (* the weight of a private record *)
Variable offset : nat -> Z.            (* public *)
Hypothesis lattice_nonneg : 0 <= lattice.
Hypothesis sign_unit : sign = 1 \/ sign = -1.

Definition score (data : list record) (q : nat) : Z := lattice * (sign * count (queries q) data) + offset q.

Lemma replace_one_sensitivity : forall a b,
  replace_one a b -> close n (fun _ _ => lattice * 2) (score a) (score b).
Proof.
  intros a b (x & y & rest & Pa & Pb) q other _ _. unfold score.
  rewrite !(count_permutation _ a (x :: rest) Pa), !(count_permutation _ b (y :: rest) Pb). simpl.
  destruct sign_unit as [->| ->]; destruct (queries q x), (queries q y), (queries other x), (queries other y); nia.
Qed.

Lemma add_remove_sensitivity : forall a b,
  add_or_remove_one a b -> close n (fun _ _ => lattice * 1) (score a) (score b).
Proof.
  intros a b (x & [P|P]) q other _ _; unfold score;
    [rewrite !(count_permutation _ a (x :: b) P) | rewrite !(count_permutation _ b (x :: a) P)]; simpl;
    destruct sign_unit as [->| ->]; destruct (queries q x), (queries other x); nia.
Qed.
End Data.
