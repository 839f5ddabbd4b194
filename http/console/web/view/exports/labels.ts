import type { Reply } from '../../api.ts'

export type ExportSchedule = Reply<'GET /export-schedules'>['items'][number]

export const runBadges = { running: 'warning', succeeded: 'good', failed: 'critical' } as const
export const runStatusText = { running: 'Running', succeeded: 'Succeeded', failed: 'Failed' } as const

export const timesText = ({ every, day, hour, timezone }: ExportSchedule): string =>
  `${every === 'day' ? 'Daily' : `Day ${day} of the month`} at ${String(hour).padStart(2, '0')}:00, ${timezone}`
