import { useId } from 'react';
import classes from './ratio-picker.module.css';

/** Draws aspect ratios as shapes. Each is a radio button, so arrow keys move between them. */
export function RatioPicker(props: { ratios: string[]; value: string; onChange: (ratio: string) => void }) {
  const name = useId();
  return (
    <fieldset className={classes.picker}>
      <legend>Aspect ratio</legend>
      <div className={classes.options}>
        {props.ratios.map((ratio) => (
          <label key={ratio} className={classes.option}>
            <input
              type="radio"
              name={name}
              value={ratio}
              checked={ratio === props.value}
              data-autofocus={ratio === props.value || undefined}
              onChange={() => props.onChange(ratio)}
            />
            <span className={classes.stage} aria-hidden>
              <RatioShape ratio={ratio} side={30} />
            </span>
            <span>{ratio}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** `side` is the longer side in pixels. */
export function RatioShape({ ratio, side }: { ratio: string; side: number }) {
  const [width, height] = ratio.split(':').map(Number);
  if (!width || !height)
    return <i className={classes.any} style={{ width: side * 0.75, height: side * 0.75 }} />;
  const scale = side / Math.max(width, height);
  return <i className={classes.shape} style={{ width: width * scale, height: height * scale }} />;
}
