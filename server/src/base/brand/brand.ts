/** As whom this installation speaks to people. */
export interface Brand {
  /** Of one line. */
  name: string;
  logo: Logo | null;
  /** What filled controls look like. */
  accent: Accent;
  /** Where people find help: an email address. */
  support: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
}

/** Drawn from what an operator sent, which is never sent on. */
export interface Logo {
  /** PNG. */
  bytes: Buffer;
  /** As it is shown, in CSS pixels. */
  width: number;
  height: number;
  /** Of the bytes. */
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

/** Of an installation that has none of its own. */
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

/** Where browsers find it; another address for every other one. */
export function logoPath({ hash }: Logo): string {
  return `/brand/logo-${hash.slice(0, 16)}.png`;
}
