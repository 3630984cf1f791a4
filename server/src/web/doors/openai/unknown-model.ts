import { AppError } from '../../../errors.ts';
import type { DoorDeps } from '../door-deps.ts';

export function unknownModel({ catalogue }: Pick<DoorDeps, 'catalogue'>, name: string): AppError {
  const list = catalogue.list().map(({ id }) => id);
  const detail = `There is no model "${name.slice(0, 100)}". There are: ${list.join(', ')}.`;
  return new AppError('not_found', detail, { errors: [{ pointer: '/model', detail }] });
}
