export interface Room {
  name: string;
  sources: readonly string[];
  tests: readonly string[];
}

/** Tests of whole flows over HTTP, which run for the mutants of every room. */
export const flows = [
  'server/test/property/property.test.ts',
  'server/test/jobs/money.test.ts',
  'server/test/jobs/recovery.test.ts',
  'server/test/http/authentication.test.ts',
];

export const rooms: readonly Room[] = [
  {
    name: 'admission',
    sources: ['server/src/jobs/admission/*.ts'],
    tests: [
      'server/test/jobs/*.test.ts',
      'server/test/http/{fields,status-page}.test.ts',
      'server/test/panel/input-preview.test.ts',
      'server/test/doors/mcp.test.ts',
      'server/test/inputs/*.test.ts',
      'server/test/policy/*.test.ts',
      'server/test/models/own-models.test.ts',
      'server/test/alerts/alerts.test.ts',
      'server/test/upkeep/erased-accounts.test.ts',
      'server/test/admin/audited-calls.test.ts',
    ],
  },
  {
    name: 'money',
    sources: ['server/src/money/ledger/*.ts', 'server/src/accounts/{credit,debit}-*.ts'],
    tests: [
      'server/test/ledger/*.test.ts',
      'server/test/jobs/money.test.ts',
      'server/test/admin/money.test.ts',
      'server/test/jobs/contention.test.ts',
      'server/test/alerts/alerts.test.ts',
      'server/test/panel/{jobs,keys-and-money}.test.ts',
      'server/test/payments/{debts,payments}.test.ts',
      'server/test/upkeep/erased-accounts.test.ts',
    ],
  },
  {
    name: 'limits',
    sources: ['server/src/money/limits/*.ts'],
    tests: [
      'server/test/jobs/{*limits,client-tokens}.test.ts',
      'server/test/jobs/contention.test.ts',
      'server/test/jobs/shared-rates.test.ts',
      'server/test/doors/openai-batches.test.ts',
      'server/test/panel/limits.test.ts',
      'server/test/alerts/alerts.test.ts',
      'server/test/admin/money.test.ts',
      'server/test/upkeep/erased-accounts.test.ts',
    ],
  },
  {
    name: 'claims',
    sources: [
      'server/src/jobs/queue/{claim,decide,end,keep,lease,maintain,most,record}-*.ts',
      'server/src/jobs/queue/room.ts',
    ],
    tests: [
      'server/test/jobs/{attempt-costs,batch-order,cancel,claim-contention,contention,deadlines}.test.ts',
      'server/test/jobs/{decide-claims,decide-end,ended-answers,fences}.test.ts',
      'server/test/jobs/{leases,limits,pauses,image-memory,queue,shared-rates,suspects,taking,unserved}.test.ts',
      'server/test/routes/{circuit,failover,kill-after-submit,result-links,share-by-weight,time-outs}.test.ts',
      'server/test/faults/zombie.test.ts',
    ],
  },
  {
    name: 'settlement',
    sources: [
      'server/src/jobs/settle-jobs.ts',
      'server/src/jobs/settlement-store.ts',
      'server/src/jobs/{cancel,batches}/*.ts',
    ],
    tests: [
      'server/test/jobs/{attempt-costs,batch-inputs,batch-order,batches,cancel,contention,deadlines,ended-answers}.test.ts',
      'server/test/jobs/{fences,limits,selections,suspects}.test.ts',
      'server/test/{panel,webhooks}/batches.test.ts',
      'server/test/images/marks.test.ts',
      'server/test/upkeep/finish-erasures.test.ts',
      'server/test/doors/openai-batches.test.ts',
      'sdk/test/batches.test.ts',
      'server/test/admin/calls.test.ts',
      'server/test/faults/postgres.test.ts',
      'server/test/faults/commit-points.test.ts',
    ],
  },
  {
    name: 'guard',
    sources: ['server/src/base/guard/*.ts'],
    tests: [
      'server/test/guard/*.test.ts',
      'server/test/inputs/{hostile-urls,input-deadlines}.test.ts',
      'server/test/webhooks/{endpoint,hostile-receivers}.test.ts',
    ],
  },
  {
    name: 'signing',
    sources: [
      'server/src/notify/webhooks/sign-request.ts',
      'server/src/images/image-links.ts',
      'server/src/base/std/sealer.ts',
      'server/src/accounts/api-key.ts',
    ],
    tests: [
      'server/test/images/image-links.test.ts',
      'server/test/http/{authentication,downloads}.test.ts',
      'server/test/webhooks/{endpoint,sealed-secrets,signatures,webhook-calls}.test.ts',
      'server/test/std/sealer.test.ts',
      'server/test/secrets.test.ts',
    ],
  },
  {
    name: 'sqlite',
    sources: ['server/src/base/db/sqlite{,/*}.ts'],
    tests: [
      'server/test/db/*.test.ts',
      'server/test/faults/power-loss.test.ts',
      'server/test/faults/full-disk.test.ts',
      'server/test/processes/one-sqlite-file.test.ts',
    ],
  },
  {
    name: 'retention',
    sources: [
      'server/src/accounts/retention/*.ts',
      'server/src/jobs/upkeep/{purge,erase,sweep,keep-retention}*.ts',
    ],
    tests: [
      'server/test/upkeep/*.test.ts',
      'server/test/admin/*.test.ts',
      'server/test/processes/erasing.test.ts',
      'server/test/jobs/find.test.ts',
      'server/test/policy/{refusals,reports}.test.ts',
    ],
  },
  {
    name: 'rights',
    sources: [
      'server/src/web/api/{bind-account,bind-api,sessions}.ts',
      'server/src/web/admin/bind-admin.ts',
      'server/src/accounts/{authenticate,roll-key,disable-key,disable-account}.ts',
      'server/src/accounts/keys/key-networks.ts',
      'server/src/accounts/sign-in/assert-oneself.ts',
      'server/src/accounts/people/{roles,may-see-pictures,member-changes}.ts',
      'server/src/accounts/admin-keys/*.ts',
    ],
    tests: [
      'server/test/{http/authentication,jobs/client-tokens,metrics}.test.ts',
      'server/test/panel/{access,attacks,invitations,jobs,keys-and-money,operators,owners,required-authenticator,roles,sessions,sign-up-with-passkey}.test.ts',
      'server/test/admin/{admin-keys,audited-calls,calls,one-answer,remote-command}.test.ts',
      'server/test/upkeep/erased-accounts.test.ts',
    ],
  },
];
