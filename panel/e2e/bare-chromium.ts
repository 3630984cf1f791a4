import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface BareChromium extends AsyncDisposable {
  send<Result>(method: string, params?: object): Promise<Result>;
  /** Runs a function in the page. The function can use only its argument, no variables around it. */
  evaluate<Arg, Result>(run: (arg: Arg) => Result, arg: Arg): Promise<Awaited<Result>>;
  waitFor(isSo: () => boolean): Promise<void>;
  renderers(): Promise<number[]>;
}

const pollMs = 50;

/** Opens Chromium with one page, to measure its memory: Playwright would add up to 200 MB for the page's answers. */
export async function openBareChromium(
  executablePath: string,
  { width, height }: { width: number; height: number },
): Promise<BareChromium> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'darkroom-chromium-')));
  const options = ['--headless', '--no-sandbox', '--disable-gpu', `--window-size=${width},${height}`];
  const process = spawn(
    executablePath,
    [...options, '--remote-debugging-port=0', `--user-data-dir=${folder.path}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  resources.defer(async () => {
    process.kill();
    if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
  });
  const address = await readAddress(createInterface(process.stderr));
  const targets = await (await fetch(`http://${new URL(address).host}/json/list`)).json();
  const page = (targets as { type: string; webSocketDebuggerUrl: string }[]).find(
    ({ type }) => type === 'page',
  );
  if (!page) throw new Error('Chromium has no page');
  const browser = resources.adopt(await connect(address), ({ close }) => close());
  const { send } = resources.adopt(await connect(page.webSocketDebuggerUrl), ({ close }) => close());

  async function evaluate<Arg, Result>(run: (arg: Arg) => Result, arg: Arg): Promise<Awaited<Result>> {
    const expression = `(${run})(${JSON.stringify(arg)})`;
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send<Evaluated<Awaited<Result>>>('Runtime.evaluate', asked);
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }
  return {
    send,
    evaluate,
    async waitFor(isSo) {
      while (!(await evaluate(isSo, null))) await new Promise((resolve) => setTimeout(resolve, pollMs));
    },
    async renderers() {
      const { processInfo } = await browser.send<{ processInfo: { type: string; id: number }[] }>(
        'SystemInfo.getProcessInfo',
      );
      return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface Evaluated<Value> {
  result: { value: Value };
  exceptionDetails?: object;
}

async function readAddress(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /ws:\S+/.exec(line)?.[0];
    if (address) return address;
  }
  throw new Error('Chromium did not start');
}

async function connect(address: string) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(new Error(JSON.stringify(error)));
    else asked?.resolve(result);
  });
  let last = 0;
  return {
    send<Result>(method: string, params: object = {}): Promise<Result> {
      const asked = Promise.withResolvers<unknown>();
      last += 1;
      waiting.set(last, asked);
      socket.send(JSON.stringify({ id: last, method, params }));
      return asked.promise as Promise<Result>; // the type that the protocol documents
    },
    close: () => socket.close(),
  };
}
