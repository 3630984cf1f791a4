import { SettingError } from '../errors.ts';

/** The page at / for people who are not signed in. */
export interface LandingSettings {
  /** The token of the public link whose images the page shows; null for two images drawn by the simulator. */
  examples: string | null;
}

const publicLink = /^https?:\/\/[^/?#\s]+\/shared\/([\w-]{22})$/;

/** @throws SettingError */
export function readLanding(
  { DARKROOM_LANDING_EXAMPLES: link = '' }: Record<string, string | undefined>,
  { sharing }: { sharing: boolean },
): LandingSettings {
  if (!link) return { examples: null };
  if (!sharing)
    throw new SettingError(
      'DARKROOM_LANDING_EXAMPLES is a public link, and public links are off: set DARKROOM_SHARING=true as well.',
    );
  const token = publicLink.exec(link)?.[1];
  // The message omits the link, because anyone with the link can open it.
  if (!token)
    throw new SettingError(
      'DARKROOM_LANDING_EXAMPLES must be a public link as shown in the panel, https://images.example.com/shared/ and 22 characters, with nothing after them.',
    );
  return { examples: token };
}
