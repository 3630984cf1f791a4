import type { ESTree } from 'vite';
import { hasWords } from './visible.ts';

export type Node = ESTree.Node;

export type Child = string | Extract<Node, { type: 'JSXElement' | 'JSXFragment' | 'JSXExpressionContainer' }>;

export interface Run {
  first: Node;
  last: Node;
  inside: Child[];
  /** Nodes before or after the sentence that are not part of it, such as icons. */
  around: Node[];
  /** Whether a space separates the sentence from its neighbours. */
  before: boolean;
  after: boolean;
}

/**
 * Finds the sentence among an element's children. Returns undefined if none of them is text with words. `whole` takes
 * all children as the sentence.
 */
export function readChildren(children: readonly Node[], whole = false): Run | undefined {
  const read = children.map((node) => ({ node, child: childOf(node) }));
  const isText = ({ child }: (typeof read)[number]) => typeof child === 'string' && hasWords(child);
  if (!whole && !read.some(isText)) return undefined;
  let start = 0;
  let end = read.length;
  const isAside = (at: number) => {
    const one = read[at];
    if (one?.child === undefined || one.child === '') return true;
    return !whole && ((typeof one.child === 'string' && one.child.trim() === '') || isApart(one.node));
  };
  while (start < end && isAside(start)) start += 1;
  while (end > start && isAside(end - 1)) end -= 1;
  const kept = read.slice(start, end);
  const [first] = kept;
  const last = kept.at(-1);
  if (!first || !last) return undefined;
  const inside = joined(kept.flatMap(({ child }) => (child === undefined ? [] : [child])));
  const opening = inside[0];
  const closing = inside.at(-1);
  const before = !whole && typeof opening === 'string' && opening.startsWith(' ');
  const after = !whole && typeof closing === 'string' && closing.endsWith(' ');
  if (before && typeof opening === 'string') inside[0] = opening.trimStart();
  const end_ = inside.at(-1);
  if (after && typeof end_ === 'string') inside[inside.length - 1] = end_.trimEnd();
  const around = [...read.slice(0, start), ...read.slice(end)].map(({ node }) => node);
  return { first: first.node, last: last.node, inside, around, before, after };
}

function childOf(node: Node): Child | undefined {
  if (node.type === 'JSXText') return shownText(node.value);
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return node;
  if (node.type !== 'JSXExpressionContainer' || node.expression.type === 'JSXEmptyExpression')
    return undefined;
  const { expression } = node;
  return expression.type === 'Literal' && typeof expression.value === 'string' ? expression.value : node;
}

/** Whether a node does not belong to the sentence beside it: an icon, or an element that is shown only sometimes. */
function isApart(node: Node): boolean {
  if (node.type === 'JSXElement') {
    const { name } = node.openingElement;
    return name.type === 'JSXIdentifier' && /^(Icon|svg$)/.test(name.name);
  }
  if (node.type !== 'JSXExpressionContainer') return false;
  const { expression } = node;
  return (
    expression.type === 'LogicalExpression' &&
    expression.operator === '&&' &&
    /^JSX|^Paren/.test(expression.right.type)
  );
}

/** A text as React shows it, with trimmed lines joined by spaces. */
function shownText(raw: string): string {
  const lines = raw.split('\n');
  return lines
    .map((line, index) => {
      const started = index === 0 ? line : line.trimStart();
      return index === lines.length - 1 ? started : started.trimEnd();
    })
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll(/&(nbsp|amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');
}

const entities: Record<string, string> = { nbsp: '\u00a0', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function joined(children: readonly Child[]): Child[] {
  const all: Child[] = [];
  for (const child of children) {
    const last = all.at(-1);
    if (typeof child === 'string' && typeof last === 'string') all[all.length - 1] = last + child;
    else all.push(child);
  }
  return all;
}
