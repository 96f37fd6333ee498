"""Runs pieces of code in one namespace; the value of a last expression is what a run gives."""
import _ast
import sys

from _atoll import sources

TOP_LEVEL_AWAIT = getattr(_ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
ONLY_AST = _ast.PyCF_ONLY_AST
IS_COROUTINE = 0x80  # inspect.CO_COROUTINE
FUTURE_ANNOTATIONS = 0x1000000 if sys.version_info >= (3, 9) else 0x100000
MAX_CODE = 32 << 20


class Shell:
    def __init__(self, namespace, transform=None, load_transform=None):
        self._namespace = namespace
        self._transform = transform  # IPython's, for code that is not Python: magics, !commands
        self._load_transform = load_transform  # asked once, for the first such code
        self._flags = 0  # of __future__ imports, which hold for later runs too
        self._loop = None

    def execute(self, source, number):
        """The value of the last expression; None without one or when a semicolon ends it."""
        if len(source) > MAX_CODE:
            raise ValueError("the code has %d characters; at most %d are run" % (len(source), MAX_CODE))
        if "\r" in source:
            source = source.replace("\r\n", "\n").replace("\r", "\n")
        name = "<cell %d>" % number
        self._namespace.pop("__warningregistry__", None)  # a run warns anew
        sources.add(name, source)
        tree, problem = None, None
        try:
            tree = self._parse(source, name)
        except SyntaxError as error:
            problem = error
        if problem is not None:  # handled out here, so that a second error is not chained to this one
            plainer = self._plainer(source)
            if plainer is None:
                raise problem
            source = plainer
            sources.add(name, source)
            tree = self._parse(source, name)
        return self._execute_tree(tree, source, name)

    def _parse(self, source, name):
        return compile(source, name, "exec", ONLY_AST | TOP_LEVEL_AWAIT | self._flags, True)

    def _plainer(self, source):
        """What the code may have meant, if not what it says."""
        if self._load_transform is not None and self._transform is None and _is_for_ipython(source):
            self._transform, self._load_transform = self._load_transform(), None
        if self._transform is not None:
            plainer = self._transform(source)
        else:
            plainer = _dedent(source)
        return plainer if plainer != source else None

    def _execute_tree(self, tree, source, name):
        last, codes, value = None, [], None
        if tree.body and type(tree.body[-1]) is _ast.Expr:
            last = tree.body.pop()
        if tree.body:
            codes.append(self._compile(tree, source, name, "exec"))
            self._flags |= codes[0].co_flags & FUTURE_ANNOTATIONS
        if last is not None:
            codes.append(self._compile(_ast.Expression(last.value), source, name, "eval"))
        if any(code.co_flags & IS_COROUTINE for code in codes):
            value = self._await(self._evaluate_in_loop(codes))
        else:
            for code in codes:
                value = eval(code, self._namespace)
        return None if last is not None and ";" in source and _semicolon_after(last, source) else value

    def _compile(self, tree, source, name, mode):
        try:
            return compile(tree, name, mode, TOP_LEVEL_AWAIT | self._flags, True)
        except SyntaxError as error:
            if error.text is None and error.lineno:  # a tree does not know its text
                error.text = source.split("\n")[error.lineno - 1]
            raise

    async def _evaluate_in_loop(self, codes):
        """All of the code, also what awaits nothing: it may start tasks that the rest awaits."""
        value = None
        for code in codes:
            value = eval(code, self._namespace)
            if code.co_flags & IS_COROUTINE:
                value = await value
        return value

    def _await(self, coroutine):
        import asyncio

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        task = self._loop.create_task(coroutine)
        try:
            return self._loop.run_until_complete(task)
        except (KeyboardInterrupt, SystemExit):
            if task.done():
                task.exception()  # seen: nothing to complain about when the task is collected
            else:
                self._cancel(task, asyncio.CancelledError)
            raise

    def _cancel(self, task, cancelled):
        task.cancel()
        try:
            self._loop.run_until_complete(task)
        except (Exception, cancelled):
            pass


def _is_for_ipython(source):
    """Looks like it: a line that begins with !, % or ? or ends in ?, x = !command, or a prompt."""
    import re

    return re.search(r"(?m)^\s*([!%?]|>>> |In \[)|\?\s*$|=\s*[!%]", source) is not None


def _semicolon_after(node, source):
    line = source.split("\n")[node.end_lineno - 1].encode("utf-8", "surrogatepass")
    return line[node.end_col_offset:].lstrip().startswith(b";")


def _dedent(source):
    """Without the first line's indentation, in every line that has it."""
    lines = source.split("\n")
    first = next((line for line in lines if line.strip()), "")
    margin = first[:len(first) - len(first.lstrip())]
    if not margin:
        return source
    return "\n".join(line[len(margin):] if line.startswith(margin) else line for line in lines)
