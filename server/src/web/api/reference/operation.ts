import { problems } from '../../../base/http/problems.ts';
import { type Html, html, inline, prose } from '../../../base/std/markup/html.ts';
import { exampleTabs, jsonBlock } from './code.ts';
import { keysOnly } from './curl-request.ts';
import type { Operation, Parameter, Reference, Reply } from './document.ts';
import { examplesOf } from './examples.ts';
import { headerName, parameterFields, refName, schemaFields } from './fields.ts';
import { sampleBody, sampleReply } from './samples.ts';

export function operationSection(operation: Operation, reference: Reference): Html {
  const { id, method, summary, description, parameters, body, files, replies } = operation;
  const success = replies.findLast(({ status }) => status < 400);
  const reply = sampleReply(operation);
  const title = `${id}-title`;
  return html`<section class="operation" id="${id}" aria-labelledby="${title}"${wishesOf(operation, reference)}>
<div class="text">
<h3 id="${title}"><a class="anchor" href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${breakable(operation.path)}</span></a></h3>
<p class="summary">${inline(summary)}</p>
${description && prose(description)}
${places.map(([place, heading]) =>
  parameterPart(
    heading,
    parameters.filter((parameter) => parameter.in === place),
  ),
)}
${body && html`<h4>Body</h4>${schemaFields(body, 'request')}${body.additionalProperties === false && html`<p class="note">Other fields are refused.</p>`}`}
${files.length > 0 && html`<h4>Body</h4><p>As ${files.map((type, at) => html`${at > 0 && ' or '}<code>${type}</code>`)}.</p>`}
${success && replyPart(success)}
${errorPart(replies)}
</div>
<div class="aside">
${exampleTabs(`example-${id}`, examplesOf(operation, reference))}
${reply !== undefined && jsonBlock(reply, `Answer ${success?.status ?? ''}`)}
${success?.status === 204 && html`<figure><figcaption>Answer 204</figcaption><p>It has no body.</p></figure>`}
</div>
</section>`;
}

/** The attributes from which the script builds the reader's request. */
function wishesOf({ method, path, parameters, body, files }: Operation, { basePath }: Reference): Html {
  const takes = [...new Set(parameters.map((one) => (one.in === 'header' ? one.name : one.in)))];
  return html` data-method="${method}" data-path="${basePath}${path}" data-takes="${takes.join(' ')}"${
    body && html` data-body="${JSON.stringify(sampleBody(body), null, 2)}"`
  }${files.length > 0 && html` data-file="${files[0]}"`}${keysOnly.includes(`${method} ${path}`) && html` data-keys-only`}`;
}

export function breakable(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part, at) => html`${at > 1 && html`<wbr>`}${part}`)}`;
}

const places = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

function parameterPart(heading: string, parameters: readonly Parameter[]): Html | false {
  return parameters.length > 0 && html`<h4>${heading}</h4>${parameterFields(parameters)}`;
}

function replyPart({ status, headers, schema }: Reply): Html {
  const name = schema && refName(schema);
  return html`<h4>Answer <span class="status">${status}</span></h4>
${name !== undefined && html`<p>A <a href="#schema-${name}">${name}</a>.</p>`}
${schema?.properties && schemaFields(schema, 'answer')}
${headers.length > 0 && html`<p>With the headers</p><ul class="fields">${headers.map(headerRow)}</ul>`}`;
}

function headerRow([name, description]: [string, string]): Html {
  return html`<li><p class="field"><code class="name">${headerName(name)}</code></p><p>${inline(description)}</p></li>`;
}

function errorPart(replies: readonly Reply[]): Html | false {
  const failures = replies.filter(({ status }) => status >= 400);
  if (failures.length === 0) return false;
  return html`<h4>Errors</h4><dl class="pairs short">${failures.map(({ status, codes, description }) => {
    const links = codes.map(
      (code) =>
        html`<a href="/docs/errors/${code}" title="${problems[code].title}"><code>${code}</code></a> `,
    );
    return html`<div><dt>${status}</dt><dd>${links.length > 0 ? links : inline(description)}</dd></div>`;
  })}</dl>`;
}
