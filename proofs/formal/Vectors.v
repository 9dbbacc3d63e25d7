(** Integer vectors of a fixed length: noise, embeddings and witnesses. *)
Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Definition vec := list Z.

Fixpoint dot (a b : vec) : Z :=
  match a, b with
  | x :: a', y :: b' => x * y + dot a' b'
  | _, _ => 0
  end.

Fixpoint add (a b : vec) : vec :=
  match a, b with
  | x :: a', y :: b' => (x + y) :: add a' b'
  | _, _ => []
  end.

Fixpoint total (a : vec) : Z :=
  match a with
  | [] => 0
  | x :: a' => x + total a'
  end.

(** A 0/1 vector. *)
Definition binary (a : vec) : Prop := Forall (fun x => x = 0 \/ x = 1) a.

Lemma add_length : forall a b, length a = length b -> length (add a b) = length b.
Proof.
  induction a as [|x a IH]; intros [|y b] H; simpl in *; try discriminate; auto.
Qed.

Lemma dot_add : forall a b c,
  length a = length b -> length b = length c -> dot (add a b) c = dot a c + dot b c.
Proof.
  induction a as [|x a IH]; intros [|y b] [|z c] H1 H2; simpl in *; try discriminate; auto.
  rewrite IH by lia. ring.
Qed.

(** A translation is injective: the map of the noise in Theorem 1 merges no two vectors. *)
Lemma add_injective : forall a b v,
  length a = length v -> length b = length v -> add a v = add b v -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b] [|z v] H1 H2 E; simpl in *; try discriminate; auto.
  injection E as E1 E2. f_equal; [lia | apply (IH b v); lia || auto].
Qed.

Lemma dot_scale : forall c a b, dot (map (Z.mul c) a) b = c * dot a b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; try ring. rewrite IH. ring.
Qed.

Lemma binary_total_nonneg : forall a, binary a -> 0 <= total a.
Proof.
  induction 1 as [|x a Hx _ IH]; simpl; lia.
Qed.

Lemma binary_self : forall a, binary a -> dot a a = total a.
Proof.
  induction 1 as [|x a [Hx|Hx] _ IH]; simpl; subst; lia.
Qed.

Lemma binary_common : forall a b,
  binary a -> binary b -> dot a b <= total a /\ dot a b <= total b.
Proof.
  induction a as [|x a IH]; intros b Ha Hb; inversion Ha; subst; simpl.
  - destruct b; simpl; [lia|]. split; [lia|]. apply binary_total_nonneg in Hb. simpl in Hb. lia.
  - destruct b as [|y b]; simpl.
    + apply binary_total_nonneg in Ha. simpl in Ha. lia.
    + inversion Hb; subst. specialize (IH b ltac:(assumption) ltac:(assumption)). nia.
Qed.

(** Two sets that share all their members are one set. *)
Lemma binary_equal : forall a b,
  binary a -> binary b -> length a = length b ->
  dot a b = total a -> dot a b = total b -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b] Ha Hb L E1 E2; simpl in *; try discriminate; auto.
  inversion Ha; inversion Hb; subst.
  pose proof (binary_common a b ltac:(assumption) ltac:(assumption)) as [C1 C2].
  assert (x = y /\ dot a b = total a /\ dot a b = total b) as (-> & D1 & D2) by nia.
  f_equal. apply IH; auto.
Qed.
