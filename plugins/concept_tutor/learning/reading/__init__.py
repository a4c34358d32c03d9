"""What the sources say: sentences that stand alone, the things that they name, the sentences that define."""
