// Rewrites a piece of code so that it can follow others in one global scope, as in a notebook: what
// it declares at the top level becomes a property of the global object, lives on, and may be
// declared again in any form; `await` and `import` work there too. Lines stay the same, columns
// nearly so.
//
// Code without `await` stays a script: let, const and class become var. Code with it becomes the
// body of an async function: declarations turn into assignments, and function declarations into a
// script of their own that runs before.
'use strict';

const { boundNames, parse, walk } = require('./syntax');

const IMPORT = '$mport'; // stands for `import` in import(…) and import.meta, and is as long
const ASYNC_HEAD = '(async()=>{';
const ASYNC_TAIL = '\n})()';

const blank = (text) => text.replace(/[^\n]/g, ' ');
const lineEnds = (text) => text.replace(/[^\n]/g, '');

// `import a, {b as c} from 'x'` as a declaration that calls.
function importText(node) {
  const from = JSON.stringify(node.source.value);
  const attributes = {};
  for (const { key, value } of node.attributes ?? []) {
    attributes[key.name ?? key.value] = value.value;
  }
  const options = Object.keys(attributes).length > 0 ? `,${JSON.stringify(attributes)}` : '';
  const wanted = [];
  const pattern = [];
  let namespace = '';
  for (const each of node.specifiers) {
    if (each.type === 'ImportNamespaceSpecifier') {
      namespace = `${each.local.name}=`;
      continue;
    }
    const isDefault = each.type === 'ImportDefaultSpecifier';
    const name = JSON.stringify(isDefault ? 'default' : each.imported.name ?? each.imported.value);
    wanted.push(name);
    pattern.push(`${name}:${each.local.name}`);
  }
  const names = pattern.length > 0 ? `{${pattern.join(',')}}=` : '';
  const call = `${IMPORT}.statement(${from},[${wanted.join(',')}]${options})`;
  return `void(${names}${namespace}await ${call});`;
}

class Rewriting {
  constructor(code, tree) {
    this.code = code;
    this.tree = tree;
    this.edits = []; // [start, end, text]
    this.names = new Set(); // properties of the global object that must be there
    this.functions = []; // declarations that run before an async body
    this.isAsync = false;
  }

  insert(at, text) {
    this.edits.push([at, at, text]);
  }

  replace(start, end, text) {
    this.edits.push([start, end, text + lineEnds(this.code.slice(start, end))]);
  }

  findAwait() {
    walk(this.tree, (node, parent, isInFunction) => {
      const awaits = node.type === 'AwaitExpression' || node.type === 'ImportDeclaration' ||
        (node.type === 'ForOfStatement' && node.await) || node.kind === 'await using';
      if (awaits && !isInFunction) this.isAsync = true;
    });
  }

  importCalls() {
    const places = [];
    walk(this.tree, (node) => {
      const isMeta = node.type === 'MetaProperty' && node.meta.name === 'import';
      if (isMeta || node.type === 'ImportExpression') places.push(node.start);
    });
    let at = 0;
    let code = '';
    for (const place of places.sort((a, b) => a - b)) {
      code += this.code.slice(at, place) + IMPORT;
      at = place + IMPORT.length;
    }
    this.code = code + this.code.slice(at);
  }

  // What var declares belongs to the whole code, wherever it stands.
  vars() {
    walk(this.tree, (node, parent, isInFunction) => {
      if (node.type === 'VariableDeclaration' && node.kind === 'var' && !isInFunction) {
        this.assignment(node, parent);
      }
    });
  }

  statement(node) {
    switch (node.type) {
      case 'VariableDeclaration':
        this.declare(node);
        if (node.kind === 'let' || node.kind === 'const') this.lexical(node);
        break;
      case 'ClassDeclaration':
        this.names.add(node.id.name);
        this.insert(node.start, this.isAsync ? `${node.id.name}=` : `var ${node.id.name}=`);
        this.insert(node.end, ';');
        break;
      case 'FunctionDeclaration':
        if (!this.isAsync) break;
        this.functions.push(node);
        this.edits.push([node.start, node.end, blank(this.code.slice(node.start, node.end))]);
        break;
      case 'ImportDeclaration':
        for (const each of node.specifiers) this.names.add(each.local.name);
        this.replace(node.start, node.end, importText(node));
        break;
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration': this.exported(node); break;
      case 'ExportAllDeclaration': this.replace(node.start, node.end, ';'); break;
      default: break;
    }
  }

  // `let x;` forgets an earlier x.
  lexical(node) {
    for (const each of node.declarations) {
      if (each.init === null) this.insert(each.id.end, '=void 0');
    }
    if (this.isAsync) {
      this.assignment(node, this.tree);
      return;
    }
    const keyword = node.kind === 'let' ? 'var' : 'var  ';
    this.edits.push([node.start, node.start + node.kind.length, keyword]);
  }

  declare(node) {
    for (const name of node.declarations.flatMap((each) => boundNames(each.id))) {
      this.names.add(name);
    }
  }

  assignment(node, parent) {
    this.declare(node);
    const isInFor = node === parent.init || node === parent.left;
    this.edits.push([node.start, node.start + node.kind.length, isInFor ? '' : 'void(']);
    if (!isInFor) this.insert(node.declarations.at(-1).end, ')');
  }

  // Nobody imports a cell: `export` is left out, what it exports stays.
  exported(node) {
    const { declaration } = node;
    if (declaration?.id || declaration?.type === 'VariableDeclaration') {
      this.replace(node.start, declaration.start, '');
      this.statement(declaration);
    } else if (declaration) {
      this.replace(node.start, declaration.start, 'void(');
      this.insert(declaration.end, ');');
    } else {
      this.replace(node.start, node.end, ';');
    }
  }

  // The last statement, when it is an expression, is the result.
  result() {
    const last = this.tree.body.filter((node) => node.type !== 'EmptyStatement').pop();
    if (last?.type !== 'ExpressionStatement') return false;
    if (this.isAsync) {
      this.insert(last.start, 'return(');
      this.insert(this.code[last.end - 1] === ';' ? last.end - 1 : last.end, ')');
    }
    return true;
  }

  text() {
    let text = '';
    let at = 0;
    for (const [start, end, replacement] of this.edits.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
      text += this.code.slice(at, start) + replacement;
      at = end;
    }
    return text + this.code.slice(at);
  }

  functionsText() {
    let text = '';
    let at = 0;
    for (const { start, end } of this.functions) {
      text += blank(this.code.slice(at, start)) + this.code.slice(start, end);
      at = end;
    }
    return text;
  }
}

// What to run: `before` and `text` are scripts; the value of `text` is the result, or a promise of
// it when isAsync. `columns`: how far the first line of `text` is shifted.
function rewriteTree(code, tree) {
  const rewriting = new Rewriting(code, tree);
  if (/\b(await|import)\b/.test(code)) rewriting.findAwait();
  if (code.includes('import')) rewriting.importCalls();
  const hasResult = rewriting.result();
  for (const node of tree.body) rewriting.statement(node);
  if (rewriting.isAsync) rewriting.vars();
  const { isAsync, names } = rewriting;
  const cell = { text: rewriting.text(), columns: 0, before: '', names, isAsync, hasResult };
  if (!isAsync) return cell;
  const text = ASYNC_HEAD + cell.text + ASYNC_TAIL;
  return { ...cell, text, columns: ASYNC_HEAD.length, before: rewriting.functionsText() };
}

// {a: 1} is meant as an object, though it parses as a block.
function parseAsObject(code) {
  if (!/^\s*\{/.test(code) || /;\s*$/.test(code)) return null;
  const { tree } = parse(`(${code}\n)`);
  const isObject = tree?.body.length === 1 && tree.body[0].expression?.type === 'ObjectExpression';
  return isObject ? tree : null;
}

// What rewriteTree gives, or {error} when the code does not parse.
function rewrite(code) {
  const object = parseAsObject(code);
  if (object) return rewriteTree(`(${code}\n)`, object);
  const { tree, error } = parse(code);
  return tree ? rewriteTree(code, tree) : { error };
}

module.exports = { IMPORT, rewrite };
