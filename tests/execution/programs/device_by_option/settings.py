"""Reading of the settings files: JSON for the models, "key: value" lines for the runtime."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def load_json(name):
    with open(os.path.join(HERE, "configs", name)) as f:
        return json.load(f)


def load_simple_yaml(name):
    """Enough of YAML for us: flat keys, comments, numbers, true/false."""
    result = {}
    with open(os.path.join(HERE, "configs", name)) as f:
        for line in f:
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            key, value = (part.strip() for part in line.split(":", 1))
            result[key] = parse_value(value)
    return result


def parse_value(text):
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text.strip("\"'")
