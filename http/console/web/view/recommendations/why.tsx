/** Why it is believed: what was found, by which rule and figures, how the resource was used, and what to do. */
import { dayShort } from '../../day.ts'
import { count } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import { Chart } from '../../part/chart.tsx'
import { Copy } from '../../part/copy.tsx'
import { factText } from './fact-text.ts'
import { Pairs, type Pair } from '../../part/pairs.tsx'
import { wordsOf } from '../../part/value-text.ts'
import { Panel } from '../../part/panel.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { Detail } from './labels.ts'

/** Said elsewhere in words. */
const saidElsewhere = ['factsAt', 'savingBasis', 'possibleSavingUsd', 'prices']

const factsOf = (facts: Readonly<Record<string, unknown>>): Pair[] =>
  Object.entries(facts)
    .filter(([name]) => !saidElsewhere.includes(name))
    .map(([name, value]) => {
      const [title, text] = factText(name, value)
      return [title, <Clip key={name} text={text} />]
    })

export function Why({ data }: { data: Detail }) {
  const { description, evidence, titleParams, targetSpec } = data
  return (
    <>
      <Panel title="Why" about={data.ruleId}>
        <p class="sentence" dir="auto">
          {description}
        </p>
        {titleParams && titleParams.to !== '' && (
          <p>
            From <strong>{titleParams.from || 'current'}</strong> to <strong>{titleParams.to}</strong>
          </p>
        )}
        <h3>Evidence</h3>
        <Pairs pairs={factsOf(evidence)} label="Evidence" />
        <Rule id={data.ruleId} />
        {data.metrics.length > 0 && (
          <>
            <h3>Usage</h3>
            {data.metrics.map((metric) => (
              <UsageMetric key={metric.name} metric={metric} />
            ))}
          </>
        )}
      </Panel>
      <Panel title="Remediation">
        <Steps data={data} />
        {targetSpec && (
          <>
            <h3>Target configuration</h3>
            <Pairs pairs={factsOf(targetSpec)} label="Target configuration" />
          </>
        )}
      </Panel>
    </>
  )
}

/** Its thresholds, as a policy of the organization may have them otherwise. */
function Rule({ id }: { id: string }) {
  const { data } = useReport('GET /recommendations/rule-catalog', { query: { search: id, size: 10 } })
  const rule = data?.items.find(({ ruleId }) => ruleId === id)
  if (!rule) return null
  const figures = Object.entries(rule.params).map(([name, value]): Pair => factText(name, value))
  return (
    <>
      <h3>Rule</h3>
      <p>
        {rule.title}.{' '}
        <span class="faint">
          Default parameters{rule.overridden ? '; one of your policies overrides them for some or all resources' : ''}:
        </span>
      </p>
      {rule.reach !== 'real' && (
        <p class="faint">It cannot fire on connected accounts yet: it reads {rule.reachMissing.join(', ')}.</p>
      )}
      {figures.length > 0 ? (
        <Pairs pairs={figures} label="Rule parameters" />
      ) : (
        <p class="faint">It has no adjustable parameters.</p>
      )}
      <p>
        <a href={hrefOf('what-if', { kind: 'rule', rule: id })}>What-if: other parameters, or disabled</a>
      </p>
    </>
  )
}

type Metric = Detail['metrics'][number]

function UsageMetric({ metric }: { metric: Metric }) {
  const { name, unit, windowDays, avg, p95, max, points } = metric
  const show = (value: number) => `${count(Math.round(value * 100) / 100)} ${unit === 'count' ? '' : unit}`.trim()
  return (
    <>
      <p>
        <strong>{wordsOf(name)}</strong>: mean {show(avg)}, p95 {show(p95)}, max {show(max)}{' '}
        <span class="faint">over {windowDays} full days</span>
      </p>
      {points.length > 1 && (
        <Chart
          title={`${wordsOf(name)}, ${unit}`}
          kind="lines"
          height={120}
          periods={points.map(({ t }) => t)}
          name={(t: string) => dayShort(t.slice(0, 10))}
          series={[{ label: wordsOf(name), values: points.map(({ v }) => v) }]}
          show={show}
          showShort={(value: number) => count(value)}
        />
      )}
    </>
  )
}

function Steps({ data: { remediationSteps } }: { data: Detail }) {
  return (
    <ol class="steps">
      {remediationSteps.map(({ order, text, command }) => (
        <li key={order}>
          <span dir="auto">{text}</span>
          {command && (
            <>
              {' '}
              <Copy text={command} label="Copy command" />
            </>
          )}
        </li>
      ))}
    </ol>
  )
}

export function ResourceOverview({ data }: { data: Detail }) {
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
  const text = (value: string) => <Clip text={value || '–'} title={value} size="wide" />
  const tags = Object.entries(resourceTags).map(([key, value]) => `${key}=${value}`)
  const allTags = tags.length === 0 ? 'none' : <Clip text={tags.join(', ')} title={tags.join('\n')} size="wide" />
  const pairs: Pair[] = [
    ['Name', text(resourceName)],
    ['ID', text(resourceUid)],
    ['Type', `${resourceType}${region ? `, ${region}` : ''}`],
    [
      'Account',
      <>
        {text(cloudAccountName)} <span class="faint">{provider}</span>
      </>,
    ],
    ['Tags', allTags],
  ]
  const isSafe = consoleUrl.startsWith('https://')
  return (
    <>
      <Pairs pairs={pairs} label="Resource" />
      {isSafe && (
        <p>
          <a href={consoleUrl} target="_blank" rel="noreferrer noopener">
            Open in {provider} ↗
          </a>
        </p>
      )}
      {Object.keys(specs).length > 0 && (
        <details>
          <summary>All details</summary>
          <Pairs pairs={factsOf(specs)} label="All details" />
        </details>
      )}
    </>
  )
}
