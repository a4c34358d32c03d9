"""Questions out of a plan's sources, answers graded against them, and what a learner has to see again."""
