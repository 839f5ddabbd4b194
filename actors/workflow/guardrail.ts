/** The policy of domain `guardrail`, one an organization: when workflows may change something, what they leave alone, and how much at once. */
import type { PolicyDomain, SpecError } from '#actors/capability.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import { t, type Static } from '#engine/schema.ts'
import { environments } from '#streams/tagging.ts'
import { text } from '#streams/text.ts'
import { ChangeWindow } from '#streams/workflow.ts'
import { windowErrors } from './window.ts'

export const GuardrailSpec = t.Object({
  killSwitch: t.Optional(t.Boolean({ description: 'true: nothing is changed; workflows wait' })),
  destructivePerHour: t.Optional(
    t.Integer({ minimum: 1, maximum: 10_000, description: 'changes but starts in any 60 minutes; 20 unless given' }),
  ),
  destructivePerDay: t.Optional(
    t.Integer({ minimum: 1, maximum: 100_000, description: 'changes but starts in any 24 hours; 100 unless given' }),
  ),
  monthlyCostTouchedUsd: t.Optional(
    t.Number({
      minimum: 0,
      description: 'US dollars that what is changed but for starts in any 30 days costs in 30 days; left out: any',
    }),
  ),
  groupSharePercent: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 100,
      description: 'of the resources of a group, changed but for starts in any 24 hours, always one; 25 unless given',
    }),
  ),
  concurrent: t.Optional(
    t.Integer({ minimum: 1, maximum: 1000, description: 'workflows that change at a time; 5 unless given' }),
  ),
  protectedTags: t.Optional(
    t.Array(text({ minLength: 1, maxLength: 128 }), {
      maxItems: 50,
      description: 'keys, in any case: what has such a tag, with any value but false, is only started',
    }),
  ),
  protectedEnvs: t.Optional(
    t.Array(t.Enum(environments), { maxItems: 3, description: 'environments where a change needs two approvals' }),
  ),
  windows: t.Optional(
    t.Array(ChangeWindow, { maxItems: 20, description: 'changes are made within one of them; none: at any time' }),
  ),
  frozenUntil: t.Optional(t.String({ format: 'date-time', maxLength: 64, description: 'nothing is changed before' })),
})
export type GuardrailSpec = Static<typeof GuardrailSpec>

type Open = 'monthlyCostTouchedUsd' | 'frozenUntil'
/** What the guard goes by. */
export type Guardrail = Readonly<Required<Omit<GuardrailSpec, Open>> & Pick<GuardrailSpec, Open>>

export const guardrailDefaults: Guardrail = {
  killSwitch: false,
  destructivePerHour: 20,
  destructivePerDay: 100,
  groupSharePercent: 25,
  concurrent: 5,
  protectedTags: ['tidemark-protect', 'do-not-delete'],
  protectedEnvs: [],
  windows: [],
}

/** That of the oldest of the enabled policies. */
export const guardrailOf = ([first]: readonly PolicyRow[]): Guardrail => ({
  ...guardrailDefaults,
  ...(first?.spec as GuardrailSpec | undefined),
})

export function guardrailErrors(spec: GuardrailSpec): SpecError[] {
  const { destructivePerHour, destructivePerDay = guardrailDefaults.destructivePerDay, windows = [] } = spec
  const errors: SpecError[] = []
  if (destructivePerHour !== undefined && destructivePerHour > destructivePerDay)
    errors.push({
      path: '/destructivePerHour',
      code: 'maximum',
      message: `must be <= destructivePerDay, which is ${destructivePerDay}`,
    })
  errors.push(...windows.flatMap((window, i) => windowErrors(window, `/windows/${i}`)))
  if (spec.frozenUntil !== undefined && Number.isNaN(Date.parse(spec.frozenUntil)))
    errors.push({ path: '/frozenUntil', code: 'format', message: 'is no moment' })
  return errors
}

export const guardrailExample: GuardrailSpec = {
  destructivePerHour: 10,
  destructivePerDay: 40,
  monthlyCostTouchedUsd: 20_000,
  protectedTags: ['tidemark-protect', 'do-not-delete', 'legal-hold'],
  protectedEnvs: ['prod'],
  windows: [{ days: [1, 2, 3, 4], from: '20:00', to: '05:00', timezone: 'Europe/Berlin' }],
  frozenUntil: '2026-01-02T00:00:00Z',
}

export const guardrailDomain: PolicyDomain = {
  name: 'guardrail',
  summary:
    'Says when workflows may change something, what they leave alone and how much they change at a time; one, for owners and admins.',
  schema: GuardrailSpec,
  examples: [guardrailExample],
  max: 1,
  adminOnly: true,
  attrs: [],
  check: (spec: GuardrailSpec) => guardrailErrors(spec),
}
