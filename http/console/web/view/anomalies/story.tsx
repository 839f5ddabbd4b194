/** The rows that tell of the same cause: found in a resource, its team, its account and the organization. */
import { percentChange, usdChange } from '../../figure.ts'
import { Panel } from '../../part/panel.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf, withParams } from '../../router.ts'
import { Severity } from './list.tsx'
import { markOpening } from './focus-on-open.ts'
import { typeName, type Detail } from './labels.ts'

type Row = Detail['story'][number]

const columnsOf = (shown: string) => [
  { key: 'type', title: 'Scope', show: ({ anomalyType }: Row) => typeName(anomalyType) },
  {
    key: 'label',
    title: 'Name',
    show: ({ id, label }: Row) =>
      id === shown ? (
        <>
          <strong class="clip" dir="auto" title={label}>
            {label}
          </strong>
          <span class="faint">this one</span>
        </>
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
  },
  { key: 'severity', title: 'Severity', show: ({ severity }: Row) => <Severity severity={severity} /> },
  { key: 'usd', title: 'Above expected', isFigure: true, show: ({ excessUsd }: Row) => usdChange(excessUsd) },
  {
    key: 'percent',
    title: 'Percent',
    isFigure: true,
    show: ({ deviationPercent }: Row) => percentChange(deviationPercent),
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
