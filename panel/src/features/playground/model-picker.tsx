import type { PanelModel } from '@darkroom/server/panel-contract';
import { useId } from 'react';
import { StatusBadge } from '../../ui/status-badge.tsx';
import classes from './model-picker.module.css';

export function ModelPicker(props: {
  models: PanelModel[];
  value: string;
  onChange: (model: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className={classes.picker}>
      <legend>Model</legend>
      <div className={classes.options}>
        {props.models.map((model) => (
          <label key={model.model} className={classes.option}>
            <input
              type="radio"
              name={name}
              value={model.model}
              checked={model.model === props.value}
              onChange={() => props.onChange(model.model)}
            />
            <span className="strong">{model.name}</span>
            {model.paused ? (
              <StatusBadge status="paused" />
            ) : (
              <span className="tiny soft number">{prices(model)}</span>
            )}
            <span className="tiny soft">
              <code>{model.model}</code>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function prices({ resolutions }: PanelModel): string {
  const first = resolutions[0]?.price ?? '';
  const last = resolutions.at(-1)?.price ?? '';
  return first === last ? first : `${first} – ${last}`;
}
