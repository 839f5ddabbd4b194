/** What saves, cause by cause; each opens its receipt. */
import { dayText } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Choice } from '../../part/period.tsx'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { markOpening } from '../anomalies/focus-on-open.ts'
import { Pick } from '../anomalies/pick.tsx'
import { ClaimReceipt } from './claim.tsx'
import { bases, endText, kindName, sourceName, type Claim, type Claims } from './labels.ts'

const pageSize = 20
const sources = ['recommendation', 'schedule', 'manual', 'bulk', 'override']
const linkFilters = ['rule_id', 'resource_uid', 'team_id', 'cloud_account_id', 'provider'] as const

export function ClaimsTab() {
  const id = param('claim')
  const narrowed = Object.fromEntries(
    [...linkFilters, 'source'].map((name) => [name, params(name).filter((value) => value !== '')]),
  )
  const report = useReport('GET /reports/savings/claims', {
    query: { ...narrowed, status: param('status'), page: param('page') ?? 1, limit: pageSize },
    on: ['costs.changed', 'recommendation.', 'workflow.', 'inventory.'],
  })
  return (
    <>
      <div class="bar" role="group" aria-label="Filters">
        <Pick title="Source" name="source" options={sources.map((value) => ({ value, title: sourceName(value) }))} />
        <Choice
          title="Status"
          name="status"
          none="all"
          choices={[
            ['running', 'ongoing'],
            ['ended', 'ended'],
          ]}
        />
        <Chips />
      </div>
      <div class={id === undefined ? '' : 'beside'}>
        <ListView
          title="Claims"
          noun="claims"
          about="ongoing, and ended within the last 46 days"
          report={report}
          columns={columns}
          pageSize={pageSize}
          bones={6}
          summary={({ total }: Claims) =>
            total > 0 && (
              <p class="faint" role="status">
                {pluralize(total, 'claim')}. Figures cover all their days.
              </p>
            )
          }
          narrowedBy={[...linkFilters, 'source', 'status']}
          empty={noneYet}
        />
        {id !== undefined && <ClaimReceipt key={id} id={id} />}
      </div>
    </>
  )
}

const noneYet = {
  title: 'No savings claims yet.',
  children: (
    <p>
      A claim covers one resource and one cause: a scheduled or manual stop, or a recommendation marked done.{' '}
      <a href={hrefOf('recommendations')}>See recommendations.</a>
    </p>
  ),
}

/** What links narrow by, and no field does. */
function Chips() {
  const chips = linkFilters.flatMap((name) => params(name).map((value) => ({ name, value })))
  if (chips.length === 0) return null
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map(({ name, value }) => (
        <li class="chip" key={`${name} ${value}`}>
          <span class="faint nowrap">{name.replaceAll('_', ' ')}</span>{' '}
          <span class="clip" title={value}>
            {value}
          </span>
          <button
            type="button"
            aria-label={`Remove ${value}`}
            onClick={() => change({ [name]: params(name).filter((one) => one !== value), page: null })}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  )
}

const columns: Column<Claim>[] = [
  {
    title: 'Resource',
    csv: ({ resourceUid }) => resourceUid,
    show: ({ id, resourceUid }) => (
      <a
        class="clip"
        title={resourceUid}
        href={hrefOf('savings', withParams({ tab: 'claims', claim: id }))}
        aria-current={param('claim') === id ? 'true' : undefined}
        onClick={markOpening}
      >
        {resourceUid}
      </a>
    ),
    sub: ({ resourceType }) => resourceType,
  },
  {
    title: 'Source',
    csv: ({ source }) => sourceName(source),
    show: ({ source }) => <span class="nowrap">{sourceName(source)}</span>,
    sub: ({ ruleID, kind }) => [ruleID, kindName(kind)].filter(Boolean).join(' · '),
  },
  {
    title: 'Since',
    day: ({ from }) => from,
    sub: ({ until, endedBy }) => (until === null ? 'ongoing' : `to ${dayText(until)}: ${endText(endedBy)}`),
  },
  ...bases.map(({ key, title }): Column<Claim> => ({ key, title, usd: (claim) => Number(claim[key]) })),
  {
    title: 'Days verified',
    count: ({ provedDays }) => provedDays,
    sub: ({ unprovedDays }) => unprovedDays > 0 && `${count(unprovedDays)} not`,
  },
]
