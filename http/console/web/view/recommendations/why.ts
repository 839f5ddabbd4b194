/** Why it is believed: what was found, by which rule and figures, how the resource was used, and what to do. */
import { html } from '../../html.ts'
import { dayShort } from '../../day.ts'
import { count } from '../../figure.ts'
import { Chart } from '../../part/chart.ts'
import { Copy } from '../../part/copy.ts'
import { Pairs, valueText, wordsOf, type Pair } from '../../part/pairs.ts'
import { Panel } from '../../part/panel.ts'
import { hrefOf } from '../../place.ts'
import { useReport } from '../../report.ts'
import type { Detail } from './words.ts'

/** Said elsewhere in words. */
const saidElsewhere = ['factsAt', 'savingBasis', 'possibleSavingUsd']

const factsOf = (facts: Readonly<Record<string, unknown>>): Pair[] =>
  Object.entries(facts)
    .filter(([name]) => !saidElsewhere.includes(name))
    .map(([name, value]) => [
      wordsOf(name),
      html`<span class="clip" dir="auto" title=${valueText(value)}>${valueText(value)}</span>`,
    ])

export function Why({ data }: { data: Detail }) {
  const { description, evidence, titleParams, targetSpec } = data
  return html`<${Panel} title="Why" about=${data.ruleId}>
      <p class="sentence" dir="auto">${description}</p>
      ${titleParams && titleParams.to !== '' && html`<p>From <strong>${titleParams.from || 'what it is'}</strong> to <strong>${titleParams.to}</strong></p>`}
      <h3>What was found</h3>
      <${Pairs} pairs=${factsOf(evidence)} label="What was found" />
      <${Rule} id=${data.ruleId} />
      ${data.metrics.length > 0 && html`<h3>How it was used</h3>${data.metrics.map((metric) => html`<${Used} key=${metric.name} metric=${metric} />`)}`}
    <//>
    <${Panel} title="What to do">
      <${Steps} data=${data} />
      ${targetSpec && html`<h3>What it would be</h3><${Pairs} pairs=${factsOf(targetSpec)} label="What it would be" />`}
    <//>`
}

/** Its thresholds, as a policy of the organization may have them otherwise. */
function Rule({ id }: { id: string }) {
  const { data } = useReport('GET /recommendations/rule-catalog', { query: { search: id, size: 10 } })
  const rule = data?.items.find(({ ruleId }) => ruleId === id)
  if (!rule) return null
  const figures = Object.entries(rule.params).map(([name, value]): Pair => [wordsOf(name), valueText(value)])
  return html`<h3>The rule</h3>
    <p>${rule.title}. <span class="faint">Its own figures${rule.overridden ? '; a policy of yours has others, for all resources or some' : ''}:</span></p>
    ${figures.length > 0 ? html`<${Pairs} pairs=${figures} label="Figures of the rule" />` : html`<p class="faint">It has no figures that could be others.</p>`}
    <p><a href=${hrefOf('what-if', { kind: 'rule', rule: id })}>What if it had other figures, or were off?</a></p>`
}

type Metric = Detail['metrics'][number]

function Used({ metric }: { metric: Metric }) {
  const { name, unit, windowDays, avg, p95, max, points } = metric
  const show = (value: number) => `${count(Math.round(value * 100) / 100)} ${unit === 'count' ? '' : unit}`.trim()
  return html`<p><strong>${wordsOf(name)}</strong>: mean ${show(avg)}, 95 of 100 at most ${show(p95)}, highest ${show(max)} <span class="faint">of ${windowDays} whole days</span></p>
    ${points.length > 1 && html`<${Chart} title=${`${wordsOf(name)}, ${unit}`} kind="lines" height=${120} periods=${points.map(({ t }) => t)} name=${(t: string) => dayShort(t.slice(0, 10))} series=${[{ label: wordsOf(name), values: points.map(({ v }) => v) }]} show=${show} showShort=${(value: number) => count(value)} />`}`
}

function Steps({ data: { remediationSteps } }: { data: Detail }) {
  return html`<ol class="steps">${remediationSteps.map(({ order, text, command }) => html`<li key=${order}><span dir="auto">${text}</span>${command && html`${' '}<${Copy} text=${command} label="Copy the command" />`}</li>`)}</ol>`
}

export function Resource({ data }: { data: Detail }) {
  const {
    resourceName,
    resourceUid,
    resourceType,
    provider,
    region,
    cloudAccountName,
    resourceTags = {},
    specs = {},
    consoleUrl,
  } = data
  const text = (value: string) => html`<span class="clip wide" dir="auto" title=${value}>${value || '–'}</span>`
  const tags = Object.entries(resourceTags).map(([key, value]) => `${key}=${value}`)
  const pairs: Pair[] = [
    ['Name', text(resourceName)],
    ['Id', text(resourceUid)],
    ['Type', `${resourceType}${region ? `, ${region}` : ''}`],
    ['Account', html`${text(cloudAccountName)}${' '}<span class="faint">${provider}</span>`],
    [
      'Tags',
      tags.length === 0
        ? 'none'
        : html`<span class="clip wide" dir="auto" title=${tags.join('\n')}>${tags.join(', ')}</span>`,
    ],
  ]
  const isSafe = consoleUrl.startsWith('https://')
  return html`<${Pairs} pairs=${pairs} label="The resource" />
    ${isSafe && html`<p><a href=${consoleUrl} target="_blank" rel="noreferrer noopener">Open it at ${provider} ↗</a></p>`}
    ${Object.keys(specs).length > 0 && html`<details><summary>All that is known of it</summary><${Pairs} pairs=${factsOf(specs)} label="All that is known of it" /></details>`}`
}
