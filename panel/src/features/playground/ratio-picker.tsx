import { useId } from 'react';
import classes from './ratio-picker.module.css';

/** Aspect ratios drawn to shape. Radio buttons underneath, so arrow keys move between them. */
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
              onChange={() => props.onChange(ratio)}
            />
            <span className={classes.stage} aria-hidden>
              <Rectangle ratio={ratio} />
            </span>
            <span>{ratio}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The longer side, in pixels. */
const side = 30;

function Rectangle({ ratio }: { ratio: string }) {
  const [width, height] = ratio.split(':').map(Number);
  if (!width || !height) return <i className={classes.any} style={{ width: 22, height: 22 }} />;
  const scale = side / Math.max(width, height);
  return <i style={{ width: width * scale, height: height * scale }} />;
}
