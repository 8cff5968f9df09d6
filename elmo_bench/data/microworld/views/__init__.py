"""What each task reads from a derivation: one module a view, with a function `example`."""
