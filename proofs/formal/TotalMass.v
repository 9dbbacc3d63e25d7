(** The masses of the noise sum to one: over every finite list of distinct vectors to at most one, and over the boxes
    {-M, ..., M}^m to one but for a tail that is known exactly. No axiom, in any ordered semiring. *)
Require Import ZArith List Lia Ring.
Require Import Vectors Semiring KHot Separator.
Import ListNotations.
Open Scope Z_scope.

(** 0, 1, -1, ..., M, -M. *)
Fixpoint interval (M : nat) : list Z :=
  match M with
  | O => [0]
  | S M' => Z.of_nat M :: - Z.of_nat M :: interval M'
  end.

Fixpoint box (m M : nat) : list vec :=
  match m with
  | O => [[]]
  | S m' => flat_map (fun x => map (cons x) (box m' M)) (interval M)
  end.

Lemma in_interval : forall x M, In x (interval M) <-> Z.abs x <= Z.of_nat M.
Proof.
  intros x. induction M as [|M IH].
  - simpl. lia.
  - cbn [interval In]. rewrite IH. lia.
Qed.

Lemma interval_distinct : forall M, NoDup (interval M).
Proof.
  induction M as [|M IH]; [repeat constructor; simpl; tauto|].
  cbn [interval]. constructor; [|constructor; auto].
  - cbn [In]. rewrite in_interval. lia.
  - rewrite in_interval. lia.
Qed.

Lemma in_box : forall m M noise, In noise (box m M) <-> length noise = m /\ Forall (fun x => Z.abs x <= Z.of_nat M) noise.
Proof.
  induction m as [|m IH]; intros M noise; simpl.
  - split; [intros [<-|[]]; auto | intros [L _]; destruct noise; [auto | discriminate]].
  - rewrite in_flat_map. split.
    + intros (x & X & I). apply in_map_iff in I as (rest & <- & I). apply IH in I as [L F].
      simpl. split; [lia|]. constructor; [now apply in_interval | exact F].
    + intros [L F]. destruct noise as [|x rest]; [discriminate|]. inversion F; subst. exists x. split.
      * now apply in_interval.
      * apply in_map, IH. auto.
Qed.

Lemma distinct_blocks : forall (heads : list Z) (rests : list vec), NoDup heads -> NoDup rests ->
  NoDup (flat_map (fun x => map (cons x) rests) heads).
Proof.
  intros heads rests H R. induction H as [|x heads X H IH]; simpl; [constructor|].
  assert (forall part, NoDup part -> NoDup (map (cons x) part ++ flat_map (fun y => map (cons y) rests) heads)) as part.
  { intros part P. induction P as [|rest part A P IP]; simpl; [exact IH|]. constructor; [|exact IP].
    rewrite in_app_iff, in_map_iff, in_flat_map. intros [(other & E & I)|(y & Y & I)].
    - injection E as ->. tauto.
    - apply in_map_iff in I as (other & E & _). injection E as ->. tauto. }
  now apply part.
Qed.

Lemma box_distinct : forall m M, NoDup (box m M).
Proof.
  induction m as [|m IH]; intro M; simpl; [repeat constructor; simpl; tauto|].
  apply distinct_blocks; auto using interval_distinct.
Qed.

(** Finitely many vectors lie in one box. *)
Lemma in_some_box : forall m E, Forall (fun noise => length noise = m) E -> exists M, incl E (box m M).
Proof.
  intros m E F.
  assert (forall noise : vec, exists M, Forall (fun x => Z.abs x <= Z.of_nat M) noise) as one.
  { induction noise as [|x noise [M IH]]; [exists O; constructor|]. exists (M + Z.to_nat (Z.abs x))%nat.
    constructor; [lia|]. eapply Forall_impl; [|exact IH]. simpl. lia. }
  induction F as [|noise E L F [M IH]]; [exists O; intros x []|].
  destruct (one noise) as [M' B]. exists (M + M')%nat. intros y [<-|I]; apply in_box.
  - split; [exact L|]. eapply Forall_impl; [|exact B]. simpl. lia.
  - apply IH, in_box in I as [L' B']. split; [exact L'|]. eapply Forall_impl; [|exact B']. simpl. lia.
Qed.

Section Products.
Variable K : ordered_semiring.
Add Ring K_ring : (laws K).
Variable f : Z -> mass K.              (* the mass of one coordinate *)
Hypothesis f_nonneg : forall x, le K (zero K) (f x).
Hypothesis one_nonneg : le K (zero K) (one K).

Fixpoint product (noise : vec) : mass K :=
  match noise with
  | [] => one K
  | x :: rest => times K (f x) (product rest)
  end.

Lemma product_nonneg : forall noise, le K (zero K) (product noise).
Proof. induction noise; simpl; auto using times_nonneg. Qed.

Lemma sum_app_semiring : forall A (p : A -> mass K) E E', sum K p (E ++ E') = plus K (sum K p E) (sum K p E').
Proof. intros. induction E as [|x E IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma box_mass : forall m M, sum K product (box m M) = power K (sum K f (interval M)) m.
Proof.
  assert (forall x b, sum K product (map (cons x) b) = times K (f x) (sum K product b)) as block.
  { intros x b. induction b as [|y b IHb]; simpl; [ring|]. unfold vec in *. rewrite IHb. ring. }
  induction m as [|m IH]; intro M; simpl; [ring|]. rewrite <- IH.
  induction (interval M) as [|x rest IHx]; simpl; [ring|]. rewrite sum_app_semiring. unfold vec in *.
  rewrite IHx, block. ring.
Qed.

Lemma sum_at_most : forall A (p : A -> mass K) E E', (forall x, le K (zero K) (p x)) -> NoDup E -> incl E E' ->
  le K (sum K p E) (sum K p E').
Proof.
  intros A p E E' P D. revert E'. induction D as [|x E X D IH]; intros E' I; simpl.
  - clear I. induction E' as [|y E' IH]; simpl; [apply le_refl|].
    replace (zero K) with (plus K (zero K) (zero K)) by ring. now apply le_plus.
  - destruct (in_split x E' (I x (or_introl eq_refl))) as (front & back & ->).
    apply le_trans with (plus K (p x) (sum K p (front ++ back))).
    + apply le_plus; [apply le_refl|]. apply IH. intros y Y. specialize (I y (or_intror Y)).
      rewrite in_app_iff in *. simpl in I. destruct I as [I|[->|I]]; tauto.
    + rewrite !sum_app_semiring. simpl. match goal with |- le _ ?a ?b => replace a with b by ring end. apply le_refl.
Qed.

Lemma power_at_most_one : forall r n, le K (zero K) r -> le K r (one K) -> le K (power K r n) (one K).
Proof. intros r n H0 H1. change (one K) with (power K r 0). apply power_falls; auto. lia. Qed.

(** If intervals have mass at most one, so has every finite list of distinct vectors. *)
Lemma product_at_most_one : forall m E, (forall M, le K (sum K f (interval M)) (one K)) ->
  NoDup E -> Forall (fun noise => length noise = m) E -> le K (sum K product E) (one K).
Proof.
  intros m E H D F. destruct (in_some_box m E F) as [M I].
  apply le_trans with (sum K product (box m M)); [apply sum_at_most; auto using product_nonneg|].
  rewrite box_mass. apply power_at_most_one; auto.
  clear - f_nonneg. replace (zero K) with (sum K f []) by reflexivity.
  apply sum_at_most; auto; [constructor | intros x []].
Qed.
End Products.

Lemma le_plus_nonneg : forall K (a b : mass K), le K (zero K) b -> le K a (plus K a b).
Proof.
  intros K a b H. replace a with (plus K a (zero K)) at 1.
  - apply le_plus; [apply le_refl | exact H].
  - rewrite (Ring_theory.SRadd_comm (laws K)). apply (Ring_theory.SRadd_0_l (laws K)).
Qed.

Section Geometric.
Variable K : ordered_semiring.
Add Ring K_ring2 : (laws K).
Variables c r : mass K.
Hypothesis c_nonneg : le K (zero K) c.
Hypothesis r_nonneg : le K (zero K) r.
Hypothesis one_nonneg : le K (zero K) (one K).
Hypothesis c_is : plus K c r = one K.   (* c = 1 - r *)

(** One but for the tail r^(M+1). *)
Theorem geometric_interval : forall M, plus K (sum K (geometric K c r) (interval M)) (power K r (S M)) = one K.
Proof.
  induction M as [|M IH].
  - simpl. unfold geometric. simpl. transitivity (plus K c r); [ring | exact c_is].
  - etransitivity; [|exact IH]. cbn [interval sum].
    assert (geometric K c r (Z.of_nat (S M)) = zero K) as ->.
    { unfold geometric. rewrite (proj2 (Z.leb_gt _ _)); auto. lia. }
    assert (geometric K c r (- Z.of_nat (S M)) = times K c (power K r (S M))) as ->.
    { unfold geometric. rewrite (proj2 (Z.leb_le _ _)) by lia. do 2 f_equal. lia. }
    transitivity (plus K (sum K (geometric K c r) (interval M)) (times K (plus K c r) (power K r (S M)))).
    + cbn [power]. ring.
    + rewrite c_is. ring.
Qed.

Theorem geometric_at_most_one : forall m E, NoDup E -> Forall (fun noise => length noise = m) E ->
  le K (sum K (geometric_mass K c r) E) (one K).
Proof.
  intros m E D F. apply (product_at_most_one K (geometric K c r)) with (m := m); auto.
  - intro x. unfold geometric. destruct (x <=? 0); [|apply le_refl]. apply times_nonneg; auto using power_nonneg.
  - intro M. rewrite <- (geometric_interval M). apply le_plus_nonneg, power_nonneg; auto.
Qed.
End Geometric.

Section Laplace.
Variable K : ordered_semiring.
Add Ring K_ring3 : (laws K).
Variables c r d : mass K.
Hypothesis c_nonneg : le K (zero K) c.
Hypothesis r_nonneg : le K (zero K) r.
Hypothesis r_below_one : le K r (one K).
Hypothesis d_nonneg : le K (zero K) d.
Hypothesis d_is : times K d (plus K (one K) r) = one K.   (* d = 1/(1 + r) *)
Hypothesis c_is : plus K c (times K r d) = d.             (* c = (1 - r)/(1 + r) *)

(** One but for the two tails r^(M+1)/(1 + r). *)
Theorem laplace_interval : forall M,
  plus K (sum K (laplace K c r) (interval M)) (times K (plus K d d) (power K r (S M))) = one K.
Proof.
  induction M as [|M IH].
  - simpl. unfold laplace. simpl. transitivity (plus K (plus K c (times K r d)) (times K r d)); [ring|].
    rewrite c_is. transitivity (times K d (plus K (one K) r)); [ring | exact d_is].
  - etransitivity; [|exact IH]. cbn [interval sum].
    assert (forall x, Z.abs x = Z.of_nat (S M) -> laplace K c r x = times K c (power K r (S M))) as at_end.
    { intros x X. unfold laplace. rewrite X. do 2 f_equal. lia. }
    rewrite !at_end by lia. set (p := power K r (S M)). cbn [power]. fold p.
    transitivity (plus K (sum K (laplace K c r) (interval M))
      (times K (plus K (plus K c (times K r d)) (plus K c (times K r d))) p)).
    + unfold p. cbn [power]. ring.
    + rewrite c_is. reflexivity.
Qed.

Theorem laplace_at_most_one : forall m E, NoDup E -> Forall (fun noise => length noise = m) E ->
  le K (sum K (laplace_mass K c r) E) (one K).
Proof.
  pose proof (one_nonneg K r r_nonneg r_below_one) as one_nonneg.
  intros m E D F. apply (product_at_most_one K (laplace K c r)) with (m := m); auto.
  - intro x. now apply laplace_nonneg.
  - intro M. rewrite <- (laplace_interval M). apply le_plus_nonneg, times_nonneg; auto using power_nonneg.
    replace (zero K) with (plus K (zero K) (zero K)) by ring. now apply le_plus.
Qed.
End Laplace.
