import { type Html, html } from '../../../../base/std/markup/html.ts';
import { dayIn, numberIn, type Reader, withParts } from '../../page-reader.ts';
import { sharePage } from '../jobs/share-pages.ts';
import type { PublicState } from './decide-public-state.ts';
import { type PublicIncident, type PublicModel, type PublicStatus, sayIncident } from './public-status.ts';

/** A page without scripts. It does not reload itself, because that would disturb readers. */
export function statusPage(reader: Reader, status: PublicStatus): string {
  const { say } = reader;
  const { state, updated_at: at, models, incidents } = status;
  const headline = headlineOf(reader, state);
  const nameOf = (model: string) => models.find(({ id }) => id === model)?.name ?? model;
  const body = html`<main class="status">
<header><h1 class="${state}">${headline}</h1><p>${withParts(say('As of {time}'), { time: timeOf(reader, at) })}</p></header>
${models.map((model) => modelPart(reader, model))}
<section><h2>${say('Incidents in 90 days')}</h2>
${incidents.length === 0 ? html`<p>${say('There were none.')}</p>` : html`<ol>${incidents.map((incident) => incidentPart(reader, incident, nameOf))}</ol>`}
</section>
<footer><a href="/status.atom">${say('Feed')}</a> <a href="/status.json">JSON</a></footer>
</main>`;
  const head = html`<link rel="alternate" type="application/atom+xml" title="${say('Incidents')}" href="/status.atom">
${sheet}`;
  return sharePage(reader, say('{headline} – status', { headline }), body, head);
}

function headlineOf({ say }: Reader, state: PublicState): string {
  if (state === 'up') return say('Everything is up');
  if (state === 'slow') return say('Some images take longer than usual');
  return state === 'paused' ? say('Not all models take jobs now') : say('Not all models make images now');
}

function stateIn({ say }: Reader, state: PublicState): string {
  const words: Record<PublicState, string> = {
    ...{ up: say('Up'), slow: say('Slow'), paused: say('Paused'), down: say('Down') },
  };
  return words[state];
}

function modelPart(reader: Reader, { name, state, availability, days }: PublicModel): Html {
  const { say } = reader;
  const made = madeOf(reader, availability);
  const bad = (['down', 'slow', 'paused'] as const).flatMap((one) => {
    const count = days.filter((day) => day.state === one).length;
    if (count === 0) return [];
    const values = { state: stateIn(reader, one), count };
    return [count === 1 ? say('{state} on one day', values) : say('{state} on {count} days', values)];
  });
  const label = say('90 days: {what}', { what: [made, ...bad].join('; ') });
  return html`<section><h2>${name} <span class="${state}">${stateIn(reader, state)}</span></h2>
<div class="bars" role="img" aria-label="${label}">${days.map(
    (day) => html`<i class="${day.state ?? 'none'}" title="${titleOf(reader, day)}"></i>`,
  )}</div>
<p class="legend"><span>${say('90 days ago')}</span><span>${made}</span><span>${say('Today')}</span></p></section>
`;
}

function madeOf(reader: Reader, availability: number | null): string {
  return availability === null
    ? reader.say('Too few jobs')
    : reader.say('{percent} % of jobs made', { percent: numberIn(reader, availability) });
}

function titleOf(reader: Reader, { date, state, availability }: PublicModel['days'][number]): string {
  const of = [...(state === null ? [] : [stateIn(reader, state)]), madeOf(reader, availability)];
  return `${dayIn(reader, date)}: ${of.join('; ')}`;
}

function incidentPart(reader: Reader, incident: PublicIncident, nameOf: (model: string) => string): Html {
  const { say } = reader;
  const { model, reason, began_at: began, ended_at: ended, until } = incident;
  const title = sayIncident(say, { name: model && nameOf(model), isOver: ended !== null });
  const from = timeOf(reader, began);
  const when =
    ended !== null
      ? withParts(say('{from} to {to}'), { from, to: timeOf(reader, ended) })
      : until === null
        ? withParts(say('{from} until further notice'), { from })
        : withParts(say('{from} until {to}'), { from, to: timeOf(reader, until) });
  return html`<li><h3 class="${ended === null && 'paused'}">${title}</h3>${reason !== null && html`<p>${reason}</p>`}<p class="when">${when}</p></li>
`;
}

function timeOf(reader: Reader, iso: string): Html {
  return html`<time datetime="${iso}">${dayIn(reader, iso)} ${iso.slice(11, 16)} UTC</time>`;
}

const sheet = html`<style>
:root { --up: light-dark(#2f7d4f, #5cbf85); --slow: light-dark(#a86a00, #e0a84a); --down: light-dark(#b3261e, #f0857c); --paused: light-dark(#4a5f8a, #93a9d9); --none: light-dark(#d8d3c8, #393632); }
main.status { display: block; max-width: 44rem; }
.status header { margin-bottom: 2rem; }
.status h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.25rem; }
.status h2 { display: flex; justify-content: space-between; gap: 1rem; font-size: 1rem; font-weight: 600; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.status h3 { font-size: 1rem; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
.status section { margin-bottom: 2rem; }
.status p { margin: 0; overflow-wrap: anywhere; }
.status header p, .when, .legend { font-size: 0.875rem; color: light-dark(#5c574f, #a8a298); }
.status h1::before, h2 span::before, h3.paused::before { content: ''; display: inline-block; width: 0.625rem; height: 0.625rem; margin-inline-end: 0.5rem; border-radius: 50%; background: var(--up); }
.status h1.slow::before, h2 .slow::before { background: var(--slow); }
.status h1.down::before, h2 .down::before { background: var(--down); border-radius: 0; }
.status h1.paused::before, h2 .paused::before, h3.paused::before { background: var(--paused); }
.bars { display: flex; gap: 1px; height: 2rem; }
.bars i { flex: 1; border-radius: 1px; background: var(--none); }
.bars .up { background: var(--up); }
.bars .slow { background: var(--slow); }
.bars .down { background: var(--down); }
.bars .paused { background: var(--paused); }
.legend { display: flex; justify-content: space-between; gap: 0.5rem; margin-top: 0.25rem; }
.status ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; }
.status footer { display: flex; gap: 1rem; font-size: 0.875rem; }
.status footer a { color: inherit; }
@media (max-width: 30rem) { body { padding: 1.25rem; } }
</style>`;
