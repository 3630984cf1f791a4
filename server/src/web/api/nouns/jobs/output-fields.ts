import Type from 'typebox';
import { oneOf } from '../../../../base/http/schemas.ts';
import { backgrounds, outputFormats } from '../../../../images/output.ts';

export const outputFields = {
  output_format: Type.Optional(
    oneOf(outputFormats, {
      title: 'OutputFormat',
      description: 'The format of the result; `png` when left out.',
    }),
  ),
  output_compression: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: 100, examples: [80] },
      description: 'The quality of `jpeg` and `webp`, of 100; 100 when left out.',
    }),
  ),
  background: Type.Optional(
    oneOf(backgrounds, {
      title: 'Background',
      description:
        '`transparent` needs `png` or `webp`, and a model that lists it in `backgrounds`. `opaque` fills transparent parts with white. `auto`, the default, keeps what the model makes.',
    }),
  ),
};
