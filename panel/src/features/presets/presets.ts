import { useLocalStorage } from '@mantine/hooks';
import { t } from '../../languages/words.ts';

export type Format = 'png' | 'jpeg' | 'webp';

export interface Preset {
  name: string;
  /** The largest width in pixels; null for the image's own. */
  width: string | null;
  /** Undefined in presets saved before formats existed: keeps the image's own format, or makes a smaller image WebP. */
  format?: Format;
  /** 0 to 100, for JPEG and WebP. */
  quality?: number;
  /** A pattern for file names, with placeholders such as `{prompt}`. */
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

export function presetText({ width, format, quality }: Preset): string {
  const kind = format ? formatNames[format] : width ? formatNames.webp : t('As made');
  const size = width ? `, ${t('{width} pixels', { width })}` : '';
  return kind + (quality === undefined ? '' : ` ${quality}`) + size;
}

export const formatNames: Record<Format, string> = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' };

/** The quality at which losses in JPEG and WebP are invisible and files are much smaller than lossless ones. */
export const usualQuality = 90;

/** The server's default pattern. */
export const usualNames = '{date} {prompt} {id}';

const none: Preset[] = [];

/** Presets are stored in this browser only. */
export function usePresets() {
  const [presets, set] = useLocalStorage<Preset[]>({
    key: 'darkroom.presets',
    defaultValue: none,
    getInitialValueInEffect: false,
  });
  return {
    presets,
    keep: (preset: Preset) => set([...presets.filter(({ name }) => name !== preset.name), preset]),
    remove: (name: string) => set(presets.filter((one) => one.name !== name)),
  };
}
