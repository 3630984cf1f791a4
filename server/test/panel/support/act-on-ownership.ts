import type { World } from '../../world/world.ts';
import { addPerson, openMember, password } from '../browser.ts';
import type { Auditor } from './auditor.ts';

export async function actOnOwnership(auditor: Auditor, world: World): Promise<void> {
  const owner = await openMember(world, { email: 'linus@example.com' });
  const heir = await addPerson(world, {
    ...{ email: 'margaret@example.com', accountId: world.accountId, role: 'viewer' },
  });
  const body = { current_password: password };
  await auditor.call(owner, 'POST /api/v1/members/:person_id/transfer', {
    params: { person_id: heir },
    body,
  });
  await auditor.call(owner, 'POST /panel/session/delete', { body });
}
