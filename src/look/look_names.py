# SPDX-License-Identifier: MIT
"""What names in a source stand for, as far as that follows without running it.

A name stands for every value that it is ever given in its scope: the order of statements is not followed, so an answer
may hold too much, which costs a label at most.
"""
import ast
import builtins

from look_strings import COMPREHENSIONS, DEPTH, Strings

NODES = 400_000
VALUES = 4  # that a name may stand for; further ones are not followed

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
IMPORTERS = ("builtins.__import__", "importlib.import_module", "importlib.__import__")
NAMESPACES = ("builtins.globals()", "builtins.vars()", "builtins.locals()")


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


class Source(Strings):
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
            if len(self.nodes) < NODES:
                self.nodes.append(node)
            else:
                self.why = f"only its first {NODES} pieces were looked at"
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
