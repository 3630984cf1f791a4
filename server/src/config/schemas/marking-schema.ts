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
          'An authority that stamps the time of every result and copy (RFC 3161). Readers call images without a time stamp invalid once the certificate has expired. An image that the authority does not stamp within 5 s stays unsigned; none by default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Signs results (C2PA) with files that `darkroom marking init` makes; none by default.',
  },
);

export const markingSchema = Type.Object(
  {
    keepSigned: Type.Optional(
      Type.Boolean({
        description:
          'Whether to keep a signed upstream PNG (C2PA) of the promised size byte for byte, instead of replacing its manifest with our mark. All upstream metadata stays, and smaller images repeat its statement in XMP; false by default.',
      }),
    ),
    signing: Type.Optional(signingSchema),
    publicVerify: Type.Optional(
      Type.Boolean({
        description: 'Whether anyone may check at /verify if an image was made here; false by default.',
      }),
    ),
    aigcProducer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'Adds the GB 45438-2025 label (AIGC) with this producer code, and the job’s id as its number; none by default.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The marks of origin in results.' },
);
