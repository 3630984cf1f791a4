/** The effect of one option of OpenAI's image methods. The guide shows the same rows, and a test sends each of them. */
export interface OptionRow {
  /** The option as code: `size: "1536x1024"`. */
  option: string;
  on: 'generate' | 'edit' | 'both';
  send: Record<string, unknown>;
  /** The field that the error names; undefined when it works. */
  refused?: string;
  /** A field without effect, which the answer names. */
  ignored?: string;
  about: string;
}

const works = (on: OptionRow['on'], send: OptionRow['send'], about: string): OptionRow => ({
  option: written(send),
  on,
  send,
  about,
});
const refused = (on: OptionRow['on'], send: OptionRow['send'], about: string): OptionRow => ({
  ...works(on, send, about),
  refused: Object.keys(send)[0] ?? '',
});

const ignored = (on: OptionRow['on'], send: OptionRow['send'], about: string): OptionRow => ({
  ...works(on, send, about),
  ignored: Object.keys(send)[0] ?? '',
});

export const optionRows: readonly OptionRow[] = [
  works(
    'both',
    { model: 'nb2' },
    'an id from `GET /v1/models`, or an OpenAI name; without it, the default model',
  ),
  refused('both', { model: 'gpt-4o' }, '404 `model_not_found`'),
  works('both', { n: 2 }, '1 to 10: all are accepted and reserved together, or none'),
  refused('both', { n: 11 }, ''),
  works('both', { size: 'auto' }, 'the upstream model chooses; an edit has the ratio of its first image'),
  works('both', { size: '1536x1024' }, 'the nearest ratio and resolution; `size` in the answer says which'),
  refused('both', { size: 'large' }, ''),
  works(
    'both',
    { quality: 'low' },
    '`low`, `medium`, `standard`: the smallest resolution, if `size` is absent or `auto`',
  ),
  works('both', { quality: 'high' }, '`high`, `hd`: the next larger resolution; `xhigh`, `max`: the largest'),
  works('both', { quality: 'auto' }, 'the default resolution'),
  works(
    'both',
    { response_format: 'b64_json' },
    'the default, except for the names `dall-e-2` and `dall-e-3`',
  ),
  works('both', { response_format: 'url' }, 'a signed link, valid for a day'),
  works('both', { output_format: 'png' }, 'the default'),
  works('both', { output_format: 'jpeg' }, 'also `webp`'),
  refused('both', { output_format: 'gif' }, ''),
  refused('generate', { output_format: 'svg' }, ''),
  works('both', { output_format: 'jpeg', response_format: 'url' }, 'the link leads to a file of that format'),
  works('both', { output_compression: 60, output_format: 'webp' }, '0 to 100, for `jpeg` and `webp`'),
  refused('both', { output_compression: 60 }, 'PNG is lossless'),
  works('both', { background: 'opaque' }, 'also `auto`'),
  refused(
    'both',
    { background: 'transparent' },
    'unless a route of the model supports it, with `png` or `webp`',
  ),
  works('both', { stream: true, partial_images: 0 }, 'one event for each finished image'),
  ignored('both', { partial_images: 2, stream: true }, 'there are no unfinished images'),
  refused('both', { partial_images: 4, stream: true }, ''),
  works(
    'both',
    { user: 'customer-7' },
    'repeated as `safety_identifier`, and kept as `user` in the metadata of the job, if that has fewer than 16 pairs',
  ),
  works('both', { safety_identifier: 'customer-7' }, 'as `user`'),
  works('both', { metadata: { order: '7' } }, 'kept with the job: up to 16 pairs of strings'),
  works('generate', { moderation: 'auto' }, ''),
  ignored('generate', { moderation: 'low' }, 'the filter belongs to the upstream model'),
  refused('generate', { moderation: 'high' }, ''),
  refused('generate', { style: 'vivid' }, 'describe it in the prompt'),
  refused('both', { complexity: 'high' }, ''),
  refused('both', { frame_count: 4 }, ''),
  refused('both', { frame_duration_ms: 100 }, ''),
  refused('generate', { svg: { model: 'any' } }, ''),
  ignored('edit', { input_fidelity: 'high' }, 'the model decides how closely it follows an image'),
  refused('edit', { input_fidelity: 'exact' }, ''),
  refused(
    'edit',
    { mask: 'a file' },
    'unless a route of the model supports masks: the transparent part changes',
  ),
  refused('edit', { markup: 'a file' }, 'send it as another image'),
  works('both', { seed: 7 }, 'if the model has a parameter of that name'),
  refused('both', { sede: 7 }, 'and any other unknown field'),
];

export function optionTable(): string {
  const rows = optionRows.map(({ option, on, refused: param, ignored: field, about }) => {
    const status = about.startsWith('404') ? 404 : 400;
    return `| ${option} | ${on} | ${param ? `${status}, \`${param}\`` : field ? 'ignored' : 'works'} | ${about} |`;
  });
  return ['| option | method | | |', '|---|---|---|---|', ...rows].join('\n');
}

function written(send: Record<string, unknown>): string {
  const text = (value: unknown) =>
    value === 'a file' ? 'a file' : JSON.stringify(value).replaceAll('"', "'");
  return `\`${Object.entries(send)
    .map(([name, value]) => `${name}: ${text(value)}`)
    .join(', ')}\``;
}
