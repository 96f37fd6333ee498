"""The published interface of execd: which operations there are and what they take."""
import re

TEXT, NUMBER, FLAG, MAP = str, int, bool, dict

# (method, path) -> ({parameter: is it required}, {field of a JSON body: (type, is it required)})
OPERATIONS = {
    ("GET", "/ping"): ({}, None),
    ("POST", "/command"): ({}, {"command": (TEXT, True), "cwd": (TEXT, False), "background": (FLAG, False),
                                "timeout": (NUMBER, False), "uid": (NUMBER, False), "gid": (NUMBER, False),
                                "envs": (MAP, False)}),
    ("DELETE", "/command"): ({"id": True}, None),
    ("GET", "/command/status/{id}"): ({}, None),
    ("GET", "/command/{id}/logs"): ({"cursor": False}, None),
    ("GET", "/files/info"): ({"path": True}, None),
    ("DELETE", "/files"): ({"path": True}, None),
    ("POST", "/files/permissions"): ({}, {}),
    ("POST", "/files/mv"): ({}, {}),
    ("GET", "/files/search"): ({"path": True, "pattern": False}, None),
    ("POST", "/files/upload"): ({}, None),
    ("GET", "/files/download"): ({"path": True, "offset": False, "limit": False}, None),
    ("GET", "/directories/list"): ({"path": True, "depth": False}, None),
    ("POST", "/directories"): ({}, {}),
    ("DELETE", "/directories"): ({"path": True}, None),
    ("GET", "/metrics"): ({}, None),
}


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


def bad(message):
    return Refused(400, "INVALID_REQUEST_BODY", message)


def find_operation(method, path):
    known = False
    for (wanted, pattern), rules in OPERATIONS.items():
        match = re.fullmatch(pattern.replace("{id}", "(?P<id>[^/]+)"), path)
        known = known or match is not None
        if match and wanted == method:
            return pattern, match.groupdict(), rules
    raise Refused(405 if known else 404, "UNKNOWN", f"{method} {path} is no operation")


def check_parameters(query, rules):
    for name in query:
        if name not in rules:
            raise bad(f"there is no parameter {name}")
    for name, required in rules.items():
        if required and not query.get(name):
            raise Refused(400, "MISSING_QUERY", f"missing query parameter '{name}'")


def check_fields(body, rules):
    if not isinstance(body, dict):
        raise bad("the body is no object")
    for name, value in body.items():
        if name not in rules:
            raise bad(f"there is no field {name}")
        kind, required = rules[name]
        if value is None and not required:
            continue  # the same as nothing
        if not isinstance(value, kind) or (kind is NUMBER and isinstance(value, bool)):
            raise bad(f"{name} has the wrong type")
    for name, (_, required) in rules.items():
        if required and not body.get(name):
            raise bad(f"{name} is required")
