import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from '../src/languages/parse-message.ts';
import { t } from '../src/languages/words.ts';
import { compileWords } from '../words/compile-words.ts';

const messagesOf = (code: string) =>
  compileWords('a.tsx', code, './words.ts').messages.map(({ text }) => text);
const problemsOf = (code: string) =>
  compileWords('a.tsx', code, './words.ts').problems.map(({ text }) => text);

test('a sentence is one message, with its values and elements by name', () => {
  assert.deepEqual(
    messagesOf(
      'const a = <p>New here? <Link href={to}>Sign up, {person.name}</Link> by <Money of={x} />.</p>',
    ),
    ['New here? <link>Sign up, {name}</link> by {money}.'],
  );
  const { code } = compileWords(
    'a.tsx',
    'const a = <p>Ask <b>{who}</b>, or <b>{else_}</b> </p>',
    './words.ts',
  );
  assert.match(code, /\$words\("Ask \{b\}, or \{b2\}", \{ b: <b>\{who\}<\/b>, b2: <b>\{else_\}<\/b> \}\)/);
});

test('attributes, templates and choices that are shown are messages, and names of the program are not', () => {
  assert.deepEqual(
    messagesOf(`const a = <Field className="a Class" name="email" label="Your name"
      error={wrong && "Give it a name."} title={\`Copy \${what}\`}>{done ? "Done" : <i>{x === "Done"}</i>}</Field>`),
    ['Your name', 'Give it a name.', 'Copy {what}', 'Done'],
  );
});

test('what begins with an abbreviation is a sentence, and names of constants are none', () => {
  assert.deepEqual(messagesOf('const a = <Fact name="API keys" placeholder="DARKROOM_URL=x" />;'), [
    'API keys',
  ]);
  assert.deepEqual(problemsOf('const a = ["API keys", "SHA-256", "DARKROOM_URL"];'), ['API keys']);
});

test('icons and what is shown beside a sentence are no part of it', () => {
  assert.deepEqual(messagesOf('const a = <b><IconX /> Save it {open && <Badge>New</Badge>}</b>'), [
    'New',
    'Save it',
  ]);
});

test('braces and brackets that are written in a text are shown, and are no values', () => {
  const [message = ''] = messagesOf("const a = <p>Write <code>{'{{place}}'}</code>, or &lt;b&gt;.</p>;");
  assert.equal(message, "Write <code>'{{place}}'</code>, or '<b>'.");
  assert.deepEqual(parseMessage(message), [
    'Write ',
    { kind: 'element', name: 'code', within: ['{{place}}'] },
    ', or <b>.',
  ]);
  const [hint = ''] = messagesOf('const a = <Field description="As in /v1/{id}/images" />;');
  assert.equal(t(hint, { id: 'lost' }), 'As in /v1/{id}/images');
  assert.equal(t("It's {name}'s", { name: 'Ann' }), "It's Ann's");
});

test('words outside of elements that nobody asks for, and pieces of sentences, are told', () => {
  assert.deepEqual(problemsOf('const a = { name: "Jobs", key: "GET /jobs", is: kind === "Some kind" };'), [
    'Jobs',
  ]);
  assert.deepEqual(problemsOf('const a = <p>{count} {count === 1 ? "day" : "days"} left</p>;'), [
    'day',
    'days',
  ]);
  assert.deepEqual(
    problemsOf('throw new Error("No such thing: the page shows it"); const b = t("Jobs"), c = t(name);'),
    ['No such thing: the page shows it', 't(name)'],
  );
});

test('plurals are chosen by their number, and values stand where the sentence has them', () => {
  const text = '{count, plural, =1 {One line} other {# lines}} of {file}';
  assert.equal(t(text, { count: 1, file: 'a' }), 'One line of a');
  assert.equal(t(text, { count: 2_000, file: '{count}' }), '2,000 lines of {count}');
  assert.equal(t('Write {place} < 3', {}), 'Write  < 3');
  assert.deepEqual(parseMessage('a <b>c {d}</b>'), [
    'a ',
    { kind: 'element', name: 'b', within: ['c ', { kind: 'value', name: 'd' }] },
  ]);
});
