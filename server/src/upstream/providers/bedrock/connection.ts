import { SettingError } from '../../../errors.ts';
import { type ConnectionKind, describeModels } from '../connection.ts';
import { failure } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import { bedrockCapabilities } from './families.ts';
import { bedrockRefusal } from './refusal.ts';
import type { BedrockCredentials } from './settings.ts';
import { createSignedCalls } from './signed-calls.ts';

/** The models that make images. Bedrock also lists tools of Stability AI that only change images. */
const supported = /^(stability\.(stable-image-(core|ultra)|sd3)|amazon\.nova-canvas)/;

export const bedrockConnection: ConnectionKind<BedrockCredentials> = {
  name: 'Amazon Bedrock',
  about: 'Stable Image and Nova Canvas on AWS',
  needsAddress: false,
  keyless: 'never',
  advice: {
    key: 'Paste ACCESS_KEY_ID:SECRET_ACCESS_KEY:REGION of a user that may call bedrock:InvokeModel and bedrock:ListFoundationModels.',
    quota: 'Raise the quota in the console of AWS, under Service Quotas, Amazon Bedrock.',
    address: 'Leave the address out, unless Bedrock is reached through an endpoint of your own.',
    models: 'Name another region at the end of the key: most models are in us-west-2.',
  },
  readKey: readAwsKey,

  async find({ baseUrl, credentials, guard }, signal) {
    const { upstream, list } = createSignedCalls(
      baseUrl === undefined ? {} : { baseUrl },
      credentials,
      guard,
    );
    await using _open = upstream;
    const answer = await list(signal);
    if (!answer.ok) throw bedrockRefusal(upstream, answer);
    const summaries = pick(answer.json(), 'modelSummaries');
    if (!Array.isArray(summaries))
      throw failure('bad_response', { detail: 'an answer without a list of models' });
    const models = pickList(summaries).flatMap((each) => {
      const id = pickText(each, 'modelId') ?? '';
      return supported.test(id) ? [{ id, name: pickText(each, 'modelName'), settings: { model: id } }] : [];
    });
    return { models: describeModels(models, bedrockCapabilities) };
  },
};

function readAwsKey(key: string): BedrockCredentials {
  const [, accessKeyId, secretAccessKey, region] =
    key.match(/^(\w{4,128}):([\w/+=-]{8,256})(?::([a-z0-9-]{1,40}))?$/) ?? [];
  if (!accessKeyId || !secretAccessKey)
    throw new SettingError(
      'the key is not ACCESS_KEY_ID:SECRET_ACCESS_KEY or …:REGION: copy both, with a colon between',
    );
  return { aws: { kind: 'keys', credentials: { accessKeyId, secretAccessKey } }, region };
}
