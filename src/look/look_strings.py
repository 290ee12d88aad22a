# SPDX-License-Identifier: MIT
"""What strings a source builds, as far as that follows without running it, and where their pieces stand in its text."""
import ast
import base64
import re

DEPTH = 40        # of names that stand for names, and of strings made of strings
FOLDED = 1 << 20  # characters of a string that was put together
FRAGMENTS = 20_000

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LITERAL = re.compile(r"(?i:(br|rb|fr|rf|r|u|b|f)?)(\"\"\"|'''|\"|')")
PLAIN = re.compile(r"[^\\\n\"']+")
ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}\n]*\}|.)", re.DOTALL)


class Strings:
    """The part of look_names.Source that puts strings together."""

    def name_in(self, node, depth=0):
        """The value of an expression that is a string for certain, else None."""
        folded = self.fold(node, depth)
        return "".join(piece for piece, _, _ in folded[0]) if folded and folded[1] else None

    def fold(self, node, depth=0):
        """(fragments, whether that is all of it): a string that an expression gives, as (text, line, column) of its
        pieces; None if it is none that we can tell."""
        if depth > DEPTH:
            return None
        if node in self.folded:
            return self.folded[node]
        self.folded[node] = None
        folded = self.fold_new(node, depth + 1)
        if folded and too_long(folded[0]):
            folded = None
            if isinstance(node, ast.Constant):
                self.why = f"a string in it has more than {FOLDED} characters"
        self.folded[node] = folded
        return folded

    def made(self, node, text):
        return [(text, node.lineno, node.col_offset + 1)], True

    def fold_new(self, node, depth):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self.literal(node), True
        elif isinstance(node, ast.JoinedStr):
            return self.fold_joined(node, depth)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.fold_sum(node, depth)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            left = self.fold(node.left, depth)
            return left and (left[0], False)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            bound = node.scope.find(node.id) if isinstance(node, ast.Name) else self.attributes.get(node.attr)
            if bound and len(bound) == 1 and isinstance(bound[0], ast.AST):
                return self.fold(bound[0], depth)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            text, step = self.name_in(node.value, depth), node.slice.step
            backwards = isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) and isinstance(step.operand, ast.Constant)
            if text is not None and backwards and step.operand.value == 1 and not node.slice.lower and not node.slice.upper:
                return self.made(node, text[::-1])
        elif isinstance(node, ast.Call):
            return self.fold_call(node, depth)
        return None

    def fold_sum(self, node, depth):
        terms = []  # a + b + c + ... leans to the left, as deep as it is long
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            terms.append(node.right)
            node = node.left
        terms.append(node)
        fragments, whole, any_known = [], True, False
        for term in reversed(terms[:FRAGMENTS]):
            folded = self.fold(term, depth)
            any_known = any_known or folded is not None
            fragments += folded[0] if folded else [("_", term.lineno, term.col_offset + 1)]
            whole = whole and bool(folded and folded[1])
            if len(fragments) > 4 * FRAGMENTS:
                return None
        return (fragments, whole) if any_known else None

    def fold_joined(self, node, depth):
        fragments, whole, line = [], True, node.lineno
        texts = [part.value for part in node.values if isinstance(part, ast.Constant)]
        exact = sum(text.count("\n") for text in texts) == node.end_lineno - node.lineno
        for part in node.values:
            if isinstance(part, ast.Constant):
                for i, piece in enumerate(part.value.split("\n")):
                    if i:
                        fragments.append(("\n", line, 1))
                        line += 1 if exact else 0
                    fragments.append((piece, line, 1 if i else node.col_offset + 1))
                continue
            folded = self.fold(part.value, depth)
            fragments += folded[0] if folded else [("_", line, 1)]
            whole = whole and bool(folded and folded[1])
        return fragments, whole

    def fold_call(self, node, depth):
        function = node.func
        if isinstance(function, ast.Name):
            if function.id == "chr" and len(node.args) == 1:
                code = node.args[0]
                if isinstance(code, ast.Constant) and isinstance(code.value, int) and 0 <= code.value < 0x110000:
                    return self.made(node, chr(code.value))
            return None
        if not isinstance(function, ast.Attribute):
            return None
        method, args = function.attr, node.args
        if method == "dedent" and len(args) == 1:
            return self.fold(args[0], depth)
        if method == "decode":
            text = self.fold_bytes(function.value)
            return None if text is None else self.made(node, text)
        if method not in ("join", "format", "replace", "strip", "lstrip", "rstrip", "lower", "upper", "substitute"):
            return None
        base = self.fold(function.value, depth)
        if base is None:
            return None
        if method == "join":
            return self.fold_join(base, args, depth)
        if method in ("format", "substitute"):
            return base[0], False
        if method == "replace" and len(args) == 2:
            old, new = self.name_in(args[0], depth), self.name_in(args[1], depth)
            if not old or new is None:
                return base[0], False
            if len(base[0]) == 1 and len(base[0][0][0]) < 4096 and len(new) < 4096:
                return [(base[0][0][0].replace(old, new)[:FOLDED], *base[0][0][1:])], base[1]
            # Within each piece: what lies across two of them stays, and then the name is not all of it.
            return [(piece.replace(old, new) if len(new) <= len(old) + 64 else piece, *place) for piece, *place in base[0]], False
        if method in ("lower", "upper"):
            return [(getattr(piece, method)(), *place) for piece, *place in base[0]], base[1]
        return base

    def fold_join(self, base, args, depth):
        if len(args) != 1:
            return None
        items = args[0]
        if isinstance(items, COMPREHENSIONS[:2] + (ast.GeneratorExp,)):
            return self.fold_characters(items)
        if isinstance(items, ast.Call) and isinstance(items.func, ast.Name) and items.func.id == "map" and len(items.args) == 2:
            if isinstance(items.args[0], ast.Name) and items.args[0].id == "chr":
                return self.characters(items.args[1], items)
            return None
        if not isinstance(items, (ast.List, ast.Tuple)):
            return None
        fragments, whole = [], base[1]
        for i, item in enumerate(items.elts[:FRAGMENTS]):
            folded = self.fold(item, depth)
            if i:
                fragments += [(piece, item.lineno, item.col_offset + 1) for piece, _, _ in base[0]]
            fragments += folded[0] if folded else [("_", item.lineno, item.col_offset + 1)]
            whole = whole and bool(folded and folded[1])
            if len(fragments) > 4 * FRAGMENTS:
                return None
        return fragments, whole

    def fold_characters(self, comprehension):
        """(chr(c) for c in [99, 117, ...])"""
        call, loops = comprehension.elt, comprehension.generators
        if len(loops) == 1 and isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "chr":
            if len(call.args) == 1 and isinstance(call.args[0], ast.Name):
                return self.characters(loops[0].iter, comprehension)
        return None

    def characters(self, numbers, node):
        if isinstance(numbers, ast.Constant) and isinstance(numbers.value, bytes):
            return self.made(node, numbers.value.decode("latin-1"))
        if not isinstance(numbers, (ast.List, ast.Tuple)):
            return None
        codes = [item.value for item in numbers.elts if isinstance(item, ast.Constant) and isinstance(item.value, int)]
        if len(codes) != len(numbers.elts) or any(not 0 <= code < 0x110000 for code in codes):
            return None
        return self.made(node, "".join(map(chr, codes)))

    def fold_bytes(self, node):
        """Text of bytes that stand in the source, or that Base64 or hexadecimal digits in it stand for."""
        if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            return node.value.decode("latin-1")
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            return None
        name, value = self.resolve(node.func)[:1], node.args[0].value
        if not isinstance(value, (str, bytes)) or len(value) > FOLDED:
            return None
        try:
            if name and name[0].startswith("base64.") and name[0].endswith("b64decode"):
                return base64.b64decode(value).decode("latin-1")
            if name == ("builtins.bytes.fromhex",) and isinstance(value, str):
                return bytes.fromhex(value).decode("latin-1")
            if name == ("binascii.unhexlify",):
                return bytes.fromhex(value if isinstance(value, str) else value.decode("ascii")).decode("latin-1")
        except ValueError:
            pass
        return None

    def literal(self, node):
        """A literal's text in pieces, each with the place at which it stands."""
        whole = [(node.value, node.lineno, node.col_offset + 1)]
        if len(node.value) < 12 and "\n" not in node.value:
            return whole
        fragments = self.read_literal(node)
        return fragments if fragments and "".join(piece for piece, _, _ in fragments) == node.value else whole

    def read_literal(self, node):
        first = self.lines[node.lineno - 1].encode("utf-8", "replace")[node.col_offset:].decode("utf-8", "replace")
        rest = self.lines[node.lineno:node.end_lineno]
        text = "\n".join([first, *rest])
        line, start, shift, at, fragments = node.lineno, 0, node.col_offset, 0, []

        ascii_only = text.isascii()

        def put(piece):
            # Of very long lines the column is one of characters: counting bytes anew for each piece would take too long.
            count = at - start if ascii_only or at - start > 4096 else len(text[start:at].encode("utf-8", "replace"))
            fragments.append((piece, line, count + shift + 1))

        end = len(text) - (len(rest[-1]) if rest else len(first)) + self.end_in_line(node, rest[-1] if rest else first, shift if not rest else 0)
        while at < end and len(fragments) < FRAGMENTS:
            opened = LITERAL.match(text, at)
            if not opened:
                if text[at] == "#":
                    at = text.find("\n", at)
                    if at < 0:
                        break
                if text[at] == "\n":
                    line, start, shift = line + 1, at + 1, 0
                at += 1
                continue
            raw, quote = "r" in (opened.group(1) or "").lower(), opened.group(2)
            at = opened.end()
            while at < end and len(fragments) < FRAGMENTS and not text.startswith(quote, at):
                plain = PLAIN.match(text, at)
                if plain:
                    put(plain.group())
                    at = plain.end()
                elif text[at] == "\\" and not raw:
                    escape = ESCAPE.match(text, at)
                    if escape is None:
                        return None
                    put("" if escape.group() == "\\\n" else unescaped(escape.group()))
                    at = escape.end()
                    if escape.group() == "\\\n":
                        line, start, shift = line + 1, at, 0
                else:
                    size = 2 if text[at] == "\\" and at + 1 < end and text[at + 1] != "\n" else 1
                    put(text[at:at + size])
                    at += size
                    if text[at - 1] == "\n":
                        line, start, shift = line + 1, at, 0
            at += len(quote)
        return fragments

    @staticmethod
    def end_in_line(node, line, shift):
        return len(line.encode("utf-8", "replace")[:node.end_col_offset - shift].decode("utf-8", "replace"))


def too_long(fragments):
    return len(fragments) > 4 * FRAGMENTS or sum(len(piece) for piece, _, _ in fragments) > FOLDED


def unescaped(escape):
    try:
        return ast.literal_eval(f'"{escape}"')
    except (SyntaxError, ValueError):
        return escape
