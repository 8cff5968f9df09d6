"""Errors that a user can act on.

Each message is one paragraph: the file, what was found, what was expected, what to do next. The command line
prints it without a traceback and exits with 2.
"""


class ElmoBenchError(Exception):
    """Base of every error that is the input's or the machine's fault, not the program's."""


class ModelError(ElmoBenchError):
    """A model folder, its options or its weights cannot be used."""


class ConfigError(ElmoBenchError):
    """A choice does not exist or cannot be made."""


class TextError(ElmoBenchError):
    """A text file or a sentence cannot be used."""


class TrainingError(ElmoBenchError):
    """Training cannot go on."""


class OutputError(ElmoBenchError):
    """A result could not be written."""


class DownloadError(ElmoBenchError):
    """A published file could not be fetched or failed its integrity check."""
