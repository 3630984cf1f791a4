import { type Html, html } from '../../../../base/std/markup/html.ts';
import type { AppError } from '../../../../errors.ts';
import { dayIn, type Reader, sayProblem } from '../../page-reader.ts';
import { sharePage } from '../jobs/share-pages.ts';
import type { Origin } from './judge-origin.ts';

/** A page without scripts. People can drop files on its field. */
export function verifyPage(
  reader: Reader,
  { origin, wrong }: { origin?: Origin; wrong?: string } = {},
): string {
  const { say } = reader;
  const title = say('Was this image made here?');
  return sharePage(
    reader,
    title,
    html`<main class="form"><h1>${title}</h1>
${origin && answer(reader, origin)}
${wrong !== undefined && html`<section role="alert"><p>${wrong}</p></section>`}
<form method="post" enctype="multipart/form-data">
<label for="file">${say('Choose an image, or drop it here. It is looked at and not kept.')}</label>
<input id="file" type="file" name="file" accept="image/*" required>
<button>${say('Ask')}</button>
</form>
<form method="post">
<label for="url">${say('Or paste the link to an image of this service.')}</label>
<input id="url" type="url" name="url" required>
<button>${say('Ask about the link')}</button>
</form></main>`,
  );
}

function answer(reader: Reader, origin: Origin): Html {
  const { say } = reader;
  const { made_here: madeHere, job_url: job, marks } = origin;
  const verdict = madeHere
    ? html`<p><strong>${say('Yes.')}</strong> ${howMade(reader, origin)}</p>`
    : html`<p><strong>${say('It is not recognised.')}</strong> ${say('It was made elsewhere, or changed since, or is not kept here any more.')}</p>`;
  const mark =
    marks.xmp === null
      ? say('The file does not say how it was made.')
      : say('The file says of itself: {mark}. Anybody can write that.', { mark: marks.xmp });
  const signature = signatureOf(reader, marks.c2pa.state);
  return html`<section role="status">${verdict}<p>${mark}</p>${signature !== null && html`<p>${signature}</p>`}${job !== undefined && html`<p><a href="${job}">${say('Open its job')}</a></p>`}</section>`;
}

function howMade(reader: Reader, { how, created_at: at, model = '' }: Origin): string {
  const { say } = reader;
  const made =
    at === undefined
      ? say('It was made here.')
      : say('It was made here on {day}, by the model {model}.', { day: dayIn(reader, at), model });
  const since =
    how === 'similar'
      ? say('This is a copy that was scaled, cut or saved again.')
      : say('Nobody has changed it since.');
  return `${made} ${since}`;
}

function signatureOf({ say }: Reader, state: Origin['marks']['c2pa']['state']): string | null {
  if (state === 'none') return null;
  if (state === 'unchecked') return say('It is signed (C2PA). The signature was not checked.');
  if (state === 'valid') return say('It is signed (C2PA), and has not been changed since.');
  return say('It is signed (C2PA), and the signature does not hold: the file was changed.');
}

export function whyNotAsked(reader: Reader, problem: AppError): string {
  const { say } = reader;
  if (problem.code === 'inputs_unusable') return say('The file is not a JPEG, PNG, WebP or GIF image.');
  if (problem.code !== 'invalid_request') return sayProblem(reader, problem);
  switch (problem.details.errors?.[0]?.code) {
    case 'link_invalid':
      return say('This is not the link to an image of this service. Others are not fetched.');
    case 'link_expired':
      return say('The link has expired. Choose the image itself, or paste a fresh link.');
    case 'image_gone':
      return say('The image of this link was deleted.');
    default: // of the form with a file
      return say('Choose one file, the image, and send nothing else.');
  }
}
