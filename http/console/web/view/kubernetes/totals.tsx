/** All that is asked for: what workloads used, what nobody did, and the rest; the four add up to what clusters cost. */
import { usd } from '../../figure.ts'
import { Tile } from '../../part/tile.tsx'
import { Amount } from '../../part/amount.tsx'
import { receiptOf, type KubernetesQuery } from './query.ts'
import type { Totals } from './labels.ts'

const parts = [
  { key: 'workloadUSD', kind: 'workload', title: 'Workloads', text: 'requested or used' },
  { key: 'idleUSD', kind: 'idle', title: 'Idle', text: 'not used' },
  { key: 'overheadUSD', kind: 'overhead', title: 'Overhead', text: 'cluster-wide costs' },
  { key: 'unmeasuredUSD', kind: 'unmeasured', title: 'Unmeasured', text: 'no usage data' },
] as const

/** `cluster` is the only one whose costs are shown, if it is one. */
export function Together({
  totals,
  now,
  cluster,
}: {
  totals: Totals
  now: KubernetesQuery
  cluster: string | undefined
}) {
  const all = receiptOf(now, cluster)
  // Of namespaces and labels there are workloads alone.
  const isOfNamespaces = now.namespaces.length + now.labels.length > 0
  const shown = parts.filter(({ key, kind }) => !isOfNamespaces || kind === 'workload' || Number(totals[key]) !== 0)
  return (
    <>
      <section class="tiles" aria-label="Cluster costs">
        <Tile
          title="Total"
          value={<Amount usd={totals.costUSD} {...(all && { receipt: all })} label="Total" />}
          note={
            <>
              {Number(totals.estimatedUSD) === 0 ? 'fully billed' : `including ${usd(totals.estimatedUSD)} estimated`}
            </>
          }
        />
        {shown.map(({ key, kind, title, text }) => (
          <article class="tile" key={key}>
            <h2>{title}</h2>
            <span class="big">
              <Amount usd={totals[key]} {...(all && { receipt: { ...all, kind } })} label={title} />
            </span>
            <span class="small">{text}</span>
          </article>
        ))}
      </section>
      <p class="faint">
        {isOfNamespaces && 'Idle, overhead and unmeasured costs belong to clusters, not to a namespace or label. '}
        {Number(totals.estimatedUSD) !== 0 && (
          <>
            <strong>Estimated</strong> costs are for machines not billed yet, at on-demand prices from the price tables.
            They appear in no other report and are replaced when the bill arrives.
          </>
        )}
      </p>
    </>
  )
}
