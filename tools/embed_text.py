#!/usr/bin/env python3
"""Turns text files into a C++ source with one function for each: std::string_view NAME().

usage: embed_text.py --namespace NS --header HEADER --out FILE.cpp NAME=FILE…
"""
import argparse
import pathlib


def literal(data):
    """One C++ string literal a line, joined by the compiler."""
    lines = data.splitlines(keepends=True) or [b""]
    return "\n".join('"' + "".join(escaped(byte) for byte in line) + '"' for line in lines)


def escaped(byte):
    if byte == 10:
        return "\\n"
    if byte in b'"\\?':
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--header", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("texts", nargs="+", metavar="NAME=FILE")
    args = parser.parse_args()
    lines = [f'#include "{args.header}"', "", f"namespace {args.namespace} {{"]
    for text in args.texts:
        name, _, file = text.partition("=")
        data = pathlib.Path(file).read_bytes()
        lines += ["", f"std::string_view {name}() {{",
                  f"  static constexpr char kText[] = {literal(data)};",
                  "  return {kText, sizeof kText - 1};", "}"]
    lines += ["", f"}}  // namespace {args.namespace}", ""]
    args.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
