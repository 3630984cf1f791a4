/** Names that programs for OpenAI's API send without being asked. Operators may let them mean other models. */
export const modelAliases: ReadonlyMap<string, string> = new Map([
  ...named('pro', [
    'gpt-image-2.6-sunburst',
    'gpt-image-2.5-sunburst',
    'gpt-image-2.5-sunburst-2026-09-08',
    'gpt-image-2',
    'gpt-image-2-2026-04-21',
    'gpt-image-1.5',
    'gpt-image-1',
    'chatgpt-image-latest',
    'dall-e-3',
  ]),
  ...named('nb', [
    'gpt-image-2.6-flare',
    'gpt-image-2.5-flare',
    'gpt-image-2.5-flare-2026-09-08',
    'gpt-image-1-mini',
    'dall-e-2',
  ]),
]);

/** These answer with links unless told otherwise; all later ones with the image itself. */
export const isLinkModel = (name: string): boolean => name.startsWith('dall-e-');

function named(model: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [name, model]);
}
