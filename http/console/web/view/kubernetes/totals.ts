/** All that is asked for: what workloads used, what nobody did, and the rest; the four add up to what clusters cost. */
import { html } from '../../html.ts'
import { exact, usd } from '../../figure.ts'
import { Amount } from '../../part/amount.ts'
import { receiptOf, type Asked } from './asked.ts'
import type { Totals } from './words.ts'

const parts = [
  { key: 'workloadUSD', kind: 'workload', title: 'Workloads', text: 'requested or used' },
  { key: 'idleUSD', kind: 'idle', title: 'Idle', text: 'nobody used it' },
  { key: 'overheadUSD', kind: 'overhead', title: 'Overhead', text: 'of clusters as a whole' },
  { key: 'unmeasuredUSD', kind: 'unmeasured', title: 'Unmeasured', text: 'nobody told who used it' },
] as const

/** `cluster` is the only one whose costs are shown, if it is one. */
export function Together({ totals, now, cluster }: { totals: Totals; now: Asked; cluster: string | undefined }) {
  const all = receiptOf(now, cluster)
  // Of namespaces and labels there are workloads alone.
  const isOfNamespaces = now.namespaces.length + now.labels.length > 0
  const shown = parts.filter(({ key, kind }) => !isOfNamespaces || kind === 'workload' || Number(totals[key]) !== 0)
  const sum = shown.map(({ key }) => totals[key])
  const isRounded = [totals.costUSD, ...sum].some((value) => (value.split('.')[1] ?? '').length > 2)
  return html`<section class="tiles" aria-label="What clusters cost">
      <article class="tile"><h2>All together</h2><span class="big"><${Amount} usd=${totals.costUSD} ...${all && { receipt: all }} label="All together" /></span><span class="small">${Number(totals.estimatedUSD) === 0 ? 'all of it is billed' : `of it ${usd(totals.estimatedUSD)} estimated`}</span></article>
      ${shown.map(({ key, kind, title, text }) => html`<article class="tile" key=${key}><h2>${title}</h2><span class="big"><${Amount} usd=${totals[key]} ...${all && { receipt: { ...all, kind } }} label=${title} /></span><span class="small">${text}</span></article>`)}
    </section>
    <p class="faint">${isOfNamespaces && 'What was idle, overhead and unmeasured is of clusters, and of no namespace or label. '}${isRounded && sum.length > 1 && html`<span class="exact">${sum.map(exact).join(' + ')} = ${exact(totals.costUSD)} USD</span>, to the last digit. `}${Number(totals.estimatedUSD) !== 0 && html`<strong>Estimated</strong> are machines without a bill yet: by the price tables, on demand, and in no other report. The bill takes their place when it comes.`}</p>`
}
