import type { Model } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { IconPhotoPlus } from '@tabler/icons-react';
import { t } from '../../../languages/words.ts';
import type { Draft } from '../draft.ts';
import { ratiosOf } from '../empty-draft.ts';
import { fits, maxImages, type Plan } from '../plan.ts';
import { AlsoPicker } from './also-picker.tsx';
import chip from './choice-chip.module.css';
import { ChoiceChip } from './choice-chip.tsx';
import classes from './choices.module.css';
import { CountPicker } from './count-picker.tsx';
import { ShapeChips } from './shape-chips.tsx';

export function Choices(props: {
  models: Model[];
  model: Model;
  draft: Draft;
  plan: Plan;
  onChange: (some: Partial<Draft>) => void;
}) {
  const { model, draft, plan, onChange } = props;
  const others = props.models.filter((one) => one !== model && fits(one, draft) && !one.paused);
  const { length: compared } = plan.models;
  const ratios = ratiosOf(model, draft);
  return (
    <div className={classes.choices}>
      <ShapeChips {...props} shape={draft} ratios={ratios} ratioText={plan.ratios.join(', ')}>
        <AlsoPicker
          legend="Also in"
          others={ratios.filter((ratio) => ratio !== draft.ratio).map((id) => ({ id, name: id }))}
          chosen={plan.ratios.slice(1)}
          most={Math.floor(maxImages / compared) - 1}
          onChange={(alsoRatios) => onChange({ alsoRatios })}
        />
      </ShapeChips>
      <ChoiceChip
        name="Images"
        value={t('{count, plural, one {# image} other {# images}}', { count: plan.count })}
      >
        <CountPicker plan={plan} onChange={(count) => onChange({ count })} />
      </ChoiceChip>
      {others.length > 0 && (
        <ChoiceChip name="Compare" value={compared > 1 ? t('{compared} models', { compared }) : t('Compare')}>
          <AlsoPicker
            legend="Compare with"
            others={others}
            chosen={plan.models.slice(1).map(({ id }) => id)}
            most={maxImages - 1}
            onChange={(also) => onChange({ also })}
          />
        </ChoiceChip>
      )}
      {model.modes.length > 1 && (
        <Button
          className={chip.chip}
          variant={draft.mode === 'image' ? 'filled' : 'default'}
          size="xs"
          aria-pressed={draft.mode === 'image'}
          leftSection={<IconPhotoPlus size={15} aria-hidden />}
          onClick={() => onChange({ mode: draft.mode === 'image' ? 'text' : 'image' })}
        >
          From images
        </Button>
      )}
    </div>
  );
}
