/** A row a group: what it costs and for what, what was requested beside what was used, what lies behind it, and its receipt. */
import type { ComponentChildren } from 'preact'
import { sumOf, usd } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Table, type TableColumn } from '../../part/table.tsx'
import { change } from '../../router.ts'
import { markOpening } from '../anomalies/focus-on-open.ts'
import { behind, receiptOfRow, type KubernetesQuery } from './query.ts'
import { Use } from './usage.tsx'
import { headingOf, otherParts, workloadOf, type ClusterCostRow } from './labels.ts'

export interface ListProps {
  rows: readonly ClusterCostRow[]
  now: KubernetesQuery
  group: string
  caption: string
  /** Of all rows, not of the page. */
  total: ComponentChildren
  isSorted?: boolean
}

const rowKey = ({ kind, label, clusterUID, namespace, pod, node, ...row }: ClusterCostRow): string =>
  JSON.stringify([
    kind,
    clusterUID,
    namespace,
    workloadOf({ kind, label, ...row } as ClusterCostRow),
    pod,
    node,
    row.labelValue,
  ])

export function List({ rows, now, group, caption, total, isSorted = false }: ListProps) {
  const onSort = () => change({ sort_order: now.isAscending ? null : 'asc', page: null })
  const columns = columnsOf(now, group)
  const foot = (
    <tr>
      <td>All rows</td>
      <td class="figure">{total}</td>
      <td colspan={columns.length - 2} />
    </tr>
  )
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={rowKey}
      foot={foot}
      {...(isSorted && { sorted: { key: 'cost', isAscending: now.isAscending, onSort } })}
    />
  )
}

const columnsOf = (now: KubernetesQuery, group: string): TableColumn<ClusterCostRow>[] => [
  { key: 'name', title: headingOf(group), show: (row) => <Name row={row} group={group} /> },
  {
    key: 'cost',
    title: 'Cost',
    isFigure: true,
    by: ({ costUSD }) => Number(costUSD),
    show: (row) => <Cost row={row} now={now} group={group} />,
  },
  { key: 'cpu', title: 'CPU', isFigure: true, show: ({ cpuUSD }) => partText(cpuUSD) },
  { key: 'memory', title: 'Memory', isFigure: true, show: ({ memoryUSD }) => partText(memoryUSD) },
  { key: 'else', title: 'Other', show: (row) => <Else row={row} /> },
  {
    key: 'cores',
    title: 'Cores used / requested',
    show: ({ cpuCoreHours, label }) => <Use hours={cpuCoreHours} unit="core-hours" label={`Cores, ${label}`} />,
  },
  {
    key: 'gib',
    title: 'Memory used / requested',
    show: ({ memoryGibHours, label }) => <Use hours={memoryGibHours} unit="GiB-hours" label={`Memory, ${label}`} />,
  },
]

const partText = (value: string) => (Number(value) === 0 ? <span class="faint">–</span> : usd(value))

function Name({ row, group }: { row: ClusterCostRow; group: string }) {
  const { label } = row
  const to = behind(row, group)
  const name = (
    <span class="clip wide" dir="auto" title={label}>
      {label}
    </span>
  )
  const within = placeOf(row, group)
  return (
    <>
      <span class="group">
        {to === undefined ? (
          name
        ) : (
          <a href={to} onClick={markOpening}>
            {name}
          </a>
        )}
      </span>
      {within !== '' && (
        <span class="faint">
          <span class="clip wide" dir="auto" title={within}>
            {within}
          </span>
        </span>
      )}
    </>
  )
}

/** What it is of: the workload, the namespace, the cluster; a cluster that has a name is known by its uid too. */
function placeOf({ clusterUID = '', clusterName, namespace = '', ...row }: ClusterCostRow, group: string): string {
  if (group === 'cluster') return clusterName === undefined ? '' : clusterUID
  const workload = group === 'pod' && row.controllerName ? `${row.controllerKind}/${row.controllerName}` : ''
  const within = group === 'namespace' ? '' : namespace
  return [workload, within, clusterName ?? clusterUID].filter((text) => text !== '').join(' · ')
}

const negate = (text: string): string => (text.startsWith('-') ? text.slice(1) : `-${text}`)

/** What is idle and shared has no receipt of this row: its own costs have. */
function Cost({ row, now, group }: { row: ClusterCostRow; now: KubernetesQuery; group: string }) {
  const { costUSD, idleUSD, estimatedUSD, label } = row
  const receipt = receiptOfRow(now, row, group)
  const own = (value: string) => <Amount usd={value} {...(receipt && { receipt })} label={label} />
  const isShared = Number(idleUSD) !== 0
  return (
    <>
      {isShared ? <Amount usd={costUSD} /> : own(costUSD)}
      {isShared && (
        <span class="faint">
          own {own(sumOf([costUSD, negate(idleUSD)]))} + idle {usd(idleUSD)}
        </span>
      )}
      {Number(estimatedUSD) !== 0 && <span class="faint">{usd(estimatedUSD)} estimated</span>}
    </>
  )
}

function Else({ row }: { row: ClusterCostRow }) {
  const some = otherParts.filter(({ key }) => Number(row[key]) !== 0)
  if (some.length === 0) return <span class="faint">–</span>
  return some.map(({ key, title }) => (
    <span class="what" key={key}>
      {title} {usd(row[key])}
    </span>
  ))
}
