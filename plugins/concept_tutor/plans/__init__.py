"""Study plans: concepts, which of them to learn before which, and the sources of each."""

#: The corpus of their passages, and the kind of its documents.
NAME = "concept_tutor"
KIND = "tutor_passage"
