import { type Brand, type Logo, logoPath, ownBrand } from '../../base/brand/brand.ts';
import { type Html, html } from '../../base/std/markup/html.ts';
import type { Say } from '../../notify/emails/say.ts';
import type { Reader } from './page-reader.ts';

export function brandHead(brand: Brand): Html | null {
  if (brand === ownBrand) return null;
  const { name, logo } = brand;
  return html`<div class="brand">${logo && logoImage(logo)}<span>${name}</span></div>
`;
}

export function logoImage(logo: Logo): Html {
  return html`<img class="${logo.unseenOn && `unseen-on-${logo.unseenOn}`}" src="${logoPath(logo)}" width="${logo.width}" height="${logo.height}" alt="">`;
}

export function brandIcon({ logo }: Brand, own = '/icon.svg'): Html {
  return logo
    ? html`<link rel="icon" href="${logoPath(logo)}" type="image/png">`
    : html`<link rel="icon" href="${own}" type="image/svg+xml">`;
}

export function brandFoot({ brand, say }: Reader): Html | null {
  const links = brandLinks(brand, say);
  return links.length === 0
    ? null
    : html`<div class="brand foot">${links}</div>
`;
}

export function brandLinks({ support, termsUrl, privacyUrl }: Brand, say: Say): Html[] {
  return [
    support !== null && html`<a href="mailto:${support}">${say('Help')}</a>`,
    termsUrl !== null && html`<a href="${termsUrl}">${say('Terms')}</a>`,
    privacyUrl !== null && html`<a href="${privacyUrl}">${say('Privacy')}</a>`,
  ].filter((link) => link !== false);
}

export function titleUnder(brand: Brand, title: string): string {
  return brand === ownBrand ? title : `${title} · ${brand.name}`;
}

export function brandSheet(brand: Brand): Html | null {
  if (brand === ownBrand) return null;
  const { light, dark } = brand.accent;
  return html`<style>
.brand { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; max-width: 90rem; margin: 0 auto 1.5rem; font-weight: 600; overflow-wrap: anywhere; }
.brand.foot { gap: 1rem; margin: 2rem auto 0; font-size: 0.875rem; font-weight: 400; }
.brand a { color: inherit; }
.brand img { width: auto; max-width: 100%; }
${plateSheet}
.form button { color: light-dark(${light.text}, ${dark.text}); background: light-dark(${light.fill}, ${dark.fill}); }
</style>
`;
}

/** The brand's style sheet for the documentation, whose policy allows no inline styles. */
export function docsSheet({ accent: { light, dark } }: Brand): string {
  const { text } = html`:root { --accent: var(--ink); --fill: ${light.fill}; --on-fill: ${light.text}; }
@media (prefers-color-scheme: dark) { :root { --fill: ${dark.fill}; --on-fill: ${dark.text}; } }
@media screen { header { border-top: 3px solid var(--fill); } }
${plateSheet}
`;
  return text;
}

/** Puts a plate behind a logo that is as dark or as light as the page. */
export const plateSheet = html`@media (prefers-color-scheme: dark) { img.unseen-on-dark { padding: 4px; border-radius: 4px; background: #fffefc; } }
@media (prefers-color-scheme: light) { img.unseen-on-light { padding: 4px; border-radius: 4px; background: #141110; } }`;
