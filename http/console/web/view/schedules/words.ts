/** Schedules in words. */
import type { Reply } from '../../api.ts'
import { counted } from '../../figure.ts'

export type Schedules = Reply<'GET /schedules'>
export type Schedule = Schedules['items'][number]
export type Runs = Reply<'GET /schedules/:scheduleID/next-runs'>
export type Action = Schedule['rules'][number]['action']

export const actionText: Readonly<Record<Action, string>> = { start: 'Start', stop: 'Stop' }

/** 2 resources and 1 group. */
export function whatText({
  resourceUIDs,
  resourceGroupIDs,
}: Pick<Schedule, 'resourceUIDs' | 'resourceGroupIDs'>): string {
  const parts = [
    ...(resourceUIDs.length > 0 ? [counted(resourceUIDs.length, 'resource')] : []),
    ...(resourceGroupIDs.length > 0 ? [counted(resourceGroupIDs.length, 'group')] : []),
  ]
  return parts.length > 0 ? parts.join(' and ') : 'nothing yet'
}
