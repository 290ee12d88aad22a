# SPDX-License-Identifier: MIT
"""Questions about the nodes of a parsed source. None is recursive: a source may be nested as deeply as it likes."""
import ast


def every_binding(source):
    scopes, seen = [source.module], set()
    for node in source.nodes:
        if id(node.scope) not in seen:
            seen.add(id(node.scope))
            scopes.append(node.scope)
    for scope in scopes:
        yield from scope.names.values()


def docstrings(source):
    return {node.value for node in source.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}


def used_as_keys(source):
    """Names that index something, are compared, or are asked for."""
    keys = set()
    for node in source.nodes:
        places = []
        if isinstance(node, ast.Subscript):
            places = [node.slice]
        elif isinstance(node, ast.Compare):
            places = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "setdefault", "pop"):
            places = node.args
        keys |= {place.id for place in places if isinstance(place, ast.Name)}
    return keys


def tested_names(source):
    """Names and attributes that a condition depends on."""
    tested = set()
    for node in source.nodes:
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            stack = [node.test]
            while stack:
                part = stack.pop()
                if isinstance(part, ast.Name):
                    tested.add(part.id)
                elif isinstance(part, ast.Attribute):
                    tested.add(part.attr)
                elif isinstance(part, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
                    stack.extend(child for child in ast.iter_child_nodes(part) if isinstance(child, ast.expr))
    return tested


def unused_functions(source, names):
    """The module's own functions of these names, if nothing mentions the name."""
    mentioned = {node.id if isinstance(node, ast.Name) else node.value for node in source.nodes
                 if isinstance(node, ast.Name) or is_plain(node)}
    return {node for node in source.nodes
            if isinstance(node, ast.FunctionDef) and node.name in names and isinstance(node.parent, ast.Module) and node.name not in mentioned}


def is_composite(node):
    """Puts strings together, and is not itself a piece of that."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Add, ast.Mod)) and not isinstance(node.parent, ast.BinOp)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "format", "replace", "dedent", "decode", "substitute")


def is_plain(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_constant(node, types):
    return isinstance(node, ast.Constant) and isinstance(node.value, types)


def is_main_guard(node):
    return isinstance(node.parent, ast.Compare) and any(isinstance(part, ast.Name) and part.id == "__name__" for part in [node.parent.left, *node.parent.comparators])


def function_of(node):
    while node is not None and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        node = node.parent
    return node


def inside_function(node):
    return function_of(node) is not None


def shown(node):
    """A name with its attributes and items, in short; ast.unparse() is recursive, and a source may be deep."""
    words = []
    while isinstance(node, (ast.Attribute, ast.Subscript)) and len(words) < 8:
        words.append("." + node.attr if isinstance(node, ast.Attribute) else "[...]")
        node = node.value
    return (node.id if isinstance(node, ast.Name) else "?") + "".join(reversed(words))
