import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { fetchLimits } from '../../src/images/inputs/limits.ts';
import type { Zone } from './support/dns-server.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import { responseHead, startRawStranger, strangerAddress } from './support/strangers.ts';
import { type Took, timedUndisturbed } from './support/timed.ts';

// Concurrent, because the tests mostly wait.
describe('deadlines', { concurrency: true }, () => {
  test('F3: names that do not exist, fail or get no answer have different errors', async () => {
    const zone: Zone = (name) => {
      if (name.startsWith('none')) return 'nxdomain';
      if (name.startsWith('fails')) return 'servfail';
      if (name.startsWith('empty')) return { addresses: [] };
      return 'silent';
    };
    await using world = await makeInputWorld({ zone });
    let failures: Awaited<ReturnType<typeof world.failures>> = [];
    const took = await timedUndisturbed(async () => {
      failures = await world.failures(
        ['none', 'fails', 'empty', 'silent'].map((name) => `http://${name}.example.com/a.png`),
      );
    });
    const patterns = [
      /no host named none\.example\.com/,
      /report a failure/,
      /no host named/,
      /do not answer/,
    ];
    for (const [index, pattern] of patterns.entries()) {
      assert.equal(failures[index]?.code, 'input_unfetchable');
      assert.match(failures[index]?.detail ?? '', pattern);
    }
    assertWithinFifth(took, 4_000);
  });

  test('F4: a connection that no server accepts ends within a fifth after its deadline', async (t) => {
    // A stopped process with a full queue drops further connection requests, as a firewall does.
    const script = `require('net').createServer().listen({ port: 0, host: '${strangerAddress}', backlog: 1 }, function () {
    process.stdout.write(String(this.address().port));
  })`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    const port = Number(printed);
    const fillers = Array.from({ length: 8 }, () =>
      connect(port, strangerAddress).on('error', () => undefined),
    );
    await once(fillers[0] ?? assert.fail(), 'connect');
    try {
      await using world = await makeInputWorld({ limits: { answerMs: 2_000 } });
      const took = await timedUndisturbed(async () => {
        const [failure] = await world.failures([`http://${strangerAddress}:${port}/`]);
        assert.equal(failure?.code, 'input_unfetchable');
        t.diagnostic(failure?.detail ?? '');
      });
      assertWithinFifth(took, 2_000);
    } finally {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
    }
  });

  test('F6, F7, F8: fetches from silent, stalling and dripping servers end within a fifth after their deadlines', async () => {
    await using silent = await startRawStranger(() => undefined);
    await using dripsHeaders = await startRawStranger((socket) => {
      const timer = setInterval(() => socket.write('x'), 100);
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      socket.once('close', () => clearInterval(timer));
    });
    await using stalls = await startRawStranger((socket) => void socket.write(responseHead('')));
    await using drips = await startRawStranger((socket) => {
      socket.write(responseHead(''));
      socket.write(onePixelPng.subarray(0, 20));
      const timer = setInterval(() => socket.write('x'), 100);
      socket.once('close', () => clearInterval(timer));
    });
    await using world = await makeInputWorld({ limits: quick });
    const cases = [
      { origin: silent.origin, deadlineMs: quick.answerMs, says: /did not answer within 2 s/ },
      { origin: dripsHeaders.origin, deadlineMs: quick.answerMs, says: /did not answer within 2 s/ },
      { origin: stalls.origin, deadlineMs: quick.silenceMs, says: /stopped sending for 2 s/ },
      { origin: drips.origin, deadlineMs: quick.totalMs, says: /4 s for all inputs together/ },
    ];
    await Promise.all(
      cases.map(async ({ origin, deadlineMs, says }) => {
        const took = await timedUndisturbed(async () => {
          const [failure] = await world.failures([origin]);
          assert.equal(failure?.code, 'input_unfetchable');
          assert.match(failure?.detail ?? '', says);
        });
        assertWithinFifth(took, deadlineMs);
      }),
    );
  });

  test('production’s deadlines are kept within a fifth: 5 s for an answer, 20 s in all', async (t) => {
    await using silent = await startRawStranger(() => undefined);
    await using drips = await startRawStranger((socket) => {
      socket.write(responseHead(''));
      socket.write(onePixelPng.subarray(0, 20));
      const timer = setInterval(() => socket.write('x'), 400);
      socket.once('close', () => clearInterval(timer));
    });
    await using world = await makeInputWorld();
    const [answer, total] = await Promise.all([
      timedUndisturbed(() => world.failures([silent.origin])),
      timedUndisturbed(() => world.failures([drips.origin, silent.origin])),
    ]);
    t.diagnostic(`answer ${Math.round(answer.ms)} ms, total ${Math.round(total.ms)} ms`);
    assertWithinFifth(answer, fetchLimits.answerMs);
    assertWithinFifth(total, fetchLimits.totalMs);
  });
});

function assertWithinFifth({ ms, undisturbedMs }: Took, deadlineMs: number): void {
  // Timers may fire a little before their time.
  assert(
    ms >= deadlineMs * 0.98 && undisturbedMs <= deadlineMs * 1.2,
    `${Math.round(ms)} ms, ${Math.round(undisturbedMs)} of them undisturbed, for a deadline of ${deadlineMs} ms`,
  );
}

const quick = { totalMs: 4_000, answerMs: 2_000, silenceMs: 2_000 };
