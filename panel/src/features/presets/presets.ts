import { useLocalStorage } from '@mantine/hooks';

/** How images are taken along. */
export interface Preset {
  name: string;
  /** Pixels, at most; null: as they were made. */
  width: string | null;
  /** How files are called, with words such as `{prompt}`. */
  names: string;
}

/** As the server calls files where nobody says. */
export const usualNames = '{date} {prompt} {id}';

const none: Preset[] = [];

/** What people named in this browser: a habit of who sits there, about which nobody else has to know. */
export function usePresets() {
  const [presets, set] = useLocalStorage<Preset[]>({
    key: 'darkroom.presets',
    defaultValue: none,
    getInitialValueInEffect: false,
  });
  return {
    presets,
    /** In the place of one of the same name. */
    keep: (preset: Preset) => set([...presets.filter(({ name }) => name !== preset.name), preset]),
    remove: (name: string) => set(presets.filter((one) => one.name !== name)),
  };
}
