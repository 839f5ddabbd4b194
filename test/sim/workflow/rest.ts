/** What must be true of workflows once nothing has happened for forty days. */
import type { Power } from '#actors/action/entity.ts'
import type { Recommendation } from '#actors/recommendation/entity.ts'
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import type { Guard } from '#actors/workflow/guard/entity.ts'
import { isLive, type Checks, type Parked } from '#test/sim/workflow/checks.ts'
import type { JobRecord } from '#test/sim/workflow/record.ts'
import { replayed } from '#test/sim/workflow/replay.ts'
import { rowKey } from '#test/sim/workflow/state.ts'
import type { World } from '#test/sim/workflow/world.ts'

export function atRest(world: World, checks: Checks): void {
  const { lanes, ledger, plan } = world
  for (const { place, log, cursor, outbox } of lanes.values())
    if (cursor !== log.length || outbox.length > 0) world.broken(`${place} stands at ${cursor} of ${log.length}`)
  for (const job of ledger.jobs.values()) hasEnded(world, job)
  for (const parked of checks.parked) isTold(world, checks, parked)
  // What is halted for ever waits for ever, where it has begun.
  if (!plan.isHalted) isFree(world)
}

function isFree(world: World): void {
  const { state } = world
  for (const { key } of state.calls.values()) world.broken(`${key} is never made`)
  for (const { name, key, kind } of state.reminders.values())
    if (kind !== 'recommendation') world.broken(`a reminder is left: ${kind} ${key} ${name}`)
  const waiting = [...state.of<Recommendation>('recommendation').values()].filter(({ job }) => job && !job.isOver)
  for (const { id, job } of waiting) world.broken(`${id} waits for ${job!.id} still`)
  for (const [uid, { held, live, waiting: next }] of state.of<Power>('power'))
    if (held || live || next) world.broken(`${uid} is not let go of: ${JSON.stringify({ held, live, next })}`)
  const grants = [...state.of<Guard>('guard').values()].flatMap((guard) => guard.grants)
  for (const { jobId, isLive: stays } of grants) if (stays) world.broken(`the grant of ${jobId} is left`)
}

function hasEnded(world: World, job: JobRecord): void {
  const { state, plan } = world
  const { account, uid } = job.resource
  const row = state.of<WorkflowJob>('workflow').get(rowKey(account, job.id))!
  const mayWait = plan.isHalted && (job.effects.length > 0 || job.wasSo)
  if (isLive(row.status) && mayWait) return
  if (isLive(row.status)) world.broken(`${job.id} is ${row.status} for ever, at ${row.stepId}: ${row.reason}`)
  const wrong = replayed(
    row,
    state.facts.filter((line) => line['job_id'] === job.id),
  )
  if (wrong) world.broken(`${job.id}: ${wrong}`)
  if (row.status === 'succeeded' && !isHeard(world, job))
    world.broken(`${job.recommendationId} does not hear that ${job.id} has succeeded`)
  if (row.status === 'failed' && isHalfway(job)) world.broken(`${job.id} leaves ${uid} off`)
}

/** It was stopped for another size, which it has not got, and nobody was asked to start it again. */
function isHalfway({ effects, isTried, isUndone }: JobRecord): boolean {
  const has = (kind: string) => effects.some((one) => one.kind === kind)
  return isTried && has('stop') && !has('resize') && !isUndone
}

/** Where its recommendation was open when all was done: it is applied then, unless it was decided on or closed in between. */
function isHeard({ state }: World, { doneAt, recommendationId, resource }: JobRecord): boolean {
  if (doneAt === undefined) return true
  const { history } = state.of<Recommendation>('recommendation').get(rowKey(resource.account, recommendationId))!
  return history.some(({ event, createdAt }) => event !== 'viewed' && Date.parse(createdAt) >= doneAt)
}

/** Once each, and once more for each time that the call was made anew. */
function isTold(world: World, { mails }: Checks, { job, stepId, admins, moment }: Parked): void {
  for (const user of admins) {
    if (!world.plain.wasAlwaysAdmin(user, moment)) continue
    const key = ['remediation.approval_required', world.org, job, stepId, user].join('/')
    const [sent, tries] = [mails.get(key) ?? 0, world.triesOf(key)]
    if (sent === 0 && !world.givenUp.has(key)) world.broken(`${user} is not told of ${stepId} of ${job}`)
    if (sent > tries) world.broken(`${user} is told ${sent} times of ${stepId} of ${job}, in ${tries} tries`)
  }
}
