export interface Brand {
  /** A single line. */
  name: string;
  logo: Logo | null;
  accent: Accent;
  /** The email address to which people write for help. */
  support: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
}

/** The logo, redrawn from an operator's file; the file itself is never served. */
export interface Logo {
  /** PNG. */
  bytes: Buffer;
  /** The size on pages in CSS pixels. */
  width: number;
  height: number;
  hash: string;
  /** The colour scheme of the pages on which the logo is hardly visible; null if it is visible on both. */
  unseenOn: 'light' | 'dark' | null;
}

export interface Accent {
  light: Fill;
  dark: Fill;
}

interface Fill {
  fill: string;
  text: string;
}

export const ownBrand: Brand = {
  name: 'Darkroom',
  logo: null,
  accent: {
    light: { fill: '#211d1a', text: '#fffefc' },
    dark: { fill: '#ece6df', text: '#141110' },
  },
  support: null,
  termsUrl: null,
  privacyUrl: null,
};

/** The URL path of the logo. It changes with the logo, so that browsers can cache it. */
export function logoPath({ hash }: Logo): string {
  return `/brand/logo-${hash.slice(0, 16)}.png`;
}
