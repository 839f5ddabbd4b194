/**
 * The policy of domain `guardrail`, one for each organization: when workflows may change something, what they must not
 * touch, and how much at once.
 */
import type { PolicyDomain, SpecError } from '#actors/capability.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { environments } from '#streams/tagging.ts'
import { text } from '#streams/text.ts'
import { ChangeWindow } from '#streams/workflow.ts'
import { windowErrors } from './window.ts'

export const GuardrailSpec = t.Object({
  killSwitch: t.Optional(t.Boolean({ description: 'true: stops all changes; workflows wait' })),
  destructivePerHour: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'maximum changes in any 60 minutes, not counting starts; default 20',
    }),
  ),
  destructivePerDay: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'maximum changes in any 24 hours, not counting starts; default 100',
    }),
  ),
  monthlyCostTouchedUsd: t.Optional(
    t.Number({
      minimum: 0,
      description:
        'maximum 30-day cost, in US dollars, of all resources changed in any 30 days, not counting starts; default: no limit',
    }),
  ),
  groupSharePercent: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 100,
      description:
        'maximum share of the resources of a group changed in any 24 hours, not counting starts; at least one resource; default 25',
    }),
  ),
  concurrent: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'maximum workflows that make changes at the same time; default 5',
    }),
  ),
  protectedTags: t.Optional(
    t.Array(text({ minLength: 1, maxLength: 128 }), {
      maxItems: 50,
      description:
        'tag keys, case-insensitive; a resource with one of these tags can only be started, unless the value is false',
    }),
  ),
  protectedEnvs: t.Optional(
    t.Array(t.Enum(environments), { maxItems: 3, description: 'environments in which changes need two approvals' }),
  ),
  windows: t.Optional(
    t.Array(ChangeWindow, {
      maxItems: 20,
      description: 'changes are only allowed in one of these windows; empty: at any time',
    }),
  ),
  frozenUntil: t.Optional(t.String({ format: 'date-time', maxLength: 64, description: 'no changes before this time' })),
})
export type GuardrailSpec = Static<typeof GuardrailSpec>

type Open = 'monthlyCostTouchedUsd' | 'frozenUntil'
/** The guardrail with defaults filled in. */
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

/** The oldest enabled policy counts. */
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
    errors.push({ path: '/frozenUntil', code: 'format', message: 'is not a valid date and time' })
  return errors
}

const guardrailExample: GuardrailSpec = {
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
    'Limits when workflows may make changes, which resources they must not change and how much they change at a time. One per organization, only for owners and admins.',
  schema: GuardrailSpec,
  examples: [guardrailExample],
  max: 1,
  adminOnly: true,
  attrs: [],
  check: (spec: GuardrailSpec) => guardrailErrors(spec),
}
