(** What the theorems stand on: nothing for Theorems 1, 4, 6 and 6b and the masses; for the statements in real numbers, the axioms
    with which the standard library builds the reals. A tuple of theorems stands on what any of them stands on, and the
    libraries are walked through once for all of them. *)
Require Import PerturbedMinimisation KHot Separator DataSets TotalMass Probability Private.
Require Import Trials TreeSampler RoundedSampler Exponential SearchTree Examples.
Require Import Parts ApprovalVote HardVote PrivateVotes.

(* Closed under the global context. *)
Definition standing_on_nothing := (
  @inclusion, @perturbed_minimisation, @khot_perturbed_minimisation, @separator_perturbed_minimisation,
  @replace_one_sensitivity, @add_remove_sensitivity, @geometric_interval, @geometric_at_most_one, @laplace_interval,
  @laplace_at_most_one, @run_law, @conditional_law, @rejection, @trial_law, @trial_ends, @trial_proper,
  @trial_refines, @trial_conditional_law, @sampler_proper, @sampler_law, @sampler_conditional_law, @sampler_ends,
  @rounded_trial_law, @rounded_trial_ends, @rounded_trial_proper, @rounded_sampler_proper, @rounded_sampler_law,
  @rounded_sampler_conditional_law, @rounded_sampler_ends, @finest_frontier, @exponential_ratio, @accepted_ratio,
  @search_tree_exists, @khot_rationals, @two_queries, @small_frontier, @small_trial, @small_sampler,
  @parts_replace_one, @parts_remove_one, @parts_add_one, @approval_stable, @approval_vote_replace_one,
  @approval_vote_remove_one, @approval_vote_add_one, @hard_released_stable, @hard_stable, @quiet_by_rungs,
  @hard_vote_replace_one, @hard_vote_remove_one, @hard_vote_add_one, @small_vote, @small_ladder_holds).
Print Assumptions standing_on_nothing.

(* The axioms of the standard library's real numbers. *)
Definition standing_on_the_reals := (
  @Pr_nonneg, @Pr_sure, @Pr_countably_additive, @geometric_law_is, @laplace_law_is, @khot_replace_one,
  @khot_add_remove, @separator_replace_one, @separator_add_remove, @report_noisy_min, @exponential_sure,
  @exponential_replace_one, @exponential_add_remove, @tree_sampler_draws, @rounded_sampler_draws, @search_sound,
  @search_sampler_draws, @eighths_replace_one, @eighths_add_remove).
Print Assumptions standing_on_the_reals.
