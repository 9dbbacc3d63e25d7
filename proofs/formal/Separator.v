(** The separator embedding with discrete Laplace noise: labels differ on at least [margin] of m elements. *)
Require Import ZArith List Lia Ring.
Require Import Vectors Semiring PerturbedMinimisation.
Import ListNotations.
Open Scope Z_scope.

(** The witness moves each element by w away from the label's value there. *)
Definition separator_witness (w : Z) (phi : vec) : vec := map (fun x => w * (1 - 2 * x)) phi.

Fixpoint distance (a b : vec) : Z :=
  match a, b with
  | x :: a', y :: b' => Z.abs (x - y) + distance a' b'
  | _, _ => 0
  end.

Lemma witness_distance : forall w a b, binary a -> binary b -> length a = length b ->
  dot (separator_witness w a) b - dot (separator_witness w a) a = w * distance a b.
Proof.
  intros w a b Ha. revert b. unfold separator_witness.
  induction Ha as [|x a Hx Ha IH]; intros [|y b] Hb L; try discriminate; cbn [dot map distance]; [ring|].
  inversion Hb as [|? ? Hy Hb']; subst. injection L as L. specialize (IH b Hb' L).
  rewrite Z.mul_add_distr_l, <- IH. destruct Hx, Hy; subst; simpl Z.abs; ring.
Qed.

Section LaplaceMass.
Variable K : ordered_semiring.
Add Ring K_ring : (laws K).
Variables c r : mass K.                (* Pr[noise = x] = c r^|x| *)
Hypothesis c_nonneg : le K (zero K) c.
Hypothesis r_nonneg : le K (zero K) r.
Hypothesis r_below_one : le K r (one K).

Lemma one_nonneg : le K (zero K) (one K).
Proof. eapply le_trans; eauto. Qed.

Definition laplace (x : Z) : mass K := times K c (power K r (Z.to_nat (Z.abs x))).

Fixpoint laplace_mass (noise : vec) : mass K :=
  match noise with
  | [] => one K
  | x :: rest => times K (laplace x) (laplace_mass rest)
  end.

Lemma laplace_nonneg : forall x, le K (zero K) (laplace x).
Proof. intro. apply times_nonneg; auto. apply power_nonneg; auto using one_nonneg. Qed.

Lemma laplace_mass_nonneg : forall noise, le K (zero K) (laplace_mass noise).
Proof.
  induction noise as [|x noise IH]; simpl; auto using one_nonneg, times_nonneg, laplace_nonneg.
Qed.

Lemma laplace_step : forall x d, le K (times K (power K r (Z.to_nat (Z.abs d))) (laplace x)) (laplace (x + d)).
Proof.
  intros x d. unfold laplace.
  match goal with |- le _ ?y _ =>
    replace y with (times K c (power K r (Z.to_nat (Z.abs d) + Z.to_nat (Z.abs x)))) by (rewrite power_plus; ring) end.
  apply le_times; auto. apply power_falls; auto. lia.
Qed.

(** p(η + v) >= r^(wm) p(η) everywhere. *)
Lemma laplace_ratio : forall w phi noise, 0 <= w -> binary phi -> length noise = length phi ->
  le K (times K (power K r (Z.to_nat w * length phi)) (laplace_mass noise))
       (laplace_mass (add noise (separator_witness w phi))).
Proof.
  intros w phi noise Hw Hb. revert noise.
  induction Hb as [|b phi Hb Hphi IH]; intros [|x noise] L; try discriminate.
  - rewrite Nat.mul_0_r. simpl. replace (times K (one K) (one K)) with (one K) by ring. apply le_refl.
  - simpl in L. specialize (IH noise ltac:(lia)). simpl length. rewrite Nat.mul_succ_r, power_plus. simpl.
    fold (separator_witness w phi).
    pose proof (laplace_step x (w * (1 - 2 * b))) as S.
    replace (Z.to_nat (Z.abs (w * (1 - 2 * b)))) with (Z.to_nat w) in S by (destruct Hb; subst; lia).
    set (P := power K r (Z.to_nat w * length phi)) in *. set (R := power K r (Z.to_nat w)) in *.
    eapply le_trans with (times K (times K P (laplace_mass noise)) (laplace (x + w * (1 - 2 * b)))).
    + match goal with |- le _ ?y _ =>
        replace y with (times K (times K P (laplace_mass noise)) (times K R (laplace x))) by ring end.
      apply le_times; auto. apply times_nonneg; auto using laplace_mass_nonneg.
      apply power_nonneg; auto using one_nonneg.
    + match goal with |- le _ ?y ?z =>
        replace y with (times K (laplace (x + w * (1 - 2 * b))) (times K P (laplace_mass noise))) by ring end.
      apply le_times; auto using laplace_nonneg.
Qed.
End LaplaceMass.

Section SeparatorCase.
Variable n m : nat.
Variable phi : nat -> vec.             (* the label's values on the m elements *)
Variables Delta w margin : Z.
Hypothesis w_nonneg : 0 <= w.
Hypothesis w_enough : Delta <= w * margin.   (* w is rounded up: it is a lattice point *)
Hypothesis phi_length : forall q, (q <= n)%nat -> length (phi q) = m.
Hypothesis phi_binary : forall q, (q <= n)%nat -> binary (phi q).
Hypothesis phi_margin : forall a b, (a <= n)%nat -> (b <= n)%nat -> b <> a -> margin <= distance (phi a) (phi b).

Definition separator_witness_of (q : nat) : vec := separator_witness w (phi q).

Lemma separator_witness_length : forall q, (q <= n)%nat -> length (separator_witness_of q) = m.
Proof.
  intros q B. unfold separator_witness_of, separator_witness. rewrite map_length. auto.
Qed.

(** (W) *)
Lemma separator_W : forall q other, (q <= n)%nat -> (other <= n)%nat -> other <> q ->
  Delta <= dot (separator_witness_of q) (phi other) - dot (separator_witness_of q) (phi q).
Proof.
  intros q other B B' N. unfold separator_witness_of.
  rewrite witness_distance by (auto; rewrite !phi_length; auto).
  specialize (phi_margin q other B B' N). nia.
Qed.

Variable K : ordered_semiring.
Add Ring K_ring2 : (laws K).
Variables c r bound : mass K.
Hypothesis c_nonneg : le K (zero K) c.
Hypothesis r_nonneg : le K (zero K) r.
Hypothesis r_below_one : le K r (one K).
Hypothesis bound_nonneg : le K (zero K) bound.

(** The calibration: e^ε r^(wm) >= 1. *)
Hypothesis calibrated : le K (one K) (times K bound (power K r (Z.to_nat w * m))).

(** (D) *)
Lemma separator_D : forall q noise, (q <= n)%nat -> length noise = m ->
  laplace_mass K c r noise = zero K \/
  le K (laplace_mass K c r noise) (times K bound (laplace_mass K c r (add noise (separator_witness_of q)))).
Proof.
  intros q noise B L. right. set (p := laplace_mass K c r noise).
  apply le_trans with (times K bound (times K (power K r (Z.to_nat w * m)) p)).
  - replace p with (times K p (one K)) at 1 by ring.
    match goal with |- le _ _ ?x => replace x with (times K p (times K bound (power K r (Z.to_nat w * m)))) by ring end.
    apply le_times; auto. now apply laplace_mass_nonneg.
  - apply le_times; auto. rewrite <- (phi_length q B). apply laplace_ratio; auto. rewrite phi_length; auto.
Qed.

(** Perturbed minimisation with separator noise is private, as a statement about finite sums. *)
Theorem separator_perturbed_minimisation : forall score score' (event : nat -> Prop) E,
  close n (fun _ _ => Delta) score score' ->
  NoDup E -> Forall (fun x => length x = m /\ event (released n phi score x)) E ->
  exists E',
    NoDup E' /\ Forall (fun x => length x = m /\ event (released n phi score' x)) E' /\
    le K (sum K (laplace_mass K c r) E) (times K bound (sum K (laplace_mass K c r) E')).
Proof.
  apply perturbed_minimisation with (witness := separator_witness_of);
    auto using separator_witness_length, separator_W, separator_D, laplace_mass_nonneg.
Qed.
End SeparatorCase.
