(** Finite distributions: lists of outcomes with their probabilities, and what a random program may do with them. *)
Require Import List Ring Field.
Require Import Semiring OrderedField.
Import ListNotations.

Section Distributions.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.

Definition dist (A : Type) := list (mass K * A).

(** The expectation of f; the probability of an event is that of its indicator. *)
Definition expect {A} (d : dist A) (f : A -> mass K) : mass K := sum K (fun o => fst o * f (snd o)) d.

(** Do something with probability c, and name the outcome by g. *)
Definition scaled {A B} (c : mass K) (g : A -> B) (d : dist A) : dist B := map (fun o => (c * fst o, g (snd o))) d.

(** First d, then what follows from its outcome. *)
Definition andthen {A B} (d : dist A) (g : A -> dist B) : dist B :=
  flat_map (fun o => scaled (fst o) (fun b => b) (g (snd o))) d.

(** Probabilities are nonnegative and sum to one. *)
Definition proper {A} (d : dist A) : Prop := Forall (fun o => 0 <= fst o) d /\ expect d (fun _ => 1) = 1.

Lemma expect_cons : forall A p (a : A) d f, expect ((p, a) :: d) f = p * f a + expect d f.
Proof. reflexivity. Qed.

Lemma expect_app : forall A (d d' : dist A) f, expect (d ++ d') f = expect d f + expect d' f.
Proof. intros. apply sum_app. Qed.

Lemma expect_scaled : forall A B c (g : A -> B) d f, expect (scaled c g d) f = c * expect d (fun a => f (g a)).
Proof.
  intros. unfold expect, scaled. rewrite sum_map, <- sum_times. apply sum_equal. intros. simpl. ring.
Qed.

Lemma expect_andthen : forall A B (d : dist A) (g : A -> dist B) f,
  expect (andthen d g) f = expect d (fun a => expect (g a) f).
Proof.
  intros. unfold andthen, expect at 1. rewrite sum_flat_map. apply sum_equal. intros o _.
  exact (expect_scaled _ _ (fst o) (fun b => b) (g (snd o)) f).
Qed.

Lemma expect_equal : forall A (d : dist A) f g,
  (forall o, In o d -> f (snd o) = g (snd o)) -> expect d f = expect d g.
Proof. intros A d f g H. apply sum_equal. intros o I. now rewrite H. Qed.

Lemma expect_plus : forall A (d : dist A) f g, expect d (fun a => f a + g a) = expect d f + expect d g.
Proof.
  intros. unfold expect. induction d as [|o d IH]; simpl; [ring | rewrite IH; ring].
Qed.

Lemma expect_times : forall A (d : dist A) c f, expect d (fun a => c * f a) = c * expect d f.
Proof. intros. unfold expect. rewrite <- sum_times. apply sum_equal. intros. ring. Qed.

Lemma expect_le : forall A (d : dist A) f g, Forall (fun o => 0 <= fst o) d ->
  (forall o, In o d -> f (snd o) <= g (snd o)) -> expect d f <= expect d g.
Proof.
  intros A d f g F. unfold expect. induction F as [|o d H F IH]; simpl; intro L; [apply le_refl|].
  apply le_plus; [apply le_times; auto | apply IH; auto].
Qed.

Lemma scaled_nonneg : forall A B c (g : A -> B) d, 0 <= c ->
  Forall (fun o => 0 <= fst o) d -> Forall (fun o => 0 <= fst o) (scaled c g d).
Proof.
  intros A B c g d Hc F. apply Forall_map. eapply Forall_impl; [|exact F]. intros o H. now apply times_nonneg.
Qed.

Lemma proper_sure : forall A (a : A), proper [(1, a)].
Proof.
  intros. split; [constructor; [apply zero_le_one | constructor]|]. unfold expect. simpl. ring.
Qed.

Lemma proper_andthen : forall A B (d : dist A) (g : A -> dist B),
  proper d -> (forall o, In o d -> proper (g (snd o))) -> proper (andthen d g).
Proof.
  intros A B d g [N T] H. split.
  - unfold andthen. apply Forall_flat_map. rewrite Forall_forall in *. intros o I.
    apply scaled_nonneg; auto. now apply H.
  - rewrite expect_andthen. transitivity (expect d (fun _ => 1)); [|exact T].
    apply expect_equal. intros o I. now apply H.
Qed.
End Distributions.

Arguments expect {K A}.
Arguments scaled {K A B}.
Arguments andthen {K A B}.
Arguments proper {K A}.
