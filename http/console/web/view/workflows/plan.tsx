/** What was hashed for approval: what is carried out is this plan and no other. Says where one made now would be another. */
import { usd } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import { Pairs, type Pair } from '../../part/pairs.tsx'
import { valueText, wordsOf } from '../../part/value-text.ts'
import { Panel } from '../../part/panel.tsx'
import type { Report } from '../../report.ts'
import { Now, sightText, type Preview } from './current-plan.tsx'
import { templateText, type WorkflowJob } from './labels.ts'

const weekdays = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function Plan({ job, now }: { job: WorkflowJob; now: Report<Preview> | undefined }) {
  const { plan, planHash, template } = job
  const { resource, estimate, operations, targetSpec, instruction, windows, policies, fourEyes } = plan
  const pairs: Pair[] = [
    [
      'Resource',
      <>
        <Clip text={resource.name || resource.uid} title={resource.uid} size="wide" />{' '}
        <span class="faint">
          {resource.type}
          {resource.region && `, ${resource.region}`}
        </span>
      </>,
    ],
    ...(plan.was ? [['Planned state', sightText(plan.was)] as Pair] : []),
    [
      'Current cost',
      <>
        {usd(estimate.costUsd)} <span class="faint">per 30 days</span>
      </>,
    ],
    [
      'Estimated savings',
      <>
        {usd(estimate.savingsUsd)} <span class="faint">per 30 days</span>
      </>,
    ],
    ...operations.map(({ kind, size, specs }, at): Pair => [
      `Call ${at + 1}`,
      [kind, size && `to ${size}`, specs && setText(specs)].filter(Boolean).join(' '),
    ]),
    ...(targetSpec ? [['Target configuration', setText(targetSpec)] as Pair] : []),
    [
      'Change window',
      windows.length === 0
        ? 'any time the guardrail allows'
        : windows
            .map(
              ({ days, from, to, timezone }) =>
                `${days.map((day) => weekdays[day]).join(' ')} ${from}–${to} ${timezone}`,
            )
            .join('; '),
    ],
    ['Four eyes', fourEyes ? 'the person who started it cannot approve it' : 'not required'],
    ...(policies.length > 0 ? [['Added by', `${policies.length} of your policies`] as Pair] : []),
  ]
  return (
    <Panel title="Plan" about={template}>
      <p class="sentence" dir="auto">
        {plan.operation}
      </p>
      <p class="faint">{templateText[template]}</p>
      {instruction && <p dir="auto">{instruction}</p>}
      <Pairs pairs={pairs} label="Plan" />
      <p class="faint">
        Approval hash:{' '}
        <code class="hash" title="SHA-256 of the plan">
          {planHash}
        </code>
      </p>
      <Now job={job} now={now} />
    </Panel>
  )
}

const setText = (specs: Readonly<Record<string, unknown>>): string =>
  Object.entries(specs)
    .map(([name, value]) => `${wordsOf(name).toLowerCase()} ${valueText(value)}`)
    .join(', ')
