import type { Job, Model } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { nearestRatio } from '../models/shapes.ts';
import { type Extension, extensionOf } from './extension.ts';
import type { Edit } from './make-edit.ts';
import type { Brush } from './mask-stage.tsx';
import { type Mask, useMask } from './use-mask.ts';

export type EditTool = 'brush' | 'extend';

export interface Editor {
  edit: Edit;
  models: readonly Model[];
  image: NonNullable<Job['result']>;
  tool: EditTool;
  brush: Brush;
  mask: Mask;
  extension: Extension;
  set: (some: Partial<Settings>) => void;
}

interface Settings {
  tool: EditTool;
  brush: Brush;
  /** Undefined means the first model that takes masks. */
  model: string | undefined;
  ratio: string | undefined;
  alignment: Extension['alignment'];
  /** Null until the person enters a prompt. */
  prompt: string | null;
}

const initial: Settings = {
  tool: 'brush',
  brush: { size: 12, feather: 1, erases: false },
  ...{ model: undefined, ratio: undefined },
  alignment: 'middle',
  prompt: null,
};

/** The state of the form that edits an image. It stays while the person looks at the result. */
export function useEditor(
  job: Job,
  image: NonNullable<Job['result']>,
  models: readonly [Model, ...Model[]],
): Editor {
  const [settings, setSettings] = useState(initial);
  const mask = useMask();
  const { tool, brush } = settings;
  const own = models.find(({ id, paused }) => id === job.model && !paused);
  const model = models.find(({ id }) => id === settings.model) ?? own ?? models[0];
  const extension = extensionOf(model, image, settings);
  return {
    ...{ models, image, tool, brush, mask, extension },
    edit: {
      ...{ job, model },
      // An extension starts from the image's own prompt.
      prompt: settings.prompt ?? (tool === 'extend' ? job.prompt : ''),
      ...(tool === 'brush'
        ? {
            ratio: nearestRatio(model.aspect_ratios, image),
            area: { steps: mask.steps, feather: brush.feather },
          }
        : { ratio: extension.ratio, area: { frame: extension.frame } }),
    },
    set: (some) => setSettings((now) => ({ ...now, ...some })),
  };
}
