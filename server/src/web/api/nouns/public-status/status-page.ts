import type { Brand } from '../../../../base/brand/brand.ts';
import { type Html, html } from '../../../../base/std/markup/html.ts';
import { sharePage } from '../jobs/share-pages.ts';
import type { PublicState } from './decide-public-state.ts';
import type { PublicIncident, PublicModel, PublicStatus } from './public-status.ts';

const words: Record<PublicState, string> = { up: 'Up', slow: 'Slow', paused: 'Paused', down: 'Down' };
const headlines: Record<PublicState, string> = {
  up: 'Everything is up',
  slow: 'Some images take longer than usual',
  paused: 'Not all models take jobs now',
  down: 'Not all models make images now',
};

/** A page without scripts. It does not load itself again, which would take it from under whoever reads it. */
export function statusPage(brand: Brand, { state, updated_at, models, incidents }: PublicStatus): string {
  const body = html`<main class="status">
<header><h1 class="${state}">${headlines[state]}</h1><p>As of ${timeOf(updated_at)}</p></header>
${models.map(modelPart)}
<section><h2>Incidents in 90 days</h2>
${incidents.length === 0 ? html`<p>There were none.</p>` : html`<ol>${incidents.map(incidentPart)}</ol>`}
</section>
<footer><a href="/status.atom">Feed</a> <a href="/status.json">JSON</a></footer>
</main>`;
  return sharePage(brand, `${headlines[state]} – status`, body, head);
}

function modelPart({ name, state, availability, days }: PublicModel): Html {
  const made = availability === null ? 'Too few jobs' : `${availability} % of jobs made`;
  const bad = (['down', 'slow', 'paused'] as const).flatMap((one) => {
    const count = days.filter((day) => day.state === one).length;
    return count === 0 ? [] : [`${one} on ${count} ${count === 1 ? 'day' : 'days'}`];
  });
  const label = [`90 days: ${made}`, ...bad].join(', ');
  return html`<section><h2>${name} <span class="${state}">${words[state]}</span></h2>
<div class="bars" role="img" aria-label="${label}">${days.map(
    (day) => html`<i class="${day.state ?? 'none'}" title="${titleOf(day)}"></i>`,
  )}</div>
<p class="legend"><span>90 days ago</span><span>${made}</span><span>Today</span></p></section>
`;
}

function titleOf({ date, state, availability }: PublicModel['days'][number]): string {
  const made = availability === null ? 'too few jobs' : `${availability} % of jobs made`;
  return `${date}: ${state === null ? '' : `${words[state].toLowerCase()}, `}${made}`;
}

function incidentPart({ title, reason, began_at, ended_at, until }: PublicIncident): Html {
  const end =
    ended_at !== null
      ? html` to ${timeOf(ended_at)}`
      : until === null
        ? ' until it is told otherwise'
        : html` until ${timeOf(until)}`;
  return html`<li><h3 class="${ended_at === null && 'paused'}">${title}</h3>${reason !== null && html`<p>${reason}</p>`}<p class="when">${timeOf(began_at)}${end}</p></li>
`;
}

function timeOf(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

const head = html`<link rel="alternate" type="application/atom+xml" title="Incidents" href="/status.atom">
<style>
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
