/** Names that programs for OpenAI's API send without being asked. Operators may let them mean other models. */
export const modelAliases = {
  get: (name: string): string | undefined =>
    known.get(name) ??
    (/^gpt-image-\d/.test(name) ? (/-(mini|flare)\b/.test(name) ? 'nb' : 'pro') : undefined),
};

/** Beside these, every later `gpt-image`. */
const known: ReadonlyMap<string, string> = new Map([
  ...named('pro', ['chatgpt-image-latest', 'dall-e-3']),
  ...named('nb', ['dall-e-2']),
]);

/** These answer with links by default; all later models with the image itself. */
export const isLinkModel = (name: string): boolean => name.startsWith('dall-e-');

function named(model: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [name, model]);
}
