(** Theorem 1 of perturbed-minimisation.md in its exact lattice form, pairwise version.

    Labels are 0, ..., n in their fixed order; scores and noise are integers; the first minimiser wins. *)
Require Import ZArith List Lia.
Require Import Vectors Semiring.
Import ListNotations.
Open Scope Z_scope.

(** The first of 0, ..., n at which f is least. *)
Fixpoint first_minimiser (f : nat -> Z) (n : nat) : nat :=
  match n with
  | O => O
  | S k => let best := first_minimiser f k in if f (S k) <? f best then S k else best
  end.

Definition wins (f : nat -> Z) (n q : nat) : Prop :=
  (q <= n)%nat /\ forall j, (j <= n)%nat -> f q <= f j /\ ((j < q)%nat -> f q < f j).

Lemma first_minimiser_wins : forall f n, wins f n (first_minimiser f n).
Proof.
  induction n as [|n [B IH]]; simpl.
  - split; [lia|]. intros j Hj. replace j with O by lia. lia.
  - destruct (f (S n) <? f (first_minimiser f n)) eqn:E.
    + apply Z.ltb_lt in E. split; [lia|]. intros j Hj.
      destruct (Nat.eq_dec j (S n)) as [->|N]; [lia|]. specialize (IH j ltac:(lia)). lia.
    + apply Z.ltb_ge in E. split; [lia|]. intros j Hj.
      destruct (Nat.eq_dec j (S n)) as [->|N]; [lia|]. apply IH. lia.
Qed.

Lemma wins_unique : forall f n a b, wins f n a -> wins f n b -> a = b.
Proof.
  intros f n a b [Ba Ha] [Bb Hb].
  destruct (Ha b Bb) as [A1 A2]. destruct (Hb a Ba) as [B1 B2].
  destruct (Nat.lt_trichotomy a b) as [L|[L|L]]; [specialize (B2 L) | auto | specialize (A2 L)]; lia.
Qed.

Section Theorem1.
Variable n : nat.                      (* the last label *)
Variable m : nat.                      (* the number of noise coordinates *)
Variable phi : nat -> vec.             (* the embedding *)
Variable witness : nat -> vec.
Variable Delta : nat -> nat -> Z.      (* the comparison sensitivity of each pair of labels *)

Hypothesis phi_length : forall q, (q <= n)%nat -> length (phi q) = m.
Hypothesis witness_length : forall q, (q <= n)%nat -> length (witness q) = m.

(** (W) *)
Hypothesis W : forall q other, (q <= n)%nat -> (other <= n)%nat -> other <> q ->
  Delta q other <= dot (witness q) (phi other) - dot (witness q) (phi q).

Definition objective (score : nat -> Z) (noise : vec) (q : nat) : Z := score q + dot noise (phi q).

(** The mechanism: the label released for these scores and this noise. *)
Definition released (score : nat -> Z) (noise : vec) : nat := first_minimiser (objective score noise) n.

(** One changed record moves the comparison of q with another label by at most its Delta. *)
Definition close (score score' : nat -> Z) : Prop := forall q other, (q <= n)%nat -> (other <= n)%nat ->
  (score other - score q) - (score' other - score' q) <= Delta q other.

(** The event inclusion: noise that releases q on one data set, moved by the witness of q, releases q on the other. *)
Theorem inclusion : forall score score' noise,
  close score score' -> length noise = m ->
  released score' (add noise (witness (released score noise))) = released score noise.
Proof.
  intros score score' noise C L.
  pose proof (first_minimiser_wins (objective score noise) n) as [B H].
  fold (released score noise) in B, H.
  apply (wins_unique (objective score' (add noise (witness (released score noise)))) n).
  - apply first_minimiser_wins.
  - remember (released score noise) as q. split; [exact B|]. intros j Hj.
    destruct (Nat.eq_dec j q) as [->|N]; [lia|].
    specialize (H j Hj). specialize (C q j B Hj). specialize (W q j B Hj N).
    pose proof (phi_length q B). pose proof (phi_length j Hj). pose proof (witness_length q B).
    unfold objective in *. rewrite !dot_add by lia. lia.
Qed.

(** The move is injective on noise vectors: the label can be read off the image. *)
Definition moved (score : nat -> Z) (noise : vec) : vec := add noise (witness (released score noise)).

Lemma moved_length : forall score noise, length noise = m -> length (moved score noise) = m.
Proof.
  intros score noise L. unfold moved.
  pose proof (first_minimiser_wins (objective score noise) n) as [B _].
  pose proof (witness_length _ B) as H. unfold released. rewrite add_length; lia.
Qed.

Lemma moved_injective : forall score score' a b,
  close score score' -> length a = m -> length b = m -> moved score a = moved score b -> a = b.
Proof.
  intros score score' a b C La Lb E.
  assert (released score a = released score b) as Q.
  { rewrite <- (inclusion score score' a C La), <- (inclusion score score' b C Lb).
    unfold moved in E. now rewrite E. }
  unfold moved in E. rewrite Q in E.
  pose proof (first_minimiser_wins (objective score b) n) as [B _]. fold (released score b) in B.
  apply (add_injective a b (witness (released score b))); rewrite ?witness_length by exact B; auto.
Qed.

Lemma moved_distinct : forall score score' E,
  close score score' -> Forall (fun x => length x = m) E -> NoDup E -> NoDup (map (moved score) E).
Proof.
  intros score score' E C F N. induction N as [|x E X N IH]; simpl; constructor.
  - rewrite in_map_iff. intros [y [Ey Iy]]. inversion F as [|? ? Lx LE].
    apply X. replace x with y; auto.
    eapply moved_injective; eauto. rewrite Forall_forall in LE. auto.
  - apply IH. now inversion F.
Qed.

(** The mass inequality, for any event of labels. A finite list of distinct noise vectors inside the event on one data
    set is matched by one inside it on the other, of at least 1/bound of its mass. *)
Section Mass.
Variable K : ordered_semiring.
Variable p : vec -> mass K.
Variable bound : mass K.               (* e^epsilon *)
Hypothesis bound_nonneg : le K (zero K) bound.
Hypothesis p_nonneg : forall noise, le K (zero K) (p noise).

(** (D) *)
Hypothesis D : forall q noise, (q <= n)%nat -> length noise = m ->
  p noise = zero K \/ le K (p noise) (times K bound (p (add noise (witness q)))).

Theorem perturbed_minimisation : forall score score' (event : nat -> Prop) E,
  close score score' ->
  NoDup E -> Forall (fun x => length x = m /\ event (released score x)) E ->
  exists E',
    NoDup E' /\ Forall (fun x => length x = m /\ event (released score' x)) E' /\
    le K (sum K p E) (times K bound (sum K p E')).
Proof.
  intros score score' event E C N F. exists (map (moved score) E).
  rewrite Forall_forall in F. repeat split.
  - apply (moved_distinct score score'); auto. rewrite Forall_forall. intros x I. now apply F.
  - rewrite Forall_forall. intros y I. apply in_map_iff in I as [x [<- I]]. destruct (F x I) as [L V]. split.
    + now apply moved_length.
    + unfold moved. now rewrite inclusion.
  - apply sum_le. intros x I. destruct (F x I) as [L _].
    pose proof (first_minimiser_wins (objective score x) n) as [B _].
    destruct (D _ x B L) as [->|H]; [|exact H]. now apply times_nonneg.
Qed.
End Mass.
End Theorem1.
