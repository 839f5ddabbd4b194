/** What comes of it: claims that run at the rate that bills have proved, and what is open by what came true of its like. */
import { html } from '../../html.ts'
import { dayText, periodShort } from '../../day.ts'
import { count, counted, usd } from '../../figure.ts'
import { Chart } from '../../part/chart.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { Empty, Shown } from '../../part/state.ts'
import { Table } from '../../part/table.ts'
import { hrefOf } from '../../place.ts'
import { useReport } from '../../report.ts'
import { rateText, rateTitle, weekdays, type Projection } from './words.ts'

type Open = Projection['open']['items'][number]

export function ProjectionTab() {
  const report = useReport('GET /reports/savings/projection', { on: ['costs.changed', 'recommendation.'] })
  return html`<${Panel} title="Claims that run" about="the rest of this month, then twelve whole ones" tools=${html`<${Copies} report=${report} />`}>
      <${Shown} report=${report} rows=${5}>${(data: Projection) => html`<${Running} data=${data} />`}<//>
    <//>
    <${Panel} title="What is open, by what came true of its like" about="of 30 days">
      <${Shown} report=${report} rows=${5}>${(data: Projection) => html`<${OpenOnes} data=${data} />`}<//>
    <//>`
}

function Running({ data: { runningClaims, provedClaims, provedThrough, months, runRate } }: { data: Projection }) {
  if (runningClaims === 0)
    return html`<${Empty} title="No claim runs."><p>What is saved from here on is told once something saves: <a href=${hrefOf('recommendations')}>see what could be done</a>.</p><//>`
  const series = [
    { label: 'At the rate that bills prove', values: months.map(({ verifiedUSD }) => verifiedUSD) },
    { label: 'Unproved, as estimated', values: months.map(({ unprovedUSD }) => unprovedUSD), isOther: true },
  ]
  return html`<p>${counted(runningClaims, 'claim')}, of which ${count(provedClaims)} ${provedClaims === 1 ? 'has' : 'have'} a day that bills prove${provedThrough === null ? '' : ` (the newest is ${dayText(provedThrough)})`}. Each ends twelve months after it began at the latest. The two stand apart: what is unproved may come to nothing.</p>
    <${Chart} title="What claims that run go on to save, by month" kind="lines" periods=${months.map(({ period }) => period)} name=${periodShort} series=${series} />
    <p class="faint">Of a day, at the proved rate: ${runRate.map(({ weekday, verifiedUSD }) => `${weekdays[weekday]} ${usd(verifiedUSD)}`).join(', ')}.</p>`
}

function OpenOnes({ data: { open } }: { data: Projection }) {
  if (open.items.length === 0)
    return html`<${Empty} title="Nothing is open."><p><a href=${hrefOf('recommendations', { status: 'any' })}>Recommendations of any status</a></p><//>`
  return html`<p>Estimated ${usd(open.openEstimatedUSD)}; weighed with what came true ${usd(open.expectedUSD)}, of which nothing is known yet of ${usd(open.unprovedUSD)}. Open recommendations are weighed once bills prove five claims of their rule, or of its kind.</p>
    <${Table} caption="Open recommendations by rule" columns=${columns} rows=${open.items} keyOf=${({ ruleID }: Open) => ruleID} />`
}

const basisText = { rule: 'of this rule', category: 'of its kind', unproved: 'nothing is known yet' }

const columns = [
  {
    key: 'rule',
    title: 'Rule',
    by: ({ ruleID }: Open) => ruleID,
    show: ({ ruleID, category }: Open) =>
      html`<a href=${hrefOf('recommendations', { rule_id: ruleID })}>${ruleID}</a><span class="faint">${category}</span>`,
  },
  {
    key: 'estimated',
    title: 'Estimated',
    isFigure: true,
    by: ({ openEstimatedUSD }: Open) => openEstimatedUSD,
    show: ({ openEstimatedUSD }: Open) => usd(openEstimatedUSD),
  },
  {
    key: 'realisation',
    title: rateTitle,
    isFigure: true,
    by: ({ realisation }: Open) => realisation ?? -1,
    show: ({ realisation, basis }: Open) =>
      html`${rateText(realisation)}<span class="faint">${basisText[basis]}</span>`,
  },
  {
    key: 'expected',
    title: 'To be expected',
    isFigure: true,
    by: ({ expectedUSD }: Open) => expectedUSD,
    show: ({ expectedUSD }: Open) => usd(expectedUSD),
  },
]
