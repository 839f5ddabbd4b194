/** What saves, cause by cause; each opens its receipt. */
import { dayText } from '../../day.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Choice } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
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
  const page = Math.max(1, Number(param('page')) || 1)
  const narrowed = Object.fromEntries(
    [...linkFilters, 'source'].map((name) => [name, params(name).filter((value) => value !== '')]),
  )
  const isNarrowed = param('status') !== undefined || Object.values(narrowed).some((values) => values.length > 0)
  const query = { ...narrowed, status: param('status'), page, limit: pageSize }
  const report = useReport('GET /reports/savings/claims', {
    query,
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
        <Panel title="Claims" about="ongoing, and ended within the last 46 days" tools={<Copies report={report} />}>
          <ReportContent report={report} rows={6}>
            {(data: Claims) =>
              data.items.length === 0 ? (
                <Nothing isNarrowed={isNarrowed || page > 1} />
              ) : (
                <List data={data} page={page} />
              )
            }
          </ReportContent>
        </Panel>
        {id !== undefined && <ClaimReceipt key={id} id={id} />}
      </div>
    </>
  )
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

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty title="No claims match these filters.">
        <p>
          <a href={hrefOf('savings', { tab: 'claims' })}>Show all</a>
        </p>
      </Empty>
    )
  return (
    <Empty title="No savings claims yet.">
      <p>
        A claim covers one resource and one cause: a scheduled or manual stop, or a recommendation marked done.{' '}
        <a href={hrefOf('recommendations')}>See recommendations.</a>
      </p>
    </Empty>
  )
}

function List({ data, page }: { data: Claims; page: number }) {
  return (
    <>
      <p class="faint" role="status">
        {pluralize(data.total, 'claim')}. Figures cover all their days.
      </p>
      <Table caption="Claims" columns={columns} rows={data.items} keyOf={({ id }: Claim) => id} />
      <Pages
        page={page}
        limit={pageSize}
        total={data.total}
        onPage={(to: number) => change({ page: to === 1 ? null : to })}
      />
    </>
  )
}

const columns = [
  {
    key: 'what',
    title: 'Resource',
    show: ({ id, resourceUid, resourceType }: Claim) => (
      <>
        <a
          class="clip"
          title={resourceUid}
          href={hrefOf('savings', withParams({ tab: 'claims', claim: id }))}
          aria-current={param('claim') === id ? 'true' : undefined}
          onClick={markOpening}
        >
          {resourceUid}
        </a>
        <span class="faint">{resourceType}</span>
      </>
    ),
  },
  {
    key: 'by',
    title: 'Source',
    show: ({ source, ruleID, kind }: Claim) => (
      <>
        <span class="nowrap">{sourceName(source)}</span>
        <span class="faint">{[ruleID, kindName(kind)].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  {
    key: 'since',
    title: 'Since',
    show: ({ from, until, endedBy }: Claim) => (
      <>
        <span class="nowrap">{dayText(from)}</span>
        <span class="faint">{until === null ? 'ongoing' : `to ${dayText(until)}: ${endText(endedBy)}`}</span>
      </>
    ),
  },
  ...bases.map(({ key, title }) => ({ key, title, isFigure: true, show: (claim: Claim) => usd(claim[key]) })),
  {
    key: 'days',
    title: 'Days verified',
    isFigure: true,
    show: ({ provedDays, unprovedDays }: Claim) => (
      <>
        {count(provedDays)}
        {unprovedDays > 0 && <span class="faint">{count(unprovedDays)} not</span>}
      </>
    ),
  },
]
