import Type from 'typebox';

export const SketchSettings = Type.Object(
  {
    directives: Type.Optional(
      Type.Boolean({
        description:
          'Whether prompts may carry orders for tests such as [[delay:3s]]; true unless set. [[crash]] ends the process: turn it off where strangers write prompts',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SketchSettings = Type.Static<typeof SketchSettings>;
