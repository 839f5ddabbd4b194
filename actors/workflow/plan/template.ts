/**
 * The steps of workflows, as data. Ids never change: a job keeps the steps it started with, even if its template
 * changes.
 */
import type { StepKind, TemplateName } from '#streams/workflow.ts'

export interface TemplateStep {
  /** Unique in its template, and the same in all its revisions. */
  id: string
  /** Unique in its template; the older routes identify steps by it. */
  name: string
  kind: StepKind
  /** For an approval: number of different people who must approve. Below: how many hours it waits for them. */
  approvals?: number
  expiresHours?: number
  /** For a validation: minutes within which the target must be observed. */
  timeoutMinutes?: number
  /** Whether the effect of the step can be undone. */
  reversible: boolean
}

export interface Template {
  id: TemplateName
  revision: number
  steps: readonly TemplateStep[]
}

/** Default hours for which an approval waits. */
export const expiresHoursDefault = 168
/** Default minutes within which the target must be observed. */
const timeoutMinutesDefault = 15
export const stepsMax = 12

const stepDefaults = { reversible: true } as const

const precondition = (id: TemplateName): TemplateStep => ({
  id: `${id}/precondition/1`,
  name: 'precondition',
  kind: 'precondition',
  ...stepDefaults,
})
const approval = (id: TemplateName): TemplateStep => ({
  id: `${id}/approve/1`,
  name: 'approval',
  kind: 'approval',
  approvals: 1,
  expiresHours: expiresHoursDefault,
  ...stepDefaults,
})
const validate = (id: TemplateName, timeoutMinutes = timeoutMinutesDefault): TemplateStep => ({
  id: `${id}/validate/1`,
  name: 'validate',
  kind: 'validate',
  timeoutMinutes,
  ...stepDefaults,
})
const execute = (id: TemplateName, reversible = true): TemplateStep => ({
  id: `${id}/execute/1`,
  name: 'execute',
  kind: 'execute',
  reversible,
})
const pauseService: TemplateStep = {
  id: 'pause/pause_service/1',
  name: 'pause_service',
  kind: 'pause_service',
  ...stepDefaults,
}

const addGates = (id: TemplateName, done: TemplateStep): readonly TemplateStep[] => [
  precondition(id),
  approval(id),
  done,
  validate(id),
]

/** Minutes within which manual work must be observed. */
const manualMinutes = 30 * 24 * 60

/** Everything except a start needs an approval (decision G-71). */
export const templates: Readonly<Record<TemplateName, Template>> = {
  start: {
    id: 'start',
    revision: 1,
    steps: [precondition('start'), execute('start'), validate('start')],
  },
  stop: { id: 'stop', revision: 1, steps: addGates('stop', execute('stop')) },
  resize: { id: 'resize', revision: 1, steps: addGates('resize', execute('resize')) },
  set: { id: 'set', revision: 1, steps: addGates('set', execute('set')) },
  delete: { id: 'delete', revision: 1, steps: addGates('delete', execute('delete', false)) },
  pause: { id: 'pause', revision: 1, steps: addGates('pause', pauseService) },
  schedule: { id: 'schedule', revision: 1, steps: addGates('schedule', execute('schedule')) },
  manual: {
    id: 'manual',
    revision: 1,
    steps: [precondition('manual'), approval('manual'), validate('manual', manualMinutes)],
  },
}
