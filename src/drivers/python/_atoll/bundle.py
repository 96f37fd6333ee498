"""MIME bundles: how a value looks, in every form that it has."""
import sys

from _atoll import errors
from _atoll.wire import quote

MAX_PLAIN = 1 << 20
MAX_BUNDLE = 16 << 20
SPARE = 64 << 10  # of a bundle, for names, braces and sentences about what is left out
PLAIN_TYPES = frozenset((int, bool, float, complex, bytes, bytearray, range, type))
METHODS = (
    ("text/html", "_repr_html_"), ("text/markdown", "_repr_markdown_"), ("text/latex", "_repr_latex_"),
    ("image/svg+xml", "_repr_svg_"), ("image/png", "_repr_png_"), ("image/jpeg", "_repr_jpeg_"),
    ("application/pdf", "_repr_pdf_"), ("application/json", "_repr_json_"),
    ("application/javascript", "_repr_javascript_"))
JSON_NODES, JSON_CHARACTERS, JSON_DEPTH = 20000, 1 << 20, 64

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
    """As JSON in bytes, at most MAX_BUNDLE."""
    plain = bundle.get("text/plain")
    plain = _clip(plain if isinstance(plain, str) else "" if plain is None else str(plain))
    left_out, pieces, room = "", [], MAX_BUNDLE - SPARE - len(_utf8(quote(plain)))
    forms = [(str(mime), _json_of(str(mime), data)) for mime, data in bundle.items()
             if mime != "text/plain" and data is not None]
    for mime, text in sorted(forms, key=lambda form: len(form[1])):
        if text and len(text) <= room:
            pieces.append(b"%b:%b" % (_utf8(quote(mime)), text))
            room -= len(text)
        elif text:
            left_out += "\n(%s is left out: it has %d bytes, too many)" % (mime[:100], len(text))
    pieces.insert(0, b'"text/plain":' + _utf8(quote(plain + left_out[:SPARE // 8])))
    return b"{" + b",".join(pieces) + b"}"


def _clip(text):
    if len(text) <= MAX_PLAIN // 4:
        return text
    kept = text[:MAX_PLAIN].encode("utf-8", "replace")[:MAX_PLAIN].decode("utf-8", "ignore")
    return text if len(kept) == len(text) else "%s\n… %d characters more" % (kept, len(text) - len(kept))


def _utf8(text):
    return text.encode("utf-8", "replace")


def _json_of(mime, data):
    if isinstance(data, (bytes, bytearray, memoryview)):
        import binascii

        return b'"' + binascii.b2a_base64(data, newline=False) + b'"'
    if mime.endswith("json"):
        return _nested_json(data)
    if isinstance(data, (list, tuple)):
        data = "".join(map(str, data))
    text = str(data)
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
        if nodes + len(todo) > JSON_NODES or characters > JSON_CHARACTERS or depth > JSON_DEPTH:
            return False
    return True
