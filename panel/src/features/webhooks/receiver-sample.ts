/** A minimal receiver that checks the signature of the body's raw bytes, without a library. */
export const receiver = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = Buffer.from(process.env.WEBHOOK_SECRET.slice('whsec_'.length), 'base64');

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = request.headers;
  const wanted = createHmac('sha256', secret).update(\`\${id}.\${time}.\${body}\`).digest();
  const valid = given.split(' ').some((one) => {
    const signature = Buffer.from(one.replace('v1,', ''), 'base64');
    return signature.length === wanted.length && timingSafeEqual(signature, wanted);
  });
  response.writeHead(valid ? 204 : 401).end();
  if (valid) console.log(JSON.parse(body));
}).listen(4000);
`;
