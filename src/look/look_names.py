# SPDX-License-Identifier: MIT
"""What names in a source stand for, and what strings it builds, as far as that follows without running it.

A name stands for every value that it is ever given in its scope: the order of statements is not followed, so an answer
may hold too much, which costs a label at most.
"""
import ast
import base64
import builtins
import re

NODES = 400_000
DEPTH = 40        # of names that stand for names, and of strings made of strings
VALUES = 4        # that a name may stand for; further ones are not followed
FOLDED = 1 << 20  # characters of a string that was put together
FRAGMENTS = 20_000

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
IMPORTERS = ("builtins.__import__", "importlib.import_module", "importlib.__import__")
NAMESPACES = ("builtins.globals()", "builtins.vars()", "builtins.locals()")

LITERAL = re.compile(r"(?i:(br|rb|fr|rf|r|u|b|f)?)(\"\"\"|'''|\"|')")
PLAIN = re.compile(r"[^\\\n\"']+")
ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}\n]*\}|.)", re.DOTALL)


class Scope:
    def __init__(self, parent, kind):
        self.parent, self.kind = parent, kind
        self.names, self.elsewhere = {}, set()

    def bind(self, name, value):
        scope = self
        if name in self.elsewhere:
            while scope.parent:
                scope = scope.parent
        values = scope.names.setdefault(name, [])
        if len(values) < 64:
            values.append(value)

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names and (scope is self or scope.kind != "class"):
                return scope.names[name]
            scope = scope.parent
        return None


class Source:
    """A parsed source: every node has `scope` and `parent`, and lies in `nodes`, in the order of the text."""

    def __init__(self, tree, text):
        self.lines = text.split("\n")
        self.text = text
        self.why = ""
        self.module = Scope(None, "module")
        self.stars, self.attributes = [], {}
        self.nodes, self.known, self.folded = [], {}, {}
        self.loaded = set()  # packages that are loaded by a call, or taken from sys.modules
        self.functions, self.methods = set(), set()  # names that are defined here
        self.walk(tree)
        for node in self.nodes:
            self.bind_node(node)

    def walk(self, tree):
        stack = [(tree, None, self.module)]
        while stack:
            node, parent, scope = stack.pop()
            node.parent, node.scope = parent, scope
            if len(self.nodes) == NODES:
                self.why = f"only its first {NODES} pieces were looked at"
                break
            self.nodes.append(node)
            children = []
            if isinstance(node, FUNCTIONS):
                inner = Scope(scope, "function")
                node.inner = inner
                body = node.body if isinstance(node.body, list) else [node.body]
                outer = [*getattr(node, "decorator_list", ()), *node.args.defaults, *(d for d in node.args.kw_defaults if d)]
                children = [(child, scope) for child in outer]
                every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                for arg in every:
                    if arg is not None:
                        inner.bind(arg.arg, None)
                children += [(child, inner) for child in body]
            elif isinstance(node, ast.ClassDef):
                inner = Scope(scope, "class")
                outer = [*node.decorator_list, *node.bases, *node.keywords]
                children = [(child, scope) for child in outer] + [(child, inner) for child in node.body]
            else:
                inner = Scope(scope, "function") if isinstance(node, COMPREHENSIONS) else scope
                children = [(child, inner) for child in ast.iter_child_nodes(node)]
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                scope.elsewhere.update(node.names)
            stack.extend((child, node, inner) for child, inner in reversed(children))

    def bind_node(self, node):
        scope = node.scope
        if isinstance(node, ast.Import):
            for alias in node.names:
                scope.bind(alias.asname or alias.name.split(".")[0], alias.name if alias.asname else alias.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(module)
                else:
                    scope.bind(alias.asname or alias.name, f"{module}.{alias.name}")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.bind(target, node.value, scope)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self.bind(node.target, node.value, scope)
        elif isinstance(node, ast.AugAssign):
            self.bind(node.target, None, scope)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            items = node.iter.elts if isinstance(node.iter, (ast.Tuple, ast.List)) else [None]
            for item in items[:VALUES]:
                self.bind(node.target, item, node.target.scope)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self.bind(node.optional_vars, node.context_expr, scope)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope.bind(node.name, None)
            if not isinstance(node, ast.ClassDef):
                (self.methods if scope.kind == "class" else self.functions).add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bind(node.name, None)

    def bind(self, target, value, scope):
        if isinstance(target, ast.Name):
            scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for i, part in enumerate(target.elts):
                self.bind(part, value.elts[i] if same else None, scope)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None, scope)
        elif isinstance(target, ast.Attribute) and value is not None:
            values = self.attributes.setdefault(target.attr, [])
            if len(values) < VALUES:
                values.append(value)

    # Names.
    def resolve(self, node, depth=0):
        """Dotted names that an expression may stand for: "torch.cuda.Stream", "time.time()" for a call's result, "?.half"
        for an attribute of something unknown."""
        if depth > DEPTH:
            return ()
        if node in self.known:
            return self.known[node]
        self.known[node] = ()  # what stands for itself is not known
        found = tuple(dict.fromkeys(name for name in self.resolve_new(node, depth + 1) if len(name) < 300))[:VALUES]
        self.known[node] = found
        return found

    def values(self, bound, depth):
        for value in bound[:16]:
            if isinstance(value, str):
                yield value
            elif value is not None:
                yield from self.resolve(value, depth)

    def resolve_name(self, name, scope, depth):
        bound = scope.find(name)
        if bound is not None:
            yield from self.values(bound, depth)
        elif hasattr(builtins, name) or name == "__builtins__":
            yield "builtins" if name == "__builtins__" else "builtins." + name
        else:
            for module in self.stars[:VALUES]:
                yield f"{module}.{name}"

    def resolve_new(self, node, depth):
        if isinstance(node, ast.Name):
            yield from self.resolve_name(node.id, node.scope, depth)
        elif isinstance(node, ast.Attribute):
            bases = [base for base in self.resolve(node.value, depth) if not base.startswith("?")]
            for base in bases:
                yield f"{base}.{node.attr}"
            if not bases:
                yield from self.values(self.attributes.get(node.attr, ()), depth)
                own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                if not own or (node.attr not in self.attributes and node.attr not in self.methods):
                    yield "?." + node.attr
        elif isinstance(node, ast.Call):
            for function in self.resolve(node.func, depth):
                yield from self.resolve_call(function, node, depth)
        elif isinstance(node, ast.Subscript):
            key = self.name_in(node.slice, depth)
            for base in self.resolve(node.value, depth):
                yield from self.resolve_item(base, key, depth)
        elif isinstance(node, ast.IfExp):
            yield from self.resolve(node.body, depth)
            yield from self.resolve(node.orelse, depth)
        elif isinstance(node, ast.BoolOp):
            for value in node.values[:VALUES]:
                yield from self.resolve(value, depth)
        elif isinstance(node, (ast.NamedExpr, ast.Await)):
            yield from self.resolve(node.value, depth)

    def resolve_call(self, function, node, depth):
        first = self.name_in(node.args[0], depth) if node.args else None
        second = self.name_in(node.args[1], depth) if len(node.args) > 1 else None
        if function in IMPORTERS and first:
            self.loaded.add(first.split(".")[0])
            yield first.split(".")[0] if function == "builtins.__import__" and len(node.args) < 4 and not node.keywords else first
        elif function == "sys.modules.get" and first:
            self.loaded.add(first.split(".")[0])
            yield first
        elif function == "builtins.getattr" and second:
            for base in self.resolve(node.args[0], depth) or ("?",):
                yield f"{base}.{second}"
        elif function == "builtins.vars" and node.args:
            for base in self.resolve(node.args[0], depth):
                yield base + ".__dict__"
        elif function.endswith(".__dict__.get") and first:
            yield f"{function[:-len('.__dict__.get')]}.{first}"
        elif function == "functools.partial" and node.args:
            yield from self.resolve(node.args[0], depth)
        else:
            yield function + "()"

    def resolve_item(self, base, key, depth):
        if key and base == "sys.modules":
            self.loaded.add(key.split(".")[0])
            yield key
        elif key and base.endswith(".__dict__"):
            yield f"{base[:-len('.__dict__')]}.{key}"
        elif key and base == "builtins":
            yield "builtins." + key
        elif key and base in NAMESPACES:
            yield from self.resolve_name(key, self.module, depth)
        else:
            yield base + "[]"

    # Strings.
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
