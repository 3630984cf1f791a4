import { parseSync } from 'vite';
import type { Node } from './read-children.ts';
import { type Child, readChildren } from './read-children.ts';
import { ValueNames } from './value-names.ts';
import { hasWords, isPhrase, isSentence, neverWords, visibleAttributes } from './visible.ts';

export interface Compiled {
  code: string;
  messages: Message[];
  /** Text that cannot be translated in its current form. */
  problems: Problem[];
}

export interface Message {
  text: string;
  line: number;
}

export interface Problem {
  line: number;
  start: number;
  end: number;
  text: string;
  why: string;
}

/**
 * Finds the text that people see, and makes each message look up its translation. In JSX, a run of text with its values
 * and elements is one message, so that no sentence consists of pieces. Elsewhere, every sentence must be passed to `t`.
 */
export function compileWords(file: string, code: string, runtime = ''): Compiled {
  const { program, errors } = parseSync(file, code);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return new Compiler(code).compile(program, runtime);
}

type Tree = Node & Record<string, unknown>;
interface Edit {
  start: number;
  end: number;
  text: string;
}

class Compiler {
  readonly #code: string;
  readonly #messages: Message[] = [];
  readonly #problems: Problem[] = [];
  readonly #used = new Set<'t' | 'words'>();
  #edits: Edit[] = [];

  constructor(code: string) {
    this.#code = code;
  }

  compile(program: Node, runtime: string): Compiled {
    this.#walk(program);
    const imports = [...this.#used].map((name) => `${name} as $${name}`).join(', ');
    const head = imports && `import { ${imports} } from ${JSON.stringify(runtime)}; `;
    const code = head + this.#applied(0, this.#code.length);
    return { code, messages: this.#messages, problems: this.#problems };
  }

  // ── finding text ───────────────────────────────────────────────────────────────────────────────────────────────────
  #walk(node: Node): void {
    if (isNoCode(node)) return;
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') this.#element(node);
    else if (node.type === 'CallExpression' && askers.test(this.#source(node.callee))) this.#asked(node);
    else if (!isNeverShown(node, (part) => this.#source(part))) {
      const text = textOf(node);
      if (text !== undefined && isFor(node, text)) this.#wrong(node, text, 'is not passed to t');
      this.#all(maybeShown(node));
    }
  }

  #all(nodes: Iterable<Node>): void {
    for (const node of nodes) this.#walk(node);
  }

  #asked(node: Node & { type: 'CallExpression' }): void {
    const [first, ...rest] = node.arguments;
    const text = first && textOf(first);
    if (text === undefined || (first?.type === 'TemplateLiteral' && first.expressions.length > 0))
      this.#wrong(node, this.#source(node), 'asks for words that are not written there');
    else this.#say(node, text);
    this.#all(rest);
  }

  #element(node: Node & { type: 'JSXElement' | 'JSXFragment' }): void {
    if (node.type === 'JSXElement') this.#attributes(node.openingElement);
    this.#children(node.children);
  }

  #attributes(opening: Node & { type: 'JSXOpeningElement' }): void {
    for (const attribute of opening.attributes) {
      if (attribute.type !== 'JSXAttribute') {
        this.#walk(attribute);
        continue;
      }
      const name = this.#source(attribute.name);
      const { value } = attribute;
      if (!value || neverWords.attributes.has(name)) {
        if (value?.type === 'JSXExpressionContainer') for (const part of partsOf(value)) this.#quietly(part);
      } else if (value.type === 'Literal') {
        const text = String(value.value);
        if (isShown(name, text)) this.#replace(value, `{${this.#call(value, quoted(text))}}`);
        else if (isSentence(text)) this.#wrong(value, text, `is in the attribute ${name}`);
      } else if (value.type === 'JSXExpressionContainer' && visibleAttributes.has(name))
        this.#shown(value.expression);
      else this.#walk(value);
    }
  }

  /**
   * Walks code whose own strings are never shown, such as the value of `className`. Elements nested in it are compiled
   * as usual.
   */
  #quietly(node: Node): void {
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') this.#element(node);
    else for (const part of partsOf(node)) this.#quietly(part);
  }

  #shown(node: Node): void {
    if (node.type === 'Literal') {
      if (typeof node.value === 'string' && hasWords(node.value))
        this.#replace(node, this.#call(node, quoted(node.value)));
    } else if (node.type === 'TemplateLiteral') this.#template(node);
    else if (node.type === 'ConditionalExpression') {
      this.#walk(node.test);
      this.#shown(node.consequent);
      this.#shown(node.alternate);
    } else if (node.type === 'LogicalExpression') {
      if (node.operator === '&&') this.#walk(node.left);
      else this.#shown(node.left);
      this.#shown(node.right);
    } else if (isWrapped(node)) this.#shown(node.expression);
    else this.#walk(node);
  }

  #template(node: Node & { type: 'TemplateLiteral' }): void {
    const texts = node.quasis.map(({ value }) => quoted(value.cooked ?? ''));
    if (!texts.some(hasWords)) {
      for (const part of node.expressions) this.#walk(part);
      return;
    }
    const names = new ValueNames(this.#code);
    let message = texts[0] ?? '';
    const values = node.expressions.map((expression, index) => {
      this.#pieces(expression);
      this.#walk(expression);
      const name = names.of(expression);
      message += `{${name}}${texts[index + 1] ?? ''}`;
      return `${name}: ${this.#applied(expression.start, expression.end)}`;
    });
    this.#replace(node, this.#call(node, message, unique(values)));
  }

  #children(children: readonly Node[]): void {
    const run = readChildren(children);
    if (!run) {
      for (const child of children) {
        if (child.type === 'JSXExpressionContainer') this.#shown(child.expression);
        else if (child.type !== 'JSXText') this.#walk(child);
      }
      return;
    }
    for (const child of run.around) {
      if (child.type === 'JSXExpressionContainer') this.#shown(child.expression);
      else if (child.type !== 'JSXText') this.#walk(child);
    }
    const { message, values, isPlain } = this.#message(run.inside, new ValueNames(this.#code));
    const call = this.#call(run.first, message, unique(values), isPlain ? 't' : 'words');
    const { before, after } = run;
    this.#edits.push({
      start: run.first.start,
      end: run.last.end,
      text: `${before ? "{' '}" : ''}{${call}}${after ? "{' '}" : ''}`,
    });
  }

  #message(children: Child[], names: ValueNames): { message: string; values: string[]; isPlain: boolean } {
    let message = '';
    let isPlain = true;
    const values: string[] = [];
    for (const child of children) {
      if (typeof child === 'string') message += quoted(child);
      else if (child.type === 'JSXElement' && child.children.some((one) => readChildren([one]))) {
        const name = names.of(child);
        const within = this.#message(readChildren(child.children, true)?.inside ?? [], names);
        message += `<${name}>${within.message}</${name}>`;
        this.#attributes(child.openingElement);
        const opening = this.#applied(child.openingElement.start, child.openingElement.end);
        const closing = child.closingElement ? this.#source(child.closingElement) : '';
        values.push(`${name}: ($) => ${opening}{$}${closing}`, ...within.values);
        isPlain = false;
      } else {
        const inner = child.type === 'JSXExpressionContainer' ? child.expression : child;
        this.#pieces(inner);
        if (child.type === 'JSXExpressionContainer') this.#shown(inner);
        else this.#walk(inner);
        const name = names.of(inner);
        message += `{${name}}`;
        values.push(`${name}: ${this.#applied(inner.start, inner.end)}`);
        isPlain = false;
      }
    }
    return { message, values, isPlain };
  }

  /** Reports words chosen within a sentence, which cannot be translated: the whole sentence must be chosen instead. */
  #pieces(node: Node): void {
    const text = textOf(node);
    if (text !== undefined && hasWords(text)) this.#wrong(node, text, 'is a piece of a sentence');
    else if (node.type === 'ConditionalExpression') {
      this.#pieces(node.consequent);
      this.#pieces(node.alternate);
    } else if (node.type === 'LogicalExpression') this.#pieces(node.right);
    else if (node.type === 'ParenthesizedExpression') this.#pieces(node.expression);
  }

  // ── writing code ───────────────────────────────────────────────────────────────────────────────────────────────────
  #call(at: Node, text: string, values: readonly string[] = [], name: 't' | 'words' = 't'): string {
    this.#say(at, text);
    this.#used.add(name);
    const parts = values.length > 0 ? `, { ${values.join(', ')} }` : '';
    return `$${name}(${JSON.stringify(text)}${parts})`;
  }

  #say(at: Node, text: string): void {
    this.#messages.push({ text, line: this.#line(at) });
  }

  #wrong(at: Node, text: string, why: string): void {
    this.#problems.push({ line: this.#line(at), start: at.start, end: at.end, text, why });
  }

  #replace({ start, end }: Node, text: string): void {
    this.#edits.push({ start, end, text });
  }

  #source({ start, end }: Node): string {
    return this.#code.slice(start, end);
  }

  #line({ start }: Node): number {
    return this.#code.slice(0, start).split('\n').length;
  }

  /** Returns a part of the code with its edits applied, and drops these edits. */
  #applied(start: number, end: number): string {
    const within = this.#edits.filter((edit) => edit.start >= start && edit.end <= end);
    this.#edits = this.#edits.filter((edit) => !within.includes(edit));
    let text = '';
    let at = start;
    for (const edit of within.toSorted((a, b) => a.start - b.start)) {
      text += this.#code.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return text + this.#code.slice(at, end);
  }
}

function isShown(name: string, text: string): boolean {
  if (name === 'name' || name === 'placeholder') return isSentence(text);
  return visibleAttributes.has(name) && hasWords(text);
}

const askers = /^(t|words|(\w+\.)?say)$/;

type Wrapped = Extract<Node, { type: 'ParenthesizedExpression' | 'TSAsExpression' | 'TSNonNullExpression' }>;

function isWrapped(node: Node): node is Wrapped {
  return /^(ParenthesizedExpression|TSAsExpression|TSNonNullExpression)$/.test(node.type);
}

/** Whether the texts in a call are never shown, such as names of server calls and styles. */
function isNeverShown(node: Node, source: (node: Node) => string): boolean {
  return node.type === 'CallExpression' && neverWords.calls.has(source(node.callee));
}

/** The parts of an expression that may be shown: without comparisons and field names. */
function maybeShown(node: Node): Node[] {
  if (node.type === 'SwitchCase') return node.consequent;
  if (node.type === 'Property' && !node.computed) return [node.value];
  const parts = [...partsOf(node)];
  const isCompared = node.type === 'BinaryExpression' && /^[!=]==$/.test(node.operator);
  return isCompared ? parts.filter((part) => textOf(part) === undefined) : parts;
}

function isNoCode({ type }: Node): boolean {
  if (type === 'TSAsExpression' || type === 'TSSatisfiesExpression' || type === 'TSNonNullExpression')
    return false;
  return type.startsWith('TS') || type === 'ImportDeclaration' || type === 'ExportAllDeclaration';
}

/** The text of a literal; a template's values are left out. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join('…');
  return undefined;
}

function* partsOf(node: Node): Generator<Node> {
  for (const value of Object.values(node as Tree))
    for (const part of Array.isArray(value) ? value : [value])
      if (part !== null && typeof part === 'object' && typeof part.type === 'string') yield part;
}

/** Quotes text for ICU where it looks like a value or an element. */
function quoted(text: string): string {
  return text.replaceAll(/\{[\w{}]+\}|<\w+>/g, "'$&'");
}

function isFor(node: Node, text: string): boolean {
  return node.type === 'TemplateLiteral' ? isPhrase(text) : isSentence(text);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
