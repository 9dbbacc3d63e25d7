(** A release that hears of a table only what its parts say: if it is stable when one part says something else, it is
    private, whatever the parts do. Records choose their parts by lot; a part sees its own records and its own coins. *)
Require Import List Ring Field Arith Lia.
Require Import Semiring OrderedField Distribution.
Import ListNotations.

Section Parts.
Variable K : ordered_field.
Add Field K_field : (field_laws K).
Open Scope field_scope.
Variables record ballot : Type.
Variable valid : ballot -> Prop.                         (* what the count makes of whatever a part says *)
Variable parts : nat.
Variable label : dist K nat.                             (* by which a record chooses its part *)
Variable voter : nat -> list record -> dist K ballot.    (* any function of its records, with coins *)
Variable release : list ballot -> mass K.                (* the probability of an event, or the mean of a test *)
Variables e delta : mass K.
Hypothesis label_proper : proper label.
Hypothesis label_range : forall o, In o label -> (snd o < parts)%nat.
Hypothesis voter_proper : forall i data, proper (voter i data).
Hypothesis voter_valid : forall i data o, In o (voter i data) -> valid (snd o).
Hypothesis e_nonneg : 0 <= e.
Hypothesis stable : forall front a a' back, valid a -> valid a' ->
  release (front ++ a :: back) <= e * release (front ++ a' :: back) + delta.

(** The records of one part, what all parts say, and the labels of all records. *)
Definition part (i : nat) (data : list (nat * record)) : list record :=
  map snd (filter (fun o => Nat.eqb (fst o) i) data).

Fixpoint gathered (voters : list (dist K ballot)) (said : list ballot) : mass K :=
  match voters with
  | [] => release said
  | d :: rest => expect d (fun a => gathered rest (said ++ [a]))
  end.

Definition heard (data : list (nat * record)) : mass K :=
  gathered (map (fun i => voter i (part i data)) (seq 0 parts)) [].

Fixpoint assigned (S : list record) (done : list (nat * record)) : mass K :=
  match S with
  | [] => heard done
  | x :: rest => expect label (fun i => assigned rest (done ++ [(i, x)]))
  end.

Definition released (S : list record) : mass K := assigned S [].

Lemma expect_constant : forall A (d : dist K A) c, proper d -> expect d (fun _ => c) = c.
Proof.
  intros A d c [_ T]. transitivity (expect d (fun _ => c * 1)); [apply expect_equal; intros; ring|].
  rewrite expect_times, T. ring.
Qed.

Lemma expect_affine : forall A (d : dist K A) g, proper d ->
  expect d (fun a => e * g a + delta) = e * expect d g + delta.
Proof.
  intros A d g P. rewrite expect_plus, expect_times. now rewrite expect_constant.
Qed.

Lemma expect_close : forall A (d : dist K A) g g', proper d ->
  (forall o, In o d -> g (snd o) <= e * g' (snd o) + delta) -> expect d g <= e * expect d g' + delta.
Proof.
  intros A d g g' P H. rewrite <- (expect_affine _ d g' P). apply expect_le; [apply P | exact H].
Qed.

(** Two laws that need not be alike, if every outcome of one is close to every outcome of the other. *)
Lemma expect_apart : forall A B (d : dist K A) (d' : dist K B) g g', proper d -> proper d' ->
  (forall o o', In o d -> In o' d' -> g (snd o) <= e * g' (snd o') + delta) ->
  expect d g <= e * expect d' g' + delta.
Proof.
  intros A B d d' g g' P P' H. rewrite <- (expect_constant _ d (e * expect d' g' + delta) P).
  apply expect_le; [apply P|]. intros o I. rewrite <- (expect_constant _ d' (g (snd o)) P').
  apply expect_close; auto.
Qed.

Lemma gathered_back : forall voters said said', Forall proper voters ->
  (forall back, release (said ++ back) <= e * release (said' ++ back) + delta) ->
  gathered voters said <= e * gathered voters said' + delta.
Proof.
  induction voters as [|d voters IH]; intros said said' F H; simpl.
  - specialize (H []). now rewrite !app_nil_r in H.
  - inversion F; subst. apply expect_close; auto. intros o _. apply IH; auto.
    intro back. rewrite <- !app_assoc. apply H.
Qed.

Lemma gathered_one : forall A B d d' said, Forall proper A -> Forall proper B -> proper d -> proper d' ->
  (forall o, In o d -> valid (snd o)) -> (forall o, In o d' -> valid (snd o)) ->
  gathered (A ++ d :: B) said <= e * gathered (A ++ d' :: B) said + delta.
Proof.
  induction A as [|h A IH]; intros B d d' said FA FB P P' V V'; simpl.
  - apply expect_apart; auto. intros o o' I I'. apply gathered_back; auto.
    intro back. rewrite <- !app_assoc. simpl. apply stable; auto.
  - inversion FA; subst. apply expect_close; auto.
Qed.

Definition one_part (data data' : list (nat * record)) : Prop :=
  exists i, (i < parts)%nat /\ forall j, j <> i -> part j data = part j data'.

Lemma heard_close : forall data data', one_part data data' -> heard data <= e * heard data' + delta.
Proof.
  intros data data' (i & L & same). unfold heard.
  assert (seq 0 parts = seq 0 i ++ i :: seq (S i) (parts - S i)) as ->.
  { replace parts with (i + S (parts - S i))%nat at 1 by lia. rewrite seq_app. reflexivity. }
  rewrite !map_app. simpl.
  assert (forall from n, (forall j, In j (seq from n) -> j <> i) ->
    map (fun j => voter j (part j data)) (seq from n) = map (fun j => voter j (part j data')) (seq from n)) as others.
  { intros from n H. apply map_ext_in. intros j J. now rewrite (same j (H j J)). }
  rewrite !others by (intros j J; apply in_seq in J; lia).
  apply gathered_one; auto; try (apply Forall_map, Forall_forall; auto); eauto.
Qed.

Lemma part_app : forall i a b, part i (a ++ b) = part i a ++ part i b.
Proof. intros. unfold part. now rewrite filter_app, map_app. Qed.

Lemma part_elsewhere : forall i j x, j <> i -> part j [(i, x)] = [].
Proof. intros i j x N. unfold part. simpl. destruct (Nat.eqb_spec i j); [congruence | reflexivity]. Qed.

Lemma assigned_close : forall S done done', one_part done done' ->
  assigned S done <= e * assigned S done' + delta.
Proof.
  induction S as [|x S IH]; intros done done' H; simpl; [now apply heard_close|].
  apply expect_close; auto. intros o _. apply IH. destruct H as (i & L & same).
  exists i. split; [exact L|]. intros j N. rewrite !part_app. now rewrite (same j N).
Qed.

(** One record is replaced. *)
Theorem parts_replace_one : forall front x y back,
  released (front ++ x :: back) <= e * released (front ++ y :: back) + delta.
Proof.
  intros front x y back. unfold released. generalize (@nil (nat * record)).
  induction front as [|z front IH]; intro done; simpl; apply expect_close; auto.
  intros o I. apply assigned_close. exists (snd o). split; [now apply label_range|].
  intros j N. rewrite !part_app, !part_elsewhere; auto.
Qed.

(** One record is removed. *)
Theorem parts_remove_one : forall front x back,
  released (front ++ x :: back) <= e * released (front ++ back) + delta.
Proof.
  intros front x back. unfold released. generalize (@nil (nat * record)).
  induction front as [|z front IH]; intro done; simpl; [|apply expect_close; auto].
  rewrite <- (expect_constant _ label (assigned back done) label_proper). apply expect_close; auto.
  intros o I. apply assigned_close. exists (snd o). split; [now apply label_range|].
  intros j N. now rewrite part_app, part_elsewhere, app_nil_r.
Qed.

(** One record is added. *)
Theorem parts_add_one : forall front x back,
  released (front ++ back) <= e * released (front ++ x :: back) + delta.
Proof.
  intros front x back. unfold released. generalize (@nil (nat * record)).
  induction front as [|z front IH]; intro done; simpl; [|apply expect_close; auto].
  rewrite <- (expect_constant _ label (assigned back done) label_proper) at 1. apply expect_close; auto.
  intros o I. apply assigned_close. exists (snd o). split; [now apply label_range|].
  intros j N. now rewrite part_app, part_elsewhere, app_nil_r.
Qed.
End Parts.
