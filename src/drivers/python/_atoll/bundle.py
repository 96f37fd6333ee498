"""MIME bundles: how a value looks, in every form that it has."""
import sys

from _atoll import errors
from _atoll.wire import quote

MAX_PLAIN = 1 << 20
MAX_BUNDLE = 16 << 20
MAX_TYPES = 60  # besides text/plain; the host takes 64
MAX_TYPE = 250  # bytes of a type's name as JSON; the host takes 256
MAX_DEPTH = 60  # of arrays and objects; the host takes 64, the bundle among them
SPARE = 64 << 10  # of a bundle, for names, braces and sentences about what is left out
PLAIN_TYPES = frozenset((int, bool, float, complex, bytes, bytearray, range, type))
METHODS = (
    ("text/html", "_repr_html_"), ("text/markdown", "_repr_markdown_"), ("text/latex", "_repr_latex_"),
    ("image/svg+xml", "_repr_svg_"), ("image/png", "_repr_png_"), ("image/jpeg", "_repr_jpeg_"),
    ("application/pdf", "_repr_pdf_"), ("application/json", "_repr_json_"),
    ("application/javascript", "_repr_javascript_"))
JSON_NODES, JSON_CHARACTERS = 20000, 1 << 20

rich_formatter = None  # IPython's, when it is loaded: from an object to a bundle


def of(value):
    kind = type(value)
    if kind in PLAIN_TYPES or kind is str:
        return {"text/plain": repr(value)}
    bundle = (rich_formatter or forms_of)(value)
    if bundle is None:
        return None  # the value has shown itself
    if "text/plain" not in bundle:
        bundle["text/plain"] = repr(value)
    if (kind is dict or kind is list) and is_small_json(value):
        bundle.setdefault("application/json", value)
    return bundle


def special_forms_of(value):
    """Of values that cannot say it themselves, or say it worse."""
    kind = type(value)
    if kind.__module__.startswith("pandas.") and kind.__name__ == "Series":
        return {"text/html": value.to_frame()._repr_html_()}
    figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", None)
    if figure is not None and isinstance(value, figure):
        from _atoll import figures

        return figures.bundle_of(value)
    return None


def forms_of(value):
    """By the methods of the value's class: an instance that answers to any name means nothing by it."""
    kind = type(value)
    bundle = _attempt(lambda: special_forms_of(value)) or {}
    method = getattr(kind, "_repr_mimebundle_", None)
    if method is not None:
        made = _attempt(lambda: method(value, include=None, exclude=None))
        made = made[0] if isinstance(made, tuple) and made else made
        if isinstance(made, dict):
            bundle.update(made)
    for mime, name in METHODS:
        method = getattr(kind, name, None)
        if method is not None and mime not in bundle:
            made = _attempt(lambda: method(value))
            if isinstance(made, tuple) and len(made) == 2 and isinstance(made[1], dict):
                made = made[0]  # the other half is metadata
            if made is not None:
                bundle[mime] = made
    if not bundle and callable(getattr(kind, "_ipython_display_", None)):
        value._ipython_display_()
        return None
    return bundle


def _attempt(make):
    """A form that fails is told on stderr; the others are shown all the same."""
    try:
        return make()
    except NotImplementedError:
        return None
    except Exception as problem:
        errors.print_traceback(problem)
        return None


def encode(bundle):
    """As JSON in bytes that the host takes: at most MAX_BUNDLE, with few types, nested no deeper than allowed."""
    plain = bundle.get("text/plain")
    plain = _clip("" if plain is None else _string(plain))
    left_out, pieces, room = "", [], MAX_BUNDLE - SPARE - len(_utf8(quote(plain)))
    types = [mime for mime, data in bundle.items() if mime != "text/plain" and data is not None]
    forms = [(_string(mime), _json_of(_string(mime), bundle[mime])) for mime in types[:MAX_TYPES]]
    for mime, text in sorted(forms, key=lambda form: len(form[1])):
        name = _utf8(quote(mime))
        problem = "its name is too long" if len(name) > MAX_TYPE else \
            "it has %d bytes, too many" % len(text) if len(text) > room else \
            "it is nested too deeply" if _is_deep(mime, text) else None
        if text and problem is None:
            pieces.append(b"%b:%b" % (name, text))
            room -= len(text)
        elif text:
            left_out += "\n(%s is left out: %s)" % (mime[:100], problem)
    if len(types) > MAX_TYPES:
        left_out += "\n(%d more are left out: too many)" % (len(types) - MAX_TYPES)
    pieces.insert(0, b'"text/plain":' + _utf8(quote(plain + left_out[:SPARE // 8])))
    return b"{" + b",".join(pieces) + b"}"


def _string(value):
    text = str(value)
    return text if type(text) is str else str.__str__(text)


def _is_deep(mime, text):
    if not mime.endswith("json") or text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return False
    import re

    depth = 0
    for bracket in re.sub(rb'"(?:[^"\\]+|\\.)*"|[^][{}"]+', b"", text):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _clip(text):
    if len(text) <= MAX_PLAIN // 4:
        return text
    kept = text[:MAX_PLAIN].encode("utf-8", "replace")[:MAX_PLAIN].decode("utf-8", "ignore")
    return text if len(kept) == len(text) else "%s\n… %d characters more" % (kept, len(text) - len(kept))


def _utf8(text):
    return text.encode("utf-8", "replace")


def _json_of(mime, data):
    if isinstance(data, (bytes, bytearray, memoryview)):
        if mime.startswith("text/") or mime.endswith(("json", "xml", "javascript")):
            return _json_of(mime, bytes(data).decode("utf-8", "replace"))
        import binascii

        return b'"' + binascii.b2a_base64(data, newline=False) + b'"'
    if mime.endswith("json"):
        return _nested_json(data)
    if isinstance(data, (list, tuple)):
        data = "".join(map(str, data))
    text = _string(data)
    if mime.startswith("image/") and not mime.endswith("xml"):
        text = "".join(text.split())  # base64 already
    return _utf8(quote(text))


def _nested_json(data):
    import json

    try:
        if isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
            data = json.loads(data)
        try:
            text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
        except ValueError:
            text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"), default=str)
    except (ValueError, TypeError, RecursionError):
        return b""
    return _utf8(text)


def _finite(data):
    """With null for the numbers that JSON does not have."""
    if isinstance(data, float):
        return data if data - data == 0 else None
    if isinstance(data, dict):
        return {key: _finite(item) for key, item in data.items()}
    return [_finite(item) for item in data] if isinstance(data, (list, tuple)) else data


def is_small_json(value):
    nodes, characters, todo = 0, 0, [(value, 0)]
    while todo:
        item, depth = todo.pop()
        kind = type(item)
        nodes += 1
        if kind is str:
            characters += len(item)
        elif kind is dict:
            if len(item) > JSON_NODES or not all(type(key) is str for key in item):
                return False
            characters += sum(map(len, item))
            todo.extend((child, depth + 1) for child in item.values())
        elif kind is list:
            if len(item) > JSON_NODES:
                return False
            todo.extend((child, depth + 1) for child in item)
        elif kind is int:
            if not -(1 << 63) <= item < 1 << 63:
                return False
        elif kind is float:
            if item - item != 0:
                return False
        elif item is not None and kind is not bool:
            return False
        if nodes + len(todo) > JSON_NODES or characters > JSON_CHARACTERS or depth > MAX_DEPTH:
            return False
    return True
