import Type from 'typebox';
import { baseUrlSetting, capabilitySettings, pollSettings } from '../settings.ts';

const Workflow = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'A graph in ComfyUI’s API format, with {{prompt}}, {{seed}}, {{width}}, {{height}}, {{image1}} … as values',
});

export const ComfyUiSettings = Type.Object(
  {
    baseUrl: baseUrlSetting,
    model: Type.Optional(
      Type.String({ minLength: 1, description: 'A name for the workflows, in logs and status' }),
    ),
    workflows: Type.Array(Workflow, {
      minItems: 1,
      description: 'One without image slots, and one for each number of inputs with a separate workflow',
    }),
    outputNode: Type.Optional(
      Type.String({ description: 'The node that saves the result, if several save images' }),
    ),
    minInputs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 14,
        description: 'Fewest input images of one request; 1 where no workflow makes images from text alone',
      }),
    ),
    ...pollSettings,
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type ComfyUiSettings = Type.Static<typeof ComfyUiSettings>;
