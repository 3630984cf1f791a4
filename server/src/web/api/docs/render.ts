import { type Html, html } from '../../../base/std/markup/html.ts';
import { codeBlock, withOrigin } from '../reference/code.ts';
import { originPlaceholder } from '../reference/origin.ts';
import { type Block, type Span, spansOf } from './markdown.ts';

/** Returns the link for a target; undefined if the target is only in the repository. */
export type Resolve = (target: string) => string | undefined;

export function renderBlock(block: Block, resolve: Resolve): Html {
  const inline = (text: string) => renderInline(text, resolve);
  switch (block.kind) {
    case 'heading':
      return renderHeading(block, inline);
    case 'paragraph':
      return html`<p>${inline(block.text)}</p>`;
    case 'list': {
      const items = block.items.map((item) => html`<li>${inline(item)}</li>`);
      return block.first === null ? html`<ul>${items}</ul>` : html`<ol start="${block.first}">${items}</ol>`;
    }
    case 'table':
      return html`<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${block.head.map((cell) => (cell === '' ? html`<td></td>` : html`<th scope="col">${inline(cell)}</th>`))}</tr></thead>
<tbody>${block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
    case 'code':
      return codeBlock(block.code, labels[block.language] ?? block.language);
  }
}

const labels: Record<string, string> = {
  '': 'Text',
  sh: 'Shell',
  bash: 'Shell',
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  json: 'JSON',
  yaml: 'YAML',
  http: 'HTTP',
  html: 'HTML',
  csv: 'CSV',
};

function renderHeading(
  { level, text, id }: Block & { kind: 'heading' },
  inline: (text: string) => Html,
): Html {
  if (level === 1) return html`<h1>${inline(text)}</h1>`;
  // HTML does not allow a link within a link, so a heading with a link does not link to itself.
  const linked = spansOf(text).some(({ kind }) => kind === 'link');
  const inner = linked ? inline(text) : html`<a class="anchor" href="#${id}">${inline(text)}</a>`;
  if (level === 2) return html`<h2 id="${id}">${inner}</h2>`;
  return level === 3 ? html`<h3 id="${id}">${inner}</h3>` : html`<h4 id="${id}">${inner}</h4>`;
}

export function renderInline(text: string, resolve: Resolve): Html {
  return html`${spansOf(text).map((span) => renderSpan(span, resolve))}`;
}

function renderSpan(span: Span, resolve: Resolve): Html {
  switch (span.kind) {
    case 'text':
      return withOrigin(span.text);
    case 'code':
      return html`<code>${withOrigin(span.text)}</code>`;
    case 'strong':
      return html`<strong>${renderInline(span.text, resolve)}</strong>`;
    case 'emphasis':
      return html`<em>${renderInline(span.text, resolve)}</em>`;
    case 'image': {
      const src = resolve(span.target);
      return src === undefined ? html`` : html`<img src="${src}" alt="${span.text}" loading="lazy">`;
    }
    case 'link': {
      const href = resolve(span.target);
      const inner = renderInline(span.text, resolve);
      return href === undefined
        ? inner
        : html`<a href="${href.startsWith(originPlaceholder) ? href.slice(originPlaceholder.length) || '/' : href}">${inner}</a>`;
    }
  }
}
