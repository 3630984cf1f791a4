import type { Operation } from './document.ts';
import type { Example } from './example.ts';
import { originPlaceholder } from './origin.ts';

// The examples in JavaScript and Go use only the standard libraries, so that nothing has to be installed.

export const plainSetup: readonly Example[] = [
  {
    language: 'JavaScript',
    code: `const url = '${originPlaceholder}';
const headers = { authorization: \`Bearer \${process.env.DARKROOM_API_KEY}\` };

const answer = await fetch(\`\${url}/api/v1/balance\`, { headers });
console.log(answer.status, await answer.text());`,
  },
  {
    language: 'Go',
    code: `package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const url = "${originPlaceholder}"

func main() {
	call("GET", "/api/v1/balance", "")
}

func call(method, path, body string, headers ...string) {
	request, err := http.NewRequest(method, url+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DARKROOM_API_KEY"))
	if method == "POST" {
		request.Header.Set("Idempotency-Key", rand.Text()) // use the same value when you send the request again
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status, string(text))
}`,
  },
];

export function plainExamples(
  operation: Operation,
  basePath: string,
  body: Record<string, unknown> | undefined,
): { javascript: Example; go: Example } {
  return {
    javascript: { language: 'JavaScript', code: javascript(operation, basePath, body) },
    go: { language: 'Go', code: go(operation, basePath, body) },
  };
}

function has({ parameters }: Operation, place: string, name: string): boolean {
  return parameters.some((parameter) => parameter.in === place && parameter.name === name);
}

function javascript(operation: Operation, basePath: string, body: object | undefined): string {
  const { method, path, files } = operation;
  const address = `${basePath}${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${${camel(name)}}`)}${queryOf(operation)}`;
  const more = [
    ...(body ? ["'content-type': 'application/json'"] : []),
    ...(files.length > 0 ? ["'content-type': 'image/jpeg'"] : []),
    ...(has(operation, 'header', 'idempotency-key') ? ["'idempotency-key': crypto.randomUUID()"] : []),
    ...(has(operation, 'header', 'prefer') ? ["prefer: 'wait=30'"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    more.length === 0 ? 'headers' : `headers: { ${['...headers', ...more].join(', ')} }`,
    ...(files.length > 0 ? ["body: await readFile('photo.jpg')"] : []),
    ...(body ? [`body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')})`] : []),
  ];
  return [
    ...(files.length > 0 ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const answer = await fetch(\`\${url}${address}\`, {`,
    ...options.map((option) => `  ${option},`),
    '});',
    'console.log(answer.status, await answer.text());',
  ].join('\n');
}

function go(operation: Operation, basePath: string, body: object | undefined): string {
  const { method, path, files } = operation;
  const address = `${basePath}${path}${queryOf(operation)}`;
  // Names in braces become variables in a concatenation.
  const parts = address.split(/\{(\w+)\}/);
  const sum = parts
    .map((part, at) => (at % 2 === 1 ? camel(part) : part === '' ? '' : `"${part}"`))
    .filter((part) => part !== '')
    .join('+');
  const sent = body ? `\`${JSON.stringify(body, null, 2)}\`` : files.length > 0 ? 'string(photo)' : '""';
  const headers = [
    ...(body ? ['"Content-Type", "application/json"'] : []),
    ...(files.length > 0 ? ['"Content-Type", "image/jpeg"'] : []),
    ...(has(operation, 'header', 'prefer') ? ['"Prefer", "wait=30"'] : []),
  ];
  const call = `call(${[`"${method}"`, sum, sent, ...headers].join(', ')})`;
  if (files.length === 0) return call;
  return `photo, err := os.ReadFile("photo.jpg")
if err != nil {
	log.Fatal(err)
}
${call}`;
}

function queryOf(operation: Operation): string {
  return has(operation, 'query', 'limit') ? '?limit=20' : '';
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
