import Type, { type Static } from 'typebox';
import { oneOf, percentPattern } from '../../../../base/http/schemas.ts';
import { invalidField } from '../../../../errors.ts';
import type { ImageStore } from '../../../../images/image-store.ts';
import { outputFormats, usualOutput } from '../../../../images/output.ts';
import type { Renditions } from '../../../../images/renditions/renditions.ts';
import { renditionType, renditionWidths } from '../../../../images/renditions.ts';
import { patternWords, unknownWord, usualPattern } from '../../../../jobs/name-images.ts';
import { asMade, type Taken } from '../../../../jobs/zip-images.ts';
import { openRendition, readWidth } from '../images/open-rendition.ts';

const maxPattern = 100;

export const takenFields = {
  w: Type.Optional(
    oneOf(renditionWidths.map(String), {
      description: `The largest width in pixels, ${renditionWidths.join(', ')}, as WebP unless \`output_format\` names another format. By default, images keep their size.`,
      // The document shows a pattern, because code generators would name an enumeration's members `VALUE_256`.
      'x-documented': { type: 'string', pattern: `^(${renditionWidths.join('|')})$` },
    }),
  ),
  output_format: Type.Optional(
    oneOf(outputFormats, {
      title: 'OutputFormat',
      description:
        'Converts to this format, keeping the marks of origin. In JPEG, transparency becomes white. By default, images stay as they were made.',
    }),
  ),
  output_compression: Type.Optional(
    Type.String({
      pattern: percentPattern,
      description: 'The quality of `jpeg` and `webp`, of 100; 100 when left out.',
      'x-documented': { type: 'integer', minimum: 0, maximum: 100 },
    }),
  ),
  names: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: maxPattern },
      description: `The names of the files, without their extension: \`${usualPattern}\` by default. Its words are ${patternWords.map((word) => `\`{${word}}\``).join(', ')}. Unsafe characters become hyphens, and equal names get numbers.`,
    }),
  ),
};

type TakenQuery = Static<ReturnType<typeof Type.Object<typeof takenFields>>>;

export interface TakenDeps {
  images: ImageStore;
  renditions: Pick<Renditions, 'makeNow' | 'convert'>;
}

export function readTaken(
  deps: TakenDeps,
  { w, output_format: format, output_compression, names: pattern = usualPattern }: TakenQuery,
): Taken {
  const unknown = unknownWord(pattern);
  if (unknown) throw invalidField('/query/names', `knows no "{${unknown}}".`);
  if (output_compression !== undefined && (format === undefined || format === 'png'))
    throw invalidField('/query/output_compression', 'is for `output_format` jpeg or webp.');
  const width = w === undefined ? null : readWidth(w);
  const made = asMade(deps.images, pattern);
  if (format) {
    const compression = Number(output_compression ?? usualOutput.output_compression);
    const conversion = { format, compression, width };
    const type = `image/${format}` as const;
    return {
      pattern,
      typeOf: () => type,
      async open(job, left) {
        const { image } = job;
        // An image that already has the requested form is sent unchanged, because a new encoding would lose quality and
        // the upstream's signature.
        const isAsWanted = image?.mediaType === type && width === null && output_compression === undefined;
        if (!image || isAsWanted) return made.open(job);
        const stored = { accountId: job.accountId, key: image.key };
        return deps.renditions.convert(stored, conversion, left);
      },
    };
  }
  if (width === null) return made;
  return {
    pattern,
    typeOf: () => renditionType,
    open: async ({ id: jobId, image }) =>
      image ? openRendition(deps, { jobId, key: image.key }, width) : undefined,
  };
}
