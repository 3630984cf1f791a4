/**
 * Some servers at home read settings in the middle of a prompt. Which model is loaded, how large a picture is and how many
 * are made is the operator's choice, so a client's words stay words. Every pattern here is linear, and what it leaves
 * behind cannot put a new tag together.
 */

const serverArguments = /sd_cpp_extra_args/i;

/** stable-diffusion.cpp, by all of its protocols, obeys the JSON between a pair of these tags. */
export function withoutServerArguments(prompt: string): string {
  const [first = '', ...others] = prompt.split(serverArguments);
  if (others.length === 0) return prompt;
  return [first, ...others.map((part) => part.replace(/^[\s>]+/, ''))].map(withoutOpening).join(' ');
}

/**
 * AUTOMATIC1111, Forge, SD.Next and stable-diffusion.cpp load what `<lora:name:1>` and its like name; `__name__` is a
 * wildcard of a common extension.
 */
export function withoutNetworks(prompt: string): string {
  return prompt.replaceAll(/<(\w{1,40}):/g, '<$1 ').replaceAll(/_{2,}/g, '_');
}

/** The `<` or `</` of a tag whose name was cut off behind it. A pattern would look at every blank as a possible start. */
function withoutOpening(text: string): string {
  let end = text.length;
  while (end > 0 && '</ \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return end === text.length ? text : `${text.slice(0, end)} `;
}
