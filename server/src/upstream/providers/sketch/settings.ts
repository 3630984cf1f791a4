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
        description:
          'Whether one of these orders may be [[crash]], which kills the process; false unless set',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SketchSettings = Type.Static<typeof SketchSettings>;
