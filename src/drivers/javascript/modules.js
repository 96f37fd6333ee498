// require, import and their kin for code that lives in no file: as if it were WORKSPACE/context.js,
// the program that was started.
'use strict';

const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const { IMPORT } = require('./cells');

// What a driver that was given with -e imports is looked up from its working directory.
function importFrom(specifier, options) {
  return options === undefined ? import(specifier) : import(specifier, options);
}

// import {a, b} from 'x': a missing name is an error, as it is in a module.
async function importStatement(specifier, names, attributes) {
  const options = attributes && { with: attributes, assert: attributes };
  const namespace = await importFrom(specifier, options);
  for (const name of names) {
    if (!(name in namespace)) {
      const what = `The requested module '${specifier}'`;
      throw new SyntaxError(`${what} does not provide an export named '${name}'`);
    }
  }
  return namespace;
}

function define(name, value) {
  const property = { value, writable: true, configurable: true, enumerable: false };
  Object.defineProperty(globalThis, name, property);
}

function installModules(folder) {
  const file = path.join(folder, 'context.js');
  const url = pathToFileURL(file).href;
  const main = new Module(file, null);
  main.filename = file;
  main.paths = Module._nodeModulePaths(folder);
  const require = Module.createRequire(file);
  require.main = main;
  define('require', require);
  define('module', main);
  define('exports', main.exports);
  define('__filename', file);
  define('__dirname', folder);
  importFrom.statement = importStatement;
  importFrom.meta = {
    dirname: folder,
    filename: file,
    url,
    resolve: (specifier) => {
      if (/^(\.{0,2}\/|[a-z][a-z0-9+.-]*:)/.test(specifier)) return new URL(specifier, url).href;
      const found = require.resolve(specifier);
      if (path.isAbsolute(found)) return pathToFileURL(found).href;
      return found.startsWith('node:') ? found : `node:${found}`;
    },
  };
  define(IMPORT, importFrom);
  process.argv = [process.argv[0], file];
  process.execArgv = []; // not for the programs that the code starts
}

module.exports = { installModules };
