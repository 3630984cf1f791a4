import { createElement, Fragment, type ReactNode } from 'react';
import { language, locale, translate } from './language.ts';
import { type Part, parseMessage } from './parse-message.ts';

/** Translates a message, whose English text is in the code, and fills in values. */
export function t(message: string, values?: Record<string, string | number>): string {
  const parts = partsOf(message);
  if (typeof parts === 'string') return parts;
  return parts.map((part) => said(part, values ?? {})).join('');
}

/** Translates a text that the server sent, or returns it unchanged. `npm run languages` collects these texts. */
export function told(text: string): string {
  return translate(text);
}

type Shown = ReactNode | ((within: ReactNode) => ReactNode);

/**
 * Translates a message with elements: for `<link>…</link>`, the function `link` in `values` receives the words within
 * and returns what is shown.
 *
 * @public The build writes its calls for JSX.
 */
export function words(message: string, values: Record<string, Shown>): ReactNode {
  const parts = partsOf(message);
  return typeof parts === 'string' ? parts : joined(parts.map((part) => shown(part, values)));
}

const plurals = new Intl.PluralRules(language === 'long' ? 'en' : language);
const numbers = new Intl.NumberFormat(locale);
const parsed = new Map<string, string | Part[]>();

function partsOf(message: string): string | Part[] {
  let parts = parsed.get(message);
  if (parts === undefined) {
    const text = translate(message);
    parts = /[{<]/.test(text) ? parseMessage(text) : text;
    parsed.set(message, parts);
  }
  return parts;
}

function said(part: Part, values: Record<string, string | number>): string {
  if (typeof part === 'string') return part;
  const value = values[part.name];
  if (part.kind === 'value') return value === undefined ? '' : String(value);
  const within = part.kind === 'plural' ? chosen(part.forms, Number(value)) : part.within;
  return within.map((one) => said(one, values)).join('');
}

function shown(part: Part, values: Record<string, Shown>): ReactNode {
  if (typeof part === 'string') return part;
  const value = values[part.name];
  if (part.kind === 'plural')
    return joined(chosen(part.forms, Number(value)).map((one) => shown(one, values)));
  if (part.kind === 'value') return typeof value === 'function' ? value(null) : value;
  const within = joined(part.within.map((one) => shown(one, values)));
  return typeof value === 'function' ? value(within) : within;
}

function chosen(forms: Record<string, Part[]>, count: number): Part[] {
  const form = forms[`=${count}`] ?? forms[plurals.select(count)] ?? forms.other ?? [];
  return form.map((part) => (typeof part === 'string' ? part.replaceAll('#', numbers.format(count)) : part));
}

/** Returns a string if every node is text, because some elements show only strings. */
function joined(nodes: ReactNode[]): ReactNode {
  const isText = nodes.every((node) => typeof node === 'string' || typeof node === 'number');
  return isText ? nodes.join('') : createElement(Fragment, null, ...nodes);
}
