"""Mail: headers, parts, replies, mbox files."""
