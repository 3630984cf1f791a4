import type { Brand } from '../../../base/brand/brand.ts';
import { type Html, html } from '../../../base/std/markup/html.ts';
import { frame } from '../reference/page.ts';
import { plainText } from './markdown.ts';
import { type Docs, type Page, resolveLink } from './read-docs.ts';
import { renderBlock } from './render.ts';

export function documentPage(page: Page, docs: Docs, brand: Brand): string {
  const resolve = (target: string) => resolveLink(docs, page, target);
  const at = docs.pages.indexOf(page);
  const trail = html`<nav class="trail" aria-label="Where you are"><a href="/docs">Documentation</a>${page.section && html` / <a href="/docs/${page.section.id}">${page.section.title}</a>`} / <span aria-current="page">${page.title}</span></nav>`;
  const content = html`${trail}
<div class="doc">
<article>${page.blocks.map((block) => renderBlock(block, resolve))}
<footer><p><a href="${page.path}.md">This page as Markdown</a></p>${neighbours(docs.pages[at - 1], docs.pages[at + 1])}</footer></article>
${onThisPage(page)}
</div>`;
  return frame({
    title: `${page.title} · ${brand.name}`,
    brand,
    navigation: navigation(docs, page),
    content,
  });
}

function neighbours(before: Page | undefined, after: Page | undefined): Html {
  return html`<nav class="neighbours" aria-label="Other pages">${before && html`<a rel="prev" href="${before.path}"><span>Previous</span> ${before.title}</a>`}${after && html`<a rel="next" href="${after.path}"><span>Next</span> ${after.title}</a>`}</nav>`;
}

function onThisPage({ blocks }: Page): Html | false {
  const parts = blocks.filter((block) => block.kind === 'heading').filter(({ level }) => level === 2);
  return (
    parts.length > 1 &&
    html`<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${parts.map(({ id, text }) => html`<li><a href="#${id}">${plainText(text)}</a></li>`)}</ul></nav>`
  );
}

export function listPage(docs: Docs, brand: Brand, only?: string): string {
  const { name } = brand;
  const shown = docs.sections.filter(({ id }) => only === undefined || id === only);
  const lists = shown.map(
    ({ id, title, about }) => html`<section class="listed" aria-labelledby="${id}">
<h2 id="${id}"><a href="/docs/${id}">${title}</a></h2><p>${about}</p>
<ul>${docs.pages
      .filter((page) => page.section?.id === id && page.parent === undefined)
      .map((page) => html`<li><a href="${page.path}">${page.title}</a><p>${page.about}</p></li>`)}</ul>
</section>`,
  );
  const [one] = shown;
  const content =
    only === undefined || !one
      ? html`<div class="intro"><h1>${name} documentation</h1>
<div class="lead"><p>Post a prompt, get a job at once, and collect the image by polling or by webhook.</p></div></div>
<div class="lists">${lists}${reference}</div>`
      : html`<nav class="trail" aria-label="Where you are"><a href="/docs">Documentation</a> / <span aria-current="page">${one.title}</span></nav>
<div class="intro"><h1>${one.title}</h1><div class="lead"><p>${one.about}</p></div></div>
<div class="lists alone">${lists}</div>`;
  const title = only === undefined || !one ? `${name} documentation` : `${one.title} · ${name}`;
  return frame({ title, brand, navigation: navigation(docs, only), content });
}

export function missingPage(docs: Docs, brand: Brand): string {
  const content = html`<div class="intro"><h1>There is no such page</h1>
<div class="lead"><p>It may have moved. Search for it, or start from <a href="/docs">the documentation</a>.</p></div></div>`;
  const title = `There is no such page · ${brand.name}`;
  return frame({ title, brand, navigation: navigation(docs, undefined), content });
}

const reference = html`<section class="listed" aria-labelledby="reference">
<h2 id="reference"><a href="/docs/reference">Reference</a></h2><p>Every call, field, limit and error code of the API.</p>
<ul><li><a href="/docs/reference">API reference</a><p>Every call, with examples in six languages, to try in the page.</p></li>
<li><a href="/docs/errors">Error codes</a><p>What each code means, and what to do.</p></li>
<li><a href="/docs/changelog">Changelog</a><p>What changed in each version.</p></li></ul>
</section>`;

/** @param current a page, or the id of a section */
function navigation({ sections, pages }: Docs, current: Page | string | undefined): Html {
  const here = typeof current === 'object' ? current : undefined;
  const groups = sections.map(({ id, title }) => {
    const listed = pages.filter(
      (page) =>
        page.section?.id === id &&
        (page.parent === undefined || page.parent === here?.path || page.parent === here?.parent),
    );
    const links = listed.map(
      (page) =>
        html`<li${page.parent !== undefined && html` class="below"`}><a href="${page.path}"${page === here && html` aria-current="page"`}>${page.title}</a></li>`,
    );
    return html`<li><a class="group" href="/docs/${id}"${id === current && html` aria-current="page"`}>${title}</a><ul>${links}</ul></li>`;
  });
  const changelog = here?.section === undefined && here !== undefined;
  return html`<nav aria-label="Documentation"><ul class="menu">${groups}
<li><a class="group" href="/docs/reference">Reference</a><ul><li><a href="/docs/reference">API reference</a></li><li><a href="/docs/errors">Error codes</a></li></ul></li>
<li><a class="group" href="/docs/changelog"${changelog && html` aria-current="page"`}>Changelog</a></li></ul></nav>`;
}
