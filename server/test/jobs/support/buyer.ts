import assert from 'node:assert/strict';
import { formatMicros, parseMicros } from '../../../src/money/ledger/money.ts';
import { bearer } from '../../http/support/requests.ts';
import { openMember } from '../../panel/browser.ts';
import type { World } from '../../world/world.ts';

type Bought = [jobId: string, price: bigint][];

export async function openBuyer(world: World, { accountId, key }: { accountId: string; key: string }) {
  const person = await openMember(world, { email: `${accountId}@example.com`, accountId });
  const headers = bearer(key);
  const list = (await world.send('GET', '/models', { headers })).body.data as {
    id: string;
    resolutions: { resolution: string; price: string }[];
  }[];
  const priceOf = (model: string, resolution: string) =>
    micros(
      list.find(({ id }) => id === model)?.resolutions.find((one) => one.resolution === resolution)?.price,
    );
  const source = await world.create('/nb/text-generations');
  const { image_url: url } = (await world.finished(source)).result as { image_url: string };

  async function quote(path: string, body: object): Promise<bigint> {
    const quoted = await world.send('POST', `${path}?dry_run=true`, { body, headers });
    assert.equal(quoted.status, 200, JSON.stringify(quoted.body));
    return micros(quoted.body.price);
  }

  async function create(path: string, body: object, more: Record<string, string> = {}): Promise<string> {
    const made = await world.send('POST', path, { body, headers: { ...headers, ...more } });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    return String(made.body.job_id);
  }

  async function native(path: string, body: object, more?: Record<string, string>): Promise<Bought> {
    const price = await quote(path, body);
    return [[await create(path, body, more), price]];
  }

  async function door(path: string, body: object, priceMicros: bigint): Promise<Bought> {
    const response = await fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const ids = response.headers.get('darkroom-job-id') ?? /"job_id":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
    return ids.split(', ').map((id) => [id, priceMicros]);
  }

  const text = (prompt: string, more: object = {}) => ({ prompt, aspect_ratio: '1:1', ...more });
  const sizes = ['1K', '2K', '4K'];
  const ways: ((nth: number, size: string) => Promise<Bought>)[] = [
    (nth) => native('/nb/text-generations', text(`a fox ${nth}`)),
    (nth, resolution) => native('/nb2/text-generations', text(`an owl ${nth}`, { resolution })),
    (nth, resolution) => native('/text-generations', text(`it fails ${nth}`, { resolution })),
    (nth, resolution) =>
      native('/url-generations', text(`an elk ${nth}`, { resolution, input_images_urls: [url] })),
    (nth) =>
      native('/upscaler/url-generations', {
        ...{ prompt: `sharp ${nth}`, aspect_ratio: 'auto', input_images_urls: [url] },
      }),
    async (nth, resolution) => {
      const key = { 'idempotency-key': `once-${nth}` };
      const body = text(`a hare ${nth}`, { resolution });
      const bought = await native('/nb2/text-generations', body, key);
      assert.equal(await create('/nb2/text-generations', body, key), bought[0]?.[0]);
      return bought;
    },
    (nth, resolution) => buyBatch(nth, resolution),
    async (nth, resolution) => {
      const [first = ['', 0n]] = await native('/nb2/text-generations', text(`a bear ${nth}`, { resolution }));
      const again = await create(`/jobs/${first[0]}/again`, {});
      return [first, [again, first[1]]];
    },
    (nth) =>
      door(
        '/v1/images/generations',
        { model: 'nb2', prompt: `two ${nth}`, n: 2, size: '1024x1024', response_format: 'url' },
        priceOf('nb2', '1K'),
      ),
    (nth, imageSize) =>
      door(
        '/v1beta/models/nb2:generateContent',
        {
          contents: [{ parts: [{ text: `a crow ${nth}` }] }],
          generationConfig: { imageConfig: { aspectRatio: '1:1', imageSize } },
        },
        priceOf('nb2', imageSize),
      ),
    (nth, resolution) =>
      door(
        '/mcp',
        {
          ...{ jsonrpc: '2.0', id: nth, method: 'tools/call' },
          params: {
            name: 'generate_image',
            arguments: { prompt: `a wren ${nth}`, model: 'nb2', resolution },
          },
        },
        priceOf('nb2', resolution),
      ),
    async (nth, resolution) => {
      const body = text(`a mole ${nth}`, { resolution });
      const { job_id } = await person.call('POST /api/v1/:model/text-generations', {
        params: { account_id: accountId, model: 'nb2' },
        body,
      });
      return [[job_id, await quote('/nb2/text-generations', body)]];
    },
  ];

  async function buyBatch(nth: number, resolution: string): Promise<Bought> {
    const requests = [
      { model: 'nb', mode: 'text', body: text(`first ${nth}`) },
      { model: 'nb2', mode: 'text', body: text(`second ${nth}`, { resolution }) },
      { model: 'nb2', mode: 'text', body: text(`third fails ${nth}`) },
    ];
    const price = await quote('/batches', { requests });
    const made = await world.send('POST', '/batches', { body: { requests }, headers });
    assert.equal(micros(made.body.price), price);
    const jobs = await world.app.database.read
      .selectFrom('jobs')
      .select('id')
      .where('batch_id', '=', String(made.body.batch_id))
      .orderBy('batch_index')
      .execute();
    const prices = [priceOf('nb', '1K'), priceOf('nb2', resolution), priceOf('nb2', '1K')];
    assert.equal(
      prices.reduce((sum, one) => sum + one, 0n),
      price,
    );
    return jobs.map(({ id }, index) => [id, prices[index] ?? 0n]);
  }

  return {
    priceOf,
    format: formatMicros,
    buy: (nth: number): Promise<Bought> => {
      const way = ways[nth % ways.length];
      return way ? way(nth, sizes[nth % sizes.length] ?? '1K') : Promise.resolve([]);
    },
  };
}

function micros(text: unknown): bigint {
  const read = parseMicros(String(text));
  assert.ok(read !== undefined, `${text} is no amount`);
  return read;
}
