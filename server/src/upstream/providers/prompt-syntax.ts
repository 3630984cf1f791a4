/** Some self-hosted servers read settings from prompts; only operators may set these. All patterns take linear time. */

const serverArguments = /sd_cpp_extra_args/i;

/** Removes `<sd_cpp_extra_args>` tags. stable-diffusion.cpp, in all of its protocols, applies the JSON between them. */
export function withoutServerArguments(prompt: string): string {
  const [first = '', ...others] = prompt.split(serverArguments);
  if (others.length === 0) return prompt;
  return [first, ...others.map((part) => part.replace(/^[\s>]+/, ''))].map(withoutOpening).join(' ');
}

/** Removes `<lora:name:1>`, for which several servers load files, and `__name__`, a wildcard of a common extension. */
export function withoutNetworks(prompt: string): string {
  return prompt.replaceAll(/<(\w{1,40}):/g, '<$1 ').replaceAll(/_{2,}/g, '_');
}

/** Cleans texts such as `negative_prompt` in the same way as the prompt. */
export function cleanWords(
  fields: Readonly<Record<string, unknown>>,
  clean: (words: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([path, value]) => [
      path,
      typeof value === 'string' && path.endsWith('prompt') ? clean(value) : value,
    ]),
  );
}

/** Removes the `<` or `</` of a tag whose name was removed. A regular expression would take quadratic time. */
function withoutOpening(text: string): string {
  let end = text.length;
  while (end > 0 && '</ \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return end === text.length ? text : `${text.slice(0, end)} `;
}
