import type { Model } from '@darkroom/server/panel-contract';
import { useId } from 'react';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import classes from './model-picker.module.css';

export function ModelPicker(props: { models: Model[]; value: string; onChange: (model: string) => void }) {
  const name = useId();
  return (
    <fieldset className={classes.picker}>
      <legend>Model</legend>
      <div className={classes.options}>
        {props.models.map((model) => (
          <label key={model.id} className={classes.option}>
            <input
              type="radio"
              name={name}
              value={model.id}
              checked={model.id === props.value}
              data-autofocus={model.id === props.value || undefined}
              onChange={() => props.onChange(model.id)}
            />
            <span className="strong">{model.name}</span>
            {model.paused ? (
              <StatusBadge status="paused" />
            ) : (
              <span className="tiny soft number">{prices(model)}</span>
            )}
            <span className="tiny soft">
              <code>{model.id}</code>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function prices({ resolutions }: Model): string {
  const first = resolutions[0]?.price ?? '';
  const last = resolutions.at(-1)?.price ?? '';
  return first === last ? first : `${first} – ${last}`;
}
