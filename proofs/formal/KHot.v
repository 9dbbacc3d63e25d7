(** The k-hot embedding with one-sided geometric noise: p(η) = r^(-Δk) p(η + v), so e^ε = r^(-Δk) is enough. *)
Require Import ZArith List Lia Ring.
Require Import Vectors Semiring PerturbedMinimisation.
Import ListNotations.
Open Scope Z_scope.

(** The witness of a label is -Δ on each of its parts. *)
Definition khot_witness (Delta : Z) (phi : vec) : vec := map (Z.mul (- Delta)) phi.

Section GeometricMass.
Variable K : ordered_semiring.
Add Ring K_ring : (laws K).
Variables c r : mass K.                (* Pr[noise = -x] = c r^x for x >= 0; c = 1 - r makes the masses sum to one *)
Hypothesis c_nonneg : le K (zero K) c.
Hypothesis r_nonneg : le K (zero K) r.
Hypothesis one_nonneg : le K (zero K) (one K).

Definition geometric (x : Z) : mass K :=
  if x <=? 0 then times K c (power K r (Z.to_nat (- x))) else zero K.

Fixpoint geometric_mass (noise : vec) : mass K :=
  match noise with
  | [] => one K
  | x :: rest => times K (geometric x) (geometric_mass rest)
  end.

Lemma geometric_mass_nonneg : forall noise, le K (zero K) (geometric_mass noise).
Proof.
  induction noise as [|x noise IH]; simpl; auto. apply times_nonneg; auto.
  unfold geometric. destruct (x <=? 0); [|apply le_refl]. apply times_nonneg; auto using power_nonneg.
Qed.

Lemma on_support : forall x, geometric x = zero K \/ geometric x = times K c (power K r (Z.to_nat (- x))) /\ x <= 0.
Proof.
  intro x. unfold geometric. destruct (x <=? 0) eqn:E; auto. right. split; auto. now apply Z.leb_le.
Qed.

(** The exact ratio of the k-hot case: p(η + v) = r^(Δk) p(η) on the support. *)
Lemma geometric_ratio : forall Delta phi noise,
  0 <= Delta -> binary phi -> length noise = length phi ->
  geometric_mass noise = zero K \/
  geometric_mass (add noise (khot_witness Delta phi)) =
    times K (power K r (Z.to_nat (Delta * total phi))) (geometric_mass noise).
Proof.
  intros Delta phi noise HD Hb. revert noise. induction Hb as [|b phi Hb Hphi IH]; intros [|x noise] L; try discriminate.
  - right. simpl. rewrite Z.mul_0_r. simpl. ring.
  - simpl in L. destruct (IH noise ltac:(lia)) as [Z0|IHr]; simpl.
    { left. rewrite Z0. ring. }
    destruct (on_support x) as [G|[G Hx]]; [left; rewrite G; ring|]. right.
    pose proof (binary_total_nonneg phi Hphi). unfold khot_witness in *. rewrite IHr.
    replace (Z.to_nat (Delta * (b + total phi)))
      with (Z.to_nat (Delta * b) + Z.to_nat (Delta * total phi))%nat by nia.
    rewrite power_plus.
    assert (geometric (x + - Delta * b) = times K (power K r (Z.to_nat (Delta * b))) (geometric x)) as ->.
    { rewrite G. unfold geometric. rewrite (proj2 (Z.leb_le (x + - Delta * b) 0)) by nia.
      replace (Z.to_nat (- (x + - Delta * b))) with (Z.to_nat (Delta * b) + Z.to_nat (- x))%nat by nia.
      rewrite power_plus. ring. }
    ring.
Qed.
End GeometricMass.

Section KHotCase.
Variable n k m : nat.
Variable phi : nat -> vec.             (* each label is a set of exactly k of m parts *)
Variable Delta : Z.
Hypothesis Delta_nonneg : 0 <= Delta.
Hypothesis phi_length : forall q, (q <= n)%nat -> length (phi q) = m.
Hypothesis phi_binary : forall q, (q <= n)%nat -> binary (phi q).
Hypothesis phi_hot : forall q, (q <= n)%nat -> total (phi q) = Z.of_nat k.
Hypothesis phi_injective : forall a b, (a <= n)%nat -> (b <= n)%nat -> phi a = phi b -> a = b.

Definition khot_witness_of (q : nat) : vec := khot_witness Delta (phi q).

Lemma khot_witness_length : forall q, (q <= n)%nat -> length (khot_witness_of q) = m.
Proof.
  intros q B. unfold khot_witness_of, khot_witness. rewrite map_length. auto.
Qed.

(** (W): two different sets of k parts share at most k - 1. *)
Lemma khot_W : forall q other, (q <= n)%nat -> (other <= n)%nat -> other <> q ->
  Delta <= dot (khot_witness_of q) (phi other) - dot (khot_witness_of q) (phi q).
Proof.
  intros q other B B' N. unfold khot_witness_of, khot_witness. rewrite !dot_scale, binary_self by auto.
  assert (dot (phi q) (phi other) <= total (phi q) - 1); [|nia].
  destruct (binary_common (phi q) (phi other)) as [C1 C2]; auto.
  destruct (Z.eq_dec (dot (phi q) (phi other)) (total (phi q))) as [E|E]; [|lia].
  exfalso. apply N. symmetry. apply phi_injective; auto.
  apply binary_equal; rewrite ?phi_length; auto. rewrite E, !phi_hot; auto.
Qed.

Variable K : ordered_semiring.
Add Ring K_ring2 : (laws K).
Variables c r bound : mass K.
Hypothesis c_nonneg : le K (zero K) c.
Hypothesis r_nonneg : le K (zero K) r.
Hypothesis one_nonneg : le K (zero K) (one K).
Hypothesis bound_nonneg : le K (zero K) bound.

(** The calibration: e^ε r^(Δk) >= 1. *)
Hypothesis calibrated : le K (one K) (times K bound (power K r (Z.to_nat (Delta * Z.of_nat k)))).

(** (D) *)
Lemma khot_D : forall q noise, (q <= n)%nat -> length noise = m ->
  geometric_mass K c r noise = zero K \/
  le K (geometric_mass K c r noise) (times K bound (geometric_mass K c r (add noise (khot_witness_of q)))).
Proof.
  intros q noise B L. unfold khot_witness_of.
  destruct (geometric_ratio K c r Delta (phi q) noise) as [Z0|E]; auto.
  - rewrite phi_length; auto.
  - right. rewrite E, phi_hot by auto. set (p := geometric_mass K c r noise) in *.
    replace p with (times K p (one K)) at 1 by ring.
    match goal with |- le _ _ ?x =>
      replace x with (times K p (times K bound (power K r (Z.to_nat (Delta * Z.of_nat k))))) by ring end.
    apply le_times; auto. now apply geometric_mass_nonneg.
Qed.

(** Perturbed minimisation with k-hot noise is private, as a statement about finite sums. *)
Theorem khot_perturbed_minimisation : forall score score' (event : nat -> Prop) E,
  close n (fun _ _ => Delta) score score' ->
  NoDup E -> Forall (fun x => length x = m /\ event (released n phi score x)) E ->
  exists E',
    NoDup E' /\ Forall (fun x => length x = m /\ event (released n phi score' x)) E' /\
    le K (sum K (geometric_mass K c r) E) (times K bound (sum K (geometric_mass K c r) E')).
Proof.
  apply perturbed_minimisation with (witness := khot_witness_of);
    auto using khot_witness_length, khot_W, khot_D, geometric_mass_nonneg.
Qed.
End KHotCase.
