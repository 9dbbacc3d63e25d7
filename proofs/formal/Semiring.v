(** Masses are added, multiplied and compared: any ordered commutative semiring will do, so that the theorems hold for
    rational and for real masses alike, and use no axiom. *)
Require Import List Ring Ring_theory.
Import ListNotations.

Record ordered_semiring := {
  mass : Type;
  zero : mass;
  one : mass;
  plus : mass -> mass -> mass;
  times : mass -> mass -> mass;
  le : mass -> mass -> Prop;
  laws : semi_ring_theory zero one plus times (@eq mass);
  le_refl : forall a, le a a;
  le_trans : forall a b c, le a b -> le b c -> le a c;
  le_plus : forall a b c d, le a b -> le c d -> le (plus a c) (plus b d);
  le_times : forall a b c, le zero c -> le a b -> le (times c a) (times c b)
}.

Section Sums.
Variable K : ordered_semiring.
Notation "0" := (zero K).
Notation "1" := (one K).
Infix "+" := (plus K).
Infix "*" := (times K).
Infix "<=" := (le K).
Add Ring K_ring : (laws K).

Fixpoint sum {A : Type} (p : A -> mass K) (E : list A) : mass K :=
  match E with
  | [] => 0
  | x :: E' => p x + sum p E'
  end.

Fixpoint power (r : mass K) (n : nat) : mass K :=
  match n with
  | O => 1
  | S n' => r * power r n'
  end.

Lemma sum_le : forall (A B : Type) (p : A -> mass K) (p' : B -> mass K) (f : A -> B) (C : mass K) E,
  (forall x, In x E -> p x <= C * p' (f x)) -> sum p E <= C * sum p' (map f E).
Proof.
  intros A B p p' f C. induction E as [|x E IH]; intro H; simpl.
  - replace (C * 0) with 0 by ring. apply le_refl.
  - replace (C * (p' (f x) + sum p' (map f E))) with (C * p' (f x) + C * sum p' (map f E)) by ring.
    apply le_plus; [apply H; left; reflexivity | apply IH; intros y Hy; apply H; right; exact Hy].
Qed.

Lemma power_plus : forall r a b, power r (a + b) = power r a * power r b.
Proof.
  induction a as [|a IH]; intro b; simpl; [ring | rewrite IH; ring].
Qed.

Lemma times_nonneg : forall a b, 0 <= a -> 0 <= b -> 0 <= a * b.
Proof.
  intros a b Ha Hb. replace 0 with (a * 0) by ring. now apply le_times.
Qed.

Lemma power_nonneg : forall r n, 0 <= 1 -> 0 <= r -> 0 <= power r n.
Proof.
  induction n; simpl; intros; auto using times_nonneg.
Qed.

(** Powers of a number in [0, 1] fall. *)
Lemma power_falls : forall r a b, 0 <= r -> r <= 1 -> (a <= b)%nat -> power r b <= power r a.
Proof.
  intros r a b H0 H1 L. assert (0 <= 1) as H01 by (eapply le_trans; eauto).
  induction L as [|b L IH]; [apply le_refl|].
  simpl. eapply le_trans; [|exact IH].
  replace (power r b) with (power r b * 1) at 2 by ring.
  replace (r * power r b) with (power r b * r) by ring.
  apply le_times; auto using power_nonneg.
Qed.
End Sums.
