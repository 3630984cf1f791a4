import type { Model } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import type { Draft } from '../draft.ts';
import { ChoiceChip } from './choice-chip.tsx';
import { ModelPicker } from './model-picker.tsx';
import { RatioPicker, RatioShape } from './ratio-picker.tsx';
import { ResolutionPicker } from './resolution-picker.tsx';

type Shape = Pick<Draft, 'model' | 'ratio' | 'resolution'>;

export function ShapeChips(props: {
  models: Model[];
  model: Model;
  shape: Omit<Shape, 'model'>;
  ratios: string[];
  ratioText: string;
  onChange: (some: Partial<Shape>) => void;
  children?: ReactNode;
}) {
  const { model, shape, onChange } = props;
  return (
    <>
      <ChoiceChip name="Model" value={model.name}>
        <ModelPicker
          models={props.models}
          value={model.id}
          onChange={(value) => onChange({ model: value })}
        />
      </ChoiceChip>
      <ChoiceChip
        name="Aspect ratio"
        value={props.ratioText}
        icon={<RatioShape ratio={shape.ratio} side={14} />}
      >
        <RatioPicker ratios={props.ratios} value={shape.ratio} onChange={(ratio) => onChange({ ratio })} />
        {props.children}
      </ChoiceChip>
      {model.resolutions.length > 1 && (
        <ChoiceChip name="Resolution" value={shape.resolution}>
          <ResolutionPicker
            resolutions={model.resolutions}
            ratio={shape.ratio}
            value={shape.resolution}
            onChange={(resolution) => onChange({ resolution })}
          />
        </ChoiceChip>
      )}
    </>
  );
}
