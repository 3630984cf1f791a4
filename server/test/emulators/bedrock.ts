import Type, { type TObject } from 'typebox';
import Value from 'typebox/value';
import { pick } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';
import { findSignatureFault } from './verify-sigv4.ts';

export const bedrockCredentials = {
  accessKeyId: 'AKIAEMULATED0000TEST',
  secretAccessKey: 'emulated/secret+of/Amazon0000000000000000',
};
export const bedrockKey = `${bedrockCredentials.accessKeyId}:${bedrockCredentials.secretAccessKey}`;
const region = 'us-west-2';

/** Amazon Bedrock: runtime and control plane at one address. Checks every signature. Stages: `invoke`, `list`. */
export function startBedrock(): Promise<Emulator> {
  const signer = { ...bedrockCredentials, region, service: 'bedrock' };
  const admitted = (request: Recorded, reply: () => Reply | Promise<Reply>): Reply | Promise<Reply> => {
    const fault = findSignatureFault(request, signer);
    if (fault === 'an unknown access key' || fault === 'no signature')
      return bedrockReplies.error(
        403,
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      );
    if (fault) return bedrockReplies.error(403, 'InvalidSignatureException', `The signature is of ${fault}.`);
    return reply();
  };
  return startEmulator([
    {
      method: 'POST',
      path: /^\/model\/([^/]+)\/invoke$/,
      stage: 'invoke',
      handle: (request, [, id = '']) => admitted(request, () => invoke(request, decodeURIComponent(id))),
    },
    {
      method: 'GET',
      path: /^\/foundation-models$/,
      stage: 'list',
      handle: (request) => admitted(request, () => ({ body: { modelSummaries: summaries } })),
    },
  ]);
}

async function invoke(request: Recorded, id: string): Promise<Reply> {
  const schema = Object.entries(schemas).find(([name]) => id.includes(name))?.[1];
  if (!schema)
    return bedrockReplies.error(400, 'ValidationException', 'The provided model identifier is invalid.');
  const body = request.json();
  const [mistake] = Value.Errors(schema, body);
  if (mistake)
    return bedrockReplies.error(
      400,
      'ValidationException',
      `Malformed input request: #${mistake.instancePath}: ${mistake.message}, please reformat your input and try again.`,
    );
  const { width = 1024, height = 1024 } = Object(pick(body, 'imageGenerationConfig') ?? {});
  const bytes = await sampleImage({ width: Math.ceil(width / 16), height: Math.ceil(height / 16) });
  const images = [bytes.toString('base64')];
  return id.includes('nova')
    ? { body: { images, error: null } }
    : { body: { seeds: [2130420379], finish_reasons: [null], images } };
}

export const bedrockReplies = {
  /** In Amazon's REST protocols, a header names the type of an error. */
  error: (status: number, type: string, message: string): Reply => ({
    status,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
    body: { message },
  }),
};

const seed = (maximum: number) => Type.Optional(Type.Integer({ minimum: 0, maximum }));
const closed = { additionalProperties: false };
const stability = {
  prompt: Type.String({ maxLength: 10_000 }),
  negative_prompt: Type.Optional(Type.String({ maxLength: 10_000 })),
  aspect_ratio: Type.Optional(Type.Enum(['16:9', '1:1', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'])),
  output_format: Type.Optional(Type.Enum(['jpeg', 'png'])),
  seed: seed(4_294_967_294),
};
const image = {
  image: Type.Optional(Type.String()),
  strength: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
};
const side = Type.Integer({ minimum: 320, maximum: 4096, multipleOf: 16 });
const config = Type.Object(
  {
    width: side,
    height: side,
    quality: Type.Optional(Type.Enum(['standard', 'premium'])),
    cfgScale: Type.Optional(Type.Number({ minimum: 1.1, maximum: 10 })),
    seed: seed(858_993_459),
    numberOfImages: Type.Integer({ minimum: 1, maximum: 5 }),
  },
  closed,
);
const words = {
  text: Type.String({ minLength: 1, maxLength: 1024 }),
  negativeText: Type.Optional(Type.String()),
};
const variation = { ...words, images: Type.Array(Type.String(), { minItems: 1, maxItems: 5 }) };

/** Request bodies as in Amazon's user guides for Bedrock and Nova. */
const schemas: Record<string, TObject | ReturnType<typeof Type.Union>> = {
  'stability.stable-image-core': Type.Object(stability, closed),
  'stability.stable-image-ultra': Type.Object({ ...stability, ...image }, closed),
  'stability.sd3-5-large': Type.Union([
    Type.Object({ ...stability, mode: Type.Optional(Type.Literal('text-to-image')) }, closed),
    Type.Object(
      {
        ...stability,
        mode: Type.Literal('image-to-image'),
        image: Type.String(),
        strength: Type.Number({ minimum: 0, maximum: 1 }),
      },
      closed,
    ),
  ]),
  'amazon.nova-canvas': Type.Union([
    Type.Object(
      {
        taskType: Type.Literal('TEXT_IMAGE'),
        textToImageParams: Type.Object(words, closed),
        imageGenerationConfig: config,
      },
      closed,
    ),
    Type.Object(
      {
        taskType: Type.Literal('IMAGE_VARIATION'),
        imageVariationParams: Type.Object(variation, closed),
        imageGenerationConfig: config,
      },
      closed,
    ),
  ]),
};

const summary = (modelId: string, modelName: string, status: string) => ({
  modelArn: `arn:aws:bedrock:${region}::foundation-model/${modelId}`,
  modelId,
  modelName,
  providerName: modelId.startsWith('amazon') ? 'Amazon' : 'Stability AI',
  inputModalities: ['TEXT', 'IMAGE'],
  outputModalities: ['IMAGE'],
  modelLifecycle: { status },
});
const summaries = [
  summary('stability.stable-image-core-v1:1', 'Stable Image Core 1.0', 'ACTIVE'),
  summary('stability.stable-image-ultra-v1:1', 'Stable Image Ultra 1.0', 'ACTIVE'),
  summary('stability.sd3-5-large-v1:0', 'SD3.5 Large', 'ACTIVE'),
  summary('stability.stable-image-remove-background-v1:0', 'Stable Image Remove Background', 'ACTIVE'),
  summary('amazon.nova-canvas-v1:0', 'Nova Canvas', 'LEGACY'),
];
