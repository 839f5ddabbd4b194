/** Looking whether what was to be is so: behind a call that the cloud has taken, and at the end. */
import type { WorkflowNeeds } from '#actors/workflow/needs.ts'
import { minuteMs } from '#engine/value/day.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { lookOperation } from './effect.ts'
import type { WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import { jobOf, remind, stepOf } from '#actors/workflow/tell.ts'

/** Milliseconds before each look; the last again and again. */
const looksMs = [2000, 5000, 10_000, 20_000, 40_000, 60_000] as const

const pauseOf = (looks: number): number => looksMs[Math.min(looks, looksMs.length - 1)]!

/** Milliseconds in which a call that the cloud has taken must be seen to be done. */
export const confirmMs = 15 * minuteMs

export const validationCall = ({ id }: Pick<WorkflowStep, 'id'>): string => `${id}/look`

/** What people do is said by them, or by the finding that is gone: only the time is set. */
export function beginLook(row: WorkflowJob, step: WorkflowStep, turn: Turn<WorkflowNeeds>): void {
  remind(row, 'limit', step.timeoutMinutes! * minuteMs, turn)
  row.looks = 0
  if (row.template !== 'manual') lookLater(row, turn)
}

export const lookLater = (row: WorkflowJob, turn: Turn<WorkflowNeeds>): void =>
  remind(row, 'look', pauseOf(row.looks), turn)

/** Looks once, and again later unless somebody has said that it is so. */
export function look(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)
  if (!step) return
  const index = row.ops.findIndex(({ state }) => state === 'running')
  if (index === -1 && step.kind !== 'validate') return
  row.looks += 1
  const call = index === -1 ? validationCall(step) : row.ops[index]!.call
  const key = `op/${turn.address.orgId}/${row.id}/${call}/look/${row.looks}`
  turn.call(lookOperation, key, { ...jobOf(row), call, index: index === -1 ? null : index })
  lookLater(row, turn)
}
