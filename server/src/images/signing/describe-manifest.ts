import { version } from '../../version.ts';
import type { Claim } from './signing-messages.ts';

/** The id by which an action names its ingredient. */
export const parentId = 'parent';

/** The first action says how the file began (C2PA 2.x, 18.15). */
export function describeManifest(claim: Claim, format: string, hasParent: boolean): string {
  const opened = { action: 'c2pa.opened', parameters: { ingredientIds: [parentId] } };
  return JSON.stringify({
    claim_version: 2,
    claim_generator_info: [{ name: 'Darkroom', version }],
    format,
    assertions: [
      {
        label: 'c2pa.actions.v2',
        data: { actions: hasParent ? [opened, lastAction(claim, true)] : [lastAction(claim, false)] },
      },
    ],
  });
}

function lastAction(claim: Claim, hasParent: boolean): object {
  const when = new Date(claim.atMs).toISOString();
  if (claim.kind === 'copy') return { action: 'c2pa.transcoded', when };
  return {
    action: hasParent ? 'c2pa.edited' : 'c2pa.created',
    when,
    softwareAgent: { name: claim.model },
    digitalSourceType: `http://cv.iptc.org/newscodes/digitalsourcetype/${claim.sourceType}`,
  };
}
