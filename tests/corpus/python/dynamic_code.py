"""Code made at run time: eval, exec, compile, ast, types, inspect of the program itself."""
import ast
import inspect
import types

space = {}
exec("def area(r):\n    'of a circle'\n    return 3 * r ** 2\nanswer = area(2)", space)
print(space["answer"], space["area"].__doc__, eval("sum(x for x in range(n))", {"n": 5}))
tree = ast.parse("a + b * 2")


class Rename(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.copy_location(ast.Name(node.id.upper(), node.ctx), node)


print(ast.unparse(Rename().visit(tree)), ast.dump(ast.parse("f(1)", mode="eval").body))
print(ast.literal_eval("{'a': [1, (2, None)], 'b': {1.5}}"))
try:
    ast.literal_eval("__import__('os')")
except ValueError as error:
    print(str(error).split(" on line")[0])
try:
    compile("x = = 1", "given.py", "exec")
except SyntaxError as error:
    print(error.filename, error.lineno, error.offset, error.text)
Made = types.new_class("Made", (list,), {}, lambda ns: ns.update(double=lambda self: self + self))
print(Made([1]).double(), inspect.signature(lambda a, /, b=2, *c, d, **e: 0),
      inspect.getsource(Rename).count("\n"))
product = ast.Expression(ast.BinOp(ast.Constant(6), ast.Mult(), ast.Constant(7)))
print(eval(compile(ast.fix_missing_locations(product), "made", "eval")))
