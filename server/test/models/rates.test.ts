import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../../src/jobs/routes/route.ts';
import { costOfUse, rateUnits } from '../../src/upstream/prices/rates.ts';
import { reportedUnits } from '../../src/upstream/providers/providers.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

/** Answers as OpenAI's reference shows them: 10 tokens of text and 40 of images in, 50 out. */
class OpenAi extends TestProvider {
  override readonly id = 'openai';
  override readonly model = 'gpt-image-2';

  constructor() {
    super();
    this.handler = async (request, { onCharge }) => {
      onCharge({
        used: { text_in: 10, image_in: 40, text_out: 0, image_out: 50 },
        usage: { total_tokens: 100 },
      });
      return this.answer(request);
    };
  }
}

async function openTrial(currency: string) {
  const route: Route = {
    id: 'nb2/openai',
    model: 'nb2',
    provider: new OpenAi(),
    slots: 4,
    timeoutMs: 30_000,
  };
  const world = await openWorld({ config: { currency }, replacements: { routes: [route] } });
  const operator = await openOperator(world);
  const admin = (await openAdministration(world))();
  const make = async () => {
    await world.finished(await world.create());
    const { total } = await operator.call('GET /admin/v1/margins');
    return [total.cost, total.images_without_cost];
  };
  return { world, admin, make };
}

const model = { provider: 'openai', model: 'gpt-image-2' };

test('attempts cost the published rate until an operator sets another, and recorded costs stay', async () => {
  const { world, admin, make } = await openTrial('USD');
  await using _ = world;
  const [published] = (await admin.listRates()).filter((one) => one.model === 'gpt-image-2');
  assert.deepEqual(
    [
      published?.image_out,
      published?.text_out,
      published?.currency,
      published?.in_use,
      published?.changed_by,
    ],
    ['30.00', null, 'USD', true, null],
  );
  assert.match(published?.source ?? '', /^https:/);
  assert.equal(published?.gateway, 'LiteLLM', 'who says so');
  assert.match(published?.read_on ?? '', /^2026-/);
  assert.deepEqual(await make(), ['0.00187', 0], '10 × 5 + 40 × 8 + 50 × 30');

  await admin.saveRate({ ...model, rates: { text_in: '4', image_in: '8', image_out: '20' } });
  assert.deepEqual(await make(), ['0.00323', 0], '1870, and 10 × 4 + 40 × 8 + 50 × 20');
  await admin.saveRate({ ...model, rates: { image_out: '20.0' } });
  assert.deepEqual(await make(), ['0.00323', 1], 'a part of a cost is not taken for all of it');
  const same = await admin.saveRate({ ...model, rates: { image_out: '20' } });
  const again = await admin.saveRate({ ...model, rates: null });
  assert.deepEqual(await make(), ['0.0051', 1]);

  const own = (rates: typeof again) => rates.filter((one) => one.model === 'gpt-image-2' && one.changed_at);
  assert.equal(own(same).length, 2, 'the same again is no change');
  assert.deepEqual(
    own(again).map(({ image_out, in_use, changed_by: by }) => [image_out, in_use, typeof by]),
    [
      [null, false, 'string'],
      ['20.00', false, 'string'],
      ['20.00', false, 'string'],
    ],
    'the newest first',
  );
  assert.deepEqual(own(same)[0]?.in_use, true);
  assert.equal(same.find(({ model: name, source }) => name === 'gpt-image-2' && source)?.in_use, false);
  for (const wrong of [{ provider: 'fal' }, { rates: {} }, { rates: { image_out: '-1' } }, { model: '' }])
    await assert.rejects(
      admin.saveRate({ ...model, rates: { image_out: '1' }, ...wrong }),
      (error: Error) =>
        'code' in error && ['invalid_request', 'validation_failed'].includes(String(error.code)),
      JSON.stringify(wrong),
    );
});

test('a rate is accepted only in the units that its provider’s answers report', async () => {
  await using world = await openWorld({ worker: false });
  const admin = (await openAdministration(world))();
  for (const provider of ['openai', 'azure', 'gemini', 'replicate', 'bfl'])
    for (const unit of rateUnits) {
      const saved = admin.saveRate({ provider, model: 'of-ours', rates: { [unit]: '1' } });
      if (reportedUnits(provider).includes(unit)) await saved;
      else
        await assert.rejects(saved, {
          code: 'invalid_request',
          message: new RegExp(`^/rates/${unit} is not`),
        });
    }
});

test('an operator’s rate is in the installation’s currency, but a published one may be in another', async () => {
  const { world, admin, make } = await openTrial('EUR');
  await using _ = world;
  assert.deepEqual(await make(), [null, 1]);
  await admin.saveRate({ ...model, rates: { text_in: '4', image_in: '8', image_out: '20' } });
  assert.deepEqual(await make(), ['0.00136', 1]);
});

test('a rate in thousands is no mistake if its currency has such amounts, but counts beyond any image are', async () => {
  const { world, admin, make } = await openTrial('IDR');
  await using _ = world;
  await admin.saveRate({ ...model, rates: { text_in: '80000', image_in: '130000', image_out: '490000' } });
  assert.deepEqual(await make(), ['30.50', 0]);
  await admin.saveRate({ ...model, rates: { text_in: '80000000', image_in: '130000000', image_out: '0' } });
  assert.deepEqual(await make(), ['6030.50', 0]);
});

test('usage has a known cost if it has a rate and its counts are possible for an image', () => {
  assert.equal(costOfUse({ image: '640' }, { image: 1 }), 640_000_000n);
  assert.equal(costOfUse({ image: '640' }, { image: 0 }), 0n);
  assert.equal(costOfUse(undefined, { image: 0 }), undefined);
  assert.equal(costOfUse({ image: '1' }, { image: 10_001 }), undefined);
  assert.equal(costOfUse({ image: '1' }, { image: -1 }), undefined);
  assert.equal(costOfUse({ text_in: '1' }, { text_in: 1_000_001 }), undefined);
  assert.equal(costOfUse({ credit: '9000000000' }, { credit: 2 }), undefined, 'more than the ledger holds');
});
