#!/usr/bin/env python3
"""Makes the models and enums of the Python SDK from the API's description.

usage: sdk_models.py [--check]

What the server answers becomes dataclasses that keep what they do not know in `raw`; what it is told
becomes TypedDicts; closed lists become enums. --check writes nothing and fails when the file is stale.
"""
import keyword
import pathlib
import re
import sys
import textwrap

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENAPI = ROOT / "src/api/rest/openapi.yaml"
OUT = ROOT / "sdk/python/src/atoll/_models.py"

ENUMS = {"Role": "Role", "Health": "RuntimeHealth", "SessionState": "SessionState", "ExecutionState": "ExecutionState",
         "AuditAction": "AuditAction", "RiskLevel": "RiskLevel"}
DICTS = ["Resources", "NetworkRule", "SecretUse", "NetworkPolicy", "SessionConfig", "TemplateBody"]
MODELS = ["Session", "Execution", "Context", "Usage", "Process", "File", "Snapshot", "Template", "SessionNetwork",
          "Secret", "Runtime", "Key", "AuditRow", "Finding", "Judgement", "DiagnosedExecution",
          "Diagnostics"]
NAMES = {"Context": "ContextInfo", "Execution": "ExecutionData", "File": "FileInfo", "AuditRow": "AuditEntry",
         "Key": "ApiKey"}
# Text that lists leave out and that is empty then.
EMPTY = {"ExecutionData": {"stdout", "stderr", "output"}}
# Answers that are described where they are used: (path, method, status) and the name they get.
INLINE = [("/api/v1/sessions/{id}/status", "get", "200", "SessionStatus"),
          ("/api/v1/sessions/{id}/ports/{port}/token", "post", "201", "Preview"),
          ("/api/v1/backends", "get", "200", "Backends"),
          ("/api/v1/ready", "get", "200", "Ready")]

HEADER = '''\
# Made by tools/sdk_models.py from openapi.yaml; changes belong there.
"""What the server answers, and what it is told, as types."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Dict, List, Mapping, Optional, Type, TypedDict, TypeVar, Union

from ._json import Model, items, time_of


'''


class Maker:
    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.document = document
        self.made = []  # texts of dataclasses, in the order in which they are needed
        self.known = set()

    def resolve(self, schema):
        """(name or None, schema) behind a reference."""
        if "$ref" not in schema:
            return None, schema
        group, name = schema["$ref"].split("/")[-2:]
        return name, self.document["components"][group][name]

    def plain(self, schema, hint):
        """(type, expression of the value `{}`, can be null) of a field."""
        name, schema = self.resolve(schema)
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else list(kinds or [])
        null = "null" in kinds
        kind = next((k for k in kinds if k != "null"), None)
        if name in ENUMS:
            return f"Union[{ENUMS[name]}, str]", f"{ENUMS[name]}.of({{}})", null
        if schema.get("format") == "date-time":
            return "datetime", "time_of({})", null
        if name in DICTS:
            return name, "{}", null
        if name in MODELS or (kind == "object" and schema.get("properties") and name not in ("Strings", "Metadata")):
            made = NAMES.get(name, name) if name in MODELS else hint
            if name not in MODELS:
                self.model(made, schema)
            return made, f"{made}.from_json({{}})", null
        if kind == "array":
            inner, make, _ = self.plain(schema["items"], hint + "Item")
            if make == "{}":
                return f"List[{inner}]", "{}", null
            return f"List[{inner}]", f"items({{}}, {make.split('(')[0]})", null
        if kind == "object":
            extra = schema.get("additionalProperties")
            if isinstance(extra, dict) and extra:
                inner, make, _ = self.plain(extra, hint + "Item")
                if make == "{}":
                    return f"Dict[str, {inner}]", "{}", null
            return "Dict[str, Any]", "{}", null
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
        return simple.get(kind, "Any"), "{}", null

    def model(self, name, schema):
        if name in self.known:
            return
        self.known.add(name)
        required = set(schema.get("required", []))
        fields, reads = [], []
        for key, part in schema["properties"].items():
            kind, make, null = self.plain(part, name + "".join(word.title() for word in key.split("_")))
            attribute = key + "_" if keyword.iskeyword(key) else key
            if key in EMPTY.get(name, ()):
                fields.append((attribute, kind, part.get("description")))
                reads.append(f'{attribute}=data.get("{key}") or ""')
                continue
            optional = null or key not in required
            fields.append((attribute, f"Optional[{kind}]" if optional else kind, part.get("description")))
            read = f'data.get("{key}")' if optional else f'data["{key}"]'
            if make == "{}":
                reads.append(f"{attribute}={read}")
            elif optional:
                value = make.format(f'data["{key}"]')
                reads.append(f'{attribute}=None if {read} is None else {value}')
            else:
                reads.append(f"{attribute}={make.format(read)}")
        reads = [text if len(text) <= 105 else text.replace("=None if", "=None\n            if").replace(" else ", "\n            else ")
                 for text in reads]
        lines = ["@dataclass(frozen=True)", f"class {name}(Model):", f'    """{sentence(schema, name)}"""', ""]
        for attribute, kind, text in fields:
            lines.append(f"    {attribute}: {kind}")
            if text:
                lines.append(docstring(text))
        lines += ["    raw: Mapping[str, Any] = field(repr=False, compare=False)",
                  '    """The answer as it came, with fields that this version does not know."""', "",
                  "    @classmethod",
                  f"    def from_json(cls: Type[{name}T], data: Mapping[str, Any]) -> {name}T:",
                  "        return cls(", *[f"            {read}," for read in [*reads, "raw=data"]], "        )", "", ""]
        self.made.append(f'{name}T = TypeVar("{name}T", bound="{name}")\n\n\n' + "\n".join(lines))

    def enum(self, name, python):
        lines = [f"class {python}(str, Enum):", f'    """{sentence(self.schemas[name], python)}"""', ""]
        for value in self.schemas[name]["enum"]:
            lines.append(f'    {re.sub("[^a-z0-9]", "_", value).upper()} = "{value}"')
        lines += ["", "    @classmethod", f"    def of(cls, value: str) -> Union[{python}, str]:",
                  '        """Values of a newer server stay text."""',
                  "        found = cls._value2member_map_.get(value)",
                  "        return found if isinstance(found, cls) else value", "", "    __str__ = str.__str__", "", "", ""]
        return "\n".join(lines)

    def typed_dict(self, name, schema):
        before = ""
        lines = [f"class {name}(TypedDict, total=False):", f'    """{sentence(schema, name)}"""', ""]
        for key, part in schema["properties"].items():
            if part.get("properties"):
                kind, null = name + key.title(), False
                before += self.typed_dict(kind, part)
            else:
                kind, _, null = self.plain(part, name + key.title())
            if part.get("type") == "array" and part["items"].get("type") == ["integer", "string"]:
                kind = "List[Union[int, str]]"
            lines.append(f"    {key}: {f'Optional[{kind}]' if null else kind}")
            if part.get("description"):
                lines.append(docstring(part["description"]))
        return before + "\n".join(lines) + "\n\n\n"

    def text(self):
        parts = [HEADER]
        parts += [self.enum(name, python) for name, python in ENUMS.items()]
        parts += [self.typed_dict(name, self.schemas[name]) for name in DICTS]
        for name in MODELS:
            self.model(NAMES.get(name, name), self.schemas[name])
        for path, method, status, name in INLINE:
            _, answer = self.resolve(self.document["paths"][path][method]["responses"][status])
            self.model(name, answer["content"]["application/json"]["schema"])
        return "".join(parts + self.made).rstrip() + "\n"


def clean(text):
    return " ".join(text.replace("\\", "\\\\").replace('"""', "'''").split())


def sentence(schema, name):
    text = clean(schema.get("description", "")) or re.sub(r"(?<!^)([A-Z])", lambda m: " " + m[1].lower(), name) + "."
    if len(text) <= 100:
        return text
    return "\n    ".join(textwrap.wrap(text, 108)) + "\n    "


def docstring(text):
    text = clean(text)
    if text.endswith('"'):
        text += " "
    if len(text) <= 105:
        return f'    """{text}"""'
    return '    """' + "\n    ".join(textwrap.wrap(text, 108)) + '\n    """'


def main():
    text = Maker(yaml.safe_load(OPENAPI.read_text(encoding="utf-8"))).text()
    if "--check" in sys.argv:
        if not OUT.exists() or OUT.read_text(encoding="utf-8") != text:
            print(f"sdk_models: {OUT.relative_to(ROOT)} is stale; run tools/sdk_models.py")
            return 1
        print("sdk_models: up to date")
        return 0
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(text, encoding="utf-8")
    print(f"sdk_models: {len(text.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
