/** What happens now: events as they come, how far the lanes are behind, and how fresh everything is. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { ago, clockText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { receivedEvents, receivedMax, liveSince, liveState, type ReceivedEvent } from '../../live.ts'
import { Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { change, hrefOf, params } from '../../router.ts'
import { Freshness } from './freshness.tsx'
import { Lag } from './lag.tsx'
import { isOf, kindsOf, placeOf, sentenceOf } from './event-text.ts'

export function View() {
  return (
    <>
      <div class="view-head">
        <h1>Live</h1>
        <span class="tools">
          <Copy label="Copy as curl" text={curlOf('GET /events/stream').replace('curl -s', 'curl -sN')} />
        </span>
      </div>
      <Stream />
      <Lag />
      <Freshness />
    </>
  )
}

const states = {
  live: 'Connected: changes appear here immediately.',
  connecting: 'Connecting.',
  away: 'Disconnected. Reconnecting automatically; missed changes are loaded then.',
} as const
const looks = { live: 'good', connecting: '', away: 'failed' } as const

function Stream() {
  const [held, setHeld] = useState<readonly ReceivedEvent[] | undefined>()
  const chosen = params('event')
  const all = held ?? receivedEvents.value
  const shown = all.filter(({ name }) => chosen.length === 0 || chosen.some((one) => isOf(name, one)))
  const missed = held ? receivedEvents.value.filter(({ place }) => place > (held[0]?.place ?? 0)).length : 0
  const toggle = (kind: string) =>
    change(
      { event: chosen.includes(kind) ? chosen.filter((one) => one !== kind) : [...chosen, kind] },
      { replace: true },
    )
  return (
    <Panel title="Events" about={`the last ${receivedMax} since this page was opened`}>
      <p role="status">
        <span class={`badge ${looks[liveState.value]}`}>
          {liveState.value === 'away' ? 'offline' : liveState.value}
        </span>{' '}
        {states[liveState.value]} <span class="faint">Since {clockText(liveSince.value)}.</span>
      </p>
      <p class="bar" role="group" aria-label="Event types shown">
        <button
          type="button"
          class="main"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held ? undefined : receivedEvents.value)}
        >
          {held ? 'Resume' : 'Pause'}
        </button>
        {held && (
          <span class="faint" role="status">
            {pluralize(missed, 'event')} since then
          </span>
        )}
        {kindsOf(all.map(({ name }) => name)).map(([kind, title]) => (
          <button type="button" key={kind} aria-pressed={chosen.includes(kind)} onClick={() => toggle(kind)}>
            {title}
          </button>
        ))}
      </p>
      {shown.length === 0 ? (
        <Empty title={all.length === 0 ? 'No events since you opened this page.' : 'No events of these types.'}>
          <p>
            {all.length === 0 ? (
              'Changes in the organization appear here within a second. Keep this page open, or see the data freshness below.'
            ) : (
              <button type="button" onClick={() => change({ event: null })}>
                Show all types
              </button>
            )}
          </p>
        </Empty>
      ) : (
        <div aria-live="off">
          <Table caption="Events" columns={columns} rows={shown} keyOf={({ place }: ReceivedEvent) => String(place)} />
        </div>
      )}
    </Panel>
  )
}

const columns = [
  {
    key: 'at',
    title: 'When',
    show: ({ at }: ReceivedEvent) => (
      <span class="nowrap" title={ago(new Date(at).toISOString())}>
        {clockText(at)}
      </span>
    ),
  },
  { key: 'name', title: 'Event', show: ({ name }: ReceivedEvent) => <code>{name}</code> },
  {
    key: 'what',
    title: 'Description',
    show: (one: ReceivedEvent) => {
      const place = placeOf(one)
      const text = sentenceOf(one)
      return place ? (
        <a class="cell" href={hrefOf(place.view, place.query)}>
          {text}
        </a>
      ) : (
        <span class="cell">{text}</span>
      )
    },
  },
  {
    key: 'data',
    title: 'Data',
    show: ({ data }: ReceivedEvent) => (
      <code class="clip wide" title={JSON.stringify(data)}>
        {JSON.stringify(data)}
      </code>
    ),
  },
]
