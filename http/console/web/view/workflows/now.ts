/** Whether what is to be approved is what would be planned at this moment, and what is another by now. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { useEvery } from '../../part/every.ts'
import { useReport, type Report } from '../../report.ts'
import { isLive, type Job } from './words.ts'

export type Preview = Reply<'GET /recommendations/:recID/workflow'>
type Change = NonNullable<Preview['underWay']>['changes'][number]

export const previewOperation = 'GET /recommendations/:recID/workflow'

/** Nobody is told of policies and of what others do to the resource: it is looked again, seconds. */
const lookSeconds = 10

/** From its first call on the resource is another one by its own doing. */
const isUncalled = ({ status, steps }: Job): boolean =>
  isLive(status) &&
  steps.every(
    (step) =>
      (step.kind !== 'execute' && step.kind !== 'pause_service') ||
      step.status === 'pending' ||
      step.output?.['waitingFor'] !== undefined,
  )

export function useNow(job: Job): Report<Preview> | undefined {
  const when = isUncalled(job)
  const report = useReport(previewOperation, {
    params: { recID: job.recommendationID },
    on: ['workflow.', 'recommendation.', 'inventory.'],
    when,
  })
  useEvery(lookSeconds, when, report.again)
  return when ? report : undefined
}

/** Of this workflow; undefined where it is not under way any more. */
export const changesIn = (job: Job, now: Preview | undefined): readonly Change[] | undefined =>
  now?.underWay?.jobID === job.id ? now.underWay.changes : undefined

/** Figures alone keep nobody from approving. */
export const isAnother = (changes: readonly Change[]): boolean => changes.some((one) => one !== 'figures')

export function Now({ job, now }: { job: Job; now: Report<Preview> | undefined }) {
  if (!now) return null
  if (now.problem)
    return html`<p class="note bad" role="status">Whether it would still be planned so cannot be told: ${now.problem.message}</p>`
  const changes = changesIn(job, now.data)
  if (!changes) return null
  if (changes.length === 0)
    return html`<p class="note good" role="status">Unchanged: a plan made now ${now.data!.planHash === job.planHash ? 'has the same hash' : 'would be the same'}.</p>`
  if (!isAnother(changes))
    return html`<p class="note" role="status">What would be done is the same; what it costs and would save has moved since.</p>`
  return html`<p class="note bad" role="status">Changed since: a plan made now would be another one (<code class="hash">${now.data!.planHash.slice(0, 12)}…</code>). <span dir="auto">${changes.map((one) => words[one](job, now.data!)).join(' ')}</span> Right before the call everything is looked at once more, and where it is not as planned nothing is done. Better reject it and begin anew.</p>`
}

const words: Readonly<Record<Change, (job: Job, now: Preview) => string>> = {
  template: ({ template }, now) => `It would be done by ${now.template} instead of ${template}.`,
  subject: () => 'Its name, type or place is another one, or what was found.',
  resource: ({ plan }, now) => `It was ${sightText(plan.was)}; now it is ${sightText(now.was)}.`,
  operations: ({ plan }, now) =>
    plan.operation === now.operation ? 'It would make something else of it.' : `Now it would say: ${now.operation}.`,
  policies: () => 'Your policies add something else to it by now: people, steps, four eyes or hours.',
  figures: () => 'Its figures have moved.',
}

/** running, m5.large. */
export function sightText(sight: Preview['was']): string {
  if (!sight) return 'not known'
  if (!sight.exists) return 'gone'
  return [sight.status ?? 'there', sight.instanceType].filter(Boolean).join(', ')
}
