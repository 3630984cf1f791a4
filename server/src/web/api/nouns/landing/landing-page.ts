import type { Brand } from '../../../../base/brand/brand.ts';
import { type Html, html } from '../../../../base/std/markup/html.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import type { Say } from '../../../../notify/emails/say.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import { specifiedModels } from '../../../../upstream/catalog/specified-models.ts';
import { brandIcon, brandLinks, logoImage, plateSheet } from '../../brand-parts.ts';
import { numberIn, type Reader, writtenIn } from '../../page-reader.ts';

interface Landing {
  currency: string;
  publicUrl: string;
  models: readonly Model[];
  examples: readonly Example[];
  hasStatus: boolean;
  hasSignUp: boolean;
}

export interface Example {
  url: string;
  alt(say: Say): string;
  width: number;
  height: number;
}

export function landingPage(reader: Reader, landing: Landing): string {
  const { brand, say } = reader;
  const { examples, models, hasSignUp } = landing;
  const summary = say(
    'Describe an image and get it in seconds. Each is paid from a prepaid balance: the price is fixed before it is made, and an image that fails costs nothing.',
  );
  const docs = html`<a href="/docs">${say('Docs')}</a>`;
  const { name } = brand;
  const { text } = html`<html lang="${writtenIn(reader)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}">
<title>${say('{name}: images from words', { name })}</title>
${brandIcon(brand)}
<style>${sheet(brand)}</style>
</head>
<body>
<header><p class="name">${signOf(brand)}<span>${name}</span></p><nav>${docs}${doors(reader, hasSignUp)}</nav></header>
<main>
<section class="hero"><h1>${say('Images from words, in the browser or by API')}</h1><p>${summary}</p>
<p class="actions">${doors(reader, hasSignUp).toReversed()}<a href="/docs">${say('Read the documentation')}</a></p></section>
${examples.length > 0 && html`<section class="examples" aria-label="${say('Examples')}">${examples.map((example) => examplePart(example, say))}</section>`}
${
  models.length > 0 &&
  html`<section><h2>${say('Models and prices')}</h2>
<div class="models">${models.map((model) => modelPart(reader, model, landing.currency))}</div></section>`
}
${callPart(reader, landing)}
</main>
<footer>${docs}${landing.hasStatus && html`<a href="/status">${say('Status')}</a>`}${brandLinks(brand, say)}</footer>
</body>
</html>
`;
  return `<!doctype html>\n${text}`;
}

function doors({ say }: Reader, hasSignUp: boolean): Html[] {
  const signIn = say('Sign in');
  if (!hasSignUp) return [html`<a class="button" href="/sign-in">${signIn}</a>`];
  return [
    html`<a href="/sign-in">${signIn}</a>`,
    html`<a class="button" href="/sign-up">${say('Sign up')}</a>`,
  ];
}

function callPart({ say }: Reader, { models, publicUrl }: Landing): Html | undefined {
  const model = models.find(({ modes }) => modes.includes('text'));
  if (!model) return undefined;
  const body = JSON.stringify({ prompt: 'a lighthouse at dusk', aspect_ratio: model.ratios[0] });
  return html`<section><h2>${say('By API')}</h2>
<p>${say('One request makes a job; its image is fetched once it is done, or a webhook is called.')}</p>
<pre tabindex="0"><code>curl ${publicUrl}/api/v1/${model.id}/text-generations \\
  -H "Authorization: Bearer $DARKROOM_KEY" -H "Content-Type: application/json" \\
  -d '${body}'</code></pre></section>`;
}

function signOf({ logo }: Brand): Html {
  return logo ? logoImage(logo) : html`<img src="/icon.svg" width="28" height="28" alt="">`;
}

function examplePart({ url, alt, width, height }: Example, say: Say): Html {
  return html`<img src="${url}" alt="${alt(say)}" width="${width}" height="${height}" loading="lazy">`;
}

function does({ say }: Reader, { action, modes }: Model): string {
  if (action === 'upscale') return say('Makes images larger.');
  if (action === 'remove_background') return say('Removes backgrounds.');
  return modes.includes('url')
    ? say('Makes images from words, and from other images.')
    : say('Makes images from words.');
}

function modelPart(reader: Reader, model: Model, currency: string): Html {
  const { name, description, resolutions } = model;
  const caption = reader.say('Of one image, in {currency}', { currency });
  return html`<article><h3>${name}</h3><p>${description ? described(reader, description) : does(reader, model)}</p>
<table><caption>${caption}</caption>${[...resolutions].map(
    ([size, { priceMicros }]) =>
      html`<tr><th scope="row">${size}</th><td>${numberIn(reader, formatMicros(priceMicros))}</td></tr>`,
  )}</table></article>
`;
}

/** Uses the operators' own text, if there is one, because it is probably in their visitors' language. */
function described({ say }: Reader, description: string): string {
  const isOurs = specifiedModels.some((model) => model.description === description);
  return isOurs ? say(description) : description;
}

function sheet({ accent: { light, dark } }: Brand): Html {
  return html`
:root { color-scheme: light dark; --soft: light-dark(#665d55, #a99f96); --line: light-dark(#e8e2d9, #2d2724); }
* { box-sizing: border-box; }
body { max-width: 70rem; margin: 0 auto; padding: 1.5rem 2rem 3rem; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#211d1a, #ece6df); background: light-dark(#fcfbf9, #141110); overflow-wrap: anywhere; }
header, nav, .actions, footer { display: flex; flex-wrap: wrap; align-items: center; gap: 1rem 1.25rem; }
header { justify-content: space-between; }
p { margin: 0; }
a { color: inherit; }
.name { display: flex; align-items: center; gap: 0.75rem; font-weight: 650; font-size: 1.125rem; }
.name img { max-width: 60vw; }
.button { display: inline-block; padding: 0.625rem 1.125rem; border-radius: 0.375rem; font-weight: 600; text-decoration: none; color: light-dark(${light.text}, ${dark.text}); background: light-dark(${light.fill}, ${dark.fill}); }
section { margin-top: 3.5rem; }
.hero { margin-top: 5rem; max-width: 42rem; }
.hero > p { margin-top: 1.25rem; font-size: 1.125rem; color: var(--soft); }
.hero .actions { margin-top: 2rem; font-size: 1rem; color: inherit; }
h1 { margin: 0; font-size: clamp(2rem, 1.4rem + 2.6vw, 3.25rem); line-height: 1.1; font-weight: 650; letter-spacing: -0.02em; text-wrap: balance; }
h2 { margin: 0 0 1rem; font-size: 1.375rem; font-weight: 600; }
h3 { margin: 0; font-size: 1rem; font-weight: 600; }
.examples { display: flex; flex-wrap: wrap; gap: 1rem; }
.examples img { flex: 1 1 15rem; min-width: 0; height: 18rem; object-fit: cover; border-radius: 0.5rem; background: var(--line); }
.models { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
article { display: flex; flex-direction: column; gap: 0.5rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 0.5rem; background: light-dark(#fffefc, #1a1615); }
article p { color: var(--soft); font-size: 0.9375rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; font-variant-numeric: tabular-nums; }
caption { padding: 0.25rem 0; text-align: start; font-size: 0.8125rem; color: var(--soft); }
th, td { padding: 0.25rem 0; border-top: 1px solid var(--line); font-weight: 400; text-align: start; }
td { text-align: end; font-weight: 600; }
pre { margin: 1rem 0 0; padding: 1rem 1.25rem; border-radius: 0.5rem; overflow: auto; font: 0.8125rem/1.6 ui-monospace, Menlo, Consolas, monospace; background: light-dark(#f4f1ec, #211c1a); overflow-wrap: normal; }
footer { margin-top: 4rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 0.875rem; color: var(--soft); }
@media (max-width: 30rem) { body { padding: 1.25rem 1.25rem 2.5rem; } .hero { margin-top: 3rem; } .examples img { height: 14rem; } }
${plateSheet}
`;
}
