"""Task heads: one folder each, reached from a config's ``_target_`` and never imported by the engine."""
