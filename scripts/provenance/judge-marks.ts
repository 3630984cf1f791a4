import { createGuard } from '../../server/src/base/guard/guard.ts';
import type { Config } from '../../server/src/config/config.ts';
import { openS3Store } from '../../server/src/images/s3/s3-store.ts';
import { createOpenAi } from '../../server/src/upstream/providers/openai/openai.ts';
import { type Emulator, startEmulator } from '../../server/test/emulators/emulator.ts';
import { s3Credentials, startS3 } from '../../server/test/images/s3-servers.ts';
import { selfSigned } from '../../server/test/images/support/signing.ts';
import { openWebhookWorld } from '../../server/test/webhooks/support/webhook-world.ts';
import { testRoutes } from '../../server/test/world/world.ts';
import { type Judges, openJudges, type Verdict } from './judges.ts';
import { makeSources, type Source, upstreamName } from './sources.ts';
import { preview, takeEveryWay } from './ways-out.ts';

const ourName = 'A studio';
const bucketName = 'images';
const loopback = '127.0.0.0/8';
const atOnce = 4;

interface Installation {
  name: string;
  config(): Partial<Config>;
  fault(verdict: Verdict, source: Source, way: string): string | undefined;
}

const installations: Installation[] = [
  {
    name: 'as it is installed',
    config: () => ({}),
    fault: (verdict) => unmarked(verdict) ?? invalid(verdict) ?? foreign(verdict, []),
  },
  {
    name: '`keepSigned`',
    config: () => ({ marking: { keepSigned: true, aigcProducer: null } }),
    fault: (verdict) =>
      invalid(verdict) ?? (verdict.manifest ? foreign(verdict, [upstreamName]) : unmarked(verdict)),
  },
  {
    name: 'with a certificate',
    config: () => ({ signing: selfSigned(ourName) }),
    fault: (verdict, { isSigned }, way) =>
      unmarked(verdict) ??
      invalid(verdict) ??
      (way === preview
        ? foreign(verdict, [])
        : foreign(verdict, isSigned ? [ourName, upstreamName] : [ourName])),
  },
];

/** Judges files of three installations, made from signed and unsigned images. Returns false if any file is wrong. */
export async function judgeMarks(say: (line: string) => void, count: number): Promise<boolean> {
  await using judges = await openJudges();
  const sources = await makeSources(count);
  const kept = await judges.judge(sources.map(({ bytes }) => bytes));
  const signed = kept.filter(({ manifest }) => manifest?.state === 'Valid').length;
  say(`${signed} of ${sources.length} sources are signed, and Valid.\n`);
  await using upstream = await startUpstream(sources);
  await using buckets = await startS3([bucketName]);
  let isRight = signed === count;
  for (const installation of installations)
    isRight = (await judgeOne(say, installation, { judges, sources, upstream, buckets })) && isRight;
  return isRight;
}

interface Surroundings {
  judges: Judges;
  sources: readonly Source[];
  upstream: Emulator;
  buckets: { endpoint: string };
}

interface Tally {
  files: number;
  marked: number;
  valid: number;
  without: number;
  ingredients: number;
  faults: string[];
}

async function judgeOne(
  say: (line: string) => void,
  { name, config, fault }: Installation,
  { judges, sources, upstream, buckets }: Surroundings,
): Promise<boolean> {
  const guard = createGuard({ allowNetworks: [loopback] });
  const settings = { model: 'gpt-image-2', baseUrl: `${upstream.url}/v1` };
  const prefix = name.replace(/\W+/g, '-').replace(/^-|-$/g, '').toLowerCase();
  const place = { bucket: bucketName, prefix, region: 'us-east-1', endpoint: buckets.endpoint };
  const bucket = await openS3Store({ ...place, credentials: s3Credentials });
  await using webhooks = await openWebhookWorld({
    makesImages: true,
    env: { DARKROOM_ALLOW_NETWORKS: loopback },
    config: config(),
    replacements: { routes: testRoutes(createOpenAi(settings, { apiKey: 'any' }, guard)) },
  });
  const url = `s3://${bucketName}/${prefix}?region=us-east-1&endpoint=${buckets.endpoint}`;
  const credentials = {
    access_key_id: s3Credentials.accessKeyId,
    secret_access_key: s3Credentials.secretAccessKey,
  };
  const added = await webhooks.world.send('POST', '/webhooks', { body: { url, credentials } });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  const ways = new Map<string, Tally>();
  for (let from = 0; from < sources.length; from += atOnce) {
    const some = sources.slice(from, from + atOnce);
    const left = await Promise.all(
      some.map((_, index) => takeEveryWay(webhooks.world, bucket, from + index)),
    );
    const files = left.flatMap(
      (list, index) => list.map(([way, file]) => ({ way, file, source: some[index] as Source })), // one list per source
    );
    const verdicts = await judges.judge(files.map(({ file }) => file));
    for (const [at, verdict] of verdicts.entries()) {
      const { way = '', source } = files[at] ?? {};
      if (source) count(ways, way, verdict, fault(verdict, source, way), source);
    }
  }
  await bucket[Symbol.asyncDispose]?.();
  tell(say, name, ways);
  return [...ways.values()].every(({ faults }) => faults.length === 0);
}

/** An OpenAI emulator that answers with the source whose index is the prompt. */
function startUpstream(sources: readonly Source[]): Promise<Emulator> {
  return startEmulator([
    {
      method: 'POST',
      path: /^\/v1\/images\/generations$/,
      stage: 'generate',
      handle(request) {
        const { prompt } = request.json() as { prompt: string };
        const image = sources[Number(prompt)]?.bytes.toString('base64');
        return { body: { created: 1713833628, data: [{ b64_json: image }] } };
      },
    },
  ]);
}

function unmarked({ sourceType }: Verdict): string | undefined {
  return sourceType?.endsWith('/trainedAlgorithmicMedia') ? undefined : `DigitalSourceType: ${sourceType}`;
}

function invalid({ manifest }: Verdict): string | undefined {
  return manifest?.state === 'Invalid' ? `invalid: ${manifest.failures}` : undefined;
}

/** Compares the manifest's signers with those expected, the last signer first. Returns the difference, if any. */
function foreign({ manifest }: Verdict, signers: readonly string[]): string | undefined {
  const found = (manifest?.signers ?? []).filter((name, at, all) => name !== all[at - 1]);
  return found.join() === signers.join() ? undefined : `signed by ${found}, not by ${signers}`;
}

function count(
  ways: Map<string, Tally>,
  way: string,
  verdict: Verdict,
  fault: string | undefined,
  source: Source,
): void {
  const empty: Tally = { files: 0, marked: 0, valid: 0, without: 0, ingredients: 0, faults: [] };
  const tally = ways.get(way) ?? empty;
  const { manifest } = verdict;
  tally.files += 1;
  if (!unmarked(verdict)) tally.marked += 1;
  if (!manifest) tally.without += 1;
  else if (manifest.state !== 'Invalid') tally.valid += 1;
  if (manifest?.signers.slice(1).includes(upstreamName)) tally.ingredients += 1;
  if (fault) tally.faults.push(`${way} of a ${source.kind}${source.isSigned ? ', signed' : ''}: ${fault}`);
  ways.set(way, tally);
}

function tell(say: (line: string) => void, name: string, ways: Map<string, Tally>): void {
  say(`${name}\n`);
  say('| way out | files | with XMP | Valid | without a manifest | of the upstream as ingredient | wrong |');
  say('|---|---|---|---|---|---|---|');
  for (const [way, { files, marked, valid, without, ingredients, faults }] of ways)
    say(`| ${way} | ${files} | ${marked} | ${valid} | ${without} | ${ingredients} | ${faults.length} |`);
  const faults = [...ways.values()].flatMap((tally) => tally.faults);
  say('');
  for (const fault of faults.slice(0, 20)) say(`WRONG ${fault}`);
}
