/** Schedules in words. */
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'

type Schedules = Reply<'GET /schedules'>
export type Schedule = Schedules['items'][number]
export type Runs = Reply<'GET /schedules/:scheduleID/next-runs'>
export type ScheduleAction = Schedule['rules'][number]['action']

export const actionText: Readonly<Record<ScheduleAction, string>> = { start: 'Start', stop: 'Stop' }

/** 2 resources and 1 group. */
export function whatText({
  resourceUIDs,
  resourceGroupIDs,
}: Pick<Schedule, 'resourceUIDs' | 'resourceGroupIDs'>): string {
  const parts = [
    ...(resourceUIDs.length > 0 ? [pluralize(resourceUIDs.length, 'resource')] : []),
    ...(resourceGroupIDs.length > 0 ? [pluralize(resourceGroupIDs.length, 'group')] : []),
  ]
  return parts.length > 0 ? parts.join(' and ') : 'nothing yet'
}
