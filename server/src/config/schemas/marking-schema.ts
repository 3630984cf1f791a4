import Type from 'typebox';

const signingSchema = Type.Object(
  {
    certificateFile: Type.String({
      minLength: 1,
      description: 'The certificate, followed by its issuers, as PEM.',
    }),
    keyFile: Type.String({
      minLength: 1,
      description: 'The private key as PEM without a password, readable by the server alone (`chmod 600`).',
    }),
    timeStampUrl: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description:
          'An authority that stamps the time of every result and copy (RFC 3161). Readers call images without a stamp invalid once the certificate has expired; an image that it does not stamp within 5 s stays unsigned; none by default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Signs results (C2PA) with files that `darkroom marking init` makes; none by default.',
  },
);

/** `marking` in the configuration file. */
export const markingSchema = Type.Object(
  {
    keepSigned: Type.Optional(
      Type.Boolean({
        description:
          'Keep a PNG of the promised size that its upstream has signed (C2PA) byte for byte, instead of replacing the manifest by our mark: all upstream metadata stays, and smaller images repeat the statement in XMP; false by default.',
      }),
    ),
    signing: Type.Optional(signingSchema),
    publicVerify: Type.Optional(
      Type.Boolean({
        description: 'Whether anyone may ask at /verify if an image was made here; false by default.',
      }),
    ),
    aigcProducer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'Adds the label of GB 45438-2025 (AIGC) with this code of the producer, and the job as its number; none by default.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The marks of origin in results.' },
);
