/** One team, or what has none: its costs and what they are made of, its resources, its rules. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { dayShort } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { hrefOf, currentRoute, withParams } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Tile } from '../../part/tile.tsx'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Act } from '../../part/act.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { may } from '../../session.ts'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { compareAsked, costsAsked } from './query.ts'
import { BudgetBar, ForecastFigure, useForecastReadiness } from './cells.tsx'
import { DeleteTeam, TeamForm, type EditableTeam } from './team-form.tsx'
import { Resources } from './resources.tsx'
import { budgetOf, unassignedID } from './rows.ts'
import { Rules } from './rules.tsx'

type Costs = Reply<'GET /reports/teams/:teamID'>
type Trends = Reply<'GET /reports/teams/trends'>

export function TeamDetail({ id, bar }: { id: string; bar: VNode }) {
  const params = { teamID: id }
  const asked = costsAsked()
  const costs = useReport('GET /reports/teams/:teamID', {
    params,
    query: { ...asked, compare: compareAsked() },
    on: ['costs.changed'],
  })
  const team = useReport('GET /teams/:teamID', { params, when: id !== unassignedID })
  const trends = useReport('GET /reports/teams/trends', { query: { ...asked, team_id: id }, on: ['costs.changed'] })
  const name = team.data?.name ?? costs.data?.teamName ?? 'Team'
  const isTeam = team.data !== undefined
  const again = () => {
    costs.again()
    team.again()
    trends.again()
  }
  const isGone = team.problem?.status === 404 && costs.data !== undefined
  return (
    <>
      <TeamHead name={name} team={team.data} costs={costs} bar={bar} onDone={again} />
      {isGone && (
        <p class="note">This team was deleted. The costs shown are from closed months or before its deletion.</p>
      )}
      <ReportContent report={costs} rows={5}>
        {(data: Costs) => (
          <>
            <Figures id={id} data={data} meta={costs.meta} isTeam={isTeam} />
            <CostBreakdowns id={id} data={data} />
          </>
        )}
      </ReportContent>
      <ReportPanel title="Over time" about={<CostBasis meta={trends.meta} />} report={trends} rows={6}>
        {(data: Trends) => <Trend data={data} />}
      </ReportPanel>
      <Resources key={id} id={id} isTeam={isTeam} onMoved={again} />
      {isTeam && <Rules id={id} name={name} />}
      {id === unassignedID && (
        <p>
          To assign these costs to a team, <a href={hrefOf('allocation', { new: 'allocation' })}>create a rule</a> by
          tag or account, or assign resources manually above.
        </p>
      )}
    </>
  )
}

interface TeamHeadProps {
  name: string
  /** Undefined while it is not known, and of what no team has. */
  team: EditableTeam | undefined
  costs: Report<Costs>
  bar: VNode
  onDone: () => void
}

function TeamHead({ name, team, costs, bar, onDone }: TeamHeadProps) {
  const [isEditing, setEditing] = useState(false)
  return (
    <>
      <Head title="Teams" of={{ name, href: backHref() }}>
        {team && (
          <>
            <Act needs="service.update" onClick={() => setEditing(true)}>
              Edit
            </Act>
            <DeleteTeam team={team} />
          </>
        )}
        <Copies report={costs} />
      </Head>
      {bar}
      {team?.description && <p dir="auto">{team.description}</p>}
      {isEditing && team && <TeamForm team={team} onClose={() => setEditing(false)} onDone={onDone} />}
    </>
  )
}

const backHref = (): string => hrefOf(currentRoute.value.view, withParams({ team: null, page: null }))
const receiptOf = (id: string) => ({ ...costsAsked(), team_id: id })

function Figures({
  id,
  data,
  meta,
  isTeam,
}: {
  id: string
  data: Costs
  meta: Parameters<typeof CostBasis>[0]['meta']
  isTeam: boolean
}) {
  const foretold = useForecastReadiness(id)
  const budgets = useReport('GET /budgets', { on: ['budget.', 'costs.changed'], when: isTeam })
  return (
    <section class="tiles" aria-label="Team figures">
      <article class="tile">
        <h2>Cost</h2>
        <span class="big">
          <Amount usd={data.costUSD} receipt={receiptOf(id)} label={data.teamName} />
        </span>
        <span class="small">
          <Change usd={data.deltaUSD} percent={data.deltaPercent} />
        </span>
        <span class="small">
          <CostBasis meta={meta} />
        </span>
      </article>
      {data.sharedUSD !== undefined && (
        <Tile
          title="Shared costs allocated by rules"
          value={usd(data.sharedUSD)}
          note={<>own costs: {usd(data.directUSD ?? 0)}. The receipt shows the share of each line.</>}
        />
      )}
      <Tile title="Month-end forecast" value={<ForecastFigure id={id} foretold={foretold} />} />
      {isTeam && (
        <article class="tile">
          <h2>Monthly budget</h2>
          <ReportContent report={budgets} rows={2}>
            {(all: Reply<'GET /budgets'>) => <BudgetBar id={id} name={data.teamName} budget={budgetOf(all, id)} />}
          </ReportContent>
        </article>
      )}
    </section>
  )
}

interface Part {
  value: string
  costUSD: number
  deltaUSD?: number | null
  deltaPercent?: number | null
}

function CostBreakdowns({ id, data }: { id: string; data: Costs }) {
  const providers = data.byProvider.map(({ provider, ...rest }) => ({ ...rest, value: provider }))
  const types = data.byResourceType.map(({ resourceType, ...rest }) => ({ ...rest, value: resourceType }))
  return (
    <div class="halves">
      <Parts id={id} title="By provider" dimension="provider" parts={providers} />
      <Parts id={id} title="By type" dimension="resource_type" parts={types} />
    </div>
  )
}

const partsMax = 12

function Parts({
  id,
  title,
  dimension,
  parts,
}: {
  id: string
  title: string
  dimension: string
  parts: readonly Part[]
}) {
  const [isAll, setAll] = useState(false)
  const dearest = parts.toSorted((a, b) => b.costUSD - a.costUSD)
  const columns: Column<Part>[] = [
    { title, text: ({ value }) => value },
    {
      title: 'Cost',
      usd: ({ costUSD }) => costUSD,
      show: ({ value, costUSD }) => (
        <Amount usd={costUSD} receipt={{ ...receiptOf(id), [`filter[${dimension}]`]: value }} label={value} />
      ),
    },
    {
      title: 'Change',
      usd: ({ deltaUSD }) => deltaUSD,
      show: ({ deltaUSD, deltaPercent }) => <Change usd={deltaUSD} percent={deltaPercent} />,
    },
  ]
  return (
    <Panel title={title}>
      {parts.length === 0 ? (
        <Empty title="No costs in this period.">
          <p>Choose another period{may('service.update') && ', or assign resources below'}.</p>
        </Empty>
      ) : (
        <Table
          caption={title}
          columns={columns}
          rows={isAll ? dearest : dearest.slice(0, partsMax)}
          keyOf={({ value }: Part) => value}
        />
      )}
      {!isAll && parts.length > partsMax && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          All {pluralize(parts.length, 'type')}
        </button>
      )}
    </Panel>
  )
}

/** Its own costs below what was handed out to it. */
function Trend({ data }: { data: Trends }) {
  const points = data.items[0]?.points ?? []
  if (points.length === 0)
    return (
      <Empty title="No costs in this period.">
        <p>Choose another period.</p>
      </Empty>
    )
  const isShared = points.some(({ sharedUSD }) => (sharedUSD ?? 0) !== 0)
  const series = isShared
    ? [
        { label: 'own', values: points.map(({ directUSD }) => directUSD ?? null) },
        { label: 'shared', values: points.map(({ sharedUSD }) => sharedUSD ?? null) },
      ]
    : [{ label: 'cost', values: points.map(({ costUSD }) => costUSD) }]
  return (
    <Chart title="Daily cost" kind="bars" periods={points.map(({ date }) => date)} name={dayShort} series={series} />
  )
}
