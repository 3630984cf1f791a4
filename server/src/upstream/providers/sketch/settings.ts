import Type from 'typebox';

export const SketchSettings = Type.Object(
  {
    directives: Type.Optional(
      Type.Boolean({
        description:
          'Whether prompts may carry orders for tests such as [[delay:3s]]; true unless set, and always false beside another provider',
      }),
    ),
    crash: Type.Optional(
      Type.Boolean({
        description: 'Whether prompts may contain [[crash]], which kills the process; false by default',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SketchSettings = Type.Static<typeof SketchSettings>;
