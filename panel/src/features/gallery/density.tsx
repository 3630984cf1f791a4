import { useLocalStorage } from '@mantine/hooks';
import classes from './density.module.css';

/** A factor for the images' height, stored in this browser. */
export function useDensity() {
  return useLocalStorage({ key: 'darkroom.density', defaultValue: 1, getInitialValueInEffect: false });
}

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
