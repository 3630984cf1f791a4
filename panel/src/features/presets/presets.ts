import { useLocalStorage } from '@mantine/hooks';
import { t } from '../../languages/words.ts';

export type Format = 'png' | 'jpeg' | 'webp';

export interface Preset {
  name: string;
  /** The largest width in pixels; null for the image's own. */
  width: string | null;
  /** If undefined, as in presets from before formats existed: the image's own format, or WebP if it is made smaller. */
  format?: Format;
  /** The quality of JPEG and WebP, 0 to 100. */
  quality?: number;
  /** The pattern for file names, with placeholders such as `{prompt}`. */
  names: string;
}

export function queryOf({ width, format, quality, names }: Partial<Preset>) {
  return {
    ...(names && { names }),
    ...(width && { w: width }),
    ...(format && { output_format: format }),
    ...(quality !== undefined && { output_compression: String(quality) }),
  };
}

/** The description in the list of presets and in menus. */
export function presetText({ width, format, quality }: Preset): string {
  const kind = format ? formatNames[format] : width ? formatNames.webp : t('As made');
  const size = width ? `, ${t('{width} pixels', { width })}` : '';
  return kind + (quality === undefined ? '' : ` ${quality}`) + size;
}

export const formatNames: Record<Format, string> = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' };

/** The quality at which losses in JPEG and WebP are invisible and files are much smaller than lossless ones. */
export const usualQuality = 90;

/** The server's default pattern for file names. */
export const usualNames = '{date} {prompt} {id}';

const none: Preset[] = [];

/** The presets, stored in this browser: they are its user's habit, so the server need not store them. */
export function usePresets() {
  const [presets, set] = useLocalStorage<Preset[]>({
    key: 'darkroom.presets',
    defaultValue: none,
    getInitialValueInEffect: false,
  });
  return {
    presets,
    /** Saves a preset, replacing one with the same name. */
    keep: (preset: Preset) => set([...presets.filter(({ name }) => name !== preset.name), preset]),
    remove: (name: string) => set(presets.filter((one) => one.name !== name)),
  };
}
