# SPDX-License-Identifier: MIT
"""Looks at a candidate's source, and never runs any of it: parses it, and writes what it found as one JSON object.

usage: look.py SOURCE, with descriptor 3 open for writing. Standard library only; it runs in a box of its own. The judge
reads what it writes as hostile input, since whoever wrote the source may have found a hole in Python's parser.
"""
import importlib.util
import json
import os
import resource
import sys


def sibling(name):
    """A module of the folder of this file, which is not searched for modules (python -I)."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MEMORY_BYTES = 448 << 20  # below the box's limit, so that Python can still say so
SOURCE_BYTES = 4 << 20
TEXT_BYTES = 2 << 20  # of all texts for the judge
TEXTS = 400
USUAL_ENCODINGS = ("utf-8", "utf-8-sig", "iso-8859-1", "ascii")


def decoded(data):
    """The text as Python reads it, and the name of its encoding."""
    import io
    import tokenize

    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return importlib.util.decode_source(data), encoding


def text_json(fragments):
    """A text, and the places from which its lines and columns do not follow by counting."""
    text, places, offset = [], [], 0
    line, column = 1, 1
    for piece, at_line, at_column in fragments:
        piece = piece.encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
        if (at_line, at_column) != (line, column):
            places.append([offset, at_line, at_column])
            line, column = at_line, at_column
        size = len(piece.encode("utf-8"))
        newlines = piece.count("\n")
        if newlines:
            line, column = line + newlines, len(piece[piece.rfind("\n") + 1:].encode("utf-8")) + 1
        else:
            column += size
        offset += size
        text.append(piece)
    return {"text": "".join(text), "places": places}, offset


def look(path):
    if os.path.getsize(path) > SOURCE_BYTES:
        return {"state": "not looked at", "why": f"the file is larger than {SOURCE_BYTES >> 20} MiB"}
    with open(path, "rb") as file:
        data = file.read()
    import ast

    try:
        text, encoding = decoded(data)
        tree = ast.parse(text)
    except SyntaxError as error:
        return {"state": "not looked at", "why": f"it is not Python: line {error.lineno}: {error.msg}"}
    except (ValueError, LookupError) as error:
        return {"state": "not looked at", "why": f"it is not Python: {error}"}
    for name in ("look_tables", "look_nodes", "look_strings"):  # which the other two import
        sibling(name)
    names, rules = sibling("look_names"), sibling("look_rules")
    source = names.Source(tree, text)
    found = rules.Found(source)
    if encoding not in USUAL_ENCODINGS:
        found.add("odd_characters", None, "encoding " + encoding)
    found.look()
    answer = {"state": "looked at", "why": source.why, "labels": found.labels, "left_out": found.left_out, "texts": []}
    left = TEXT_BYTES
    for fragments in found.texts:
        entry, size = text_json(fragments)
        if size > left or len(answer["texts"]) == TEXTS:
            answer["why"] = "it holds more text in other languages than is looked at"
            continue
        left -= size
        answer["texts"].append(entry)
    if answer["why"]:
        answer["state"] = "looked at in part"
    return answer


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        answer = look(sys.argv[1])
    except RecursionError:
        answer = {"state": "not looked at", "why": "it is nested too deeply"}
    except MemoryError:
        answer = {"state": "not looked at", "why": "it is nested too deeply, or takes too much memory"}
    data = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    while data:
        data = data[os.write(3, data):]


main()
