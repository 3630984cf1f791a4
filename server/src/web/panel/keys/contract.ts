import type { KeyJson } from '../../api/nouns/keys/key-json.ts';
import type { AccountContract } from '../../api/table.ts';

export type Key = KeyJson;
export type NewKey = AccountContract['POST /api/v1/keys']['answer'];
