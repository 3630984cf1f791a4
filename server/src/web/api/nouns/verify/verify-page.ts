import type { Brand } from '../../../../base/brand/brand.ts';
import { type Html, html } from '../../../../base/std/markup/html.ts';
import { sharePage } from '../jobs/share-pages.ts';
import type { Origin } from './judge-origin.ts';

/** A page without scripts: its field takes what is dropped on it. */
export function verifyPage(
  brand: Brand,
  { origin, wrong }: { origin?: Origin; wrong?: string } = {},
): string {
  const title = 'Was this image made here?';
  return sharePage(
    brand,
    title,
    html`<main class="form"><h1>${title}</h1>
${origin && answer(origin)}
${wrong !== undefined && html`<section role="alert"><p>${wrong}</p></section>`}
<form method="post" enctype="multipart/form-data">
<label for="file">Choose an image, or drop it here. It is looked at and not kept.</label>
<input id="file" type="file" name="file" accept="image/*" required>
<button>Ask</button>
</form>
<form method="post">
<label for="url">Or paste the link to an image of this service.</label>
<input id="url" type="url" name="url" required>
<button>Ask about the link</button>
</form></main>`,
  );
}

const signatures: Record<Origin['marks']['c2pa']['state'], string | null> = {
  none: null,
  unchecked: 'It is signed (C2PA). The signature was not checked.',
  valid: 'It is signed (C2PA), and has not been changed since.',
  invalid: 'It is signed (C2PA), and the signature does not hold: the file was changed.',
};

function answer({ made_here, how, created_at, model, job_url: job, marks }: Origin): Html {
  const by = created_at !== undefined && ` on ${created_at.slice(0, 10)}, by the model ${model}`;
  const verdict = made_here
    ? html`<p><strong>Yes.</strong> It was made here${by}${how === 'similar' ? '; this is a copy that was scaled, cut or saved again' : ', and nobody has changed it since'}.</p>`
    : html`<p><strong>It is not recognised.</strong> It was made elsewhere, or changed since, or is not kept here any more.</p>`;
  const mark =
    marks.xmp === null
      ? 'The file does not say how it was made.'
      : `The file says of itself: ${marks.xmp}. Anybody can write that.`;
  const signature = signatures[marks.c2pa.state];
  return html`<section role="status">${verdict}<p>${mark}</p>${signature !== null && html`<p>${signature}</p>`}${job !== undefined && html`<p><a href="${job}">Open its job</a></p>`}</section>`;
}
