import type { Static } from 'typebox';
import type {
  attemptSchema,
  DeliveryJson,
  deliveryDetailSchema,
} from '../../api/nouns/deliveries/delivery-json.ts';
import type {
  bucketCredentials,
  EndpointJson,
  endpointDetailSchema,
  secretSchema,
} from '../../api/nouns/webhooks/webhook-json.ts';

export type BucketCredentials = Static<typeof bucketCredentials>;
export type EndpointRow = EndpointJson;
export type EndpointDetail = Static<typeof endpointDetailSchema>;
export type EndpointHour = EndpointDetail['hours'][number];
export type WebhookSecret = Static<typeof secretSchema>;
export type DeliveryRow = DeliveryJson;
export type DeliveryDetail = Static<typeof deliveryDetailSchema>;
export type DeliveryAttemptRow = Static<typeof attemptSchema>;
