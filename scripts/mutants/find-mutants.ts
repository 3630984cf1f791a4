import { readFileSync } from 'node:fs';
import { type Node, parseSync, Visitor } from 'oxc-parser';

export interface Mutant {
  file: string;
  /** Offsets in UTF-16 units, as in strings. */
  start: number;
  end: number;
  text: string;
  line: number;
  change: string;
}

const opposites: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
/** The methods that filter, lock or sort a query. A mutant leaves one out, because the query still runs without it. */
const links = new Set([
  'where',
  'whereRef',
  'having',
  'forUpdate',
  'skipLocked',
  'orderBy',
  'limit',
  'onConflict',
  'on',
  'onRef',
]);
/** Matches names of time and size limits, where a difference of one millisecond or byte does not matter. */
const measure = /(Ms|Bytes)$/;
const leastMeasure = 10;
/** This clock returns fractions of milliseconds, which never equal a limit, so no test can tell `<` from `<=`. */
const stopwatch = 'performance.now()';
/** Matches code that only logs or measures. Mutants leave it unchanged, because separate tests check it. */
const telling = /^(await )?(this\.#?|deps\.)?(log|logger|meter|metrics|span|tracing|onProgress)\b/;
const inSql: readonly [RegExp, string][] = [
  [/ and /g, ' or '],
  [/ <= /g, ' < '],
  [/ < /g, ' <= '],
  [/ >= /g, ' > '],
  [/ > /g, ' >= '],
  [/ is null/g, ' is not null'],
  [/ is not null/g, ' is null'],
];

export function findMutants(file: string): Mutant[] {
  const source = readFileSync(file, 'utf8');
  const found: Mutant[] = [];
  const add = ({ start, end }: { start: number; end: number }, text: string) => {
    const line = source.slice(0, start).split('\n').length;
    const change = `${flatten(source.slice(start, end))} → ${flatten(text) || 'nothing'}`;
    found.push({ file, start, end, text, line, change });
  };
  const textOf = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  const left = new Set<Node>();
  const { program } = parseSync(file, source, { lang: 'ts' });
  new Visitor({
    TSLiteralType({ literal }) {
      left.add(literal);
    },
    VariableDeclarator({ id, init }) {
      if (init?.type !== 'Literal' || id.type !== 'Identifier' || !measure.test(id.name)) return;
      if (typeof init.value === 'number' && init.value >= leastMeasure) left.add(init);
    },
    BinaryExpression(node) {
      const opposite = opposites[node.operator];
      if (opposite === undefined || (node.operator === '+' && [node.left, node.right].some(isText))) return;
      if (/[<>]/.test(opposite) && [node.left, node.right].some((side) => textOf(side) === stopwatch)) return;
      const from = source.indexOf(node.operator, node.left.end);
      add({ start: from, end: from + node.operator.length }, opposite);
    },
    LogicalExpression(node) {
      add(node, textOf(node.left));
      add(node, textOf(node.right));
    },
    UnaryExpression(node) {
      if (node.operator === '!') add(node, textOf(node.argument));
    },
    IfStatement(node) {
      add(node.test, 'true');
      add(node.test, 'false');
    },
    ConditionalExpression(node) {
      add(node, textOf(node.consequent));
      add(node, textOf(node.alternate));
    },
    ExpressionStatement(node) {
      if (changesSomething(node.expression) && !telling.test(textOf(node))) add(node, ';');
    },
    ThrowStatement(node) {
      add(node, ';');
    },
    Literal(node) {
      if (left.has(node)) return;
      if (typeof node.value === 'boolean') add(node, String(!node.value));
      if (typeof node.value === 'number' && Number.isInteger(node.value)) add(node, String(node.value + 1));
      if (typeof node.value === 'bigint') add(node, `${node.value + 1n}n`);
    },
    CallExpression({ callee, start, end }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      const { object, property } = callee;
      if (links.has(property.name) && object.type === 'CallExpression') add({ start: object.end, end }, '');
      else if (textOf(object) === 'Math' && ['min', 'max'].includes(property.name))
        add(property, property.name === 'min' ? 'max' : 'min');
      else if (property.name === 'filter') add({ start, end }, textOf(object));
    },
    TaggedTemplateExpression(node) {
      if (!/^sql\b/.test(textOf(node.tag))) return;
      for (const { start, end } of node.quasi.quasis)
        for (const [from, to] of inSql)
          for (const { index, 0: match } of source.slice(start, end).matchAll(from))
            add({ start: start + index, end: start + index + match.length }, to);
    },
  }).visit(program);
  return found.sort((one, other) => one.start - other.start);
}

function isText(node: Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function changesSomething(node: Node): boolean {
  return ['AwaitExpression', 'CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(
    node.type,
  );
}

function flatten(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 70 ? `${flat.slice(0, 50)} … ${flat.slice(-17)}` : flat;
}
