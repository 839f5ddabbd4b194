/** What must be true of workflows at every commit, and when all is at rest. */
import type { Recommendation } from '#actors/recommendation/entity.ts'
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import { actionWanted } from '#streams/action/messages.ts'
import {
  guardAnswered,
  liveStatuses,
  workflowCancelled,
  workflowDecided,
  type WorkflowStatus,
} from '#streams/workflow.ts'
import { demanded } from '#test/sim/workflow/gate.ts'
import type { Batch } from '#test/sim/workflow/owner.ts'
import { dayMs, hourMs } from '#test/sim/workflow/plan.ts'
import type { JobRecord } from '#test/sim/workflow/record.ts'
import { rowKey, type Answer, type Entry, type Taken } from '#test/sim/workflow/state.ts'
import type { World } from '#test/sim/workflow/world.ts'

export const isLive = (status: WorkflowStatus): boolean => liveStatuses.some((live) => live === status)

/** What nobody asked for by himself may come to nothing: that is no dead letter. */
const allowed: readonly string[] = []

/** A step that waits, and who may approve it. */
export interface Parked {
  job: string
  stepId: string
  admins: string[]
  moment: number
}

export class Checks {
  private readonly world: World
  /** Mails by the key of their call. */
  readonly mails = new Map<string, number>()
  /** Steps that waited for somebody, and who could have approved from then on. */
  readonly parked: Parked[] = []

  constructor(world: World) {
    this.world = world
  }

  mailed(key: string): void {
    this.mails.set(key, (this.mails.get(key) ?? 0) + 1)
  }

  /** What was decided is so from now on. */
  committed(batch: Batch): void {
    const moment = ++this.world.plain.moment
    for (const taken of batch.taken) {
      for (const { fault, message } of taken.outcome.refused)
        if (!batch.entries.find((entry) => entry.message === message)?.answered && !allowed.includes(fault.code))
          this.world.broken(`${message.subject.name} is set aside: ${fault.stack}`)
      if (taken.kind === 'workflow') this.workflow(batch, taken, moment)
      if (taken.kind === 'guard') this.guard(batch, taken)
    }
    this.oneEach()
  }

  private workflow(batch: Batch, taken: Taken, moment: number): void {
    const { world } = this
    const row = taken.outcome.state as unknown as WorkflowJob
    if (row.createdAt.getTime() === 0) return
    const job = world.ledger.jobs.get(row.id) ?? this.begun(batch, row)
    for (const entry of batch.entries) this.decided(batch, entry, job, moment)
    const isSo = ({ message: { envelope } }: Entry) =>
      (envelope.data as { jobId?: string; isSo?: boolean }).isSo &&
      (envelope.data as { jobId?: string }).jobId === row.id
    job.wasSo ||= batch.entries.some(isSo)
    for (const { body } of taken.outcome.outbox) {
      const { type, data } = JSON.parse(body) as { type: string; data: any }
      if (type !== actionWanted.name) continue
      world.ledger.wanted(data as Static<typeof actionWanted.schema>)
      if ((data.source.workflow.call as string).includes('/undo/')) job.isUndone = true
      if (data.action === 'stop') job.isHeld = true
    }
    this.moved(job, row, { moment, since: batch.since })
  }

  /** As people are shown it from now on. */
  private begun({ since }: Batch, row: WorkflowJob): JobRecord {
    const { world } = this
    const { plain } = world
    const resource = world.resourceOf(row.resourceUid)
    const shown = row.steps
      .filter(({ kind }) => kind === 'approval')
      .map(({ id, approvals, expiresHours }) => ({ stepId: id, people: approvals, hours: expiresHours }))
    const must = plain.policiesBetween(since, plain.moment).map((policies) => demanded(plain, policies, resource))
    const is = must.find(({ gates, fourEyes }) => sameData(gates, shown) && fourEyes === row.plan.fourEyes)
    if (!is) world.broken(`${row.id} has the gates ${JSON.stringify(shown)}, not ${JSON.stringify(must)}`)
    const kinds = row.plan.ops.map(({ kind }) => kind).join()
    const { ops } = resource.draft
    if (kinds !== ops.join() && resource.draft.template !== 'resize') world.broken(`${row.id} would ${kinds}`)
    return world.ledger.begun(row, resource, must[0]!.gates, must[0]!.fourEyes)
  }

  private decided(batch: Batch, { message, answered }: Entry, job: JobRecord, moment: number): void {
    const data = message.envelope.data as Record<string, string>
    if (data['jobId'] !== job.id || !isAccepted(batch, message.envelope.id)) return
    const { name } = message.subject
    if (name === workflowCancelled.name || (name === workflowDecided.name && data['verdict'] === 'reject')) {
      if (answered || isLive(job.status)) job.stopped = Math.min(job.stopped, moment)
    } else if (name === workflowDecided.name) {
      const stepId = data['stepId'] ?? job.steps.find((step) => step.name === data['stepName'])!.id
      job.approvals.push({ moment, at: message.log.at, user: data['userId']!, stepId })
    }
  }

  private moved(job: JobRecord, row: WorkflowJob, { moment, since }: { moment: number; since: number }): void {
    const { status } = row
    const step = row.steps.find(({ id }) => id === row.stepId)
    if (status === 'awaiting_user' && step && !this.parked.some((one) => one.job === row.id && one.stepId === step.id))
      this.park(row, step.id, since)
    if (status === 'running' && row.stepId === null) this.settles(job, row)
    if (!isLive(job.status) && status !== job.status) this.world.broken(`${row.id} was ${job.status} and is ${status}`)
    if (!isLive(job.status) || isLive(status)) return void (job.status = status)
    job.status = status
    job.stopped = Math.min(job.stopped, moment)
    if (status === 'succeeded') this.isSo(job, row)
  }

  /** All is done, and about to be told. */
  private settles(job: JobRecord, { updatedAt }: WorkflowJob): void {
    const { state } = this.world
    const { account } = job.resource
    const row = state.of<Recommendation>('recommendation').get(rowKey(account, job.recommendationId))
    if (row?.status === 'open') job.doneAt ??= updatedAt.getTime()
  }

  private park(row: WorkflowJob, stepId: string, moment: number): void {
    const { plain } = this.world
    this.parked.push({ job: row.id, stepId, admins: plain.admins.map(({ id }) => id), moment })
    this.world.waits(row)
  }

  /** What has succeeded is so at the far side, or was so before. */
  private isSo(job: JobRecord, row: WorkflowJob): void {
    const { world } = this
    const { resource, plan } = job
    const wasSo = row.steps[0]!.output?.['alreadyInTarget'] === true
    const { template } = resource.draft
    if (wasSo || job.wasBlind || template === 'manual') return
    if (template === 'schedule') {
      if (!world.plain.schedules.has(resource.uid)) world.broken(`${job.id} has succeeded without a schedule`)
    } else if (!world.sights.wasSo(resource.uid, plan.target))
      world.broken(`${job.id} has succeeded, and nothing is as it was to be`)
  }

  private oneEach(): void {
    const seen = new Set<string>()
    for (const { id, recommendationId } of this.world.ledger.live()) {
      if (seen.has(recommendationId)) this.world.broken(`${id} is the second workflow of its recommendation`)
      seen.add(recommendationId)
    }
  }

  /** What the guard lets go on keeps within what was allowed at some moment since it read that. */
  private guard(batch: Batch, { outcome }: Taken): void {
    const { world } = this
    for (const { body } of outcome.outbox) {
      const { type, data, time } = JSON.parse(body) as { type: string; data: any; time: string }
      if (type !== guardAnswered.name || data.answer !== 'yes') continue
      const job = world.ledger.jobs.get(data.jobId as string)
      if (!job) return world.broken(`${data.jobId as string} is let do something before it has begun`)
      // Asked twice it says the same twice.
      if (job.grant?.n !== data.n) this.granted(job, { at: Date.parse(time), n: data.n as number }, batch.since)
    }
  }

  private granted(job: JobRecord, { at, n }: { at: number; n: number }, since: number): void {
    const { world } = this
    const { plain } = world
    const others = [...world.ledger.jobs.values()].filter((one) => one !== job && one.grant)
    const live = others.filter(({ status }) => isLive(status))
    const within = (ms: number) => others.filter(({ grant }) => grant!.at > at - ms).length
    const allowed = plain.policiesBetween(since, plain.moment).map((policies) => plain.guardrail(policies))
    // What goes on is one of those that are live, and what has begun has been counted.
    const isCounted = job.grant !== undefined && (job.effects.length > 0 || job.wasSo)
    const isAllowed = allowed.some(
      (limits) =>
        !limits.killSwitch &&
        (limits.frozenUntil === undefined || Date.parse(limits.frozenUntil) <= at) &&
        (job.grant !== undefined || live.length < limits.concurrent) &&
        (isCounted ||
          (within(hourMs) < limits.destructivePerHour &&
            within(dayMs) < limits.destructivePerDay &&
            100 * (within(30 * dayMs) + 1) <= (limits.monthlyCostTouchedUsd ?? Infinity))),
    )
    if (!isAllowed)
      world.broken(
        `${job.id} is let go on with ${live.length} others, ${within(hourMs)} in an hour, ${within(dayMs)} in a day`,
      )
    if (plain.isProtected(job.resource.uid, since)) world.broken(`${job.id} is let change what is protected`)
    if (job.plan.windows.length > 0 && isDaytime(at)) world.broken(`${job.id} is let go on outside its window`)
    const other = live.find(({ resource }) => resource.uid === job.resource.uid)
    if (other) world.broken(`${job.id} is let go on beside ${other.id}, of the same resource`)
    job.grant = { moment: ++plain.moment, at, n }
  }
}

/** All windows are of the night. */
const isDaytime = (at: number): boolean => new Date(at).getUTCHours() >= 6 && new Date(at).getUTCHours() < 20

function isAccepted({ taken, inbox }: Batch, id: string): boolean {
  const answer: Answer | undefined = inbox.get(id)
  return (
    answer?.ok === true && taken.some(({ outcome }) => [...outcome.replies.keys()].some((m) => m.envelope.id === id))
  )
}
