/** The list of what happened, of a day or of a kind where the address says so. */
import { dayText, timeText } from '../../day.ts'
import { Choice } from '../../part/period.tsx'
import { Empty, Loading } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { change, hrefOf, param } from '../../router.ts'
import { kinds, type ResourceEvent } from './history.ts'

export interface EventsProps {
  /** Of the kind that is shown. */
  events: readonly ResourceEvent[]
  all: readonly ResourceEvent[]
  isAsking: boolean
  isCut: boolean
}

const titles = new Map(kinds.map(({ kind, title, letter }) => [kind, { title, letter }]))

const columns = [
  {
    key: 'at',
    title: 'When',
    show: ({ at }: ResourceEvent) => <span class="nowrap">{at.length === 10 ? dayText(at) : timeText(at)}</span>,
  },
  {
    key: 'kind',
    title: 'Type',
    show: ({ kind }: ResourceEvent) => (
      <span class="nowrap">
        <kbd>{titles.get(kind)!.letter}</kbd> {titles.get(kind)!.title}
      </span>
    ),
  },
  {
    key: 'text',
    title: 'Details',
    show: ({ text, look, anomaly, at }: ResourceEvent) => (
      <>
        {anomaly ? (
          <a href={hrefOf('anomalies', { anomaly, from: at, to: at })} class="cell" dir="auto">
            {text}
          </a>
        ) : (
          <span class="cell" dir="auto">
            {text}
          </span>
        )}
        {look === 'failed' && (
          <>
            {' '}
            <span class="badge failed">failed</span>
          </>
        )}
      </>
    ),
  },
  {
    key: 'who',
    title: 'Actor',
    show: ({ who }: ResourceEvent) => (
      <span class="clip" dir="auto" title={who}>
        {who}
      </span>
    ),
  },
]

export function Events({ events, all, isAsking, isCut }: EventsProps) {
  const day = param('day')
  const shown = day === undefined ? events : events.filter(({ at }) => at.startsWith(day))
  return (
    <>
      <p class="bar">
        <Choice title="Type" name="kind" none="all" choices={kinds.map(({ kind, title }) => [kind, title])} />
        {day !== undefined && (
          <span class="chip">
            {dayText(day)}
            <button type="button" aria-label="Show all days" onClick={() => change({ day: null })}>
              ✕
            </button>
          </span>
        )}
      </p>
      {isCut && <p class="note">Showing only the latest 100 of each type. Choose a shorter period to see more.</p>}
      {shown.length > 0 ? (
        <Table caption="Events" columns={columns} rows={shown} keyOf={({ id }: ResourceEvent) => id} />
      ) : isAsking ? (
        <Loading rows={3} />
      ) : (
        <Empty title={all.length > 0 ? 'No events of this type or on this day.' : 'No events in this period.'}>
          <p>
            {all.length > 0 ? (
              <button type="button" onClick={() => change({ kind: null, day: null })}>
                Show all
              </button>
            ) : (
              'Choose a longer period above.'
            )}
          </p>
        </Empty>
      )}
    </>
  )
}
