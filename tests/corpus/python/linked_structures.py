"""Structures by hand: a linked list, a binary tree, a trie, a cache with least recent use, a matrix."""


class Tree:
    def __init__(self):
        self.root = None

    def add(self, key):
        def put(node):
            if node is None:
                return [None, key, None]
            if key != node[1]:
                side = 0 if key < node[1] else 2
                node[side] = put(node[side])
            return node
        self.root = put(self.root)

    def __iter__(self):
        stack, node = [], self.root
        while stack or node:
            while node:
                stack.append(node)
                node = node[0]
            node = stack.pop()
            yield node[1]
            node = node[2]

    def height(self):
        def deep(node):
            return 0 if node is None else 1 + max(deep(node[0]), deep(node[2]))
        return deep(self.root)


class Trie(dict):
    def add(self, word):
        node = self
        for letter in word:
            node = node.setdefault(letter, Trie())
        node[""] = True

    def words(self, prefix=""):
        for letter, node in sorted(self.items()):
            if letter == "":
                yield prefix
            else:
                yield from node.words(prefix + letter)


def reverse(linked):
    before = None
    while linked:
        linked, before = linked[1], (linked[0], before)
    return before


def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def determinant(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** i * x * determinant([r[:i] + r[i + 1:] for r in m[1:]]) for i, x in enumerate(m[0]))


tree = Tree()
for key in (50, 30, 70, 20, 40, 60, 80, 30, 65):
    tree.add(key)
print(list(tree), tree.height())
trie = Trie()
for word in ("tea", "ten", "to", "inn", "in", "té"):
    trie.add(word)
print(list(trie.words()))
print(reverse((1, (2, (3, None)))))
print(multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]), determinant([[2, -3, 1], [2, 0, -1], [1, 4, 5]]))
power, result = [[1, 1], [1, 0]], [[1, 0], [0, 1]]
for bit in bin(90)[2:]:
    result = multiply(result, result)
    if bit == "1":
        result = multiply(result, power)
print(result[0][1])
