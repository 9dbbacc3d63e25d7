(** The two number systems in use: rationals, for the axiom-free statement, and reals, where e^ε lives. *)
Require Import QArith Qcanon Reals Lra Ring.
Require Import Semiring OrderedField.

Lemma rational_laws : semi_ring_theory 0%Qc 1%Qc Qcplus Qcmult (@eq Qc).
Proof. constructor; intros; ring. Qed.

Lemma rational_times : forall a b c : Qc, (0 <= c -> a <= b -> c * a <= c * b)%Qc.
Proof. intros a b c Hc H. rewrite !(Qcmult_comm c). now apply Qcmult_le_compat_r. Qed.

Definition rationals : ordered_semiring := {|
  mass := Qc; zero := 0%Qc; one := 1%Qc; plus := Qcplus; times := Qcmult; le := Qcle;
  laws := rational_laws; le_refl := Qcle_refl; le_trans := Qcle_trans;
  le_plus := Qcplus_le_compat; le_times := rational_times
|}.

Lemma rational_zero_or_not : forall a : Qc, a = 0%Qc \/ a <> 0%Qc.
Proof. intro a. destruct (Qc_eq_dec a 0%Qc); auto. Qed.

Lemma rational_zero_le_one : (0 <= 1)%Qc.
Proof. discriminate. Qed.

Lemma rational_invert : forall a : Qc, (0 <= a)%Qc -> a <> 0%Qc -> (0 <= / a)%Qc.
Proof.
  intros a H N. unfold Qcle in *. simpl. rewrite Qred_correct. apply Qinv_le_0_compat. exact H.
Qed.

Definition rational_field : ordered_field := {|
  semiring := rationals; minus := Qcminus; negate := Qcopp; divide := Qcdiv; invert := Qcinv;
  field_laws := Qcft; zero_or_not := rational_zero_or_not; le_antisym := Qcle_antisym;
  zero_le_one := rational_zero_le_one; invert_nonneg := rational_invert
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

Lemma real_zero_or_not : forall a : R, a = 0%R \/ a <> 0%R.
Proof. intro a. destruct (Req_dec a 0); auto. Qed.

Lemma real_invert : forall a : R, (0 <= a)%R -> a <> 0%R -> (0 <= / a)%R.
Proof. intros a H N. left. apply Rinv_0_lt_compat. lra. Qed.

Definition real_field : ordered_field := {|
  semiring := reals; minus := Rminus; negate := Ropp; divide := Rdiv; invert := Rinv;
  field_laws := Rfield; zero_or_not := real_zero_or_not; le_antisym := Rle_antisym;
  zero_le_one := Rle_0_1; invert_nonneg := real_invert
|}.

Lemma real_power : forall r k, power reals r k = pow r k.
Proof. induction k; simpl; congruence. Qed.
