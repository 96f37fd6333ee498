#!/usr/bin/env python3
"""Makes JSON and a readable page of an OpenAPI document in YAML, after checking that it hangs together.

usage: api_docs.py --yaml FILE --json OUT --html OUT | --check FILE
"""
import argparse
import html
import json
import pathlib
import re
import sys

import yaml

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b2733}
code,pre{font:14px/1.4 ui-monospace,monospace;background:#f2f5f8;border-radius:4px;padding:.1em .3em}
h2{border-bottom:1px solid #d5dde5;margin-top:2.5rem}details{border:1px solid #d5dde5;border-radius:6px;margin:.5rem 0;padding:.4rem .8rem}
summary{cursor:pointer}.m{display:inline-block;min-width:4.5rem;font-weight:700}table{border-collapse:collapse;margin:.5rem 0}
td,th{border:1px solid #d5dde5;padding:.2rem .6rem;text-align:left;vertical-align:top}
@media(prefers-color-scheme:dark){body{background:#11181f;color:#d9e2ea}code,pre{background:#1d2832}}"""


def operations(document):
    """(path, method, operation, parameters of the path) for each."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method], item.get("parameters", [])


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


def resolve(document, value):
    """What a $ref stands for; anything else as it is."""
    if isinstance(value, dict) and "$ref" in value:
        found = document
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return found
    return value


def problems(document):
    seen = set()
    for path, method, operation, shared in operations(document):
        where = f"{method.upper()} {path}"
        name = operation.get("operationId")
        if not name or name in seen:
            yield f"{where}: operationId is missing or taken"
        seen.add(name)
        if not operation.get("summary") or not operation.get("tags") or not operation.get("responses"):
            yield f"{where}: summary, tags and responses are required"
        given = [resolve(document, p) for p in shared + operation.get("parameters", [])]
        named = {p["name"] for p in given if p["in"] == "path"}
        wanted = set(re.findall(r"{([^}]+)}", path))
        if named != wanted:
            yield f"{where}: path parameters are {sorted(named)}, the path has {sorted(wanted)}"
    used = set(references(document))
    for reference in sorted(used):
        try:
            resolve(document, {"$ref": reference})
        except (KeyError, TypeError):
            yield f"{reference}: leads nowhere"
    for kind, members in document["components"].items():
        for name in members:
            if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in used:
                yield f"#/components/{kind}/{name}: used by nobody"


def text(value):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(str(value), quote=False))


def type_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f'<a href="#{name}">{name}</a>'
    if "contentSchema" in schema:
        return f"JSON: {type_of(schema['contentSchema'])}"
    if "const" in schema:
        return f"<code>{text(schema['const'])}</code>"
    if "oneOf" in schema:
        return " or ".join(type_of(one) for one in schema["oneOf"])
    kind = schema.get("type", "any")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if "enum" in schema:
        return " | ".join(f"<code>{text(one)}</code>" for one in schema["enum"])
    return kind


def schema_table(schema):
    rows = []
    if all(one.get("properties") for one in schema.get("oneOf", [{}])):
        return f"<p>{text(schema.get('description', ''))}</p>" + "".join(map(schema_table, schema["oneOf"]))
    if not schema.get("properties") and "properties" in schema.get("contentSchema", {}):
        return schema_table(schema["contentSchema"])
    for name, member in schema.get("properties", {}).items():
        must = "required" if name in schema.get("required", []) else ""
        default = f" Default <code>{text(json.dumps(member['default']))}</code>." if "default" in member else ""
        rows.append(f"<tr><td><code>{text(name)}</code></td><td>{type_of(member)}</td><td>{must}</td>"
                    f"<td>{text(member.get('description', ''))}{default}"
                    f"{schema_table(member) if member.get('contentSchema', {}).get('properties') else ''}</td></tr>")
    return f"<table>{''.join(rows)}</table>" if rows else f"<p>{type_of(schema)} {text(schema.get('description', ''))}</p>"


def body_html(content):
    parts = []
    for media, entry in content.items():
        schema = entry.get("schema", {})
        kind = f"events: {type_of(entry['itemSchema'])}" if "itemSchema" in entry else type_of(schema)
        parts.append(f"<code>{media}</code> {kind}")
        if schema.get("properties"):
            parts.append(schema_table(schema))
    return " ".join(parts)


def operation_html(document, path, method, operation, shared):
    out = [f'<details id="{operation["operationId"]}"><summary><span class="m">{method.upper()}</span> '
           f"<code>{text(path)}</code> {text(operation['summary'])}</summary>"]
    if operation.get("description"):
        out.append(f"<p>{text(operation['description'])}</p>")
    parameters = [resolve(document, p) for p in shared + operation.get("parameters", [])]
    if parameters:
        rows = "".join(f"<tr><td><code>{text(p['name'])}</code></td><td>{p['in']}</td>"
                       f"<td>{type_of(p.get('schema', {}))}</td><td>{text(p.get('description', ''))}</td></tr>"
                       for p in parameters)
        out.append(f"<table>{rows}</table>")
    if "requestBody" in operation:
        out.append(f"<p>Body: {body_html(resolve(document, operation['requestBody'])['content'])}</p>")
    rows = "".join(f"<tr><td>{code}</td><td>{text(resolve(document, r)['description'])}</td>"
                   f"<td>{body_html(resolve(document, r).get('content', {}))}</td></tr>"
                   for code, r in operation["responses"].items())
    out.append(f"<table>{rows}</table></details>")
    return "".join(out)


def page(document):
    info = document["info"]
    out = [f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{text(info["title"])} API</title>'
           f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
           f"<h1>{text(info['title'])} API</h1><p>{text(info['description'])}</p>"
           '<p>Keys are sent as <code>Authorization: Bearer KEY</code>, <code>X-API-Key</code> or '
           '<code>OPEN-SANDBOX-API-KEY</code>. The same as JSON: <a href="/openapi.json">/openapi.json</a>.</p>']
    for tag in document["tags"]:
        out.append(f"<h2>{text(tag['name'])}</h2><p>{text(tag['description'])}</p>")
        out += [operation_html(document, *one) for one in operations(document) if tag["name"] in one[2]["tags"]]
    out.append("<h2>Bodies</h2>")
    out += [f'<h3 id="{name}">{name}</h3>{schema_table(schema)}'
            for name, schema in document["components"]["schemas"].items()]
    return "\n".join(out) + "</body></html>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--yaml", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--html", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    args = parser.parse_args()
    document = yaml.safe_load((args.check or args.yaml).read_text())
    found = list(problems(document))
    for problem in found:
        print(problem, file=sys.stderr)
    if found or args.check:
        return 1 if found else 0
    args.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    args.html.write_text(page(document))
    return 0


if __name__ == "__main__":
    sys.exit(main())
