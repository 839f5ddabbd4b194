/** Autoscaler policies in requests and responses (decision G-75). */
import { cooldownDefault } from '#actors/autoscaling/policy/smart-default.ts'
import type { PolicyRow } from '#actors/autoscaling/row.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { createExample, policyExample, exampleIds } from '#http/autoscaling/example.ts'
import { Name, orNull, ProviderName, Timestamp } from '#http/edge/parameter/field.ts'
import { ResourceUid } from '#streams/attribution.ts'
import {
  adoptions,
  autoscalerModes,
  autoscalerStatuses,
  triggerPresets,
  triggersMax,
  unitsMax,
  type AutoscalerTerms,
  type Trigger as TriggerTerms,
} from '#streams/autoscaling.ts'
import { realName } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const units = t.Integer({ minimum: 0, maximum: unitsMax })
const clock = text({
  minLength: 5,
  maxLength: 5,
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
  description: "HH:MM in the trigger's time zone",
})

/** Names in the API; 1 is Monday. */
const dayNames = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const writings = dayNames.flatMap((name) => [name, name[0]!.toUpperCase() + name.slice(1), name.toUpperCase()])
const Day = t.Union([t.Integer({ minimum: 1, maximum: 7 }), t.Enum(writings)])

const Trigger = t.Object({
  preset: t.Enum(triggerPresets, {
    description:
      'business-hours (Monday to Friday, 08:00 to 18:00) and peak-hours (start to end) raise the minimum to minCapacity, ' +
      'default half of min plus max; weekend-scale-down lowers it to minCapacity, default half of min, at least 1',
  }),
  timezone: text({ minLength: 1, maxLength: 64, description: 'IANA time zone, such as Europe/Berlin' }),
  days: t.Optional(
    t.Array(Day, {
      minItems: 1,
      maxItems: 7,
      description: '1 (Monday) to 7, or mon to sun; default as in the preset',
    }),
  ),
  start: t.Optional(clock),
  end: t.Optional(clock),
  minCapacity: t.Optional(t.Integer({ minimum: 0, maximum: unitsMax, description: 'the minimum during its hours' })),
})
type Trigger = Static<typeof Trigger>

const step = t.Integer({ minimum: 1, maximum: unitsMax })

/** The terms of a policy, without its name, mode and target. */
export const members = {
  min: units,
  max: t.Integer({ minimum: 1, maximum: unitsMax, description: 'at least min' }),
  targetCPUPercent: t.Number({ minimum: 10, maximum: 90, description: 'within a tenth of this value nothing changes' }),
  cooldownSeconds: t.Integer({
    minimum: 0,
    maximum: 86_400,
    default: cooldownDefault,
    description: `between two load-based changes; default ${cooldownDefault}`,
  }),
  triggers: t.Array(Trigger, {
    maxItems: triggersMax,
    description: 'if several triggers raise the minimum, the highest wins; raising wins over lowering',
  }),
  adoption: orNull(
    t.Enum(adoptions, {
      description:
        "adopt keeps the target's own scaling policies and changes only its bounds; replace removes them with the first change",
    }),
  ),
  step: orNull(
    t.Object(
      { up: t.Optional(step), down: t.Optional(step) },
      { description: 'maximum number of units that one load-based change adds or removes; default unlimited' },
    ),
  ),
  maxHourlyUSD: orNull(
    t.Number({
      exclusiveMinimum: 0,
      maximum: 1e9,
      description:
        'maximum hourly cost of the units in US dollars, where their price is known; the minimum takes precedence',
    }),
  ),
}

export const Target = t.Object({
  type: text({
    minLength: 1,
    maxLength: 256,
    description:
      'aws-asg, aws-ecs-service, gcp-mig, azure-vmss, azure-databricks-instance-pool, or any other <provider>-<kind>; as in ' +
      'the inventory if it has the target',
  }),
  uid: ResourceUid,
})

export const CreateBody = t.Object(
  {
    name: Name,
    mode: t.Enum(autoscalerModes, {
      description:
        'monitor only reports what it would do, recommend waits for apply, autopilot applies changes; limited by the permissions of the credentials',
    }),
    cloudAccountID: text({ minLength: 1, maxLength: 1024, description: 'the account that owns the target' }),
    target: Target,
    min: members.min,
    max: members.max,
    targetCPUPercent: members.targetCPUPercent,
    cooldownSeconds: t.Optional(members.cooldownSeconds),
    triggers: t.Optional(members.triggers),
    adoption: t.Optional(members.adoption),
    step: t.Optional(members.step),
    maxHourlyUSD: t.Optional(members.maxHourlyUSD),
  },
  { examples: [createExample] },
)

export const PutBody = t.Object(
  {
    name: t.Optional(Name),
    mode: t.Optional(t.Enum(autoscalerModes, { description: 'ignored: the mode of a policy cannot be changed' })),
    min: t.Optional(members.min),
    max: t.Optional(members.max),
    targetCPUPercent: t.Optional(members.targetCPUPercent),
    cooldownSeconds: t.Optional(members.cooldownSeconds),
    triggers: t.Optional(members.triggers),
    adoption: t.Optional(members.adoption),
    step: t.Optional(members.step),
    maxHourlyUSD: t.Optional(members.maxHourlyUSD),
  },
  { examples: [{ min: 3, max: 12, cooldownSeconds: 600 }] },
)

const PolicyView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    mode: t.Enum(autoscalerModes, { description: 'the requested mode' }),
    effectiveMode: t.Enum(autoscalerModes, { description: "the mode that the account's credentials allow" }),
    status: t.Enum(autoscalerStatuses),
    statusReason: t.Optional(t.String({ description: 'reason for the status' })),
    cloudAccountID: t.String(),
    provider: ProviderName,
    target: t.Object({ type: t.String(), uid: t.String() }),
    min: t.Integer(),
    max: t.Integer(),
    targetCPUPercent: t.Number(),
    cooldownSeconds: t.Integer(),
    triggers: t.Array(
      t.Object({
        preset: t.Enum(triggerPresets),
        timezone: t.String(),
        days: t.Optional(t.Array(t.Integer({ description: '1 is Monday' }))),
        start: t.Optional(t.String()),
        end: t.Optional(t.String()),
        minCapacity: t.Optional(t.Integer()),
      }),
    ),
    adoption: orNull(t.Enum(adoptions)),
    step: t.Optional(t.Object({ up: t.Optional(t.Integer()), down: t.Optional(t.Integer()) })),
    maxHourlyUSD: t.Optional(t.Number()),
    latestRecommendation: t.Optional(
      t.Object(
        {
          id: t.String(),
          fromMin: t.Integer(),
          fromMax: t.Integer(),
          toMin: t.Integer(),
          toMax: t.Integer(),
          reason: t.String(),
          createdAt: Timestamp,
        },
        { description: 'the open recommendation; absent if no change is recommended' },
      ),
    ),
    currentTarget: t.Object(
      {
        min: t.Integer(),
        max: t.Integer(),
        desired: t.Integer(),
        cpuPercent: orNull(t.Number({ description: 'mean of the five minutes before observedAt' })),
        observedAt: Timestamp,
      },
      { description: "last known state of the target; the policy's bounds until the cloud has reported its own" },
    ),
    lastWriteAt: t.Optional(t.String({ format: 'date-time', description: 'when the latest change was decided' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    removedAt: t.Optional(t.String({ format: 'date-time', description: 'only for removed policies' })),
  },
  { title: 'AutoscalerPolicy', examples: [policyExample] },
)
export { PolicyView as Policy }

export const policyParams = t.Object({
  policyID: t.String({ description: 'as in GET /autoscaler-policies', examples: [exampleIds.policy] }),
})

const iso = (at: string): string => new Date(at).toISOString()

/** A policy as every endpoint shows it. */
export const show = (orgID: string, row: PolicyRow): Static<typeof PolicyView> => ({
  id: row.policy_id,
  orgID,
  name: row.name,
  mode: row.mode,
  effectiveMode: row.effective_mode,
  status: row.status,
  ...(row.status_reason && { statusReason: row.status_reason }),
  cloudAccountID: row.cloud_account_id,
  provider: row.provider,
  target: { type: row.target_type, uid: row.target_uid },
  min: row.min,
  max: row.max,
  targetCPUPercent: row.target_cpu_percent,
  cooldownSeconds: row.cooldown_seconds,
  triggers: row.triggers,
  adoption: row.adoption,
  ...(row.step && { step: row.step }),
  ...(row.max_hourly_usd !== null && { maxHourlyUSD: row.max_hourly_usd }),
  ...(row.recommendation && { latestRecommendation: toRecommendation(row.recommendation) }),
  currentTarget: currentOf(row.current),
  ...(row.last_write_at !== null && { lastWriteAt: iso(row.last_write_at) }),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  ...(row.removed_at !== null && { removedAt: iso(row.removed_at) }),
})

function toRecommendation({
  id,
  fromMin,
  fromMax,
  toMin,
  toMax,
  reason,
  createdAt,
}: NonNullable<PolicyRow['recommendation']>) {
  return { id, fromMin, fromMax, toMin, toMax, reason, createdAt: iso(createdAt) }
}

function currentOf({ min, max, desired, cpuPercent, observedAt }: PolicyRow['current']) {
  return { min, max, desired, cpuPercent, observedAt: iso(observedAt) }
}

/** 1 to 7, without repeats, sorted. */
const daysOf = (days: NonNullable<Trigger['days']>): number[] =>
  [...new Set(days.map((day) => (typeof day === 'number' ? day : numberOf(day))))].toSorted((a, b) => a - b)

const numberOf = (name: string): number => dayNames.findIndex((one) => one === name.toLowerCase()) + 1

const triggerOf = ({ days, ...rest }: Trigger): TriggerTerms => ({ ...rest, ...(days && { days: daysOf(days) }) })

/** The given terms as stored: names trimmed, days as numbers. */
export function termsOf(body: Static<typeof PutBody>): Partial<AutoscalerTerms> {
  const { name, min, max, targetCPUPercent, cooldownSeconds, triggers, adoption, step: steps, maxHourlyUSD } = body
  const given = {
    name: name?.trim(),
    min,
    max,
    targetCpuPercent: targetCPUPercent,
    cooldownSeconds,
    triggers: triggers?.map(triggerOf),
    adoption,
    step: steps,
    maxHourlyUsd: maxHourlyUSD,
  }
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as Partial<AutoscalerTerms>
}

/** Defaults of a new policy. */
const defaults = {
  cooldownSeconds: cooldownDefault,
  triggers: [],
  adoption: null,
  step: null,
  maxHourlyUsd: null,
} as const satisfies Partial<AutoscalerTerms>

/** The terms of a new policy, with defaults filled in. */
export const newTermsOf = (body: Omit<Static<typeof CreateBody>, 'target'>): AutoscalerTerms => {
  const { name, min, max, targetCPUPercent } = body
  return { ...defaults, ...termsOf(body), name: name.trim(), min, max, targetCpuPercent: targetCPUPercent }
}

/** The real type of a target, in place of a simulated one. */
export const typeGiven = ({ type }: Static<typeof Target>): string => realName(type)
