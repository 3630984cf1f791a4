/** The page that those who are not signed in see at /. */
export interface LandingSettings {
  /** The token of the public link whose images it shows; null: two that were drawn here. */
  examples: string | null;
}

export function readLanding({ DARKROOM_LANDING_EXAMPLES: link = '' }: Record<string, string | undefined>) {
  return { examples: /[\w-]*$/.exec(link)?.[0] || null } satisfies LandingSettings;
}
