(** What the library prints, in real numbers: Pr[A(S) in event] <= e^ε Pr[A(S') in event]. *)
Require Import ZArith List Lia Reals Lra.
Require Import Vectors Semiring PerturbedMinimisation KHot Separator DataSets Masses Probability.
Import ListNotations.
Open Scope R_scope.

(** Finite sums are enough. *)
Lemma private_by_finite_sums : forall m (l : law m) (before after : vec -> Prop) bound,
  0 <= bound ->
  (forall E, NoDup E -> Forall (fun noise => length noise = m /\ before noise) E ->
     exists E', NoDup E' /\ Forall (fun noise => length noise = m /\ after noise) E' /\
       sum reals (point l) E <= bound * sum reals (point l) E') ->
  Pr l before <= bound * Pr l after.
Proof.
  intros m l before after bound Hb H. apply Pr_below. intros E N F. destruct (H E N F) as (E' & N' & F' & I).
  apply Rle_trans with (1 := I). apply Rmult_le_compat_l; [exact Hb|]. now apply Pr_above.
Qed.

(** r = e^(-1/t) with t >= steps/ε gives e^ε r^steps >= 1. *)
Lemma calibration : forall epsilon t steps,
  0 < t -> INR steps / t <= epsilon -> 1 <= exp epsilon * power reals (exp (- / t)) steps.
Proof.
  intros epsilon t steps Ht H. rewrite real_power.
  assert (exp (- / t) ^ steps = exp (- (INR steps / t))) as ->.
  { induction steps as [|s IH]; [simpl; unfold Rdiv; now rewrite Rmult_0_l, Ropp_0, exp_0|].
    assert (INR s / t <= INR (S s) / t) as M.
    { apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. rewrite S_INR. lra. }
    simpl pow. rewrite IH by lra. rewrite <- exp_plus. f_equal. rewrite S_INR. field. lra. }
  rewrite <- exp_plus. rewrite <- exp_0. destruct (Rle_lt_or_eq_dec _ _ H) as [L|E].
  - left. apply exp_increasing. lra.
  - right. f_equal. lra.
Qed.

Section Guarantee.
Variable record : Type.
Variable queries : nat -> record -> bool.
Variable n m : nat.
Variable phi : nat -> vec.
Variables lattice sign : Z.
Variable offset : nat -> Z.
Hypothesis lattice_nonneg : (0 <= lattice)%Z.
Hypothesis sign_unit : sign = 1%Z \/ sign = (-1)%Z.
Hypothesis phi_length : forall q, (q <= n)%nat -> length (phi q) = m.
Hypothesis phi_binary : forall q, (q <= n)%nat -> binary (phi q).
Variables epsilon t : R.               (* the scale of the noise *)
Hypothesis scale_positive : 0 < t.
Let r := exp (- / t).
Let scores := score record queries lattice sign offset.

Lemma r_range : 0 <= r < 1.
Proof.
  unfold r. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
  pose proof (Rinv_0_lt_compat t scale_positive). lra.
Qed.

Definition khot_probability (event : nat -> Prop) (S : list record) : R :=
  Pr (geometric_law r r_range m) (fun noise => event (released n phi (scores S) noise)).

Definition separator_probability (event : nat -> Prop) (S : list record) : R :=
  Pr (laplace_law r r_range m) (fun noise => event (released n phi (scores S) noise)).

Lemma khot_private : forall Delta k event S S',
  (0 <= Delta)%Z -> close n (fun _ _ => Delta) (scores S) (scores S') ->
  (forall q, (q <= n)%nat -> total (phi q) = Z.of_nat k) ->
  (forall a b, (a <= n)%nat -> (b <= n)%nat -> phi a = phi b -> a = b) ->
  INR (Z.to_nat (Delta * Z.of_nat k)) / t <= epsilon ->
  khot_probability event S <= exp epsilon * khot_probability event S'.
Proof.
  intros Delta k event S S' HD nb hot inj cal. pose proof r_range.
  apply private_by_finite_sums; [left; apply exp_pos|]. intros E N F.
  refine (khot_perturbed_minimisation n k m phi Delta _ _ _ _ _ reals (1 - r) r (exp epsilon)
    _ _ _ _ _ (scores S) (scores S') event E _ N F);
    simpl; auto; try lra; try (left; apply exp_pos).
  now apply calibration.
Qed.

Lemma separator_private : forall Delta w margin event S S',
  close n (fun _ _ => Delta) (scores S) (scores S') ->
  (0 <= w)%Z -> (Delta <= w * margin)%Z ->
  (forall a b, (a <= n)%nat -> (b <= n)%nat -> b <> a -> (margin <= distance (phi a) (phi b))%Z) ->
  INR (Z.to_nat w * m) / t <= epsilon ->
  separator_probability event S <= exp epsilon * separator_probability event S'.
Proof.
  intros Delta w margin event S S' nb Hw Wm far cal. pose proof r_range.
  apply private_by_finite_sums; [left; apply exp_pos|]. intros E N F.
  refine (separator_perturbed_minimisation n m phi Delta w margin _ _ _ _ _ reals ((1 - r) / (1 + r)) r
    (exp epsilon) _ _ _ _ _ (scores S) (scores S') event E _ N F);
    simpl; auto; try lra; try (left; apply exp_pos).
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - now apply calibration.
Qed.

(** k-hot noise under replace-one: t >= 2^s·2k/ε. *)
Theorem khot_replace_one : forall k event S S',
  (forall q, (q <= n)%nat -> total (phi q) = Z.of_nat k) ->
  (forall a b, (a <= n)%nat -> (b <= n)%nat -> phi a = phi b -> a = b) ->
  INR (Z.to_nat (lattice * 2 * Z.of_nat k)) / t <= epsilon ->
  replace_one record S S' ->
  khot_probability event S <= exp epsilon * khot_probability event S'.
Proof.
  intros. apply (khot_private (lattice * 2) k event S S'); auto; [lia | now apply replace_one_sensitivity].
Qed.

(** k-hot noise under add/remove-one: t >= 2^s·k/ε. *)
Theorem khot_add_remove : forall k event S S',
  (forall q, (q <= n)%nat -> total (phi q) = Z.of_nat k) ->
  (forall a b, (a <= n)%nat -> (b <= n)%nat -> phi a = phi b -> a = b) ->
  INR (Z.to_nat (lattice * 1 * Z.of_nat k)) / t <= epsilon ->
  add_or_remove_one record S S' ->
  khot_probability event S <= exp epsilon * khot_probability event S'.
Proof.
  intros. apply (khot_private (lattice * 1) k event S S'); auto; [lia | now apply add_remove_sensitivity].
Qed.

(** Separator noise under replace-one: a lattice point w with w·margin >= 2^s·2, and t >= wm/ε. *)
Theorem separator_replace_one : forall w margin event S S',
  (0 <= w)%Z -> (lattice * 2 <= w * margin)%Z ->
  (forall a b, (a <= n)%nat -> (b <= n)%nat -> b <> a -> (margin <= distance (phi a) (phi b))%Z) ->
  INR (Z.to_nat w * m) / t <= epsilon ->
  replace_one record S S' ->
  separator_probability event S <= exp epsilon * separator_probability event S'.
Proof.
  intros. apply (separator_private (lattice * 2) w margin event S S'); auto. now apply replace_one_sensitivity.
Qed.

(** Separator noise under add/remove-one: w·margin >= 2^s. *)
Theorem separator_add_remove : forall w margin event S S',
  (0 <= w)%Z -> (lattice * 1 <= w * margin)%Z ->
  (forall a b, (a <= n)%nat -> (b <= n)%nat -> b <> a -> (margin <= distance (phi a) (phi b))%Z) ->
  INR (Z.to_nat w * m) / t <= epsilon ->
  add_or_remove_one record S S' ->
  separator_probability event S <= exp epsilon * separator_probability event S'.
Proof.
  intros. apply (separator_private (lattice * 1) w margin event S S'); auto. now apply add_remove_sensitivity.
Qed.
End Guarantee.
