import { type Html, html } from '../../../base/std/markup/html.ts';
import { readCurlRequest } from './curl-request.ts';
import type { Example } from './example.ts';
import { originPlaceholder } from './origin.ts';

/** Shows code. If it calls our API, `data-request` lets the page's script make the call for a signed-in reader. */
export function codeBlock(code: string, label: string): Html {
  const request = readCurlRequest(code);
  return html`<figure class="code"${request && html` data-request="${JSON.stringify(request)}"`}><figcaption>${label}</figcaption><pre><code>${paint(code)}</code></pre></figure>`;
}

export function jsonBlock(value: unknown, label: string): Html {
  return codeBlock(JSON.stringify(value, null, 2), label);
}

/** Without the script, readers choose the language of each group separately. */
export function exampleTabs(id: string, examples: readonly Example[]): Html {
  const [only] = examples;
  if (examples.length === 1 && only) return codeBlock(only.code, only.language);
  const tabs = examples.map(({ language }, at) => {
    const tab = `${id}-${language.toLowerCase()}`;
    return html`<input type="radio" name="${id}" id="${tab}" value="${language}"${at === 0 && html` checked`}><label for="${tab}">${language}</label>`;
  });
  const panels = examples.map(({ language, code }) => codeBlock(code, language));
  return html`<div class="tabs" role="group" aria-label="Language of the example">${tabs}${panels}</div>`;
}

function paint(code: string): Html {
  const tokens = /("(?:[^"\\\n]|\\.)*")(\s*:)?|'(?:[^'\\]|\\.)*'|(?<=^|\s)(?:#|\/\/)[^\n]*/g;
  const parts: Html[] = [];
  let end = 0;
  for (const match of code.matchAll(tokens)) {
    const [text, , colon] = match;
    const kind = colon !== undefined ? 'key' : /^["']/.test(text) ? 'string' : 'comment';
    const token = colon === undefined ? text : text.slice(0, -colon.length);
    parts.push(
      html`${withOrigin(code.slice(end, match.index))}<span class="${kind}">${withOrigin(token)}</span>${colon}`,
    );
    end = match.index + text.length;
  }
  return html`${parts}${withOrigin(code.slice(end))}`;
}

export function withOrigin(text: string): Html {
  const [before = '', ...after] = text.split(originPlaceholder);
  return html`${before}${after.map((part) => html`<span data-origin>${originPlaceholder}</span>${part}`)}`;
}
