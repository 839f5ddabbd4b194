/** All teams: what each costs, how it changed, what of it is handed out, and how far its budget is. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { pluralize, percent, usd } from '../../figure.ts'
import { hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { CostBasis } from '../../part/period.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { FromTag } from '../allocation/from-tag.tsx'
import { compareAsked, costsAsked } from './query.ts'
import { BudgetBar, ForecastFigure, useForecastReadiness, type ForecastReadiness } from './cells.tsx'
import { TeamForm } from './team-form.tsx'
import { idOf, rowsOf, unassignedID, type TeamRow, type Teams } from './rows.ts'
import { Trend } from './trend.tsx'

type Series = Reply<'GET /reports/costs/series'>

/** Teams of one answer. */
const teamsMax = 100

/** What the list is of: costs, teams and budgets, put together. */
function useTeamRows() {
  const asked = { ...costsAsked(), compare: compareAsked() }
  const search = param('search')
  const on = ['costs.changed']
  const costs = useReport('GET /reports/teams', { query: asked, on })
  const teams = useReport('GET /teams', { query: { search, limit: teamsMax }, on })
  const budgets = useReport('GET /budgets', { on: ['budget.', 'costs.changed'] })
  const total = useReport('GET /reports/costs/series', { query: { ...asked, granularity: 'monthly' }, on })
  const known = teams.data
  const isWhole = known !== undefined && known.total <= known.items.length && search === undefined
  const rows = costs.data && known ? rowsOf(costs.data, known.items, budgets.data, isWhole) : []
  const again = () => {
    costs.again()
    teams.again()
    total.again()
  }
  const isEmpty = isWhole && known.total === 0 && costs.data?.every(({ teamID }) => teamID === null) === true
  return { costs, teams, total: search === undefined ? total.data?.total : undefined, rows, again, isEmpty }
}

/** What has no team is never hidden. */
const isFound = ({ id, name }: TeamRow): boolean =>
  id === unassignedID || name.toLowerCase().includes((param('search') ?? '').toLowerCase())

export function List({ bar }: { bar: VNode }) {
  const { costs, teams, total, rows, again, isEmpty } = useTeamRows()
  const foretold = useForecastReadiness()
  const [isMaking, setMaking] = useState(false)
  const parts = rows.some(({ cost }) => cost?.sharedUSD !== undefined)
  return (
    <>
      <Head title="Teams">
        <Act needs="service.create" onClick={() => setMaking(true)}>
          New team
        </Act>
      </Head>
      {bar}
      {isMaking && <TeamForm onClose={() => setMaking(false)} onDone={again} />}
      {isEmpty && <FromTag onMade={again} />}
      <ListView
        title="Cost by team"
        noun="teams"
        about={<CostBasis meta={costs.meta} />}
        report={costs}
        rows={() => rows.filter(isFound)}
        columns={columnsOf(parts, foretold)}
        filters={filters}
        foot={total && <Total total={total} parts={parts} />}
        bones={6}
        empty={{ title: 'No teams yet.' }}
      >
        {teams.problem && <ProblemMessage problem={teams.problem} again={teams.again} />}
        {teams.data && <Rest known={teams.data} />}
      </ListView>
      <Trend dearest={costs.data?.map(idOf)} />
    </>
  )
}

const Rest = ({ known: { total, items } }: { known: Teams }) =>
  total > items.length ? (
    <p class="faint">
      Showing the first {teamsMax} of {pluralize(total, 'team')} by name, plus those with costs. Use search to find the
      others.
    </p>
  ) : null

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

const columnsOf = (parts: boolean, foretold: ForecastReadiness | undefined): Column<TeamRow>[] => [
  {
    title: 'Team',
    text: ({ name }) => name,
    show: ({ id, name, isGone }) => (
      <>
        <Clip text={name} href={teamHref(id)} /> {isGone && <span class="badge">deleted</span>}
      </>
    ),
    sub: ({ id, cost }) =>
      id === unassignedID ? 'unallocated costs' : pluralize(cost?.resourceCount ?? 0, 'resource'),
  },
  {
    title: 'Cost',
    usd: ({ cost }) => cost?.costUSD ?? 0,
    show: ({ id, name, cost }) => <Amount usd={cost?.costUSD ?? 0} receipt={receiptOf(id)} label={name} />,
    sub: ({ cost }) => cost && `${percent(cost.percentOfTotal)} of total`,
  },
  {
    title: 'Change',
    usd: ({ cost }) => cost?.deltaUSD,
    show: ({ cost }) => <Change usd={cost?.deltaUSD ?? null} percent={cost?.deltaPercent} none="no costs" />,
  },
  ...(parts ? [ownAndShared] : []),
  {
    title: 'Monthly budget',
    by: ({ budget }) => budget?.percentUsed ?? -1,
    csv: ({ budget }) => budget?.monthlyBudgetUSD,
    show: ({ id, name, budget }) => <BudgetBar id={id} name={name} budget={budget} />,
  },
  {
    title: 'Month-end forecast',
    isFigure: true,
    csv: () => '',
    show: ({ id, cost }) => (cost ? <ForecastFigure id={id} foretold={foretold} /> : <span class="faint">–</span>),
  },
]

const ownAndShared: Column<TeamRow> = {
  title: 'Own + shared',
  usd: ({ cost }) => cost?.directUSD,
  sub: ({ cost }) => cost?.directUSD !== undefined && `+ ${usd(cost.sharedUSD ?? 0)}`,
}

const filters = [{ name: 'search', title: 'Search', placeholder: 'Team name' }]
