import { lookup } from 'node:dns/promises';
import { isIPv6, type Socket, connect as startToConnect } from 'node:net';
import { setImmediate as afterEvents } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { SettingError } from '../errors.ts';

/**
 * Whether a process can listen where it is told to, before it writes anything: it listens last, when the database is long
 * changed. `isShared`: its parent has the port of requests.
 *
 * @throws the error of the system that listening would end with; SettingError for one port for two things
 */
export async function checkPorts({ http, role }: Config, { isShared = false } = {}): Promise<void> {
  const { host, port, healthPort } = http;
  const listens = role !== 'worker';
  if (listens && healthPort === port && port !== 0)
    throw new SettingError(`DARKROOM_HEALTH_PORT is ${port}, as PORT is; give each its own.`);
  const ports = [listens && !isShared ? port : null, healthPort].filter((each) => each !== null);
  if (ports.length === 0) return;
  const { address } = await lookup(host);
  for (const each of ports) await bind(address, each);
}

/**
 * Takes the port, any for 0, for a moment without listening: whoever connects meanwhile is refused as before, and a load balancer does not
 * take the process for ready. A socket that is about to connect binds to its own port first.
 */
async function bind(address: string, port: number): Promise<void> {
  const nobody = { host: isIPv6(address) ? '::1' : '127.0.0.1', port: 1 };
  const socket = startToConnect({ ...nobody, localAddress: address, localPort: port });
  try {
    await errorOf(socket);
  } finally {
    socket.destroy();
  }
}

/** Node binds in the next tick, and says so in the one after. That nobody answers is no matter. */
async function errorOf(socket: Socket): Promise<void> {
  let found: NodeJS.ErrnoException | undefined;
  socket.on('error', (error) => {
    found ??= error;
  });
  await afterEvents();
  if (found?.syscall === 'bind') throw found;
}
