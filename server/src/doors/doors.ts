import type { FastifyInstance } from 'fastify';
import type { DoorName } from '../config/doors.ts';
import type { DoorDeps } from './door-deps.ts';
import { registerGemini } from './gemini/register-gemini.ts';
import { registerMcp } from './mcp/mcp-door.ts';
import { registerOpenAi } from './openai/register-openai.ts';

type Door = (server: FastifyInstance, deps: DoorDeps) => Promise<void>;

const doors: Record<DoorName, Door> = { openai: registerOpenAi, gemini: registerGemini, mcp: registerMcp };

/** Opens the doors that are on: APIs of others, which lead to the one way in. */
export async function registerDoors(
  server: FastifyInstance,
  deps: DoorDeps,
  open: readonly DoorName[],
): Promise<void> {
  for (const name of open) await doors[name](server, deps);
}
