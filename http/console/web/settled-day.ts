/** The last day whose costs are complete: what presets of views about costs end with. */
import { signal } from '@preact/signals'
import { today } from './day.ts'
import { useReport } from './report.ts'
import { may } from './session.ts'

const settledDay = signal<string | undefined>(undefined)

/** Today where no day is complete, or nobody says so. */
export const lastSettledDay = (): string => settledDay.value ?? today()

/** Keeps it up to date. @returns whether it is known: views wait for that, or they would be asked for twice */
export function useSettledDay(): boolean {
  const isAllowed = may('service.view')
  const { meta, problem } = useReport('GET /reports/providers/summary', {
    query: { from: today(), to: today() },
    on: ['costs.changed'],
    when: isAllowed,
  })
  settledDay.value = meta?.settledThrough ?? undefined
  return !isAllowed || meta !== undefined || problem !== undefined
}
