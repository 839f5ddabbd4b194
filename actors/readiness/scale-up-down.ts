/** What a plan does at its scheduled times. */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { PlanDueKind, readinessDue } from '#streams/readiness.ts'
import { fail } from './end.ts'
import type { PlanTarget, ReadinessPlan } from './entity.ts'
import { forgetOwed, restoreAll, restoreDue } from './restore.ts'
import { raiseAll } from './target.ts'
import { move, remind, system } from './tell.ts'
import { windowOf } from './window.ts'

/**
 * Milliseconds within which policies must report progress or success; a policy gives up its own call after ten minutes.
 */
const raiseMs = 15 * 60_000

const isReserved = ({ status }: ReadinessPlan): boolean => status === 'scheduling' || status === 'scheduled'

/** Nothing is scaled up after the end of the event. */
const isOver = ({ eventEnd }: ReadinessPlan, turn: Turn): boolean => turn.now >= eventEnd

/** All policies have accepted. If the window is already open, the plan enters it at once. */
export function accept(row: ReadinessPlan, turn: Turn, actor: string): void {
  turn.forget('ack')
  if (row.status !== 'scheduling') return
  move(row, 'scheduled', 'All targets are reserved.', turn, actor)
  const { from } = windowOf(row)
  remind(row, 'up', new Date(Math.max(from.getTime(), turn.now.getTime())), turn)
}

export function goUp(row: ReadinessPlan, turn: Turn, actor = system): void {
  if (isOver(row, turn)) return pass(row, turn)
  move(row, 'scaling_up', 'The window before the event has started.', turn, actor)
  turn.forget('up')
  forgetOwed(row, turn)
  raiseAll(row, turn)
  awaitRaised(row, turn)
}

/** A policy that reports progress gets the same time again. */
export function awaitRaised(row: ReadinessPlan, turn: Turn): void {
  remind(row, 'ack', new Date(turn.now.getTime() + raiseMs), turn)
}

export function goDown(row: ReadinessPlan, turn: Turn, actor = system): void {
  move(row, 'scaling_down', 'The window after the event has ended.', turn, actor)
  turn.forget('down')
  restoreAll(row, turn)
}

const pass = (row: ReadinessPlan, turn: Turn): void =>
  fail(row, { reason: 'The window has passed: no target was scaled up.' }, turn)

function up(row: ReadinessPlan, turn: Turn): void {
  if (row.status === 'scheduled') goUp(row, turn)
  else if (row.status === 'scheduling' && isOver(row, turn)) pass(row, turn)
}

function down(row: ReadinessPlan, turn: Turn): void {
  if (row.status === 'active') return goDown(row, turn)
  if (isReserved(row)) return pass(row, turn)
  if (row.status !== 'scaling_up') return
  const late = row.targets.find(({ state }) => state !== 'raised')
  fail(row, { reason: 'Not all targets were scaled up before the window ended.', ...(late && { of: late }) }, turn)
}

/** Policies have not answered in time. */
function ack(row: ReadinessPlan, turn: Turn): void {
  const silent = (state: PlanTarget['state']) => row.targets.find((target) => target.state === state)
  const of = isReserved(row) ? silent('reserving') : row.status === 'scaling_up' ? silent('raising') : undefined
  if (!of) return
  const minutes = isReserved(row) ? 5 : 15
  fail(
    row,
    { reason: `Policy ${of.policyId} of target ${of.targetUid} did not respond within ${minutes} minutes.`, of },
    turn,
  )
}

const dueBy: Readonly<Record<Exclude<PlanDueKind, 'restore'>, (row: ReadinessPlan, turn: Turn) => void>> = {
  ack,
  up,
  down,
}

/** Ignores reminders from before a change, except those for targets that must be restored. */
export function due(row: ReadinessPlan, { what, revision }: Static<typeof readinessDue.schema>, turn: Turn): void {
  if (what === 'restore') return restoreDue(row, turn)
  if (row.deletedAt === null && row.revision === revision) dueBy[what](row, turn)
}
