"""Settings: the table of all settings, their schema, and the files that set them."""

from .editor import EDITOR_OPTIONS, EditorSettings, read_editor
from .keeping import NotWrittenError, with_values
from .loading import BASELINE_FILE, CONFIGURATION_FILES, Configuration, settings_of, shown, values_of
from .model import Settings, absolute
from .options import OPTIONS, SEVERITIES, Option
from .patterns import PatternError, Patterns, pattern_set, read_patterns
from .values import SettingsError, ValueProblem, Vocabulary, check_choice, hint

__all__ = [
    "BASELINE_FILE",
    "CONFIGURATION_FILES",
    "EDITOR_OPTIONS",
    "OPTIONS",
    "SEVERITIES",
    "Configuration",
    "EditorSettings",
    "NotWrittenError",
    "Option",
    "PatternError",
    "Patterns",
    "Settings",
    "SettingsError",
    "ValueProblem",
    "Vocabulary",
    "absolute",
    "check_choice",
    "hint",
    "pattern_set",
    "read_editor",
    "read_patterns",
    "settings_of",
    "shown",
    "values_of",
    "with_values",
]
