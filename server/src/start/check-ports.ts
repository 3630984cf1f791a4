import { lookup } from 'node:dns/promises';
import { isIPv6, type Socket, connect as startToConnect } from 'node:net';
import { setImmediate as afterEvents } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { SettingError } from '../errors.ts';

/**
 * Checks that ports are free, before a start writes anything. `isShared` means that the parent process has the port for
 * requests.
 * @throws the system's error, as listening would; SettingError if two services have the same port
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

/** Binds a port by connecting from it, without listening, so that no load balancer takes the process for ready. */
async function bind(address: string, port: number): Promise<void> {
  const nobody = { host: isIPv6(address) ? '::1' : '127.0.0.1', port: 1 };
  const socket = startToConnect({ ...nobody, localAddress: address, localPort: port });
  try {
    await errorOf(socket);
  } finally {
    socket.destroy();
  }
}

/** Returns the bind error, which Node reports two ticks later. The refused connection does not matter. */
async function errorOf(socket: Socket): Promise<void> {
  let found: NodeJS.ErrnoException | undefined;
  socket.on('error', (error) => {
    found ??= error;
  });
  await afterEvents();
  if (found?.syscall === 'bind') throw found;
}
