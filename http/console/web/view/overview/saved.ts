/** What was saved, by what each figure rests on: never one headline. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { counted, share, usd } from '../../figure.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { About } from '../../part/period.ts'
import { Empty, Shown } from '../../part/state.ts'
import { Table } from '../../part/table.ts'
import { useReport } from '../../report.ts'

type Savings = Reply<'GET /reports/savings'>
type Row = Savings['items'][number]

const columns = [
  { key: 'source', title: 'By', show: ({ label }: Row) => label },
  {
    key: 'open',
    title: 'Could be saved, a month',
    isFigure: true,
    show: ({ openEstimatedUSD }: Row) => usd(openEstimatedUSD),
  },
  { key: 'estimated', title: 'Was estimated', isFigure: true, show: ({ estimatedUSD }: Row) => usd(estimatedUSD) },
  { key: 'observed', title: 'Was seen', isFigure: true, show: ({ observedUSD }: Row) => usd(observedUSD) },
  { key: 'verified', title: 'Proved by bills', isFigure: true, show: ({ verifiedUSD }: Row) => usd(verifiedUSD) },
]

export function Saved() {
  const report = useReport('GET /reports/savings', { on: ['costs.changed'] })
  return html`<${Panel} title="Savings, by what they rest on" about=${html`<${About} meta=${report.meta} />`} tools=${html`<${Copies} report=${report} />`}>
    <${Shown} report=${report} rows=${4}>${(data: Savings) => html`<${Bases} ...${data} />`}<//>
  <//>`
}

function Bases({ items, totals }: Savings) {
  if (items.length === 0)
    return html`<${Empty} title="Nothing was saved in these days, and nothing is recommended."><p>Recommendations come with the inventory of connected accounts.</p><//>`
  const proved =
    totals.realisation === null ? '' : `Of what was estimated, bills have proved ${share(totals.realisation)}. `
  return html`<${Table} caption="Savings by source" columns=${columns} rows=${items} keyOf=${({ key }: Row) => key} foot=${foot(totals)} />
    <p class="faint">Estimated when it was done, seen on what runs, proved by the bill: three bases of the same savings, which do not add up. ${proved}${counted(totals.unprovedDays, 'day')} wait for their bills.</p>`
}

const foot = ({ openEstimatedUSD, estimatedUSD, observedUSD, verifiedUSD }: Savings['totals']) =>
  html`<tr><td>All</td>${[openEstimatedUSD, estimatedUSD, observedUSD, verifiedUSD].map((value) => html`<td class="figure">${usd(value)}</td>`)}</tr>`
