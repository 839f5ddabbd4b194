/** What was hashed for approval: what is carried out is this plan and no other. Says where one made now would be another. */
import { html } from '../../html.ts'
import { usd } from '../../figure.ts'
import { Pairs, valueText, wordsOf, type Pair } from '../../part/pairs.ts'
import { Panel } from '../../part/panel.ts'
import type { Report } from '../../report.ts'
import { Now, sightText, type Preview } from './now.ts'
import { templateText, type Job } from './words.ts'

const weekdays = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function Plan({ job, now }: { job: Job; now: Report<Preview> | undefined }) {
  const { plan, planHash, template } = job
  const { resource, estimate, operations, targetSpec, instruction, windows, policies, fourEyes } = plan
  const pairs: Pair[] = [
    [
      'Resource',
      html`<span class="clip wide" dir="auto" title=${resource.uid}>${resource.name || resource.uid}</span>${' '}<span class="faint">${resource.type}${resource.region && `, ${resource.region}`}</span>`,
    ],
    ...(plan.was ? [['Planned for it being', sightText(plan.was)] as Pair] : []),
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
    <${Now} job=${job} now=${now} />
  <//>`
}

const setText = (specs: Readonly<Record<string, unknown>>): string =>
  Object.entries(specs)
    .map(([name, value]) => `${wordsOf(name).toLowerCase()} ${valueText(value)}`)
    .join(', ')
