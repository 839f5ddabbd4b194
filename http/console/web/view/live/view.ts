/** What happens now: events as they come, how far the lanes are behind, and how fresh everything is. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { ago, clockText } from '../../day.ts'
import { counted } from '../../figure.ts'
import { heard, heardMax, liveSince, liveState, type Heard } from '../../live.ts'
import { Copy } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { Empty } from '../../part/state.ts'
import { Table } from '../../part/table.ts'
import { change, hrefOf, params } from '../../place.ts'
import { Fresh } from './fresh.ts'
import { Lag } from './lag.ts'
import { isOf, kindsOf, placeOf, sentenceOf } from './words.ts'

export function View() {
  return html`<div class="view-head"><h1>Live</h1><span class="tools"><${Copy} label="Copy as curl" text=${curlOf('GET /events/stream').replace('curl -s', 'curl -sN')} /></span></div>
    <${Stream} />
    <${Lag} />
    <${Fresh} />`
}

const states = {
  live: 'It is open: whatever changes is told here at once.',
  connecting: 'It is being opened.',
  away: 'It is not there; it is tried again by itself. What happens meanwhile is asked for when it is back.',
} as const
const looks = { live: 'good', connecting: '', away: 'failed' } as const

function Stream() {
  const [held, setHeld] = useState<readonly Heard[] | undefined>()
  const chosen = params('event')
  const all = held ?? heard.value
  const shown = all.filter(({ name }) => chosen.length === 0 || chosen.some((one) => isOf(name, one)))
  const missed = held ? heard.value.filter(({ place }) => place > (held[0]?.place ?? 0)).length : 0
  const toggle = (kind: string) =>
    change(
      { event: chosen.includes(kind) ? chosen.filter((one) => one !== kind) : [...chosen, kind] },
      { replace: true },
    )
  return html`<${Panel} title="Events" about=${`the last ${heardMax} since this page was opened`}>
    <p role="status"><span class=${`badge ${looks[liveState.value]}`}>${liveState.value}</span>${' '}${states[liveState.value]}${' '}<span class="faint">Since ${clockText(liveSince.value)}.</span></p>
    <p class="bar" role="group" aria-label="Kinds that are shown">
      <button type="button" class="main" aria-pressed=${held !== undefined} onClick=${() => setHeld(held ? undefined : heard.value)}>${held ? 'Go on' : 'Pause'}</button>
      ${held && html`<span class="faint" role="status">${counted(missed, 'event')} came since</span>`}
      ${kindsOf(all.map(({ name }) => name)).map(([kind, title]) => html`<button type="button" key=${kind} aria-pressed=${chosen.includes(kind)} onClick=${() => toggle(kind)}>${title}</button>`)}
    </p>
    ${
      shown.length === 0
        ? html`<${Empty} title=${all.length === 0 ? 'Nothing has happened since you opened this page.' : 'Nothing of these kinds has happened.'}><p>${all.length === 0 ? 'What changes in the organization appears here within a second; leave it open, or look at how fresh everything is below.' : html`<button type="button" onClick=${() => change({ event: null })}>Show every kind</button>`}</p><//>`
        : html`<div aria-live="off"><${Table} caption="Events" columns=${columns} rows=${shown} keyOf=${({ place }: Heard) => String(place)} /></div>`
    }
  <//>`
}

const columns = [
  {
    key: 'at',
    title: 'When',
    show: ({ at }: Heard) =>
      html`<span class="nowrap" title=${ago(new Date(at).toISOString())}>${clockText(at)}</span>`,
  },
  { key: 'name', title: 'Event', show: ({ name }: Heard) => html`<code>${name}</code>` },
  {
    key: 'what',
    title: 'What',
    show: (one: Heard) => {
      const place = placeOf(one)
      const text = sentenceOf(one)
      return place
        ? html`<a class="cell" href=${hrefOf(place.view, place.query)}>${text}</a>`
        : html`<span class="cell">${text}</span>`
    },
  },
  {
    key: 'data',
    title: 'Data',
    show: ({ data }: Heard) =>
      html`<code class="clip wide" title=${JSON.stringify(data)}>${JSON.stringify(data)}</code>`,
  },
]
