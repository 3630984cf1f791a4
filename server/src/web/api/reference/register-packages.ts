import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { hidden } from '../../../base/http/schemas.ts';
import { type Document, makeDocument, sendDocument } from '../../../base/http/send-document.ts';
import { AppError } from '../../../errors.ts';
import { version } from '../../../version.ts';

export const packagesDir = resolve(import.meta.dirname, '../../../../../dist');

export const packageFiles = { sdk: 'sdk.tgz', cli: 'cli.tgz' } as const;

/** Serves the SDK and command line here, because in the public registry their names belong to other projects. */
export function registerPackages(server: FastifyInstance, folder = packagesDir): void {
  for (const [name, file] of Object.entries(packageFiles)) {
    let read: Promise<Document> | undefined;
    server.get(`/${file}`, hidden, async (request, reply) => {
      read ??= readFile(join(folder, file)).then((bytes) => makeDocument('application/gzip', bytes));
      const document = await read.catch((error: NodeJS.ErrnoException) => {
        read = undefined;
        if (error.code !== 'ENOENT') throw error;
        throw new AppError(
          'not_found',
          'This server has no packages: its operator makes them with npm run packages.',
        );
      });
      reply.header('content-disposition', `attachment; filename="darkroom-${name}-${version}.tgz"`);
      return sendDocument(request, reply, document);
    });
  }
}
