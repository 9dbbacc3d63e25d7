(** The exponential mechanism drawn without enumeration is private: Theorem 4 and the neighbour relations of DataSets.v. *)
Require Import ZArith List Permutation Lia Reals Lra Field.
Require Import Semiring OrderedField Distribution Trials TreeSampler RoundedSampler Masses DataSets Probability.
Import ListNotations.

(** In any ordered field: if each weight is at most c times the other and the other sum at most c' times the one, then
    every event has at most c c' times the probability. *)
Section Ratio.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.
Variable queries : list nat.
Variables w w' : nat -> mass K.
Variables c c' : mass K.
Hypothesis w_nonneg : forall q, 0 <= w q.
Hypothesis w'_nonneg : forall q, 0 <= w' q.
Hypothesis c_nonneg : 0 <= c.
Hypothesis Z_positive : Z K queries w <> 0.
Hypothesis Z'_positive : Z K queries w' <> 0.
Hypothesis heavier : forall q, In q queries -> w q <= c * w' q.
Hypothesis sums : Z K queries w' <= c' * Z K queries w.

Theorem exponential_ratio : forall f, (forall q, 0 <= f q) ->
  weighed K queries w f / Z K queries w <= c * c' * (weighed K queries w' f / Z K queries w').
Proof.
  intros f F. set (a := weighed K queries w f). set (a' := weighed K queries w' f).
  pose proof (Z_nonneg K queries w w_nonneg) as Z0. pose proof (Z_nonneg K queries w' w'_nonneg) as Z0'.
  assert (a <= c * a') as top.
  { unfold a, a', weighed. rewrite <- sum_times.
    assert (forall E, incl E queries -> sum K (fun q => w q * f q) E <= sum K (fun q => c * (w' q * f q)) E) as part.
    { induction E as [|q E IH]; simpl; intro I; [apply le_refl|]. apply le_plus.
      - replace (w q * f q) with (f q * w q) by ring. replace (c * (w' q * f q)) with (f q * (c * w' q)) by ring.
        apply le_times; auto. apply heavier, I. now left.
      - apply IH. intros x X. apply I. now right. }
    apply part, incl_refl. }
  assert (0 <= a') as A0'.
  { apply sum_nonneg, Forall_forall. intros q _. now apply times_nonneg. }
  apply divide_le; auto. set (z := Z K queries w) in *. set (z' := Z K queries w') in *.
  apply le_trans with (1 := top).
  replace (c * a') with (c * (a' / z') * z') by (field; exact Z'_positive).
  replace (c * c' * (a' / z') * z) with (c * (a' / z') * (c' * z)) by (field; exact Z'_positive).
  apply le_times; auto. apply times_nonneg; auto using divide_nonneg.
Qed.

(** So is what a loop accepts within any number of trials, given that it accepts. *)
Theorem accepted_ratio : forall (d d' : dist K (option nat)) f, (forall q, 0 <= f q) ->
  let accepting := fun e : dist K (option nat) => expect e (accepted (fun _ => 1)) in
  Z K queries w * expect d (accepted f) = weighed K queries w f * accepting d ->
  Z K queries w' * expect d' (accepted f) = weighed K queries w' f * accepting d' ->
  accepting d <> 0 -> accepting d' <> 0 ->
  expect d (accepted f) / accepting d <= c * c' * (expect d' (accepted f) / accepting d').
Proof.
  intros d d' f F accepting L L' N N'. pose proof (exponential_ratio f F) as R.
  assert (forall z a p e : mass K, z <> 0 -> p <> 0 -> z * e = a * p -> e / p = a / z) as share.
  { intros z a p e Hz Hp E. replace e with (a * p / z) by (rewrite <- E; field; exact Hz). field. auto. }
  rewrite (share _ _ _ _ Z_positive N L), (share _ _ _ _ Z'_positive N' L'). exact R.
Qed.
End Ratio.

Open Scope R_scope.

(** The probability that a loop accepts, and accepts in the event whose indicator is f. *)
Definition chance (d : dist real_field (option nat)) (f : nat -> R) : R := expect d (@accepted real_field f).

Lemma exp_at_most : forall a b, a <= b -> exp a <= exp b.
Proof. intros a b [H|H]; [left; now apply exp_increasing | right; now rewrite H]. Qed.

(** A loop that has the law of w within each number of trials, and that ends, has it in the limit. *)
Lemma limit_law : forall (runs : nat -> dist real_field (option nat)) queries (w f : nat -> R) s,
  0 < Z real_field queries w -> s < 1 ->
  (forall trials, proper (runs trials)) ->
  (forall trials g, Z real_field queries w * chance (runs trials) g =
    weighed real_field queries w g * chance (runs trials) (fun _ => 1)) ->
  (forall trials, 1 - chance (runs trials) (fun _ => 1) <= power reals s trials) ->
  Un_cv (fun trials => chance (runs trials) f) (weighed real_field queries w f / Z real_field queries w).
Proof.
  intros runs queries w f s Zpos S1 P L E. simpl in *. set (z := Z real_field queries w) in *.
  set (a := weighed real_field queries w f). set (acc := fun k => chance (runs k) (fun _ => 1)).
  assert (forall k, acc k <= 1) as top.
  { intro k. destruct (P k) as [N T]. simpl in N, T. rewrite <- T. apply (expect_le real_field); auto.
    intros [p [q|]] _; simpl; lra. }
  assert (0 <= s) as S0. { pose proof (E 1%nat) as E1. pose proof (top 1%nat). unfold acc in *. simpl in *. lra. }
  assert (Un_cv acc 1) as C.
  { intros eps H. destruct (pow_lt_1_zero s) with (y := eps) as [N HN]; [rewrite Rabs_right; lra | exact H |].
    exists N. intros k Hk. specialize (HN k Hk). specialize (E k). rewrite real_power in E. pose proof (top k).
    rewrite Rabs_right in HN by (apply Rle_ge, pow_le, S0). unfold R_dist, acc in *. apply Rabs_def1; lra. }
  apply (Un_cv_ext (fun k => a / z * acc k)).
  { intro k. apply Rmult_eq_reg_l with z; [|lra]. rewrite L. fold a. unfold acc. field. lra. }
  pose proof (CV_mult _ _ _ _ (constant_limit (a / z)) C) as M. now rewrite Rmult_1_r in M.
Qed.

Section Guarantee.
Variable record : Type.
Variable holds : nat -> record -> bool.
Variable n : nat.                      (* the last query *)
Variables lattice sign : BinInt.Z.
Variable offset : nat -> BinInt.Z.
Hypothesis lattice_nonneg : (0 <= lattice)%Z.
Hypothesis sign_unit : sign = 1%Z \/ sign = (-1)%Z.
Variables epsilon rate : R.
Hypothesis rate_nonneg : 0 <= rate.
Let queries := seq 0 (S n).
Let scores := score record holds lattice sign offset.

Definition exponential_weight (S : list record) (q : nat) : R := exp (- (rate * IZR (scores S q))).

(** Pr[A(S) in event], f the indicator of the event. *)
Definition exponential (f : nat -> R) (S : list record) : R :=
  weighed real_field queries (exponential_weight S) f / Z real_field queries (exponential_weight S).

Lemma exponential_weight_nonneg : forall S q, 0 <= exponential_weight S q.
Proof. intros. left. apply exp_pos. Qed.

Lemma Z_is_positive : forall (w : nat -> R), (forall q, 0 < w q) -> 0 < Z real_field queries w.
Proof.
  intros w H. unfold Z, weighed, queries. simpl. pose proof (H O).
  assert (0 <= sum reals (fun q => w q * 1) (seq 1 n)); [|simpl in *; lra].
  apply (sum_nonneg real_field), Forall_forall. intros q _. simpl. specialize (H q). lra.
Qed.

Lemma exponential_Z : forall S, Z real_field queries (exponential_weight S) <> 0.
Proof. intro S. apply Rgt_not_eq, Z_is_positive. intro. apply exp_pos. Qed.

(** It is a probability: nonnegative, and one for the sure event. *)
Theorem exponential_sure : forall S, exponential (fun _ => 1) S = 1.
Proof. intro S. unfold exponential. apply Rinv_r, exponential_Z. Qed.

(** If the scores on S lie at most u below and d above those on S', then w <= e^(rate u) w' and Z' <= e^(rate d) Z. *)
Lemma exponential_private : forall f S S' u d, (forall q, 0 <= f q) ->
  (forall q, (q <= n)%nat -> (- u <= scores S q - scores S' q <= d)%Z) -> rate * IZR (u + d) <= epsilon ->
  exponential f S <= exp epsilon * exponential f S'.
Proof.
  intros f S S' u d F H cal.
  assert (forall q (a b : list record) k, In q queries -> (scores b q - scores a q <= k)%Z ->
    exponential_weight a q <= exp (rate * IZR k) * exponential_weight b q) as step.
  { intros q a b k _ B. unfold exponential_weight. rewrite <- exp_plus. apply exp_at_most.
    apply IZR_le in B. rewrite minus_IZR in B. nra. }
  assert (forall q, In q queries -> (q <= n)%nat) as range.
  { intros q I. unfold queries in I. apply in_seq in I. lia. }
  pose proof (exponential_ratio real_field queries (exponential_weight S) (exponential_weight S')
    (exp (rate * IZR u)) (exp (rate * IZR d))) as R.
  simpl in R. unfold exponential. eapply Rle_trans.
  - apply R; auto using exponential_weight_nonneg, exponential_Z.
    + left. apply exp_pos.
    + intros q I. apply step; auto. specialize (H q (range q I)). lia.
    + unfold Z, weighed. rewrite <- (sum_times real_field).
      assert (forall E, incl E queries -> sum reals (fun q => exponential_weight S' q * 1) E <=
        sum reals (fun q => exp (rate * IZR d) * (exponential_weight S q * 1)) E) as part; [|apply part, incl_refl].
      induction E as [|q E IH]; simpl; intro I; [lra|]. apply Rplus_le_compat.
      * rewrite !Rmult_1_r. assert (In q queries) as Q by (apply I; now left). apply step; auto.
        specialize (H q (range q Q)). lia.
      * apply IH. intros x X. apply I. now right.
  - rewrite <- exp_plus, <- Rmult_plus_distr_l, <- plus_IZR. apply Rmult_le_compat_r; [|now apply exp_at_most].
    apply (divide_nonneg real_field).
    + apply (sum_nonneg real_field), Forall_forall. intros q _. apply Rmult_le_pos; auto using exponential_weight_nonneg.
    + apply (Z_nonneg real_field). apply exponential_weight_nonneg.
    + apply exponential_Z.
Qed.

(** Replace-one: rate = ε/2 in units of the lattice. *)
Theorem exponential_replace_one : forall f S S', (forall q, 0 <= f q) ->
  rate * IZR (lattice * 2) <= epsilon -> replace_one record S S' ->
  exponential f S <= exp epsilon * exponential f S'.
Proof.
  intros f S S' F cal (x & y & rest & P & P'). apply (exponential_private f S S' lattice lattice F).
  - intros q _. unfold scores, score.
    rewrite (count_permutation _ _ S (x :: rest) P), (count_permutation _ _ S' (y :: rest) P'). simpl.
    destruct sign_unit as [->| ->]; destruct (holds q x), (holds q y); nia.
  - now replace (lattice + lattice)%Z with (lattice * 2)%Z by lia.
Qed.

(** Add/remove-one: all scores move the same way, so rate = ε is enough. *)
Theorem exponential_add_remove : forall f S S', (forall q, 0 <= f q) ->
  rate * IZR lattice <= epsilon -> add_or_remove_one record S S' ->
  exponential f S <= exp epsilon * exponential f S'.
Proof.
  intros f S S' F cal (x & P).
  assert ((forall q, (q <= n)%nat -> (- lattice <= scores S q - scores S' q <= 0)%Z) \/
    (forall q, (q <= n)%nat -> (- 0 <= scores S q - scores S' q <= lattice)%Z)) as [H|H].
  { unfold scores, score. destruct P as [P|P];
      [setoid_rewrite (fun q => count_permutation _ (holds q) S (x :: S') P)
      | setoid_rewrite (fun q => count_permutation _ (holds q) S' (x :: S) P)]; simpl;
      destruct sign_unit as [->| ->]; [right | left | left | right]; intros q _; destruct (holds q x); nia. }
  - apply (exponential_private f S S' lattice 0 F H). now rewrite Z.add_0_r.
  - apply (exponential_private f S S' 0 lattice F H). now rewrite Z.add_0_l.
Qed.

(** A common factor of all weights, as 2^63 e^(rate o), changes nothing. *)
Lemma common_factor : forall scale S f, 0 < scale ->
  let w := fun q => scale * exponential_weight S q in
  weighed real_field queries w f / Z real_field queries w = exponential f S.
Proof.
  intros scale S f H w. pose proof (exponential_Z S) as N.
  assert (forall g, weighed real_field queries w g = scale * weighed real_field queries (exponential_weight S) g) as out.
  { intro g. unfold weighed. rewrite <- (sum_times real_field). apply (sum_equal real_field). intros.
    unfold w. simpl. ring. }
  unfold exponential, Z in *. rewrite !out. field. split; [exact N | lra].
Qed.

(** Theorem 4, whole: the sampler over any tree, refined in any way, draws the exponential mechanism. *)
Theorem tree_sampler_draws : forall S scale policy A f, 0 < scale -> 0 < A ->
  let w := fun q => scale * exponential_weight S q in
  let frontier := frontier_of_queries real_field w queries A in
  (forall history, Forall frontier history -> frontier (policy history)) ->
  Un_cv (fun trials => chance (sampler real_field w policy trials) f) (exponential f S).
Proof.
  intros S scale policy A f Hs HA w frontier V.
  assert (forall q, 0 < w q) as W by (intro q; apply Rmult_lt_0_compat; [exact Hs | apply exp_pos]).
  assert (forall q, 0 <= w q) as W0 by (intro q; left; apply W).
  pose proof (Z_is_positive w W) as Zp. assert (Z real_field queries w <> 0) as Zn by (apply Rgt_not_eq, Zp).
  rewrite <- (common_factor scale S f Hs). fold w.
  apply limit_law with (s := 1 - Z real_field queries w / A); auto.
  - assert (0 < Z real_field queries w / A) by (apply Rdiv_lt_0_compat; auto). simpl in *. lra.
  - intro trials. apply (sampler_proper real_field w W0 queries A); auto.
  - intros trials g. apply (sampler_law real_field w W0 queries A); auto.
  - intro trials. apply (sampler_ends real_field w W0 queries A); auto.
Qed.

(** The same with rounded weights. *)
Theorem rounded_sampler_draws : forall S scale unit policy A f, 0 < scale -> 0 <= unit ->
  let w := fun q => scale * exponential_weight S q in
  (forall history, rounded_frontier real_field unit queries w (policy history)) ->
  0 < A -> (forall history, all_picked real_field (policy history) <= A) ->
  Un_cv (fun trials => chance (rounded_sampler real_field unit policy trials) f) (exponential f S).
Proof.
  intros S scale unit policy A f Hs Hu w V HA B.
  assert (forall q, 0 < w q) as W by (intro q; apply Rmult_lt_0_compat; [exact Hs | apply exp_pos]).
  assert (forall q, 0 <= w q) as W0 by (intro q; left; apply W).
  pose proof (Z_is_positive w W) as Zp. assert (Z real_field queries w <> 0) as Zn by (apply Rgt_not_eq, Zp).
  rewrite <- (common_factor scale S f Hs). fold w.
  apply limit_law with (s := 1 - Z real_field queries w / A); auto.
  - assert (0 < Z real_field queries w / A) by (apply Rdiv_lt_0_compat; auto). simpl in *. lra.
  - intro trials. apply (rounded_sampler_proper real_field unit queries w); auto.
  - intros trials g. apply (rounded_sampler_law real_field unit queries w); auto.
  - intro trials. apply (rounded_sampler_ends real_field unit queries w); auto.
Qed.
End Guarantee.
