import Type from 'typebox';

/** Settings that override what the adapter guesses about the model. */
export const capabilitySettings = {
  ratios: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'Ratios that the model serves itself' }),
  ),
  resolutions: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'The part of 1K, 2K and 4K that the model serves',
    }),
  ),
  maxInputs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 14, description: 'Most input images of one request' }),
  ),
};

export const pollSettings = {
  pollMs: Type.Optional(
    Type.Integer({ minimum: 10, description: 'Milliseconds between two looks at a running request' }),
  ),
};

export const promptNetworksSetting = Type.Optional(
  Type.Boolean({
    description:
      'Whether prompts may load networks and wildcards of the server, as <lora:name:1> does; no unless set',
  }),
);

export const baseUrlSetting = Type.String({
  pattern: '^https?://',
  description: 'The address of the server, with its path prefix',
});
