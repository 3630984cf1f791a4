import { SegmentedControl } from '@mantine/core';
import { maxImages, type Plan } from '../plan.ts';
import picker from './picker.module.css';

export function CountPicker({ plan, onChange }: { plan: Plan; onChange: (count: number) => void }) {
  const counts = [1, 2, 3, 4, 6, 8].filter(
    (count) => count * plan.models.length * plan.ratios.length <= maxImages,
  );
  return (
    <fieldset className={picker.picker}>
      <legend>{plan.models.length * plan.ratios.length > 1 ? 'Images of each' : 'Images'}</legend>
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
