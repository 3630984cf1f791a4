import type { Brand } from '../../../base/brand/brand.ts';
import { STATUS_CODES } from '../../../base/http/connections/node-http.ts';
import { problems } from '../../../base/http/problems.ts';
import { retrySeconds } from '../../../base/http/send-problem.ts';
import { type Html, html, inline } from '../../../base/std/markup/html.ts';
import { type ErrorCode, errorCodes } from '../../../errors.ts';
import { codeBlock } from './code.ts';
import type { Operation, Reference } from './document.ts';
import { breakable } from './operation.ts';
import { originPlaceholder } from './origin.ts';
import { page } from './page.ts';
import { problemSamples } from './problem-samples.ts';

export function errorListPage(reference: Reference, brand: Brand): string {
  const byStatus = Map.groupBy(errorCodes, (code) => problems[code].status);
  const groups = [...byStatus].sort(([a], [b]) => a - b);
  const content = html`<section class="intro">
<h1>Error codes</h1>
<div class="lead"><p>Every failure is a problem document with one of these codes. A code keeps its meaning; new ones may be added.</p></div>
</section>
${groups.map(
  ([status, codes]) => html`<section class="group-of-errors" aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} <span>${STATUS_CODES[status]}</span></h2>
<ul>${codes.map((code) => html`<li><a href="/docs/errors/${code}"><code>${code}</code></a><p>${inline(problems[code].meaning)}</p></li>`)}</ul>
</section>`,
)}`;
  return page(
    { title: `Error codes · ${reference.title} API`, current: 'errors', content },
    reference,
    brand,
  );
}

/** The page to which `type` in a problem document links. */
export function errorPage(code: ErrorCode, reference: Reference, brand: Brand): string {
  const { status, title, meaning, remedy } = problems[code];
  const content = html`<nav class="trail" aria-label="Where you are"><a href="/docs/reference">Reference</a> / <a href="/docs/errors">Error codes</a> / <span aria-current="page">${code}</span></nav>
<section class="error">
<h1>${title}</h1>
<p class="facts"><span class="status">${status} ${STATUS_CODES[status]}</span> <code>${code}</code></p>
<h2>What it means</h2><p>${inline(meaning)}</p>
<h2>What to do</h2><p>${inline(remedy)}</p>
<h2>Example</h2>
${codeBlock(problemExample(code), 'Answer')}
${answeredBy(code, reference)}
</section>`;
  return page({ title: `${title} · ${reference.title} API`, current: 'errors', content }, reference, brand);
}

export function problemExample(code: ErrorCode): string {
  const { status, title, meaning } = problems[code];
  const { detail = meaning.replaceAll('`', ''), headers = [], more } = problemSamples[code] ?? {};
  const type = `${originPlaceholder}/docs/errors/${code}`;
  const document = { type, title, status, detail, code, ...more, request_id: 'req_Rk3hZ0w9cT1sVb7Q' };
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    ...(status === 401 ? ['WWW-Authenticate: Bearer'] : []),
    ...(retrySeconds[code] === undefined ? [] : [`Retry-After: ${retrySeconds[code]}`]),
    ...headers,
  ];
  return `${head.join('\n')}\n\n${JSON.stringify(document, null, 2)}`;
}

function answeredBy(code: ErrorCode, { tags }: Reference): Html | false {
  const operations = tags.flatMap((tag) => tag.operations);
  const answering = operations.filter(({ replies }) => replies.some(({ codes }) => codes.includes(code)));
  if (answering.length === 0) return false;
  return html`<h2>Who answers it</h2>
${answering.length === operations.length ? html`<p>Every endpoint.</p>` : html`<ul class="endpoints">${answering.map(link)}</ul>`}`;
}

function link({ id, method, path }: Operation): Html {
  return html`<li><a href="/docs/reference#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${breakable(path)}</span></a></li>`;
}
