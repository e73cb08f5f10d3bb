/**
 * Better answers of tslab's kernel to Shift-Tab and Tab, for scripts/kernel-preload.cjs; loaded before tslab.
 *
 * tslab knows only the name at the cursor. Here the place between parentheses shows the signature of the call and the
 * fields of its options, a type shows its fields, and names that are no identifiers complete in quotes. Files that change
 * while the kernel runs do not disturb it.
 */
'use strict';
const file = require.resolve('@tslab/typescript-for-tslab');
const ts = { ...require(file) };
require.cache[file].exports = ts;

/** tslab keeps the program of the cell to itself: the newest converter's, as { builder }. */
let newest;
const { createWatchProgram } = ts;
ts.createWatchProgram = (host) => {
  const holder = (newest = {});
  const { afterProgramCreate } = host;
  host.afterProgramCreate = (builder) => afterProgramCreate((holder.builder = builder));
  return createWatchProgram(host);
};

// A file that comes or goes in a folder where TypeScript looked for modules, the project's root for one, makes it ask for
// a timer; tslab has one place for timers and throws when it is taken, in a later cell too. This timer, told by its
// name, gets to be one of Node's.
const LOOKUP = 'invalidateResolutionsOfFailedLookup';
const { createWatchCompilerHost } = ts;
ts.createWatchCompilerHost = (files, options, sys, ...rest) => {
  const { setTimeout: wait, clearTimeout: forget } = sys;
  const lookups = new Set();
  sys.setTimeout = (callback, delay, ...values) => {
    if (callback.name !== LOOKUP) return wait(callback, delay, ...values);
    const timer = setTimeout(callback, delay, ...values).unref();
    lookups.add(timer);
    return timer;
  };
  sys.clearTimeout = (timer) => (lookups.delete(timer) ? clearTimeout(timer) : forget(timer));
  return createWatchCompilerHost(files, options, sys, ...rest);
};

/** The text that tslab puts before the source of a cell. */
const PREFIX = 'export {};\n'.length;

/** A converter of tslab with better answers. */
function withLanguage(made) {
  const holder = newest;
  const look = (position) => {
    const program = holder.builder.getProgram();
    const cell = program.getSourceFiles().find(({ fileName }) => /__tslab__\.[jt]s$/.test(fileName));
    return { checker: program.getTypeChecker(), cell, at: position + PREFIX };
  };
  return {
    ...made,
    inspect(previous, source, position) {
      const info = made.inspect(previous, source, position);
      if (!info) return signatureAt(look(position));
      const documentation = [{ text: `${textOf(info.documentation)}${fieldsOfName(info, look(position))}` }];
      return { ...info, documentation };
    },
    complete(previous, source, position) {
      const result = made.complete(previous, source, position);
      return inQuotes(result, look(position)) ?? afterDot(result, look(position)) ?? result;
    },
  };
}

/** The innermost node of a kind around a position. */
const nodeAt = ({ cell, at }, accepts) => ts.findAncestor(ts.findPrecedingToken(at, cell), accepts);

// --- Shift-Tab ---------------------------------------------------------------------------------

const textOf = (parts) =>
  (parts ?? [])
    .map(({ text }) => text)
    .join('')
    .replace(/\{@link\s+(.*?)\s*\}/g, '$1');
const inOneLine = (text) => text.replace(/\s+/g, ' ').trim();

/** The call between whose parentheses the cursor is: its signatures, and the fields of the argument there. */
function signatureAt(place) {
  const { checker, cell, at } = place;
  const callAt = (node) => node.parent && ts.SignatureHelp.getArgumentInfoForCompletions(node, at, cell);
  const inside = nodeAt(place, callAt);
  const found = inside && callAt(inside);
  if (found === undefined) return undefined;
  const { invocation: call, argumentIndex } = found;
  const type = checker.getTypeAtLocation(call.expression);
  const all = ts.isNewExpression(call) ? type.getConstructSignatures() : type.getCallSignatures();
  const chosen = checker.getResolvedSignature(call) ?? all[0];
  if (all.length === 0 || chosen === undefined) return undefined;
  const name = call.expression.getText(cell);
  const lines = all.map((signature) => `${name}${checker.signatureToString(signature)}`);
  const docs = [textOf(chosen.getDocumentationComment(checker))];
  for (const parameter of chosen.parameters) {
    const about = textOf(parameter.getDocumentationComment(checker));
    if (about !== '') docs.push(`${parameter.name}: ${inOneLine(about)}`);
  }
  const fields = (expected) => (expected ? fieldsOf(expected, checker, call) : '');
  const literal = nodeAt(place, (node) => ts.isObjectLiteralExpression(node) && node.pos >= call.arguments.pos);
  const types = chosen.parameters
    .slice(argumentIndex)
    .map((parameter) => checker.getTypeOfSymbolAtLocation(parameter, call.expression));
  // Of a record the fields alone, of anything else those of what may follow.
  const expected = types.length > 0 && fields(types[0]) !== '' ? types.slice(0, 1) : types;
  docs.push(...(literal ? [checker.getContextualType(literal)] : expected).map(fields));
  const documentation = [{ text: docs.filter(Boolean).join('\n\n') }];
  return { displayParts: [{ text: lines.join('\n') }], documentation, tags: [] };
}

/** A line per field of a record: name, type and documentation; "" for anything else. */
function fieldsOf(type, checker, node) {
  const bare = checker.getNonNullableType(type);
  const isRecord = (one) =>
    (one.flags & ts.TypeFlags.Object) !== 0 &&
    one.getCallSignatures().length === 0 &&
    !checker.isArrayLikeType(one) &&
    one.getStringIndexType() === undefined &&
    !isBuiltIn(one.symbol);
  const record = (bare.isUnion() ? bare.types : [bare]).find(isRecord);
  if (record === undefined) return '';
  const lines = checker.getPropertiesOfType(record).map((field) => {
    const of = checker.typeToString(checker.getTypeOfSymbolAtLocation(field, node));
    const optional = field.flags & ts.SymbolFlags.Optional ? '?' : '';
    const about = inOneLine(textOf(field.getDocumentationComment(checker)));
    return `  ${field.name}${optional}: ${of}${about === '' ? '' : ` – ${about}`}`;
  });
  return lines.length === 0 ? '' : `Fields of ${checker.typeToString(bare)}:\n${lines.join('\n')}`;
}

/** Whether it is a class or an interface of JavaScript itself, as Map or Float64Array. */
const isBuiltIn = (symbol) =>
  symbol !== undefined &&
  (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0 &&
  (symbol.declarations ?? []).some((of) => /[\\/]lib\.[^\\/]*\.d\.ts$/.test(of.getSourceFile().fileName));

/** The fields of the type that is named at the cursor; "" for another name. */
function fieldsOfName({ kind }, place) {
  if (!['interface', 'type', 'alias'].includes(kind)) return '';
  const { checker } = place;
  const name = nodeAt(place, ts.isIdentifier);
  const symbol = name && checker.getSymbolAtLocation(name);
  if (symbol === undefined) return '';
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const fields = fieldsOf(checker.getDeclaredTypeOfSymbol(target), checker, name);
  return fields === '' ? '' : `\n\n${fields}`;
}

// --- Tab ---------------------------------------------------------------------------------------

/** Candidates for the text between quotes; tslab would add them to what is typed already. */
function inQuotes(result, place) {
  const { cell, at } = place;
  const literal = nodeAt(place, ts.isStringLiteral);
  if (literal === undefined) return undefined;
  const start = literal.getStart(cell) + 1;
  const isClosed = literal.end > start && cell.text[literal.end - 1] === cell.text[start - 1];
  if (isClosed && at >= literal.end) return undefined;
  const typed = cell.text.slice(start, at);
  const candidates = (result.original?.entries ?? []).map(({ name }) => name).filter((name) => name.startsWith(typed));
  const end = isClosed ? literal.end - 1 : at;
  return { ...result, start: start - PREFIX, end: end - PREFIX, candidates };
}

/** Where only names that are no identifiers begin with what is typed after a dot: `.dri` becomes `['drift-plus-penalty']`. */
function afterDot(result, place) {
  if (result.candidates.length > 0) return undefined;
  const { checker, cell, at } = place;
  const access = nodeAt(place, ts.isPropertyAccessExpression);
  if (access === undefined || at <= access.expression.end) return undefined;
  const dot = cell.text.indexOf('.', access.expression.end);
  const typed = cell.text.slice(dot + 1, at);
  const names = checker.getPropertiesOfType(checker.getTypeAtLocation(access.expression)).map(({ name }) => name);
  const candidates = names.filter((name) => name.startsWith(typed)).map((name) => `['${name}']`);
  return { ...result, start: dot - PREFIX, end: at - PREFIX, candidates };
}

module.exports = { withLanguage };
