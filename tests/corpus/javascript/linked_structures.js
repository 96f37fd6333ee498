// Structures by hand: a linked list, a tree with iteration, a trie, matrices, a queue of two stacks.
class Tree {
  #root = null;
  #size = 0;
  add(key) {
    const put = (node) => {
      if (!node) {
        this.#size++;
        return { key, left: null, right: null };
      }
      if (key < node.key) node.left = put(node.left);
      else if (key > node.key) node.right = put(node.right);
      return node;
    };
    this.#root = put(this.#root);
    return this;
  }
  *[Symbol.iterator](node = this.#root) {
    if (!node) return;
    yield* this[Symbol.iterator](node.left ?? false);
    yield node.key;
    yield* this[Symbol.iterator](node.right ?? false);
  }
  get height() {
    return (function deep(node) {
      return node ? 1 + Math.max(deep(node.left), deep(node.right)) : 0;
    })(this.#root);
  }
  get size() {
    return this.#size;
  }
}
const tree = [50, 30, 70, 20, 40, 60, 80, 30, 65].reduce((t, key) => t.add(key), new Tree());
console.log([...tree].join(" "), tree.height, tree.size);
const list = [3, 2, 1].reduce((next, value) => ({ value, next }), null);
const reverse = (node, before = null) =>
  node ? reverse(node.next, { value: node.value, next: before }) : before;
const show = (node) => (node ? `${node.value} -> ${show(node.next)}` : "end");
console.log(show(list), "|", show(reverse(list)));
const trie = {};
for (const word of ["tea", "ten", "to", "inn", "in", "té"])
  [...word].reduce((node, c) => (node[c] ??= {}), trie).end = true;
const words = (node, prefix = "") =>
  Object.keys(node)
    .sort()
    .flatMap((c) => (c === "end" ? [prefix] : words(node[c], prefix + c)));
console.log(words(trie).join(" "));
const multiply = (a, b) =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0n)));
let result = [
  [1n, 0n],
  [0n, 1n],
];
for (const bit of (90).toString(2)) {
  result = multiply(result, result);
  if (bit === "1")
    result = multiply(result, [
      [1n, 1n],
      [1n, 0n],
    ]);
}
console.log(result[0][1]);
const queue = {
  in: [],
  out: [],
  push(x) {
    this.in.push(x);
  },
  pop() {
    if (!this.out.length) while (this.in.length) this.out.push(this.in.pop());
    return this.out.pop();
  },
};
queue.push(1);
queue.push(2);
console.log(queue.pop(), (queue.push(3), queue.pop()), queue.pop(), queue.pop());
const matched = (text) => {
  const open = [];
  for (const c of text) {
    if ("([{".includes(c)) open.push(c);
    else if (")]}".includes(c) && "([{"[")]}".indexOf(c)] !== open.pop()) return false;
  }
  return !open.length;
};
console.log(["([]{})", "([)]", "((", ""].map(matched));
