import { type Html, html } from '../../../../base/std/markup/html.ts';
import type { Origin } from './judge-origin.ts';

/** A page without scripts: its field takes what is dropped on it. */
export function verifyPage({ origin, wrong }: { origin?: Origin; wrong?: string } = {}): string {
  const { text } = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Was this picture made here?</title>
<style>
body { margin: 0; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1c1b19, #eeece7); background: light-dark(#f6f4ef, #161513); }
main { max-width: 34rem; margin: auto; }
h1 { font-size: 1.375rem; line-height: 1.25; }
input { box-sizing: border-box; width: 100%; padding: 0.75rem 1rem; font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: 0.75rem; }
input[type=file] { padding: 3rem 1rem; border: 2px dashed; }
button { width: 100%; min-height: 3rem; margin-top: 1rem; font: inherit; font-weight: 600; border: 0; border-radius: 0.75rem; color: light-dark(#f6f4ef, #161513); background: light-dark(#1c1b19, #eeece7); }
section { padding: 0.25rem 1rem; border-radius: 0.75rem; background: light-dark(#e9e5dc, #24221f); }
</style>
</head>
<body>
<main>
<h1>Was this picture made here?</h1>
${origin && answer(origin)}
${wrong !== undefined && html`<section role="alert"><p>${wrong}</p></section>`}
<form method="post" enctype="multipart/form-data">
<p><label for="file">Choose a picture, or drop it here. It is looked at and not kept.</label></p>
<input id="file" type="file" name="file" accept="image/*" required>
<button>Ask</button>
</form>
<form method="post">
<p><label for="url">Or paste the link to a picture of this service.</label></p>
<input id="url" type="url" name="url" required>
<button>Ask about the link</button>
</form>
</main>
</body>
</html>
`;
  return `<!doctype html>\n${text}`;
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
