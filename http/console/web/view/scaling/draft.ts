/** What is typed of a policy, and the body that it becomes: figures stay text until then. */
import { numberOf } from '../../figure.ts'
import type { Mode, Policy } from './labels.ts'

export interface TriggerDraft {
  preset: string
  timezone: string
  /** `mon tue`, or empty for those of the preset. */
  days: string
  start: string
  end: string
  minCapacity: string
}

export interface PolicyDraft {
  name: string
  mode: Mode
  cloudAccountID: string
  type: string
  uid: string
  min: string
  max: string
  targetCPUPercent: string
  cooldownSeconds: string
  up: string
  down: string
  maxHourlyUSD: string
  adoption: string
  triggers: TriggerDraft[]
}

const textOf = (value: number | string | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)
const dayNames = ['', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

const fresh: PolicyDraft = {
  name: '',
  mode: 'monitor',
  cloudAccountID: '',
  type: '',
  uid: '',
  min: '1',
  max: '4',
  targetCPUPercent: '60',
  cooldownSeconds: '300',
  up: '',
  down: '',
  maxHourlyUSD: '',
  adoption: '',
  triggers: [],
}

const draftOf = ({ name, mode, cloudAccountID, target, step, triggers, ...rest }: Policy): PolicyDraft => ({
  name,
  mode,
  cloudAccountID,
  type: target.type,
  uid: target.uid,
  min: textOf(rest.min),
  max: textOf(rest.max),
  targetCPUPercent: textOf(rest.targetCPUPercent),
  cooldownSeconds: textOf(rest.cooldownSeconds),
  up: textOf(step?.up),
  down: textOf(step?.down),
  maxHourlyUSD: textOf(rest.maxHourlyUSD),
  adoption: textOf(rest.adoption),
  triggers: triggers.map(({ preset, timezone, days = [], start = '', end = '', minCapacity }) => ({
    preset,
    timezone,
    days: days.map((day) => dayNames[day]).join(' '),
    start,
    end,
    minCapacity: textOf(minCapacity),
  })),
})

export const startDraft = (policy: Policy | undefined): PolicyDraft => (policy ? draftOf(policy) : fresh)

const triggerOf = ({ preset, timezone, days, start, end, minCapacity }: TriggerDraft) => ({
  preset,
  timezone,
  ...(days.trim() !== '' && { days: days.trim().split(/[\s,]+/) }),
  ...(start !== '' && { start }),
  ...(end !== '' && { end }),
  ...(minCapacity !== '' && { minCapacity: numberOf(minCapacity) }),
})

export function bodyOf(draft: PolicyDraft, isNew: boolean) {
  const { name, mode, cloudAccountID, type, uid, up, down, maxHourlyUSD, adoption, triggers } = draft
  const step = { ...(up !== '' && { up: numberOf(up) }), ...(down !== '' && { down: numberOf(down) }) }
  return {
    name,
    ...(isNew && { mode, cloudAccountID, target: { type, uid } }),
    min: numberOf(draft.min),
    max: numberOf(draft.max),
    targetCPUPercent: numberOf(draft.targetCPUPercent),
    cooldownSeconds: numberOf(draft.cooldownSeconds),
    triggers: triggers.map(triggerOf),
    adoption: adoption === '' ? null : adoption,
    step: Object.keys(step).length > 0 ? step : null,
    maxHourlyUSD: maxHourlyUSD === '' ? null : numberOf(maxHourlyUSD),
  }
}
