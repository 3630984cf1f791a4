import type { Static } from 'typebox';
import type { accountSchema } from '../../server/src/api/nouns/accounts/account-json.ts';
import type { alertsSchema } from '../../server/src/api/nouns/alerts/alert-json.ts';
import type { auditSchema } from '../../server/src/api/nouns/audit/audit-json.ts';
import type { batchCreatedSchema, batchSchema } from '../../server/src/api/nouns/batches/batch-schemas.ts';
import type {
  clientTokenSchema,
  newClientTokenSchema,
} from '../../server/src/api/nouns/client-tokens/client-token-json.ts';
import type {
  attemptSchema,
  deliveryDetailSchema,
  deliverySchema,
} from '../../server/src/api/nouns/deliveries/delivery-json.ts';
import type { accountJobSchema } from '../../server/src/api/nouns/jobs/any-job-calls.ts';
import type { createdSchema, jobSchema } from '../../server/src/api/nouns/jobs/job-schemas.ts';
import type { batchQuoteSchema, quoteSchema } from '../../server/src/api/nouns/jobs/quote-schemas.ts';
import type { tagsSchema } from '../../server/src/api/nouns/jobs/tag-calls.ts';
import type { keySchema, newKeySchema } from '../../server/src/api/nouns/keys/key-json.ts';
import type { limitChanges, limitSchema } from '../../server/src/api/nouns/limits/limit-json.ts';
import type { balanceSchema } from '../../server/src/api/nouns/money/balance-calls.ts';
import type { entrySchema } from '../../server/src/api/nouns/money/entry-calls.ts';
import type { usageSchema } from '../../server/src/api/nouns/money/usage-calls.ts';
import type {
  retentionChanges,
  retentionSchema,
} from '../../server/src/api/nouns/retention/retention-json.ts';
import type { statusSchema } from '../../server/src/api/nouns/system/status-json.ts';
import type { uploadSchema } from '../../server/src/api/nouns/uploads/upload-calls.ts';
import type {
  endpointSchema,
  secretSchema,
  signingSchema,
} from '../../server/src/api/nouns/webhooks/webhook-json.ts';
import type { PublicErrorCode } from '../../server/src/errors.ts';
import type { Batch, BatchCreated, BatchQuote } from '../src/batch-types.ts';
import type {
  Account,
  AccountJob,
  Alerts,
  AuditEntry,
  InstallationStatus,
  KeyInfo,
  LimitChanges,
  LimitInfo,
  NewApiKey,
  RetentionChanges,
  RetentionInfo,
} from '../src/index.ts';
import type {
  Balance,
  ClientToken,
  ClientTokenCreated,
  Delivery,
  DeliveryAttempt,
  DeliveryDetail,
  Endpoint,
  Entry,
  Job,
  JobCreated,
  JobTags,
  ProblemCode,
  Quote,
  SigningSecrets,
  Upload,
  Usage,
  WebhookSecret,
} from '../src/types.ts';

// The types of this package are those of the server's schemas: `npm run check` fails when one of them moves alone.
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

export const contract: [
  Same<Static<typeof jobSchema>, Job>,
  Same<Static<typeof createdSchema>, JobCreated>,
  Same<Static<typeof quoteSchema>, Quote>,
  Same<Static<typeof batchCreatedSchema>, BatchCreated>,
  Same<Static<typeof batchSchema>, Batch>,
  Same<Static<typeof batchQuoteSchema>, BatchQuote>,
  Same<Static<typeof balanceSchema>, Balance>,
  Same<Static<typeof clientTokenSchema>, ClientToken>,
  Same<Static<typeof newClientTokenSchema>, ClientTokenCreated>,
  Same<Static<typeof entrySchema>, Entry>,
  Same<Static<typeof tagsSchema>, JobTags>,
  Same<Static<typeof uploadSchema>, Upload>,
  Same<Static<typeof usageSchema>, Usage>,
  Same<Static<typeof signingSchema>, SigningSecrets>,
  Same<Static<typeof endpointSchema>, Endpoint>,
  Same<Static<typeof secretSchema>, WebhookSecret>,
  Same<Static<typeof deliverySchema>, Delivery>,
  Same<Static<typeof deliveryDetailSchema>, DeliveryDetail>,
  Same<Static<typeof attemptSchema>, DeliveryAttempt>,
  Same<Static<typeof accountSchema>, Account>,
  Same<Static<typeof accountJobSchema>, AccountJob>,
  Same<Static<typeof alertsSchema>, Alerts>,
  Same<Static<typeof keySchema>, KeyInfo>,
  Same<Static<typeof newKeySchema>, NewApiKey>,
  Same<Static<typeof retentionSchema>, RetentionInfo>,
  Same<Static<typeof retentionChanges>, RetentionChanges>,
  Same<Static<typeof limitSchema>, LimitInfo>,
  Same<Static<typeof limitChanges>, LimitChanges>,
  Same<Static<typeof auditSchema>, AuditEntry>,
  Same<Static<typeof statusSchema>, InstallationStatus>,
  Same<ProblemCode, PublicErrorCode>,
] = [
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
];
