"""Mail: its header, its parts, what its writer said, and the mails of an mbox file."""
