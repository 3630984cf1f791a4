import '@mantine/core/styles/Chip.css';
import type { Model } from '@darkroom/server/panel-contract';
import { Button, Chip, SegmentedControl } from '@mantine/core';
import { maxPictures, type Plan } from '../plan.ts';
import picker from './picker.module.css';

/** How many pictures of each model. */
export function CountPicker({ plan, onChange }: { plan: Plan; onChange: (count: number) => void }) {
  const counts = [1, 2, 3, 4, 6, 8].filter((count) => count * plan.models.length <= maxPictures);
  return (
    <fieldset className={picker.picker}>
      <legend>{plan.models.length > 1 ? 'Images of each model' : 'Images'}</legend>
      <SegmentedControl
        aria-label="Images"
        fullWidth
        value={String(plan.count)}
        onChange={(count) => onChange(Number(count))}
        data={counts.map(String)}
      />
    </fieldset>
  );
}

/** By which other models the same is made. */
export function ComparePicker(props: { others: Model[]; plan: Plan; onChange: (also: string[]) => void }) {
  const chosen = props.plan.models.slice(1).map(({ id }) => id);
  const most = props.others.slice(0, maxPictures - 1).map(({ id }) => id);
  const isAll = chosen.length === most.length;
  return (
    <fieldset className={picker.picker}>
      <legend>Compare with</legend>
      <Chip.Group multiple value={chosen} onChange={(also) => props.onChange(also.slice(0, maxPictures - 1))}>
        <div className="row" style={{ gap: 6 }}>
          {props.others.map((one) => (
            <Chip key={one.id} value={one.id} size="sm" radius="sm" variant="outline">
              {one.name}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        mt={10}
        onClick={() => props.onChange(isAll ? [] : most)}
      >
        {isAll ? 'None' : `All ${most.length + 1} models`}
      </Button>
    </fieldset>
  );
}
