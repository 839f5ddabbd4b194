/** How cost flows from one dimension to the next; the drawing is loaded when it is first looked at. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { pluralize } from '../../figure.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ProblemMessage, Loading, ReportContent } from '../../part/report-content.tsx'
import { Table, type TableColumn } from '../../part/table.tsx'
import { problemOf, type Problem } from '../../problem.ts'
import { useReport } from '../../report.ts'
import { costsSql } from '../../sql.ts'
import { drillHref, hrefWith, receiptOf, type CostsQuery } from './query.ts'
import { groupedBy } from './cost-chart.tsx'
import { shareOf } from './groups.tsx'
import { Label } from './label.tsx'
import { isRest, labelOf, levelsOf, pathOf, type Flow, type FlowNode, type FlowProps } from './level.ts'

export function Flows({ now }: { now: CostsQuery }) {
  const levels = levelsOf(now)
  const isByResource = levels.includes('resource_uid')
  const isLacking = isByResource && !now.chips.some(({ name }) => name.startsWith('filter['))
  const compare = isByResource ? undefined : now.compare
  const report = useReport('GET /reports/costs/breakdown', {
    query: { ...now.of, compare, group_by: levels },
    on: ['costs.changed'],
    when: !isLacking,
  })
  const title = `From ${groupedBy({ dims: levels }).replaceAll(', ', ' to ')}`
  if (isLacking)
    return (
      <Panel title={title}>
        <Empty title="Too many resources to draw at once.">
          <p>
            Filter by service, account or another dimension first, or{' '}
            <a href={hrefWith(now.chips, { dims: ['service_name', 'resource_type'] })}>show services and their types</a>
            .
          </p>
        </Empty>
      </Panel>
    )
  const sql = costsSql({ ...now.of, cost: report.meta?.cost }, levels)
  return (
    <Panel title={title} about={<CostBasis meta={report.meta} />} tools={<Copies report={report} sql={sql} />}>
      <ReportContent report={report} rows={10}>
        {(data: Flow) => <Both data={data} levels={levels} now={now} />}
      </ReportContent>
    </Panel>
  )
}

function Both({ data, levels, now }: { data: Flow; levels: readonly string[]; now: CostsQuery }) {
  const [isTable, setTable] = useState(false)
  const negative = data.nodes.filter(({ valueUSD }) => valueUSD < 0).length
  return (
    <>
      {isTable ? (
        <FlowTable data={data} levels={levels} now={now} />
      ) : (
        <Drawing data={data} levels={levels} now={now} />
      )}
      <p class="bar">
        {negative > 0 && !isTable && (
          <span class="faint">{pluralize(negative, 'credit')} below zero cannot be drawn; see the table.</span>
        )}
        <button type="button" class="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Diagram' : 'Table'}
        </button>
      </p>
    </>
  )
}

function Drawing(props: FlowProps) {
  const [Loaded, setLoaded] = useState<ComponentType<FlowProps> | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  useEffect(() => {
    import('./flow.tsx').then(
      (module) => setLoaded(() => module.Sankey),
      (error: unknown) => setProblem(problemOf(error)),
    )
  }, [])
  if (problem) return <ProblemMessage problem={problem} again={() => location.reload()} />
  return Loaded ? <Loaded {...props} /> : <Loading rows={8} />
}

function FlowTable({ data, levels, now }: FlowProps) {
  const leaves = data.nodes.filter(({ dim }) => dim === levels.at(-1))
  const labels = new Map(data.nodes.map((node) => [node.id, labelOf(node)]))
  const label = ({ id }: FlowNode) =>
    pathIds(id)
      .map((one) => labels.get(one) ?? '')
      .join(' / ')
  const columns: TableColumn<FlowNode>[] = [
    {
      key: 'path',
      title: 'Path',
      show: (node) => (
        <Label
          dims={levels}
          value={pathOf(node.id, levels)}
          label={label(node)}
          href={drillHref(now.chips, pathOf(node.id, levels))}
        />
      ),
      by: label,
    },
    {
      key: 'cost',
      title: 'Cost',
      isFigure: true,
      show: (node) => (
        <Amount
          usd={node.valueUSD}
          receipt={isRest(node) ? undefined : receiptOf(now, pathOf(node.id, levels))}
          label={label(node)}
        />
      ),
      by: ({ valueUSD }) => valueUSD,
    },
    {
      key: 'share',
      title: 'Share',
      isFigure: true,
      show: ({ valueUSD }) => shareOf(valueUSD, data.totalUSD),
      by: ({ valueUSD }) => valueUSD,
    },
    ...(leaves[0]?.deltaUSD === undefined
      ? []
      : [
          {
            key: 'delta',
            title: 'Change',
            isFigure: true,
            show: ({ deltaUSD, deltaPercent }: FlowNode) => <Change usd={deltaUSD} percent={deltaPercent} />,
            by: ({ deltaUSD }: FlowNode) => deltaUSD ?? 0,
          },
        ]),
  ]
  const foot = (
    <tr>
      <td>Total</td>
      <td class="figure">
        <Amount usd={data.totalUSD} receipt={receiptOf(now)} label="Total" />
      </td>
      <td colspan={2} />
    </tr>
  )
  return <Table caption="Flow" columns={columns} rows={leaves} keyOf={(node: FlowNode) => node.id} foot={foot} />
}

/** Its own id, behind those of all it is part of. */
const pathIds = (id: string): string[] => id.split('|').map((_, at, steps) => steps.slice(0, at + 1).join('|'))
