import { useLocalStorage } from '@mantine/hooks';
import { t } from '../../languages/words.ts';

export type Format = 'png' | 'jpeg' | 'webp';

/** How images are taken along. */
export interface Preset {
  name: string;
  /** The most pixels; null: as made. */
  width: string | null;
  /** Undefined, as in presets from before formats existed: as made, or WebP if smaller. */
  format?: Format;
  /** 0 to 100, of JPEG and WebP. */
  quality?: number;
  /** How files are called, with words such as `{prompt}`. */
  names: string;
}

/** Returns the query of the call that downloads. */
export function queryOf({ width, format, quality, names }: Partial<Preset>) {
  return {
    ...(names && { names }),
    ...(width && { w: width }),
    ...(format && { output_format: format }),
    ...(quality !== undefined && { output_compression: String(quality) }),
  };
}

/** Said in the list of presets and in menus. */
export function presetText({ width, format, quality }: Preset): string {
  const kind = format ? formatNames[format] : width ? formatNames.webp : t('As made');
  const size = width ? `, ${t('{width} pixels', { width })}` : '';
  return kind + (quality === undefined ? '' : ` ${quality}`) + size;
}

export const formatNames: Record<Format, string> = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' };

/** The quality at which the loss of JPEG and WebP is invisible, with files a fraction of lossless ones. */
export const usualQuality = 90;

/** The server's file names by default. */
export const usualNames = '{date} {prompt} {id}';

const none: Preset[] = [];

/** The presets in this browser: a habit of its user, which the server need not know. */
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
