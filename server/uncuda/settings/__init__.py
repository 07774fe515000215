"""Settings: one table of options, one schema, and the files that set them."""

from .loading import CONFIGURATION_FILES, Configuration, settings_of, values_of
from .model import Settings, absolute, pattern_set
from .options import OPTIONS, SEVERITIES, Option
from .values import SettingsError, ValueProblem, Vocabulary, check_choice, hint

__all__ = [
    "CONFIGURATION_FILES",
    "OPTIONS",
    "SEVERITIES",
    "Configuration",
    "Option",
    "Settings",
    "SettingsError",
    "ValueProblem",
    "Vocabulary",
    "absolute",
    "check_choice",
    "hint",
    "pattern_set",
    "settings_of",
    "values_of",
]
