"""References and conditions of the scenarios, as SCENARIOS.md describes them."""
import re

REFERENCE = re.compile(r"\$\$\{|\$\{([^}]+)\}")
MISSING = object()


def look_up(value, path):
    """The value at a path; MISSING where there is none."""
    steps = path.split(".") if path else []
    for index, step in enumerate(steps):
        if step == "*":
            if not isinstance(value, list):
                return MISSING
            rest = ".".join(steps[index + 1:])
            return [found for found in (look_up(item, rest) for item in value) if found is not MISSING]
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", step) and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def filled(value, saved):
    """`value` with its references replaced."""
    if isinstance(value, dict):
        return {name: filled(item, saved) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, saved) for item in value]
    if not isinstance(value, str):
        return value
    whole = REFERENCE.fullmatch(value)
    if whole and whole[1]:
        return referred(whole[1], saved)
    return REFERENCE.sub(lambda match: "${" if not match[1] else str(referred(match[1], saved)), value)


def referred(reference, saved):
    name, _, path = reference.partition(".")
    if name not in saved:
        raise KeyError(f"nothing is saved as {name}")
    found = look_up(saved[name], path)
    if found is MISSING:
        raise KeyError(f"there is no {reference}")
    return found


def contains(value, part):
    if isinstance(value, str):
        return isinstance(part, str) and part in value
    if isinstance(value, list):
        return part in value
    if isinstance(value, dict):
        return isinstance(part, dict) and all(name in value and value[name] == item for name, item in part.items())
    return False


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


CHECKS = {
    "equals": lambda value, wanted: value is not MISSING and value == wanted,
    "not_equals": lambda value, wanted: value is not MISSING and value != wanted,
    "contains": contains,
    "lacks": lambda value, wanted: value is not MISSING and not contains(value, wanted),
    "matches": lambda value, wanted: isinstance(value, str) and re.search(wanted, value) is not None,
    "length": lambda value, wanted: isinstance(value, (str, list, dict)) and len(value) == wanted,
    "at_least": lambda value, wanted: number(value) and value >= wanted,
    "at_most": lambda value, wanted: number(value) and value <= wanted,
    "one_of": lambda value, wanted: value in wanted,
    "present": lambda value, wanted: (value is not MISSING and value is not None) == wanted,
}


def unmet(conditions, value, saved):
    """What does not hold, in words."""
    problems = []
    for condition in conditions:
        condition = dict(condition)
        path = condition.pop("path", "")
        if len(condition) != 1:
            raise ValueError(f"one condition per entry: {condition}")
        (kind, wanted), = condition.items()
        found, wanted = look_up(value, path), filled(wanted, saved)
        if not CHECKS[kind](found, wanted):
            shown = "nothing" if found is MISSING else repr(found)[:300]
            problems.append(f"{path or 'the result'} is {shown}, not {kind} {wanted!r}"[:600])
    return problems
