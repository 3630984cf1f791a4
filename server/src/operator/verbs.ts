import type { KeyCallDeps } from '../api/nouns/keys/key-calls.ts';
import type { StatementDeps } from '../api/nouns/money/statement-calls.ts';
import type { RetentionCallDeps } from '../api/nouns/retention/retention-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import { type AccountVerbDeps, accountVerbs } from './account-verbs.ts';
import { alertVerbs } from './alert-verbs.ts';
import { type ArchiveVerbDeps, archiveVerbs } from './archive-verbs.ts';
import { type InstallationVerbDeps, installationVerbs } from './installation-verbs.ts';
import { keyVerbs } from './key-verbs.ts';
import { limitVerbs } from './limit-verbs.ts';
import { type MemberVerbDeps, memberVerbs } from './member-verbs.ts';
import { retentionVerbs } from './retention-verbs.ts';
import { statementVerbs } from './statement-verbs.ts';
import { type WebhookVerbDeps, webhookVerbs } from './webhook-verbs.ts';

export type VerbDeps = AccountVerbDeps &
  MemberVerbDeps &
  KeyCallDeps &
  RetentionCallDeps &
  StatementDeps &
  ArchiveVerbDeps &
  WebhookVerbDeps &
  InstallationVerbDeps;
export type OperatorVerbs = ReturnType<typeof operatorVerbs>;

/** What operators do, on the command line and over HTTP. Each verb takes and returns JSON. */
export function operatorVerbs(deps: VerbDeps, by: Actor) {
  return {
    ...accountVerbs(deps, by),
    ...memberVerbs(deps, by),
    ...keyVerbs(deps, by),
    ...limitVerbs(deps, by),
    ...alertVerbs(deps, by),
    ...retentionVerbs(deps, by),
    ...statementVerbs(deps, by),
    ...archiveVerbs(deps, by),
    ...webhookVerbs(deps, by),
    ...installationVerbs(deps, by),
  };
}
