/** Names that programs for OpenAI's API send by default. Operators can map them to other models. */
export const modelAliases = {
  get: (name: string): string | undefined =>
    known.get(name) ??
    (/^gpt-image-\d/.test(name) ? (/-(mini|flare)\b/.test(name) ? 'nb' : 'pro') : undefined),
};

const known: ReadonlyMap<string, string> = new Map([
  ...named('pro', ['chatgpt-image-latest', 'dall-e-3']),
  ...named('nb', ['dall-e-2']),
]);

/** Whether a model answers with links by default. All later models answer with the image itself. */
export const isLinkModel = (name: string): boolean => name.startsWith('dall-e-');

function named(model: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [name, model]);
}
