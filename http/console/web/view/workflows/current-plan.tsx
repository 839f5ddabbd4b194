/** Whether what is to be approved is what would be planned at this moment, and what is another by now. */
import type { Reply } from '../../api.ts'
import { useEvery } from '../../part/polling.ts'
import { useReport, type Report } from '../../report.ts'
import { isLive, type WorkflowJob } from './labels.ts'

export type Preview = Reply<'GET /recommendations/:recID/workflow'>
type Change = NonNullable<Preview['underWay']>['changes'][number]

export const previewOperation = 'GET /recommendations/:recID/workflow'

/** Nobody is told of policies and of what others do to the resource: it is looked again, seconds. */
const lookSeconds = 10

/** From its first call on the resource is another one by its own doing. */
const isUncalled = ({ status, steps }: WorkflowJob): boolean =>
  isLive(status) &&
  steps.every(
    (step) =>
      (step.kind !== 'execute' && step.kind !== 'pause_service') ||
      step.status === 'pending' ||
      step.output?.['waitingFor'] !== undefined,
  )

export function useNow(job: WorkflowJob): Report<Preview> | undefined {
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
export const changesIn = (job: WorkflowJob, now: Preview | undefined): readonly Change[] | undefined =>
  now?.underWay?.jobID === job.id ? now.underWay.changes : undefined

/** Figures alone keep nobody from approving. */
export const isAnother = (changes: readonly Change[]): boolean => changes.some((one) => one !== 'figures')

export function Now({ job, now }: { job: WorkflowJob; now: Report<Preview> | undefined }) {
  if (!now) return null
  if (now.problem)
    return (
      <p class="note bad" role="status">
        Cannot check whether the plan is still current: {now.problem.message}
      </p>
    )
  const changes = changesIn(job, now.data)
  if (!changes) return null
  if (changes.length === 0)
    return (
      <p class="note good" role="status">
        Unchanged: a new plan {now.data!.planHash === job.planHash ? 'has the same hash' : 'would be the same'}.
      </p>
    )
  if (!isAnother(changes))
    return (
      <p class="note" role="status">
        The actions are the same; costs and savings have changed since.
      </p>
    )
  return (
    <p class="note bad" role="status">
      Changed: a new plan would be different (<code class="hash">{now.data!.planHash.slice(0, 12)}…</code>).{' '}
      <span dir="auto">{changes.map((one) => words[one](job, now.data!)).join(' ')}</span> Right before the call,
      everything is checked again, and nothing is done if it differs from the plan. We recommend rejecting it and
      starting again.
    </p>
  )
}

const words: Readonly<Record<Change, (job: WorkflowJob, now: Preview) => string>> = {
  template: ({ template }, now) => `It would use ${now.template} instead of ${template}.`,
  subject: () => 'Its name, type, location or evidence has changed.',
  resource: ({ plan }, now) => `It was ${sightText(plan.was)} and is now ${sightText(now.was)}.`,
  operations: ({ plan }, now) =>
    plan.operation === now.operation
      ? 'The target configuration has changed.'
      : `The operation is now: ${now.operation}.`,
  policies: () => 'Your policies now add different approvers, steps, four-eyes rule or hours.',
  figures: () => 'Its figures have changed.',
}

/** running, m5.large. */
export function sightText(sight: Preview['was']): string {
  if (!sight) return 'unknown'
  if (!sight.exists) return 'deleted'
  return [sight.status ?? 'present', sight.instanceType].filter(Boolean).join(', ')
}
