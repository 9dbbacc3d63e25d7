(** The two number systems in use: rationals, for the axiom-free statement, and reals, where e^ε lives. *)
Require Import QArith Qcanon Reals Lra Ring.
Require Import Semiring.

Lemma rational_laws : semi_ring_theory 0%Qc 1%Qc Qcplus Qcmult (@eq Qc).
Proof. constructor; intros; ring. Qed.

Lemma rational_times : forall a b c : Qc, (0 <= c -> a <= b -> c * a <= c * b)%Qc.
Proof. intros a b c Hc H. rewrite !(Qcmult_comm c). now apply Qcmult_le_compat_r. Qed.

Definition rationals : ordered_semiring := {|
  mass := Qc; zero := 0%Qc; one := 1%Qc; plus := Qcplus; times := Qcmult; le := Qcle;
  laws := rational_laws; le_refl := Qcle_refl; le_trans := Qcle_trans;
  le_plus := Qcplus_le_compat; le_times := rational_times
|}.

Lemma real_laws : semi_ring_theory 0%R 1%R Rplus Rmult (@eq R).
Proof. constructor; intros; ring. Qed.

Lemma real_times : forall a b c : R, (0 <= c -> a <= b -> c * a <= c * b)%R.
Proof. intros a b c Hc H. now apply Rmult_le_compat_l. Qed.

Lemma real_plus : forall a b c d : R, (a <= b -> c <= d -> a + c <= b + d)%R.
Proof. intros. lra. Qed.

Definition reals : ordered_semiring := {|
  mass := R; zero := 0%R; one := 1%R; plus := Rplus; times := Rmult; le := Rle;
  laws := real_laws; le_refl := Rle_refl; le_trans := Rle_trans;
  le_plus := real_plus; le_times := real_times
|}.

Lemma real_power : forall r k, power reals r k = pow r k.
Proof. induction k; simpl; congruence. Qed.
