import '@mantine/core/styles/Chip.css';
import type { Model } from '@darkroom/server/panel-contract';
import { Chip, SegmentedControl } from '@mantine/core';
import type { Draft } from './draft.ts';
import picker from './picker.module.css';
import { fits, maxPictures, type Plan } from './plan.ts';
import classes from './playground-form.module.css';

/** How many pictures, and by which other models, to compare them. */
export function CountPicker(props: {
  draft: Draft;
  model: Model;
  models: Model[];
  plan: Plan;
  onChange: (some: Partial<Draft>) => void;
}) {
  const { draft, model, plan, onChange } = props;
  const others = props.models.filter((one) => one !== model && fits(one, draft) && !one.paused);
  const counts = [1, 2, 3, 4, 6, 8].filter((count) => count * plan.models.length <= maxPictures);
  return (
    <div className={classes.counts}>
      <div>
        <p className={classes.label} id="count">
          {plan.models.length > 1 ? 'Images of each model' : 'Images'}
        </p>
        <SegmentedControl
          aria-labelledby="count"
          fullWidth
          value={String(plan.count)}
          onChange={(count) => onChange({ count: Number(count) })}
          data={counts.map(String)}
        />
      </div>
      {others.length > 0 && (
        <fieldset className={picker.picker}>
          <legend>Compare with</legend>
          <Chip.Group
            multiple
            value={plan.models.slice(1).map((one) => one.id)}
            onChange={(also) => onChange({ also: also.slice(0, maxPictures - 1) })}
          >
            <div className="row" style={{ gap: 6 }}>
              {others.map((one) => (
                <Chip key={one.id} value={one.id} size="sm" radius="sm" variant="outline">
                  {one.name}
                </Chip>
              ))}
            </div>
          </Chip.Group>
        </fieldset>
      )}
    </div>
  );
}
