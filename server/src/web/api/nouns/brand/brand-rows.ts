import type { WrittenRow } from '../../installation-call.ts';
import { type BrandDeps, brandCalls } from './brand-calls.ts';

export type { BrandDeps };

export function brandRows(deps: BrandDeps) {
  const brand = brandCalls(deps);
  return [
    ['GET', '/brand', 'system', brand.get],
    ['PUT', '/brand', 'system', brand.save],
    ['DELETE', '/brand', 'system', brand.remove],
    ['POST', '/brand/preview', 'system', brand.preview],
    ['GET', '/emails', 'system', brand.emails],
  ] as const satisfies readonly WrittenRow[];
}
