import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { keyMissing } from '../../../base/http/bearer.ts';
import { closedQuery, oneOf } from '../../../base/http/schemas.ts';
import { atWidth } from '../../../images/image-links.ts';
import { renditionWidths } from '../../../images/renditions.ts';
import { linkImage } from '../../../jobs/link-image.ts';
import type { Entrance } from '../../api/entrance.ts';
import { whoSees } from '../../api/who-sees.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** The seconds for which a browser may keep the redirect. Its target is valid for a day. */
const keptSeconds = 300;
const query = Type.Object({ w: Type.Optional(oneOf(renditionWidths.map(String))) });

/** Redirects a permanent address to the current signed link, for keys and members. `?w=` selects a smaller image. */
export function registerStableLinks(server: FastifyInstance, base: PanelDeps & { entrance: Entrance }): void {
  const deps = { ...base, secondFactor: base.installation.secondFactor };
  const schema = { hide: true, querystring: closedQuery(query) };
  server.get('/jobs/:job_id/image', { schema }, async (request, reply) => {
    reply.header('vary', 'Origin, Authorization, Cookie').header('cache-control', 'no-store');
    const { job_id: jobId } = request.params as { job_id: string }; // as the path declares it
    const { w } = request.query as { w?: string }; // as the schema declares it
    const width = renditionWidths.find((known) => String(known) === w);
    const maySee = await whoSees(deps, request, reply);
    if (!maySee) throw keyMissing();
    const link = await linkImage(deps, jobId, maySee);
    return reply
      .header('cache-control', `private, max-age=${keptSeconds}`)
      .redirect(width === undefined ? link : atWidth(link, width), 302);
  });
}
