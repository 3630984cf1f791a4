import { allRatios, resolutions } from '../../catalog/models.ts';
import type { Capabilities, ImageOptions, ImageRequest } from '../provider.ts';
import type { OpenAiSettings } from './settings.ts';

export type SizeTable = Exclude<OpenAiSettings['sizes'], undefined>;

/** Only OpenAI's own families have a table; other servers probably take any size. */
export function sizeTableOf(settings: OpenAiSettings): SizeTable {
  if (settings.sizes) return settings.sizes;
  // LiteLLM and others prefix the name with a vendor.
  const name = settings.model.replace(/^.*\//, '');
  if (/^(gpt-image-1|chatgpt-image)/.test(name)) return 'gpt-image-1.5';
  return /^gpt-image/.test(name) ? 'gpt-image-2' : 'exact';
}

export function openAiCapabilities(settings: OpenAiSettings, table = sizeTableOf(settings)): Capabilities {
  const ratios = table === 'exact' ? allRatios : Object.keys(tables[table]);
  return {
    ratios: settings.ratios ?? ratios,
    resolutions: settings.resolutions ?? (table === 'gpt-image-1.5' ? ['1K'] : resolutions),
    anySize: table === 'exact',
    // GPT image models take 16 inputs, more than a job can have.
    maxInputs: settings.maxInputs ?? 14,
    resumable: false,
    options: optionsOf[table].filter(
      (one) => one !== 'background' || !/gpt-image-2(?!\.)/.test(settings.model),
    ),
  };
}

/** The options of OpenAI's families (developers.openai.com/api/docs/guides/image-generation, 24 November 2026). */
const optionsOf: Record<SizeTable, readonly (keyof ImageOptions)[]> = {
  'gpt-image-1.5': ['background', 'mask'],
  'gpt-image-2': ['background', 'mask'],
  exact: [],
};

/** The `WxH` to request: the family's size for the ratio and resolution, or else the promised pixels. */
export function sizeFor(table: SizeTable, request: ImageRequest): string {
  const own = table === 'exact' ? undefined : tables[table][request.aspectRatio];
  const index = (resolutions as readonly string[]).indexOf(request.resolution);
  return own?.[Math.max(0, index)] ?? own?.at(-1) ?? `${request.width}x${request.height}`;
}

/** The sizes that the family makes for 1K, 2K and 4K, by ratio. */
const tables: Record<Exclude<SizeTable, 'exact'>, Readonly<Record<string, readonly string[]>>> = {
  'gpt-image-1.5': { '1:1': ['1024x1024'], '2:3': ['1024x1536'], '3:2': ['1536x1024'] },
  // Sides are multiples of 16 and at most 3840, ratios are within 3:1, and sizes have at most 8,294,400 pixels.
  'gpt-image-2': {
    '1:1': ['1024x1024', '2048x2048', '2880x2880'],
    '2:3': ['832x1248', '1664x2496', '2336x3504'],
    '3:2': ['1248x832', '2496x1664', '3504x2336'],
    '3:4': ['864x1152', '1776x2368', '2448x3264'],
    '4:3': ['1152x864', '2368x1776', '3264x2448'],
    '4:5': ['896x1120', '1856x2320', '2560x3200'],
    '5:4': ['1120x896', '2320x1856', '3200x2560'],
    '9:16': ['768x1360', '1520x2704', '2160x3840'],
    '16:9': ['1360x768', '2704x1520', '3840x2160'],
    '21:9': ['1568x672', '3136x1344', '3808x1632'],
  },
};
