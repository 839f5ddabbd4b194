/** Who did, or tried, what: signing in, rights, secrets, actions. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { securitySql } from '../../sql.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { periodUntilToday, PeriodBar } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { groups, typeText } from './types.ts'

type Events = Reply<'GET /security-events'>
type SecurityEvent = Events['items'][number]
type Members = Reply<'GET /members'>

const pageSize = 50
/** Of people to choose from; others are reached from their events. */
const peopleMax = 500

export function View() {
  const page = Number(param('page') ?? 1)
  const query = { ...periodUntilToday('7d'), type: params('type'), user_id: param('user_id') }
  const report = useReport('GET /security-events', { query: { ...query, page, limit: pageSize } })
  const members = useReport('GET /members')
  const people = members.data ?? []
  return (
    <>
      <div class="view-head">
        <h1>Security events</h1>
      </div>
      <PeriodBar fallback="7d" untilToday takes={[]} />
      <Filters people={people} />
      <Panel
        title="Events"
        about={report.data && `${report.data.total} in this period, newest first`}
        tools={
          <>
            <button type="button" class="quiet" onClick={report.again}>
              Refresh
            </button>
            <Copies report={report} sql={securitySql(query)} />
          </>
        }
      >
        <ReportContent report={report} rows={8}>
          {(data: Events) =>
            data.total === 0 ? (
              <Empty title="No matching events in this period.">
                <p>
                  <a href={hrefOf('security', { range: '90d' })}>All events of the last 90 days</a>
                </p>
              </Empty>
            ) : (
              <>
                <Table
                  caption="Security events"
                  columns={columnsOf(people)}
                  rows={data.items}
                  keyOf={({ id }: SecurityEvent) => id}
                />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

function Filters({ people }: { people: Members }) {
  const chosen = params('type')
  const set = (types: readonly string[]) => change({ type: types, page: null })
  const add = (event: Event) => {
    const type = (event.target as HTMLSelectElement).value
    if (type !== '') set([...new Set([...chosen, type])])
  }
  const user = param('user_id')
  const who = (event: Event) => change({ user_id: (event.target as HTMLSelectElement).value || null, page: null })
  const isKnown = people.some(({ userID }) => userID === user)
  return (
    <div class="bar" role="search" aria-label="Filters">
      <label>
        Type{' '}
        <select onChange={add} value="">
          <option value="">{chosen.length === 0 ? 'all' : 'add another…'}</option>
          {groups.map(({ title, types }) => (
            <optgroup key={title} label={title}>
              {types.map((type) => (
                <option key={type} value={type}>
                  {typeText(type)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        Actor{' '}
        <select onChange={who}>
          <option value="">anyone</option>
          {user && !isKnown && (
            <option value={user} selected>
              {user}
            </option>
          )}
          {people.slice(0, peopleMax).map(({ userID, name, email }) => (
            <option key={userID} value={userID} selected={userID === user}>
              {name === email ? email : `${name.slice(0, 60)} (${email})`}
            </option>
          ))}
        </select>
      </label>
      {chosen.length > 0 && (
        <ul class="chips" aria-label="Types">
          {chosen.map((type) => (
            <li class="chip" key={type}>
              {typeText(type)}
              <button
                type="button"
                aria-label={`Remove ${typeText(type)}`}
                onClick={() => set(chosen.filter((one) => one !== type))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const columnsOf = (people: Members) => [
  {
    key: 'at',
    title: 'When',
    show: ({ at }: SecurityEvent) => (
      <time class="nowrap" dateTime={at}>
        {timeText(at)}
      </time>
    ),
  },
  {
    key: 'type',
    title: 'Event',
    show: ({ type }: SecurityEvent) => (
      <a class="nowrap" href={hrefOf('security', withParams({ type, page: null }))}>
        {typeText(type)}
      </a>
    ),
  },
  {
    key: 'who',
    title: 'Actor',
    show: (event: SecurityEvent) => <Who event={event} people={people} />,
  },
  {
    key: 'about',
    title: 'Details',
    show: ({ detail }: SecurityEvent) => (
      <>
        {Object.entries(detail).map(([name, value]) => (
          <span class="sub" key={name}>
            <span class="faint">{name}</span>{' '}
            <span class="clip wide" dir="auto" title={value}>
              {value}
            </span>
          </span>
        ))}
      </>
    ),
  },
  {
    key: 'from',
    title: 'Source',
    show: ({ ip, userAgent, requestID }: SecurityEvent) => (
      <>
        <span title={`request ${requestID}`}>{ip || 'local machine'}</span>
        {userAgent && (
          <span class="sub faint clip" title={userAgent}>
            {userAgent}
          </span>
        )}
      </>
    ),
  },
]

const hows: Readonly<Record<string, string>> = { pat: 'with a token', operator: 'operator' }

/** A person, a token or an operator; the address that was typed where nobody is known. */
function Who({ event: { userID, principal, email }, people }: { event: SecurityEvent; people: Members }) {
  const how = hows[principal.split(':')[0]!]
  const name = people.find((one) => one.userID === userID)?.name ?? email ?? userID
  if (!name) return <>{how ?? 'unknown'}</>
  return (
    <>
      {userID ? (
        <a class="clip" dir="auto" title={name} href={hrefOf('security', withParams({ user_id: userID, page: null }))}>
          {name}
        </a>
      ) : (
        <span class="clip" dir="auto" title={name}>
          {name}
        </span>
      )}
      {how && <span class="sub faint">{how}</span>}
      {email && email !== name && <span class="sub faint">{email}</span>}
    </>
  )
}
