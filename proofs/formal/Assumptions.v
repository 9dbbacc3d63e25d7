(** What the theorems stand on: nothing for Theorems 1, 4, 6 and 6b and the masses; for the statements in real numbers, the axioms
    with which the standard library builds the reals. *)
Require Import PerturbedMinimisation KHot Separator DataSets TotalMass Probability Private.
Require Import Trials TreeSampler RoundedSampler Exponential SearchTree Examples.
Require Import Parts ApprovalVote HardVote PrivateVotes.

(* Closed under the global context. *)
Print Assumptions inclusion.
Print Assumptions perturbed_minimisation.
Print Assumptions khot_perturbed_minimisation.
Print Assumptions separator_perturbed_minimisation.
Print Assumptions replace_one_sensitivity.
Print Assumptions add_remove_sensitivity.
Print Assumptions geometric_interval.
Print Assumptions geometric_at_most_one.
Print Assumptions laplace_interval.
Print Assumptions laplace_at_most_one.
Print Assumptions run_law.
Print Assumptions conditional_law.
Print Assumptions rejection.
Print Assumptions trial_law.
Print Assumptions trial_ends.
Print Assumptions trial_proper.
Print Assumptions trial_refines.
Print Assumptions trial_conditional_law.
Print Assumptions sampler_proper.
Print Assumptions sampler_law.
Print Assumptions sampler_conditional_law.
Print Assumptions sampler_ends.
Print Assumptions rounded_trial_law.
Print Assumptions rounded_trial_ends.
Print Assumptions rounded_trial_proper.
Print Assumptions rounded_sampler_proper.
Print Assumptions rounded_sampler_law.
Print Assumptions rounded_sampler_conditional_law.
Print Assumptions rounded_sampler_ends.
Print Assumptions finest_frontier.
Print Assumptions exponential_ratio.
Print Assumptions accepted_ratio.
Print Assumptions search_tree_exists.
Print Assumptions khot_rationals.
Print Assumptions two_queries.
Print Assumptions small_frontier.
Print Assumptions small_trial.
Print Assumptions small_sampler.
Print Assumptions parts_replace_one.
Print Assumptions parts_remove_one.
Print Assumptions parts_add_one.
Print Assumptions approval_stable.
Print Assumptions approval_vote_replace_one.
Print Assumptions approval_vote_remove_one.
Print Assumptions approval_vote_add_one.
Print Assumptions hard_released_stable.
Print Assumptions hard_stable.
Print Assumptions quiet_by_rungs.
Print Assumptions hard_vote_replace_one.
Print Assumptions hard_vote_remove_one.
Print Assumptions hard_vote_add_one.
Print Assumptions small_vote.
Print Assumptions small_ladder_holds.

(* The axioms of the standard library's real numbers. *)
Print Assumptions Pr_nonneg.
Print Assumptions Pr_sure.
Print Assumptions Pr_countably_additive.
Print Assumptions geometric_law_is.
Print Assumptions laplace_law_is.
Print Assumptions khot_replace_one.
Print Assumptions khot_add_remove.
Print Assumptions separator_replace_one.
Print Assumptions separator_add_remove.
Print Assumptions report_noisy_min.
Print Assumptions exponential_sure.
Print Assumptions exponential_replace_one.
Print Assumptions exponential_add_remove.
Print Assumptions tree_sampler_draws.
Print Assumptions rounded_sampler_draws.
Print Assumptions search_sound.
Print Assumptions search_sampler_draws.
Print Assumptions eighths_replace_one.
Print Assumptions eighths_add_remove.
