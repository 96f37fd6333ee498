// The syntax tree of a piece of code, by the parser that node itself has inside.
'use strict';

const acorn = require('internal/deps/acorn/acorn/dist/acorn');

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
};

// {tree}, or {error} with the parser's complaint.
function parse(code) {
  try {
    return { tree: acorn.parse(code, OPTIONS) };
  } catch (error) {
    return { error };
  }
}

const isFunction = (node) => /Function/.test(node.type) || node.type === 'StaticBlock';

// Calls visit(node, parent, isInFunction) for everything below `tree`. Without recursion: code may
// be nested deeply.
function walk(tree, visit) {
  const stack = [[tree, null, false]];
  while (stack.length > 0) {
    const [node, parent, isInFunction] = stack.pop();
    visit(node, parent, isInFunction);
    const isInner = isInFunction || isFunction(node);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') stack.push([child, node, isInner]);
      }
    }
  }
}

// The names that a pattern such as {a, b: [c, ...d], e = 1} binds.
function boundNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier': return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => boundNames(each.value ?? each));
    case 'ArrayPattern': return pattern.elements.flatMap(boundNames);
    case 'AssignmentPattern': return boundNames(pattern.left);
    case 'RestElement': return boundNames(pattern.argument);
    default: return [];
  }
}

module.exports = { boundNames, parse, walk };
