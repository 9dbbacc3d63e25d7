(** What the law of a sampler needs beyond a semiring: a trial divides by weights and rejects with what is left over. *)
Require Import List Ring Field Field_theory.
Require Import Semiring.
Import ListNotations.

Record ordered_field := {
  semiring :> ordered_semiring;
  minus : mass semiring -> mass semiring -> mass semiring;
  negate : mass semiring -> mass semiring;
  divide : mass semiring -> mass semiring -> mass semiring;
  invert : mass semiring -> mass semiring;
  field_laws : field_theory (zero semiring) (one semiring) (plus semiring) (times semiring)
    minus negate divide invert (@eq (mass semiring));
  zero_or_not : forall a, a = zero semiring \/ a <> zero semiring;
  le_antisym : forall a b, le semiring a b -> le semiring b a -> a = b;
  zero_le_one : le semiring (zero semiring) (one semiring);
  invert_nonneg : forall a, le semiring (zero semiring) a -> a <> zero semiring ->
    le semiring (zero semiring) (invert a)
}.

Declare Scope field_scope.
Delimit Scope field_scope with F.
Notation "0" := (zero _) : field_scope.
Notation "1" := (one _) : field_scope.
Infix "+" := (plus _) : field_scope.
Infix "*" := (times _) : field_scope.
Infix "-" := (minus _) : field_scope.
Infix "/" := (divide _) : field_scope.
Infix "<=" := (le _) : field_scope.

Section Order.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.

Lemma divide_zero : forall a b : mass K, a = 0 -> a / b = 0.
Proof. intros a b ->. rewrite (Fdiv_def (field_laws K)). ring. Qed.

Lemma minus_nonneg : forall a b : mass K, b <= a -> 0 <= a - b.
Proof.
  intros a b H. replace 0 with (b + negate K b) by ring. replace (a - b) with (a + negate K b) by ring.
  apply le_plus; [exact H | apply le_refl].
Qed.

Lemma le_by_difference : forall a b : mass K, 0 <= a - b -> b <= a.
Proof.
  intros a b H. replace b with (0 + b) by ring. replace a with ((a - b) + b) by ring.
  apply le_plus; [exact H | apply le_refl].
Qed.

Lemma divide_nonneg : forall a b : mass K, 0 <= a -> 0 <= b -> b <> 0 -> 0 <= a / b.
Proof.
  intros a b Ha Hb N. rewrite (Fdiv_def (field_laws K)). apply times_nonneg; auto using invert_nonneg.
Qed.

Lemma one_not_zero : 1 <> 0 :> mass K.
Proof. exact (F_1_neq_0 (field_laws K)). Qed.

Lemma product_zero : forall a b : mass K, a * b = 0 -> a <> 0 -> b = 0.
Proof. intros a b H N. replace b with (a * b / a) by (field; exact N). now apply divide_zero. Qed.

(** a / b <= c once a <= c b. *)
Lemma divide_le : forall a b c : mass K, 0 <= b -> b <> 0 -> a <= c * b -> a / b <= c.
Proof.
  intros a b c Hb N H. replace c with (c * b / b) by (field; exact N).
  rewrite !(Fdiv_def (field_laws K)). replace (a * invert K b) with (invert K b * a) by ring.
  replace (c * b * invert K b) with (invert K b * (c * b)) by ring. apply le_times; auto using invert_nonneg.
Qed.

Lemma sum_nonneg : forall A (p : A -> mass K) E, Forall (fun x => 0 <= p x) E -> 0 <= sum K p E.
Proof.
  intros A p E F. induction F as [|x E H _ IH]; simpl; [apply le_refl|].
  replace 0 with (0 + 0 : mass K) by ring. now apply le_plus.
Qed.

Lemma member_le_sum : forall A (p : A -> mass K) E x, Forall (fun x => 0 <= p x) E -> In x E -> p x <= sum K p E.
Proof.
  intros A p E x F. induction F as [|y E H F IH]; simpl; [tauto|]. intros [->|I].
  - replace (p x) with (p x + 0) at 1 by ring. apply le_plus; [apply le_refl | now apply sum_nonneg].
  - replace (p x) with (0 + p x) by ring. apply le_plus; auto.
Qed.

(** If nonnegative numbers sum to at most nothing, each is nothing. *)
Lemma members_zero : forall A (p : A -> mass K) E,
  Forall (fun x => 0 <= p x) E -> sum K p E <= 0 -> Forall (fun x => p x = 0) E.
Proof.
  intros A p E F H. apply Forall_forall. intros x I. apply le_antisym.
  - eapply le_trans; [apply (member_le_sum A p E x F I) | exact H].
  - rewrite Forall_forall in F. now apply F.
Qed.

Lemma sum_app : forall A (p : A -> mass K) E E', sum K p (E ++ E') = sum K p E + sum K p E'.
Proof. intros A p E E'. induction E as [|x E IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_map : forall A B (p : B -> mass K) (f : A -> B) E, sum K p (map f E) = sum K (fun x => p (f x)) E.
Proof. intros. induction E as [|x E IH]; simpl; congruence. Qed.

Lemma sum_times : forall A (p : A -> mass K) c E, sum K (fun x => c * p x) E = c * sum K p E.
Proof. intros. induction E as [|x E IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_equal : forall A (p p' : A -> mass K) E, (forall x, In x E -> p x = p' x) -> sum K p E = sum K p' E.
Proof. intros A p p' E. induction E as [|x E IH]; simpl; intro H; [reflexivity | rewrite H, IH; auto]. Qed.

Lemma sum_flat_map : forall A B (p : B -> mass K) (f : A -> list B) E,
  sum K p (flat_map f E) = sum K (fun x => sum K p (f x)) E.
Proof. intros. induction E as [|x E IH]; simpl; [reflexivity | now rewrite sum_app, IH]. Qed.
End Order.
