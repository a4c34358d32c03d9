"""Quality measures of retrieval, refusal and answers, for ``ragstone eval``."""
