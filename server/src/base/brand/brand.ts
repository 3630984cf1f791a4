/** The identity under which this installation speaks to people. */
export interface Brand {
  /** A single line. */
  name: string;
  logo: Logo | null;
  /** The colours of filled controls. */
  accent: Accent;
  /** The email address for help. */
  support: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
}

/** Drawn from what an operator sent, which is never sent on. */
export interface Logo {
  /** PNG. */
  bytes: Buffer;
  /** The size on pages, in CSS pixels. */
  width: number;
  height: number;
  /** The hash of the bytes. */
  hash: string;
  /** A page on which it is hardly seen, since it is as dark or as light. */
  unseenOn: 'light' | 'dark' | null;
}

/** A fill and what is legible on it, on a light page and on a dark one. */
export interface Accent {
  light: Fill;
  dark: Fill;
}

interface Fill {
  fill: string;
  text: string;
}

/** The brand of an installation that has set none. */
export const ownBrand: Brand = {
  name: 'Darkroom',
  logo: null,
  // Ink and paper of the panel.
  accent: {
    light: { fill: '#211d1a', text: '#fffefc' },
    dark: { fill: '#ece6df', text: '#141110' },
  },
  support: null,
  termsUrl: null,
  privacyUrl: null,
};

/** The path for browsers; it changes with the logo. */
export function logoPath({ hash }: Logo): string {
  return `/brand/logo-${hash.slice(0, 16)}.png`;
}
