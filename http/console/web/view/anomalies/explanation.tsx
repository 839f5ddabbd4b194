/** What explains the excess: its causes, the resources that rose most, and what these leave. */
import { usd, usdChange } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import { Amount } from '../../part/amount.tsx'
import { Panel } from '../../part/panel.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf } from '../../router.ts'
import { explorerQuery, receiptOf, type Detail } from './labels.ts'

export function Explanation({ data }: { data: Detail }) {
  const { explained, topResources, excessUsd } = data
  return (
    <Panel title="Explanation" about={`of ${usd(excessUsd)} above expected`}>
      {explained.length === 0 && topResources.length === 0 && (
        <p>
          No cause or resource explains the excess: it is in lines without a resource, or spread over many resources.
        </p>
      )}
      {explained.length > 0 && (
        <>
          <h3>Causes</h3>
          <ul class="list">
            {explained.map((one) => (
              <li key={one.cause}>
                <span class="grow" dir="auto">
                  {one.cause}
                </span>
                <span class="end figure">{usdChange(one.usd)}</span>
                <Part usd={one.usd} of={excessUsd} label={one.cause} />
              </li>
            ))}
          </ul>
          {explained.length > 1 && <p class="faint">Causes may overlap, so the amounts may not add up.</p>}
        </>
      )}
      {topResources.length > 0 && <Resources data={data} />}
    </Panel>
  )
}

/** As a bar as long as its part; there is none of what fell. */
const Part = ({ usd: part, of, label }: { usd: number; of: number; label: string }) =>
  part > 0 && of > 0 ? (
    <progress class="meter" max={of} value={Math.min(part, of)} aria-label={`Share of the excess: ${label}`} />
  ) : null

interface Row {
  uid: string
  name: string
  cost: number | undefined
  rise: number
}

const nameOf = ({ resourceUid, resourceName }: Detail['topResources'][number]): string => resourceName || resourceUid

function Resources({ data }: { data: Detail }) {
  const { topResources, restUsd, excessUsd, date, cost } = data
  const rows: Row[] = [
    ...topResources.map((one) => ({
      uid: one.resourceUid,
      name: nameOf(one),
      cost: one.costUSD,
      rise: one.deltaUSD,
    })),
    ...(restUsd === 0
      ? []
      : [{ uid: '', name: restUsd > 0 ? 'everything else' : 'everything else fell', cost: undefined, rise: restUsd }]),
  ]
  const of = (uid: string) => ({ anomalyType: 'resource' as const, anomalyKey: uid, date })
  const columns: Column<Row>[] = [
    {
      title: 'Resource',
      text: ({ name }) => name,
      hint: ({ uid }) => uid,
      href: ({ uid }) => (uid === '' ? undefined : hrefOf('costs', explorerQuery(of(uid)))),
      sub: ({ uid, name }) => uid !== '' && name !== uid && <Clip text={uid} />,
    },
    {
      title: 'That day',
      usd: ({ cost: value }) => value,
      show: ({ uid, name, cost: value }) =>
        value !== undefined && <Amount usd={value} receipt={receiptOf(of(uid), cost)} label={name} />,
    },
    { title: 'Above expected', usd: ({ rise }) => rise, show: ({ rise }) => usdChange(rise) },
    { title: 'Share of excess', show: ({ rise, name }) => <Part usd={rise} of={excessUsd} label={name} /> },
  ]
  return (
    <>
      <h3>Resources with the largest increase</h3>
      <Table
        caption="Resources with the largest increase"
        columns={columns}
        rows={rows}
        keyOf={({ uid }: Row) => uid}
      />
    </>
  )
}
