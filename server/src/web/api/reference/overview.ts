import type { Brand } from '../../../base/brand/brand.ts';
import { type Html, html, inline, prose } from '../../../base/std/markup/html.ts';
import { codeBlock, jsonBlock } from './code.ts';
import type { Reference, Schema } from './document.ts';
import { problemExample } from './error-pages.ts';
import { choices, schemaFields, typeOf } from './fields.ts';
import { guide } from './guide.ts';
import { operationSection } from './operation.ts';
import { originPlaceholder } from './origin.ts';
import { page, tagId } from './page.ts';
import { schemaSamples } from './samples.ts';

export function overviewPage(reference: Reference, brand: Brand): string {
  const { title, description, tags, schemas } = reference;
  const content = html`<section id="guide" class="intro">
<h1>${title} API</h1>
<div class="lead">${prose(description)}</div>
<div class="shown">${images.map(
    ({ file, prompt }) =>
      html`<figure><img src="/docs/${file}" alt="The image that this prompt makes" width="960" height="536"><figcaption>“${prompt}”</figcaption></figure>`,
  )}</div>
<p class="base">Base address <code><span data-origin>${originPlaceholder}</span>${reference.basePath}</code></p>
</section>
${guide.map(
  ({ id, title, text, aside }) => html`<section class="topic" id="${id}">
<div class="text"><h2><a class="anchor" href="#${id}">${title}</a></h2>${text}</div>
${aside && html`<div class="aside">${aside}</div>`}
</section>`,
)}
${tags.map(
  ({
    name,
    description,
    operations,
  }) => html`<div class="chapter" id="${tagId(name)}"><h2>${name}</h2>${description && html`<p>${inline(description)}</p>`}</div>
${operations.map((operation) => operationSection(operation, reference))}`,
)}
<div class="chapter" id="schemas"><h2>Schemas</h2><p>What endpoints share, by the names that generated clients have for it.</p></div>
${schemas.map(schemaSection)}
${administration}`;
  return page({ title: `${title} API reference`, current: null, content }, reference, brand);
}

const administration = html`<section class="topic" id="administration">
<div class="text"><h2><a class="anchor" href="#administration">Administration</a></h2>
<p>Operators run this server from programs at <code>/admin/v1</code>: accounts and their money, keys, limits, members, webhooks, retention, export and erasure, models, and the audit log.
It takes admin keys, <code>dka_…</code>, which are created on the server's machine: <code>darkroom admin-key create shop --scopes accounts,money</code>.</p>
<p><a href="/admin/v1/openapi.json">Its own OpenAPI document</a> describes every call and the scope that it needs; <code>DarkroomAdmin</code> in the SDK has a method for each.</p></div>
</section>`;

const images = [
  { file: 'lighthouse.webp', prompt: 'a lighthouse at dusk' },
  { file: 'fox.webp', prompt: 'a red fox in the snow' },
];

function schemaSection([name, schema]: [string, Schema]): Html {
  const sample = schemaSamples[name];
  const id = `schema-${name}`;
  return html`<section class="operation" id="${id}">
<div class="text"><h3><a class="anchor" href="#${id}">${name}</a></h3>
${schema.description && prose(schema.description)}
${schema.properties ? schemaFields(schema, 'answer') : html`<p><span class="type">${typeOf(schema)}</span></p>${choices(schema)}`}</div>
<div class="aside">${sample !== undefined && jsonBlock(sample, name)}${name === 'Problem' && codeBlock(problemExample('invalid_request'), 'Answer 422')}</div>
</section>`;
}
