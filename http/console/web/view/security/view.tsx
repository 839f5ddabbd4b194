/** Who did, or tried, what: signing in, rights, secrets, actions. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { securitySql } from '../../sql.ts'
import { Clip } from '../../part/clip.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { periodUntilToday, PeriodBar } from '../../part/period.tsx'
import { groups, typeText } from './types.ts'

type SecurityEvent = Reply<'GET /security-events'>['items'][number]
type Members = Reply<'GET /members'>

const pageSize = 50
/** Of people to choose from; others are reached from their events. */
const peopleMax = 500

export function View() {
  const query = { ...periodUntilToday('7d'), type: params('type'), user_id: param('user_id') }
  const report = useReport('GET /security-events', { query: { ...query, page: param('page') ?? 1, limit: pageSize } })
  const people = useReport('GET /members').data ?? []
  return (
    <>
      <Head title="Security events" />
      <PeriodBar fallback="7d" untilToday takes={[]} />
      <Filters people={people} />
      <ListView
        title="Events"
        noun="security events"
        caption="Security events"
        about={report.data && `${report.data.total} in this period, newest first`}
        report={report}
        sql={securitySql(query)}
        columns={columnsOf(people)}
        pageSize={pageSize}
        bones={8}
        tools={
          <button type="button" class="quiet" onClick={report.again}>
            Refresh
          </button>
        }
        empty={{
          title: 'No matching events in this period.',
          children: (
            <p>
              <a href={hrefOf('security', { range: '90d' })}>All events of the last 90 days</a>
            </p>
          ),
        }}
      />
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

const columnsOf = (people: Members): Column<SecurityEvent>[] => [
  {
    title: 'When',
    csv: ({ at }) => at,
    show: ({ at }) => (
      <time class="nowrap" dateTime={at}>
        {timeText(at)}
      </time>
    ),
  },
  {
    title: 'Event',
    csv: ({ type }) => type,
    show: ({ type }) => (
      <a class="nowrap" href={hrefOf('security', withParams({ type, page: null }))}>
        {typeText(type)}
      </a>
    ),
  },
  { title: 'Actor', show: (event) => <Who event={event} people={people} /> },
  {
    title: 'Details',
    csv: ({ detail }) => JSON.stringify(detail),
    show: ({ detail }) =>
      Object.entries(detail).map(([name, value]) => (
        <span class="sub" key={name}>
          <span class="faint">{name}</span> <Clip text={value} size="wide" />
        </span>
      )),
  },
  {
    title: 'Source',
    csv: ({ ip, userAgent }) => `${ip} ${userAgent}`,
    show: ({ ip, requestID }) => <span title={`request ${requestID}`}>{ip || 'local machine'}</span>,
    sub: ({ userAgent }) => userAgent && <Clip text={userAgent} />,
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
        <Clip text={name} href={hrefOf('security', withParams({ user_id: userID, page: null }))} />
      ) : (
        <Clip text={name} />
      )}
      {how && <span class="sub faint">{how}</span>}
      {email && email !== name && <span class="sub faint">{email}</span>}
    </>
  )
}
