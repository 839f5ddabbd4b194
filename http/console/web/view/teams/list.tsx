/** All teams: what each costs, how it changed, what of it is handed out, and how far its budget is. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { pluralize, percent, usd } from '../../figure.ts'
import { hrefOf, param, change, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { FromTag } from '../allocation/from-tag.tsx'
import { compareAsked, costsAsked } from './query.ts'
import { BudgetBar, ForecastFigure, useForecastReadiness, type ForecastReadiness } from './cells.tsx'
import { TeamForm } from './team-form.tsx'
import { idOf, rowsOf, unassignedID, type Costs, type TeamRow, type Teams } from './rows.ts'
import { Trend } from './trend.tsx'

type Series = Reply<'GET /reports/costs/series'>

/** Teams of one answer. */
const teamsMax = 100

export function List({ bar }: { bar: VNode }) {
  const asked = costsAsked()
  const search = param('search')
  const costs = useReport('GET /reports/teams', { query: { ...asked, compare: compareAsked() }, on: ['costs.changed'] })
  const teams = useReport('GET /teams', { query: { search, limit: teamsMax }, on: ['costs.changed'] })
  const budgets = useReport('GET /budgets', { on: ['budget.', 'costs.changed'] })
  const total = useReport('GET /reports/costs/series', {
    query: { ...asked, granularity: 'monthly', compare: compareAsked() },
    on: ['costs.changed'],
  })
  const foretold = useForecastReadiness()
  const [isMaking, setMaking] = useState(false)
  const again = () => {
    costs.again()
    teams.again()
    total.again()
  }
  const isEmpty =
    search === undefined &&
    teams.data?.total === 0 &&
    costs.data !== undefined &&
    costs.data.every(({ teamID }) => teamID === null)
  return (
    <>
      <div class="view-head">
        <h1>Teams</h1>
        <span class="tools">
          <Act needs="service.create" onClick={() => setMaking(true)}>
            New team
          </Act>
          <Copies report={costs} />
        </span>
      </div>
      {bar}
      {isMaking && <TeamForm onClose={() => setMaking(false)} onDone={again} />}
      {isEmpty && <FromTag onMade={again} />}
      <Panel title="Cost by team" about={<CostBasis meta={costs.meta} />} tools={<Search />}>
        <ReportContent report={costs} rows={6}>
          {(data: Costs) => (
            <ReportContent report={teams} rows={6}>
              {(known: Teams) => (
                <>
                  <Rows
                    rows={rowsOf(
                      data,
                      known.items,
                      budgets.data,
                      known.total <= known.items.length && search === undefined,
                    )}
                    total={total.data?.total}
                    search={search}
                    foretold={foretold}
                  />
                  {known.total > known.items.length && (
                    <p class="faint">
                      Showing the first {teamsMax} of {pluralize(known.total, 'team')} by name, plus those with costs.
                      Use search to find the others.
                    </p>
                  )}
                </>
              )}
            </ReportContent>
          )}
        </ReportContent>
      </Panel>
      <Trend dearest={costs.data?.map(idOf)} />
    </>
  )
}

function Search() {
  const set = (event: Event) => change({ search: (event.target as HTMLInputElement).value || null }, { replace: true })
  return (
    <label>
      <span class="unseen">Search teams by name</span>
      <input type="search" data-search placeholder="Team name" value={param('search') ?? ''} onChange={set} />
    </label>
  )
}

interface RowsProps {
  foretold: ForecastReadiness | undefined
  rows: readonly TeamRow[]
  total: Series['total'] | undefined
  search: string | undefined
}

function Rows({ rows, total, search, foretold }: RowsProps) {
  const wanted = search?.toLowerCase()
  // What has no team is never hidden.
  const shown = rows.filter(
    ({ id, name }) => wanted === undefined || id === unassignedID || name.toLowerCase().includes(wanted),
  )
  const parts = rows.some(({ cost }) => cost?.sharedUSD !== undefined)
  const foot = wanted === undefined && total ? <Total total={total} parts={parts} /> : undefined
  return (
    <Table
      caption="Cost by team"
      columns={columnsOf(parts, foretold)}
      rows={shown}
      keyOf={({ id }: TeamRow) => id}
      foot={foot}
    />
  )
}

const Total = ({ total, parts }: { total: Series['total']; parts: boolean }) => (
  <tr>
    <td>Total</td>
    <td class="figure">
      <Amount usd={total.costUSD} receipt={costsAsked()} label="All teams" />
    </td>
    <td class="figure">
      <Change usd={total.deltaUSD} percent={total.deltaPercent} />
    </td>
    <td colspan={parts ? 4 : 3} />
  </tr>
)

const receiptOf = (id: string) => ({ ...costsAsked(), team_id: id })
const teamHref = (id: string) => hrefOf('teams', withParams({ team: id, page: null, search: null }))

const columnsOf = (parts: boolean, foretold: ForecastReadiness | undefined) => [
  {
    key: 'team',
    title: 'Team',
    show: ({ id, name, cost, isGone }: TeamRow) => (
      <>
        <a class="clip" dir="auto" title={name} href={teamHref(id)}>
          {name}
        </a>
        {isGone && (
          <>
            {' '}
            <span class="badge">deleted</span>
          </>
        )}
        <span class="faint">
          {id === unassignedID ? 'unallocated costs' : pluralize(cost?.resourceCount ?? 0, 'resource')}
        </span>
      </>
    ),
  },
  {
    key: 'cost',
    title: 'Cost',
    isFigure: true,
    show: ({ id, name, cost }: TeamRow) => (
      <>
        <Amount usd={cost?.costUSD ?? 0} receipt={receiptOf(id)} label={name} />
        {cost && <span class="faint">{percent(cost.percentOfTotal)} of total</span>}
      </>
    ),
  },
  {
    key: 'change',
    title: 'Change',
    isFigure: true,
    show: ({ cost }: TeamRow) => <Change usd={cost?.deltaUSD ?? null} percent={cost?.deltaPercent} none="no costs" />,
  },
  ...(parts
    ? [
        {
          key: 'parts',
          title: 'Own + shared',
          isFigure: true,
          show: ({ cost }: TeamRow) =>
            cost?.directUSD === undefined ? (
              '–'
            ) : (
              <>
                {usd(cost.directUSD)}
                <span class="faint">+ {usd(cost.sharedUSD ?? 0)}</span>
              </>
            ),
        },
      ]
    : []),
  {
    key: 'budget',
    title: 'Monthly budget',
    show: ({ id, name, budget }: TeamRow) => <BudgetBar id={id} name={name} budget={budget} />,
  },
  {
    key: 'forecast',
    title: 'Month-end forecast',
    isFigure: true,
    show: ({ id, cost }: TeamRow) =>
      cost ? <ForecastFigure id={id} foretold={foretold} /> : <span class="faint">–</span>,
  },
]
