# SPDX-License-Identifier: MIT
"""The rules on Python source. Their ids are those of rules.cpp: the judge drops others, and a test says so."""
import ast
import re

from look_nodes import (docstrings, every_binding, function_of, inside_function, is_composite, is_constant, is_main_guard, is_plain, shown, tested_names,
                        unused_functions, used_as_keys)
from look_tables import (BENCHMARKS, FLAGS, LIBRARY_FUNCTIONS, LIBRARY_PLACES, METHODS, MODULES_OF_PARAMETERS, NAMES, ODD_FLAGS, SOURCE_CALLS, TIMERS)

LABELS_OF_RULE = 60  # more than the judge keeps, since it leaves out what is there twice
LOOKS_LIKE_SOURCE = re.compile(
    r"__global__|__device__|#\s*(?:include|define|pragma)|extern\s+\"C\"|\b(?:torch|at|c10|std)::|<<<|\bcuda[A-Z]\w+|\.visible|\.entry|\.reg\b|"
    r"\basm\s*(?:volatile)?\s*\(|\b(?:void|int|float|auto)\s+\w+\s*\(|template\s*<|PYBIND11|TORCH_LIBRARY|"
    r"\b(?:mov|ld|st|cvt|add|mul|fma|mma|ex2|nanosleep)\.[\w.]+\s+[^\n]*;")
HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
WORDS = re.compile(r"[A-Za-z_]+")


class Found:
    """What was found: labels [rule, line, column, detail], and texts in other languages, in fragments."""

    def __init__(self, source):
        self.source = source
        self.labels, self.left_out, self.texts = [], {}, []
        self.of_rule, self.seen = {}, set()
        self.sent = set()  # places at which pieces of texts begin

    def add(self, rule, node, detail, line=None):
        line = line or getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", -1) + 1
        detail = str(detail)[:100]
        if (rule, line, detail) in self.seen or (rule in ("random", "harness_name") and self.is_of_the_problem(node)):
            return
        self.seen.add((rule, line, detail))
        self.of_rule[rule] = self.of_rule.get(rule, 0) + 1
        if self.of_rule[rule] > LABELS_OF_RULE:
            self.left_out[rule] = self.left_out.get(rule, 0) + 1
        else:
            self.labels.append([rule, line, column, detail])

    def is_of_the_problem(self, node):
        """In a copy of the problem's functions that make inputs: many honest sources have one, and nothing there calls it."""
        while self.functions_of_the_problem and node is not None:
            if node in self.functions_of_the_problem:
                return True
            node = getattr(node, "parent", None)
        return False

    def look(self):
        source = self.source
        self.imported = {name.split(".")[0] for values in every_binding(source) for name in values if isinstance(name, str)}
        self.imported |= {"builtins"} | {name.split(".")[0] for name in source.stars}
        self.docstrings = docstrings(source) if "__doc__" not in source.text else set()
        self.keys, self.tested = used_as_keys(source), tested_names(source)
        self.functions_of_the_problem = unused_functions(source, ("get_inputs", "get_init_inputs"))
        self.characters()
        for node in source.nodes:
            look = getattr(self, "look_" + type(node).__name__, None)
            if look:
                look(node)
        for node in source.nodes:  # what was put together first: its pieces need no look of their own
            if is_composite(node):
                self.text(node)
        for node in source.nodes:
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and not isinstance(node.parent, ast.JoinedStr):
                self.text(node)

    def characters(self):
        for number, line in enumerate(self.source.lines, 1):
            hidden = None if line.isascii() else HIDDEN.search(line, 1 if number == 1 and line[0] == "\ufeff" else 0)
            if hidden:
                self.add("odd_characters", None, f"U+{ord(hidden.group()):04X}", number)

    # Texts in other languages.
    def text(self, node, always=False):
        if node in self.docstrings or (isinstance(node, ast.Constant) and not isinstance(node.value, str)):
            return
        folded = self.source.fold(node)
        if not folded or not folded[0] or len(self.texts) == 1000:
            return
        if folded[0][0][1:] in self.sent and not is_composite(node):
            return
        text = "".join(piece for piece, _, _ in folded[0])
        if len(text) < (4 if always else 8) or not (always or LOOKS_LIKE_SOURCE.search(text) or (";" in text and "{" in text)):
            return
        self.sent.update((line, column) for _, line, column in folded[0])
        self.texts.append(folded[0])

    # Names.
    def look_Name(self, node):
        if isinstance(node.ctx, ast.Load) and not isinstance(node.parent, ast.Attribute):
            self.use(node)
        if node.id == "Model" and isinstance(node.ctx, ast.Load):
            self.add("reference_model", node, "Model")
        self.word(node, node.id)

    def look_Attribute(self, node):
        if isinstance(node.parent, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return
        self.use(node)
        self.word(node, node.attr)
        if node.attr == "training" and isinstance(node.value, ast.Name):
            self.add("mode_sniff", node, "training")

    def use(self, node, resolved=None):
        """Labels of a name, at the longest part of it that the tables know."""
        for name in resolved or self.source.resolve(node):
            if name.startswith("builtins."):
                name = name[len("builtins."):]
            for rule in rules_of(name):
                self.add(rule, node, name.removeprefix("?"))
            if name.endswith((".data_ptr", "._version", "._cdata")) or name == "id":
                self.identity(node, name)

    def word(self, node, name):
        if name.lower() in BENCHMARKS:
            self.add("harness_name", node, name)
        if not name.isascii():
            self.add("odd_characters", node, ascii(name))

    def identity(self, node, name):
        """An address, an id or a version as a key, or compared."""
        child, parent = node, node.parent
        for _ in range(8):
            if parent is None or isinstance(parent, ast.stmt):
                break
            is_key = (isinstance(parent, ast.Compare) or (isinstance(parent, ast.Subscript) and parent.slice is child) or
                      (isinstance(parent, ast.Dict) and child in parent.keys) or
                      (isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr in ("get", "setdefault", "pop") and child in parent.args))
            if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Mod, ast.BitAnd)):
                return None  # how well it is aligned
            if is_key:
                return self.add("identity_cache", node, name.removeprefix("?"))
            child, parent = parent, parent.parent
        if isinstance(parent, ast.Assign) and any(isinstance(t, ast.Name) and t.id in self.keys for t in parent.targets):
            self.add("identity_cache", node, name.removeprefix("?"))

    def look_Import(self, node):
        for alias in node.names:
            self.use(node, [alias.name])
            self.word(node, alias.name.split(".")[0])

    def look_ImportFrom(self, node):
        module = "." * node.level + (node.module or "")
        self.word(node, module.split(".")[0])
        for alias in node.names:
            self.use(node, [f"{module}.{alias.name}"])
            self.word(node, alias.name)
            if alias.name == "Model":
                self.add("reference_model", node, f"{module}.Model")
        if module == "__main__":
            self.add("introspection", node, module)

    # Calls.
    def look_Call(self, node):
        functions = self.source.resolve(node.func)
        for result in self.source.resolve(node):  # getattr(torch, "cu" + "da"): what it stands for
            if not result.endswith("()"):
                self.use(node, [result])
        for name in functions:
            if name == "builtins.getattr" and len(node.args) > 1 and not is_plain(node.args[1]):
                self.add("built_name", node, self.source.name_in(node.args[1]) or "getattr")
            if name in ("builtins.setattr", "builtins.delattr") and len(node.args) > 1:
                self.set_attribute(node)
            if name in ("builtins.__import__", "importlib.import_module") and node.args and not is_plain(node.args[0]):
                self.add("built_name", node, self.source.name_in(node.args[0]) or name)
            if name.split(".")[-1] in SOURCE_CALLS:
                for argument in [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg not in ("functions", "name"))]:
                    for item in argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]:
                        self.text(item, always=isinstance(item, (ast.Name, ast.Attribute, ast.BinOp, ast.Call, ast.JoinedStr)))
            if name.endswith(".__dict__.update") or name.endswith("builtins.globals().update"):
                self.add("module_patch", node, name.removeprefix("builtins."))
        for keyword in node.keywords:
            if keyword.arg in ("allow_tf32", "input_precision") and isinstance(keyword.value, ast.Constant):
                if keyword.value.value is True or str(keyword.value.value).startswith("tf32"):
                    self.add("tf32", keyword.value, f"{keyword.arg}={keyword.value.value}")

    def set_attribute(self, node):
        name = self.source.name_in(node.args[1])
        if not is_plain(node.args[1]):
            self.add("built_name", node, name or "setattr")
        for base in self.source.resolve(node.args[0]):
            self.assigned(node, f"{base}.{name or '?'}", node.args[2] if len(node.args) > 2 else None)

    # Assignments.
    def look_Assign(self, node):
        for target in node.targets:
            self.target(target, node.value)

    def look_AugAssign(self, node):
        self.target(node.target, node.value)
        if isinstance(node.op, ast.Add) and is_constant(node.value, (int,)) and inside_function(node):
            kept = isinstance(node.target, ast.Attribute) or (isinstance(node.target, ast.Name) and node.target.id in node.scope.elsewhere)
            if kept or isinstance(node.target, ast.Subscript):
                self.add("call_count", node, shown(node.target))

    def look_AnnAssign(self, node):
        self.target(node.target, node.value)

    def look_Delete(self, node):
        for target in node.targets:
            self.target(target, None)

    def target(self, target, value):
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self.target(part, None)
        elif isinstance(target, ast.Attribute):
            for base in self.source.resolve(target.value):
                self.assigned(target, f"{base}.{target.attr}", value)
            if target.attr in ("__code__", "__globals__", "__defaults__", "__closure__"):
                self.add("code_object", target, target.attr)
            if target.attr == "__class__":
                self.add("object_patch", target, target.attr)
            self.method_of_object(target, value)
            self.kept(target, value)
        elif isinstance(target, ast.Subscript):
            for name in self.source.resolve(target):
                if not name.endswith("[]"):
                    self.assigned(target, name, value)
            for base in self.source.resolve(target.value):
                if base in ("sys.modules", "builtins.globals()", "builtins") or base.endswith(".__dict__"):
                    self.add("module_patch", target, f"{base.removeprefix('builtins.')}[...]")
                if base == "os.environ":
                    self.add("environment", target, "os.environ[...]")
            self.kept(target, value)

    def assigned(self, node, name, value):
        """`name` is a dotted name whose value is replaced."""
        if "()" in name or "[]" in name or name.startswith("?"):
            return
        name = name.removeprefix("builtins.") if name.count(".") > 1 else name
        if name.startswith(FLAGS):
            self.add("global_flags", node, name)
            if "tf32" in name or "precision" in name:
                self.add("tf32", node, name)
        elif name.startswith(TIMERS):
            self.add("timer_patch", node, name)
        elif name.split(".")[0] in self.imported | self.source.loaded:
            self.add("module_patch", node, name)

    def method_of_object(self, target, value):
        """out.clone = lambda: ...: of an object that is neither self nor a module nor a class of its own."""
        base = target.value
        if not isinstance(base, ast.Name) or base.id in ("self", "cls", "ctx"):
            return
        of = self.source.resolve(base)
        if of and not any("()" in name for name in of):
            return
        bound = value is not None and "types.MethodType()" in self.source.resolve(value)
        if isinstance(value, ast.Lambda) or bound or (isinstance(value, ast.Name) and value.id in self.source.functions):
            self.add("object_patch", target, f"{base.id}.{target.attr}")

    def kept(self, target, value):
        """A function that is no constructor stores into something that lives longer than its call."""
        function = function_of(target)
        if function is None or getattr(function, "name", "") in ("__init__", "__new__", "setup_context", "__init_subclass__") or is_constant(value, (int, float, str, bool, type(None))):
            return
        base = target
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if not isinstance(base, ast.Name):
            return
        own = base.id in target.scope.names and base.id not in ("self", "cls")
        if own or (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and base.id == "self"):
            return
        self.add("result_cache", target, shown(target))

    def look_Global(self, node):
        for name in node.names:
            self.add("result_cache", node, f"global {name}")

    # Statements and other expressions.
    def look_ClassDef(self, node):
        if node.name == "Model":
            self.add("reference_model", node, "class Model")
        for base in node.bases:
            for name in self.source.resolve(base):
                if name in ("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"):
                    self.add("tensor_subclass", node, f"class {node.name}({name})")

    def look_FunctionDef(self, node):
        if node.name in ("__torch_function__", "__torch_dispatch__"):
            self.add("tensor_subclass", node, node.name)
        if node.name == "__del__":
            self.add("late_work", node, node.name)
        if node.name in ("__code__", "__reduce__", "__reduce_ex__", "__getstate__"):
            self.add("dynamic_code", node, node.name)
        self.word(node, node.name)

    def look_AsyncFunctionDef(self, node):
        self.add("threads", node, f"async def {node.name}")

    def look_BinOp(self, node):
        if isinstance(node.op, ast.MatMult):
            self.add("library_op", node, "@")

    def look_Raise(self, node):
        for name in self.source.resolve(node.exc) if node.exc else ():
            if name.removesuffix("()") in ("builtins.SystemExit", "builtins.KeyboardInterrupt"):
                self.add("exit", node, name.removeprefix("builtins."))

    def look_Try(self, node):
        for handler in node.handlers:
            detail = self.fallback(handler)
            if detail:
                self.add("fallback", handler, "except: " + detail)

    look_TryStar = look_Try

    def fallback(self, handler):
        stack, seen = list(handler.body), 0
        while stack and seen < 2000:
            node, seen = stack.pop(), seen + 1
            if isinstance(node, ast.Call):
                for name in self.source.resolve(node.func):
                    if "library_op" in rules_of(name) or name.endswith((".forward", "Model")):
                        return name.removeprefix("?.")
                if isinstance(node.func, ast.Name) and WORDS.search(node.func.id) and {"torch", "fallback", "reference", "eager"} & set(node.func.id.lower().split("_")):
                    return node.func.id
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                return "@"
            if isinstance(node, ast.Assign) and is_constant(node.value, (bool, type(None))):
                for target in node.targets:
                    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else None
                    if name in self.tested:
                        return f"{name} = {node.value.value}"
            stack.extend(ast.iter_child_nodes(node))
        return None

    def look_Subscript(self, node):
        for base in self.source.resolve(node.value):
            if base in ("builtins.globals()", "builtins.locals()", "builtins.vars()", "builtins") or base.endswith(".__dict__"):
                self.add("built_name", node, base.removeprefix("builtins."))
        for name in self.source.resolve(node):
            if not name.endswith("[]"):
                self.use(node, [name])
        if self.source.name_in(node.value) is not None and isinstance(node.slice, ast.Slice) and self.source.name_in(node) is not None:
            self.add("encoded_text", node, self.source.name_in(node))

    def look_GeneratorExp(self, node):
        self.characters_of(node)

    look_ListComp = look_GeneratorExp

    def characters_of(self, node):
        call = node.elt
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "chr":
            text = self.source.fold_characters(node)
            self.add("encoded_text", node, "".join(piece for piece, _, _ in text[0]) if text else "chr")

    def look_JoinedStr(self, node):
        self.string(node, "".join(part.value for part in node.values if isinstance(part, ast.Constant)))

    def look_Constant(self, node):
        if isinstance(node.value, bytes):
            self.string(node, node.value[:4096].decode("latin-1"))
        elif isinstance(node.value, str) and node not in self.docstrings and not isinstance(node.parent, ast.JoinedStr):
            self.string(node, node.value)

    def string(self, node, text):
        start = text[:200]
        if start.startswith(("/proc", "/sys/")):
            self.add("environment", node, start)
        elif start.startswith(("/dev/", "/tmp", "/etc/", "/home", "/root", "/var/")) and len(start) > 4:
            self.add("files", node, start)
        if start == "__main__" and not is_main_guard(node):
            self.add("introspection", node, start)
        if len(text) < 64 and text.lower() in BENCHMARKS:
            self.add("harness_name", node, text)
        if "\x1b" in text:
            self.add("writes_output", node, "escape codes of a terminal")
        for word in text.split()[:64] if start.startswith("-") or start.startswith("@") else ():
            if word.lstrip("-").startswith(("use_fast_math", "ffast-math", "Ofast", "ftz=true", "prec-div=false", "prec-sqrt=false")):
                self.add("fast_math", node, word)
            if word.startswith(ODD_FLAGS):
                self.add("compiler_flags", node, word)


def rules_of(name):
    """Of a dotted name without calls in it; of a method of something else, by its last part."""
    if name.startswith("builtins."):
        name = name[len("builtins."):]
    last = name.rpartition(".")[2]
    if "()" in name or "[]" in name or name.startswith("?"):
        return METHODS.get(last, ())
    place = name.rpartition(".")[0]
    if place in LIBRARY_PLACES or (place == "torch" and last in LIBRARY_FUNCTIONS):
        return ("library_op",)
    if place == "torch.nn":
        return ("library_op",) if last[:1].isupper() and last not in MODULES_OF_PARAMETERS else ()
    if name.startswith("torch.Tensor.") and last in METHODS:
        return METHODS[last]
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        known = NAMES.get(".".join(parts[:count]))
        if known is not None:
            return known
    return ()
