import { useLocalStorage } from '@mantine/hooks';
import classes from './density.module.css';

/** A factor for the height of images in the contact sheet. Stored in this browser. */
export function useDensity() {
  return useLocalStorage({ key: 'darkroom.density', defaultValue: 1, getInitialValueInEffect: false });
}

/** Chooses between many small images and few large ones. */
export function DensityField() {
  const [density, setDensity] = useDensity();
  return (
    <input
      className={classes.range}
      type="range"
      min={0.5}
      max={2}
      step={0.25}
      value={density}
      aria-label="Size of the images"
      title="Size of the images"
      onChange={(event) => setDensity(Number(event.currentTarget.value))}
    />
  );
}
