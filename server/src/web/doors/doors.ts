import type { FastifyInstance, FastifyReply } from 'fastify';
import { type DoorName, doorNames, unknownAliases } from '../../config/doors.ts';
import { AppError } from '../../errors.ts';
import type { DoorDeps } from './door-deps.ts';
import { geminiPrefix, registerGemini } from './gemini/register-gemini.ts';
import { sendGoogleError } from './gemini/send-google-error.ts';
import { mcpPath, registerMcp, sendProtocolError } from './mcp/mcp-door.ts';
import { openAiPrefix, registerOpenAi } from './openai/register-openai.ts';
import { sendError } from './openai/send-error.ts';

interface Door {
  open(server: FastifyInstance, deps: DoorDeps): Promise<void>;
  prefix: string;
  /** Answers that the door is closed, in the format of its API, so that the API's programs understand it. */
  refuse(reply: FastifyReply, error: AppError, deps: DoorDeps): FastifyReply;
}

const doors: Record<DoorName, Door> = {
  openai: { open: registerOpenAi, prefix: openAiPrefix, refuse: sendError },
  gemini: { open: registerGemini, prefix: geminiPrefix, refuse: sendGoogleError },
  mcp: {
    open: registerMcp,
    prefix: mcpPath,
    refuse: (reply, error, deps) => sendProtocolError(reply, error, deps.publicUrl()),
  },
};

/** Doors are other vendors' APIs, which create jobs like our own. */
export async function registerDoors(
  server: FastifyInstance,
  deps: DoorDeps,
  open: readonly DoorName[],
): Promise<void> {
  const models = deps.catalogue.list().map(({ id }) => id);
  for (const warning of unknownAliases(deps.aliases, models))
    deps.log.warn('door_alias.unknown', { warning });
  for (const name of doorNames) {
    const { prefix, refuse, ...door } = doors[name];
    if (open.includes(name)) await door.open(server, deps);
    else
      await server.register(
        async (scope) =>
          scope.setNotFoundHandler((_request, reply) =>
            refuse(reply, new AppError('not_found', closed), deps),
          ),
        { prefix },
      );
  }
}

const closed = 'This API is off. The operator can turn it on with DARKROOM_DOORS.';
