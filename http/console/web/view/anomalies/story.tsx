/** The rows that tell of the same cause: found in a resource, its team, its account and the organization. */
import { percentChange, usdChange } from '../../figure.ts'
import { Panel } from '../../part/panel.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf, withParams } from '../../router.ts'
import { Severity } from './list.tsx'
import { markOpening } from './focus-on-open.ts'
import { typeName, type Detail } from './labels.ts'

type Row = Detail['story'][number]

const columnsOf = (shown: string): Column<Row>[] => [
  { title: 'Scope', text: ({ anomalyType }) => typeName(anomalyType) },
  {
    title: 'Name',
    csv: ({ label }) => label,
    show: ({ id, label }) =>
      id === shown ? (
        <strong class="clip" dir="auto" title={label}>
          {label}
        </strong>
      ) : (
        <a
          class="clip"
          dir="auto"
          title={label}
          href={hrefOf('anomalies', withParams({ anomaly: id }))}
          onClick={markOpening}
        >
          {label}
        </a>
      ),
    sub: ({ id }) => id === shown && 'this one',
  },
  { title: 'Severity', show: ({ severity }) => <Severity severity={severity} /> },
  { title: 'Above expected', usd: ({ excessUsd }) => excessUsd, show: ({ excessUsd }) => usdChange(excessUsd) },
  {
    title: 'Percent',
    percent: ({ deviationPercent }) => deviationPercent,
    show: ({ deviationPercent }) => percentChange(deviationPercent),
  },
]

export function Story({ data: { id, story } }: { data: Detail }) {
  if (story.length < 2) return null
  return (
    <Panel title="Rows of the same cause">
      <Table caption="Rows of the same cause" columns={columnsOf(id)} rows={story} keyOf={(row: Row) => row.id} />
      <p class="faint">
        These rows show the same dollars at different scopes, so do not add them up. The first row is the main one; a
        status set on one row does not apply to the others.
      </p>
    </Panel>
  )
}
