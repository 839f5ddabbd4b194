/** What was hashed for approval: what is carried out is this plan and no other. Says where one made now would be another. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { usd } from '../../figure.ts'
import { Pairs, valueText, wordsOf, type Pair } from '../../part/pairs.ts'
import { Panel } from '../../part/panel.ts'
import { useReport } from '../../report.ts'
import { isLive, templateText, type Job } from './words.ts'

type Preview = Reply<'GET /recommendations/:recID/workflow'>

const weekdays = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function Plan({ job }: { job: Job }) {
  const { plan, planHash, template } = job
  const { resource, estimate, operations, targetSpec, instruction, windows, policies, fourEyes } = plan
  const pairs: Pair[] = [
    [
      'Resource',
      html`<span class="clip wide" dir="auto" title=${resource.uid}>${resource.name || resource.uid}</span>${' '}<span class="faint">${resource.type}${resource.region && `, ${resource.region}`}</span>`,
    ],
    ['Costs now', html`${usd(estimate.costUsd)} <span class="faint">of 30 days</span>`],
    ['Would save', html`${usd(estimate.savingsUsd)} <span class="faint">of 30 days, estimated</span>`],
    ...operations.map(({ kind, size, specs }, at): Pair => [
      `Call ${at + 1}`,
      [kind, size && `to ${size}`, specs && setText(specs)].filter(Boolean).join(' '),
    ]),
    ...(targetSpec ? [['It would be', setText(targetSpec)] as Pair] : []),
    [
      'Made',
      windows.length === 0
        ? 'at any time that the guardrail allows'
        : windows
            .map(
              ({ days, from, to, timezone }) =>
                `${days.map((day) => weekdays[day]).join(' ')} ${from}–${to} ${timezone}`,
            )
            .join('; '),
    ],
    ['Four eyes', fourEyes ? 'whoever began it may not approve it' : 'not asked for'],
    ...(policies.length > 0 ? [['Added by', `${policies.length} of your policies`] as Pair] : []),
  ]
  return html`<${Panel} title="The plan" about=${template}>
    <p class="sentence" dir="auto">${plan.operation}</p>
    <p class="faint">${templateText[template]}</p>
    ${instruction && html`<p dir="auto">${instruction}</p>`}
    <${Pairs} pairs=${pairs} label="The plan" />
    <p class="faint">Hashed for approval: <code class="hash" title="SHA-256 of the plan">${planHash}</code></p>
    ${isLive(job.status) && html`<${Now} job=${job} />`}
  <//>`
}

const setText = (specs: Readonly<Record<string, unknown>>): string =>
  Object.entries(specs)
    .map(([name, value]) => `${wordsOf(name).toLowerCase()} ${valueText(value)}`)
    .join(', ')

/** Whether what is to be approved is what would be planned at this moment. */
function Now({ job }: { job: Job }) {
  const { data, problem } = useReport('GET /recommendations/:recID/workflow', {
    params: { recID: job.recommendationID },
    on: ['workflow.', 'recommendation.', 'inventory.'],
  })
  if (problem)
    return html`<p class="note bad" role="status">Whether it would still be planned so cannot be told: ${problem.message}</p>`
  if (!data) return null
  if (data.planHash === job.planHash)
    return html`<p class="note good" role="status">Unchanged: a plan made now has the same hash.</p>`
  return html`<p class="note bad" role="status">Changed since: a plan made now would be another one (<code class="hash">${data.planHash.slice(0, 12)}…</code>). ${differences(job, data)} Right before the call everything is looked at once more, and where it is not as planned nothing is done. Better reject it and begin anew.</p>`
}

function differences({ plan, template, steps }: Job, now: Preview): string {
  if (template !== now.template) return `It would be done by ${now.template} instead of ${template}.`
  if (plan.operation !== now.operation) return `Now it would say: ${now.operation}.`
  if (JSON.stringify(plan.targetSpec) !== JSON.stringify(now.targetSpec)) return 'It would make something else of it.'
  if (steps.map(({ id }) => id).join() !== now.steps.map(({ id }) => id).join())
    return 'Your policies ask for other steps by now.'
  return 'What would be done is the same; its figures, how the resource is, or what policies add are others.'
}
