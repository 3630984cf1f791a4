/** Markup that is safe to send. Only `html` creates it, so that unescaped text cannot reach a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** Escapes every value except other `Html`. */
export function html(pieces: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(pieces.reduce((text, piece, at) => text + render(values[at - 1]) + piece));
}

/** Formats our own text, with `code` between backticks and paragraphs between empty lines. */
export function prose(text: string): Html {
  return html`${text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

export function inline(text: string): Html {
  const parts = text.split(/`([^`]+)`/); // every second part was between backticks
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function render(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
