import { type Brand, logoPath, ownBrand } from '../../base/brand/brand.ts';
import { html } from '../../base/std/markup/html.ts';

export interface ShownBrand {
  name: string;
  logo: { url: string; width: number; height: number; unseen_on: 'light' | 'dark' | null } | null;
  support_email: string | null;
  terms_url: string | null;
  privacy_url: string | null;
}

/** Writes the brand into the page, which loads before the session is known. Without one, the page stays as built. */
export function brandPage(page: string, brand: Brand, nonce: string): string {
  if (brand === ownBrand) return page;
  const { name, logo, accent, support, termsUrl, privacyUrl } = brand;
  const shown: ShownBrand = {
    name,
    logo: logo && {
      ...{ url: logoPath(logo), width: logo.width, height: logo.height, unseen_on: logo.unseenOn },
    },
    ...{ support_email: support, terms_url: termsUrl, privacy_url: privacyUrl },
  };
  const head = html`<title>${name}</title><meta name="brand" content="${JSON.stringify(shown)}"><style nonce="${nonce}">:root:root{--fill:${accent.light.fill};--on-accent:${accent.light.text}}:root:root[data-mantine-color-scheme=dark]{--fill:${accent.dark.fill};--on-accent:${accent.dark.text}}</style>`;
  return page.replace('<title>Darkroom</title>', () => head.text);
}
