"""Choices and numbers as Hydra configs, reached as ``pkg://elmo_bench.conf``."""
