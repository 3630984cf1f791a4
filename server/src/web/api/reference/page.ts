import { type Brand, ownBrand } from '../../../base/brand/brand.ts';
import { type Html, html } from '../../../base/std/markup/html.ts';
import { sayIn } from '../../../notify/emails/say.ts';
import { version } from '../../../version.ts';
import { brandIcon, brandLinks, logoImage } from '../brand-parts.ts';
import type { Reference } from './document.ts';
import { guide } from './guide.ts';
import { breakable } from './operation.ts';
import { schemaSamples } from './samples.ts';

interface Page {
  title: string;
  /** The current entry of the navigation; null for the reference, where the scroll position decides. */
  current: 'errors' | null;
  content: Html;
}

export function page({ title, current, content }: Page, reference: Reference, brand: Brand): string {
  return frame({ title, brand, navigation: navigation(reference, current), content, hasCalls: true });
}

interface Frame {
  title: string;
  brand: Brand;
  navigation: Html;
  content: Html;
  hasCalls?: boolean;
}

export function frame({ title, brand, navigation, content, hasCalls = false }: Frame): string {
  const { name, logo } = brand;
  const links = brandLinks(brand, sayIn('en'));
  const { text } = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/docs/style.css">
${
  brand !== ownBrand &&
  html`<link rel="stylesheet" href="/docs/brand.css">
`
}${brandIcon(brand, '/docs/icon.svg')}
<script src="/docs/script.js" defer></script>
<script src="/docs/search.js" defer></script>
<script src="/docs/run.js" defer></script>
${
  hasCalls &&
  html`<script src="/docs/try.js" defer></script>
`
}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/docs">${logo ? logoImage(logo) : html`<img src="/docs/icon.svg" alt="" width="22" height="22">`}${name} <span>Docs ${version}</span></a>
${navigation}
</header>
<main id="content" tabindex="-1">${content}${links.length > 0 && html`<footer class="help">${links}</footer>`}</main>
</body>
</html>
`;
  return `<!doctype html>\n${text}`;
}

function navigation({ tags, schemas }: Reference, current: Page['current']): Html {
  const groups = [
    group(
      'Guide',
      'guide',
      guide.map(({ id, title }) => html`<a href="/docs/reference#${id}">${title}</a>`),
    ),
    ...tags.map(({ name, operations }) =>
      group(
        name,
        tagId(name),
        operations.map(
          ({ id, method, path }) =>
            html`<a href="/docs/reference#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${breakable(path)}</span></a>`,
        ),
      ),
    ),
    group(
      'Schemas',
      'schemas',
      schemas
        .filter(([name]) => name in schemaSamples || name === 'Problem')
        .map(([name]) => html`<a href="/docs/reference#schema-${name}">${name}</a>`),
    ),
  ];
  return html`<nav aria-label="Reference"><ul class="menu"><li><a class="group" href="/docs">Documentation</a></li>${groups}
<li><a class="group" href="/docs/errors"${current === 'errors' && html` aria-current="page"`}>Error codes</a></li>
<li><a class="group" href="/api/v1/openapi.json">OpenAPI 3.1</a></li>
<li><a class="group" href="/docs/reference#administration">Administration</a></li></ul></nav>`;
}

export function tagId(name: string): string {
  return `tag-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}

function group(title: string, id: string, links: readonly Html[]): Html {
  return html`<li><a class="group" href="/docs/reference#${id}">${title}</a><ul>${links.map((link) => html`<li>${link}</li>`)}</ul></li>`;
}
