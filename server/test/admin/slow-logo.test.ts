import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { openAdministration } from './admin-client.ts';

const world = await openWorld({ worker: false, config: { statusPage: true } });
after(() => world[Symbol.asyncDispose]());
const admin = await openAdministration(world);

test('an SVG that would take hours to draw is refused after seconds, and the server answers meanwhile', async () => {
  const before = await admin().getBrand();
  const asked = Array.from({ length: 2 }, () =>
    admin().previewBrand({ name: 'Acme', logo: Buffer.from(endless()).toString('base64') }),
  );
  const ends = Promise.allSettled(asked);
  // Files and host names are read on the same threads, which a drawing could occupy.
  for (let left = 8; left > 0; left -= 1) assert.equal((await fetch(`${world.url}/status`)).status, 200);
  for (const end of await ends) {
    const reason: { code?: string; message?: string } = end.status === 'rejected' ? end.reason : {};
    assert.equal(reason.code, 'invalid_request');
    assert.match(reason.message ?? '', /takes too much time or memory/);
  }
  assert.deepEqual(await admin().getBrand(), before);
});

/** Each level uses the one below ten times, through a filter. */
function endless(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const use = `<use href="#${level === 0 ? 'r' : `l${level - 1}`}" filter="url(#f)"/>`;
    return `<g id="l${level}">${use.repeat(10)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="80"><filter id="f"><feGaussianBlur stdDeviation="9"/></filter>
<defs><rect id="r" width="400" height="60"/>${levels.join('')}</defs><use href="#l8"/></svg>`;
}
