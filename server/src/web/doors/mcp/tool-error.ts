import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AppError, ErrorCode } from '../../../errors.ts';

export function toolError(error: AppError): CallToolResult {
  const { message, code, details } = error;
  const wait = details.retryAfterSeconds;
  const parts = [
    ...((code !== 'prompt_refused' && details.errors?.map(nameError)) || [message]),
    next[code] ?? '',
    wait ? `Wait ${wait} s before the next try.` : '',
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return { content: [{ type: 'text', text }], isError: true };
}

/** Describes a mistake with this API's field names, because inputs have other names here than in our own API. */
function nameError({ pointer, detail }: { pointer: string; detail: string }): string {
  const field = pointer
    .slice(1)
    .replace(/^(input_images_urls|inputs)/, 'images')
    .replace(/^mask_url$/, 'mask');
  return `${field} ${detail}`;
}

const next: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Correct this and call the tool again. Nothing was made or charged.',
  prompt_refused: 'Ask the user how to change the description or the images. Nothing was made or charged.',
  inputs_unusable: 'Use other images. Nothing was made or charged.',
  insufficient_funds: 'Tell the user that the balance must be topped up; get_balance shows the rest.',
  model_forbidden: 'list_models shows the models that may be used.',
  no_route: 'list_models shows the models and what they support. Nothing was made or charged.',
  model_paused: 'Or use another model.',
  storage_unavailable: 'Nothing was made or charged. Try once more.',
};
