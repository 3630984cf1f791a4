import type { Model } from '@darkroom/server/panel-contract';
import { useId } from 'react';
import classes from './model-picker.module.css';

export function ResolutionPicker(props: {
  resolutions: Model['resolutions'];
  ratio: string;
  value: string;
  onChange: (resolution: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className={classes.picker}>
      <legend>Resolution</legend>
      <div className={classes.options}>
        {props.resolutions.map(({ resolution, price, sizes }) => {
          const size = sizes[props.ratio];
          return (
            <label key={resolution} className={classes.option}>
              <input
                type="radio"
                name={name}
                value={resolution}
                checked={resolution === props.value}
                data-autofocus={resolution === props.value || undefined}
                onChange={() => props.onChange(resolution)}
              />
              <span className="strong">{resolution}</span>
              <span className="tiny soft number">{price}</span>
              {size && (
                <span className="tiny soft number">
                  {size.width} × {size.height}
                </span>
              )}
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
