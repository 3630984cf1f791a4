/** Of calls that no document describes: pages, files, other protocols. It needs no `as`: `@fastify/swagger` gives every schema this field. */
export const hidden = { schema: { hide: true } };
