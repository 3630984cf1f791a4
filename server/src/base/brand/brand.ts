/** As whom this installation speaks to people. */
export interface Brand {
  /** Of one line. */
  name: string;
  /** What filled controls look like. */
  accent: Accent;
  /** Where people find help: an email address. */
  support: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
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
  // Ink and paper of the panel.
  accent: {
    light: { fill: '#211d1a', text: '#fffefc' },
    dark: { fill: '#ece6df', text: '#141110' },
  },
  support: null,
  termsUrl: null,
  privacyUrl: null,
};
