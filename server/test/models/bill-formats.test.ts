import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNow } from '../../src/base/db/rows.ts';
import { openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** An upstream that becomes another one when the test says so. */
class Vendor extends TestProvider {
  override id = '';
  override model = '';
}

const kinds = [
  { id: 'openai', model: 'gpt-image-1' },
  { id: 'gemini', model: 'gemini-3-pro-image-preview' },
  { id: 'azure', model: 'gpt-image-1' },
  { id: 'replicate', model: 'black-forest-labs/flux-1.1-pro' },
];

test('all vendors’ files are read as they document them, and other content is ignored', async () => {
  const provider = new Vendor();
  const routes = [{ id: 'nb2/only', model: 'nb2', provider, slots: 4, timeoutMs: 60_000, cost: '0.04' }];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  const now = await readNow(world.app.database.read);
  // Two in the morning in UTC is the evening of the day before on the Pacific coast.
  await world.elapse((Math.floor(now / dayMs) + 1) * dayMs + 2 * hourMs - now);
  for (const kind of kinds) {
    Object.assign(provider, kind);
    for (let index = 0; index < 3; index += 1) await world.finished(await world.create());
  }
  const today = new Date(await readNow(world.app.database.read)).toISOString().slice(0, 10);
  const seconds = Date.parse(today) / 1000;
  const dayBefore = new Date(Date.parse(today) - dayMs).toISOString().slice(0, 10);
  const [year, month, date] = today.split('-');

  const files = {
    'OpenAI, costs by line item': [
      'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_id,organization_name',
      `${seconds},${seconds + 86400},${today}T00:00:00+00:00,,0.0900000000000000,usd,"gpt-image-1, image output",,org-1,"Foxes, and owls"`,
      `${seconds},${seconds + 86400},${today}T00:00:00+00:00,,3e-02,usd,"gpt-image-1, text input",,org-1,Personal`,
      `${seconds},${seconds + 86400},${today}T00:00:00+00:00,,1.25,usd,"gpt-4o-mini-2024-07-18, output",,org-1,Personal`,
      `${seconds - 86400},${seconds},${dayBefore}T00:00:00+00:00,,,,,,,`,
    ].join('\r\n'),
    'OpenAI, usage by model': JSON.stringify({
      object: 'page',
      data: [
        { object: 'bucket', start_time: seconds - 86400, end_time: seconds, results: [] },
        {
          ...{ object: 'bucket', start_time: seconds, end_time: seconds + 86400 },
          results: [
            {
              ...{ object: 'organization.usage.images.result', images: 3, num_model_requests: 3 },
              model: 'gpt-image-1-2025-04-23',
            },
          ],
        },
      ],
      has_more: false,
    }),
    'Google Cloud Billing, costs by SKU and day': [
      'Invoice number,5024',
      'Service description,SKU description,Usage start date,Usage end date,Usage amount,Cost ($)',
      `Gemini API,Gemini 3 Pro Image output tokens,${dayBefore},${dayBefore},3360,0.12`,
      `Gemini API,Gemini 3 Pro Image input token count text,${dayBefore},${dayBefore},30,0.00`,
      `Gemini API,Gemini 3 Pro output tokens,${dayBefore},${dayBefore},30,"1,204.10"`,
      `Compute Engine,N1 Predefined Instance Core,${dayBefore},${dayBefore},24,0.75`,
    ].join('\n'),
    'Azure, cost and usage details': [
      'SubscriptionId;Date;MeterCategory;MeterName;Quantity;CostInBillingCurrency;BillingCurrencyCode',
      `1;${month}/${date}/${year};Foundry Models;gpt-image-1 img outp glbl Tokens;3,2;0.11;USD`,
      `1;${month}/${date}/${year};Foundry Models;gpt-image-1 txt inp glbl Tokens;0,1;0.01;USD`,
      `1;${month}/${date}/${year};Foundry Models;gpt-image-1 mini img outp glbl Tokens;0,1;0.07;USD`,
      `1;${month}/${date}/${year};Storage;Hot LRS Data Stored;2;0.30;USD`,
    ].join('\n'),
    'Replicate, list of predictions': JSON.stringify({
      next: null,
      results: ['succeeded', 'succeeded', 'canceled', 'succeeded'].map((status, index) => ({
        ...{ id: `id-${index}`, model: 'black-forest-labs/flux-1.1-pro', status },
        completed_at: `${today}T02:00:0${index}.123Z`,
      })),
    }),
  };
  for (const [title, file] of Object.entries(files)) {
    const checked = await operator.call('POST /admin/v1/costs/check', { body: { file } });
    assert.deepEqual([checked.format, checked.differences, checked.agreed], [title, [], 1]);
    const wrong = file
      .replace(/0\.0900|\b0\.12\b|\b0\.11\b/, '0.5')
      .replace('num_model_requests":3', 'num_model_requests":4');
    if (wrong === file) continue;
    const { differences } = await operator.call('POST /admin/v1/costs/check', { body: { file: wrong } });
    assert.equal(differences.length, 1, title);
    assert.equal(differences[0]?.attempts.length, 3, title);
  }
  const azure = { file: files['Azure, cost and usage details'] };
  const { unmatched } = await operator.call('POST /admin/v1/costs/check', { body: azure });
  assert.deepEqual(unmatched, [
    { model: 'gpt-image-1 mini img outp glbl Tokens', count: null, amount: '0.07' },
  ]);

  const costs = files['OpenAI, costs by line item'];
  for (const [body, detail] of [
    [{ file: 'a,b\n1,2' }, /none of the bills that are known here: .*OpenAI, costs/],
    [{ file: '{"data": [' }, /none of the bills/],
    [{ file: costs.replaceAll('usd', 'eur').replace('eur', 'usd') }, /amounts in/],
    [{ file: costs.replace('3e-02', 'free') }, /“free” where an amount/],
    [{ file: costs.replaceAll(String(seconds), '1600000000') }, /kept for 100 days/],
    [{ file: costs, from: 'soon' }, /from/],
  ] as const) {
    const refused = await operator.try('POST /admin/v1/costs/check', { body });
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.match(JSON.stringify(refused.body), detail);
  }
  for (const [status, length] of [
    [422, 5_000_000],
    [413, 9_000_000],
  ] as const) {
    const large = { body: { file: 'x'.repeat(length) } };
    assert.equal((await operator.try('POST /admin/v1/costs/check', large)).status, status);
  }
});

test('a file that is designed to be slow is read in linear time, or refused', async () => {
  await using world = await openWorld({ worker: false });
  const operator = await openOperator(world);
  const day = new Date(await readNow(world.app.database.read)).toISOString().slice(0, 10);
  const head = 'start_time,amount_value,amount_currency,line_item';
  const costs = (row: string, times = 1) => `${head}\n${row.repeat(times)}`;
  const nested = (open: string, close: string) => `${open.repeat(200_000)}1${close.repeat(200_000)}`;
  const fields = Array.from({ length: 20_000 }, (_, nth) => `"field${nth}":1`).join();
  for (const [file, detail] of [
    [`${head}${',more'.repeat(200_000)}\n${`${day},1,usd,model\n`.repeat(50_000)}`, null],
    [`${head}\n${'\n'.repeat(1_000_000)}${day},1,usd,model\n`, null],
    [costs(`"${day}","1","usd","model"\n`, 95_000), null],
    [
      `{${fields},"start_time":"${day}","amount":{"value":1},"data":[${`{"line_item":"model"},`.repeat(50_000)}{}]}`,
      null,
    ],
    [costs(`${day},1,usd,model\n`, 100_001), /more than 100,000 lines/],
    [`[${'{},'.repeat(1_000_000)}{}]`, /more than 100,000 lines/],
    [nested('[', ']'), /more than 20 objects/],
    [nested('{"data":[', ']}'), /more than 20 objects/],
    [nested('{"a":', '}'), /more than 20 objects/],
    [costs(`${day},${'9'.repeat(3_000_000)},usd,model\n`), /3000000 characters where/],
    [costs(`${day},1,${'u'.repeat(3_000_000)},model\n`), /3000000 characters where/],
    [costs(`${day},1,usd,${'-preview'.repeat(400_000)}x\n`), /name of 3200001 characters/],
    [costs(`${day},1,usd,"${'""'.repeat(1_000_000)}`), /quote that is not closed/],
    [costs(`${day},9999999999,usd,model\n`), /“9999999999” where an amount/],
    [`start_time,num_model_requests,model\n${day},1e308,model\n`, /“1e308” where a number/],
    [costs('+275760-09-13T00:00:00Z,1,usd,model\n'), /where a day should be/],
  ] as const) {
    const { status, body } = await operator.try('POST /admin/v1/costs/check', { body: { file } });
    const text = JSON.stringify(body);
    assert.equal(status, detail ? 422 : 200, text.slice(0, 300));
    assert.match(text, detail ?? /"unmatched":\[{"model":"model"/);
    assert.ok(text.length < 2_000);
  }
  const others = Array.from({ length: 1_000 }, (_, nth) => `${day},1,usd,model${nth}\n`).join('');
  const { unmatched } = await operator.call('POST /admin/v1/costs/check', { body: { file: costs(others) } });
  assert.equal(unmatched.length, 100);
});
