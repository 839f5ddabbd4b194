/** Schedules in requests and responses. */
import type { Schedule } from '#actors/schedule/entity.ts'
import { nextFires, type ScheduleTimes } from '#actors/schedule/times.ts'
import { dayOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import type { InputError } from '#http/edge/problem.ts'
import { powerActions } from '#streams/action/messages.ts'
import { resourcesMax, ResourceUid } from '#streams/attribution.ts'
import { isZone, parse } from '#streams/cron/messages.ts'
import { checkSteps } from '#streams/cron/step.ts'
import { groupsMax, rulesMax, skipDatesMax, type ScheduleTerms } from '#streams/schedule.ts'
import { text } from '#streams/text.ts'

/** Maximum schedules of an organization. */
export const schedulesMax = 100_000

const Rule = t.Object({
  action: t.Enum(powerActions),
  cron: text({
    minLength: 1,
    maxLength: 256,
    description:
      'minute, hour, day of month, month and day of week: *, numbers, lists, ranges, steps of ranges, names of months and ' +
      'days; if both day fields are set, either one matches',
  }),
})

const members = {
  description: text({ maxLength: 1000 }),
  timezone: text({ minLength: 1, maxLength: 64, description: 'IANA time zone, such as Europe/Berlin' }),
  rules: t.Array(Rule, { minItems: 1, maxItems: rulesMax }),
  resourceUIDs: t.Array(ResourceUid, {
    maxItems: resourcesMax,
    description: 'UIDs; each is started or stopped in every account that has it',
  }),
  resourceGroupIDs: t.Array(text({ minLength: 1, maxLength: 256 }), {
    maxItems: groupsMax,
    description: 'resource groups, whose members run in tier order',
  }),
  skipDates: t.Array(t.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), {
    maxItems: skipDatesMax,
    description: 'dates in the time zone (YYYY-MM-DD) on which no rule runs, such as holidays',
  }),
  enabled: t.Boolean({ description: 'false: does not run' }),
}

export const CreateBody = t.Object(
  {
    name: Name,
    description: t.Optional(members.description),
    timezone: members.timezone,
    rules: members.rules,
    resourceUIDs: t.Optional(members.resourceUIDs),
    resourceGroupIDs: t.Optional(members.resourceGroupIDs),
    skipDates: t.Optional(members.skipDates),
    enabled: t.Optional(t.Boolean({ default: true, description: 'default true; false: does not run' })),
  },
  {
    examples: [
      {
        name: 'Night',
        timezone: 'Europe/Berlin',
        rules: [
          { action: 'stop', cron: '0 20 * * 1-5' },
          { action: 'start', cron: '0 7 * * 1-5' },
        ],
        resourceUIDs: ['i-1'],
        skipDates: ['2030-12-25'],
        enabled: true,
      },
    ],
  },
)

export const PatchBody = t.Object(
  {
    name: t.Optional(Name),
    description: t.Optional(orNull(members.description)),
    timezone: t.Optional(members.timezone),
    rules: t.Optional(members.rules),
    resourceUIDs: t.Optional(members.resourceUIDs),
    resourceGroupIDs: t.Optional(members.resourceGroupIDs),
    skipDates: t.Optional(members.skipDates),
    enabled: t.Optional(members.enabled),
  },
  { examples: [{ name: 'Night', enabled: false }] },
)

/** For a schedule that does not exist yet: the fields that determine when it fires. */
export const PreviewBody = t.Object(
  {
    timezone: members.timezone,
    rules: members.rules,
    skipDates: t.Optional(members.skipDates),
    count: t.Optional(t.Integer({ minimum: 1, maximum: 100, description: 'maximum number; default 5' })),
  },
  { examples: [{ timezone: 'Europe/Berlin', rules: [{ action: 'stop', cron: '0 20 * * 1-5' }], count: 3 }] },
)

export const ScheduleView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    description: t.Optional(t.String()),
    timezone: t.String(),
    rules: t.Array(t.Object({ action: t.Enum(powerActions), cron: t.String() })),
    resourceUIDs: t.Array(t.String()),
    resourceGroupIDs: t.Array(t.String()),
    skipDates: t.Array(t.String()),
    enabled: t.Boolean(),
    lastRunAt: orNull(Timestamp),
    nextRunAt: orNull(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Schedule',
    examples: [
      {
        id: '5e0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        name: 'Night',
        timezone: 'Europe/Berlin',
        rules: [
          { action: 'stop', cron: '0 20 * * 1-5' },
          { action: 'start', cron: '0 7 * * 1-5' },
        ],
        resourceUIDs: ['i-0a1b2c3d4e5f60718'],
        resourceGroupIDs: [],
        skipDates: ['2026-12-25'],
        enabled: true,
        lastRunAt: '2026-01-15T06:00:00.000Z',
        nextRunAt: '2026-01-15T19:00:00.000Z',
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

export const show = (schedule: Schedule): Static<typeof ScheduleView> => ({
  id: schedule.id,
  orgID: schedule.orgId,
  name: schedule.name,
  ...(schedule.description && { description: schedule.description }),
  timezone: schedule.timezone,
  rules: schedule.rules,
  resourceUIDs: schedule.resourceUids,
  resourceGroupIDs: schedule.resourceGroupIds,
  skipDates: schedule.skipDates,
  enabled: schedule.enabled,
  lastRunAt: timestamp(schedule.lastRunAt),
  nextRunAt: timestamp(schedule.nextRunAt),
  createdAt: schedule.createdAt.toISOString(),
  updatedAt: schedule.updatedAt.toISOString(),
})

/** The next times at which it fires; empty while it is disabled. */
export const nextRuns = (schedule: ScheduleTimes & Pick<Schedule, 'enabled'>, now: Date, count: number) =>
  schedule.enabled ? nextFires(schedule, now, count).map(({ action, at }) => ({ action, at: at.toISOString() })) : []

/** Lists without repeats, names trimmed. */
function toTerms(body: Static<typeof PatchBody>): Partial<ScheduleTerms> {
  const { name, description, timezone, rules, resourceUIDs, resourceGroupIDs, skipDates, enabled } = body
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(description !== undefined && { description }),
    ...(timezone !== undefined && { timezone }),
    ...(rules !== undefined && { rules }),
    ...(resourceUIDs !== undefined && { resourceUids: [...new Set(resourceUIDs)] }),
    ...(resourceGroupIDs !== undefined && { resourceGroupIds: [...new Set(resourceGroupIDs)] }),
    ...(skipDates !== undefined && { skipDates: [...new Set(skipDates)].toSorted() }),
    ...(enabled !== undefined && { enabled }),
  }
}

/** The terms of a new schedule, with defaults filled in. */
export const termsOf = ({ name, timezone, rules, ...rest }: Static<typeof CreateBody>): ScheduleTerms => ({
  description: null,
  resourceUids: [],
  resourceGroupIds: [],
  skipDates: [],
  enabled: true,
  ...toTerms(rest),
  name: name.trim(),
  timezone,
  rules,
})

/** The changed terms of a schedule. */
export const changesOf = toTerms

/** Errors of terms that have the right shape. */
export function problemsOf({ timezone, rules = [], skipDates = [] }: Partial<ScheduleTerms>): InputError[] {
  const problem = (name: string, code: string, message: string): InputError => ({ in: 'body', name, code, message })
  const isNoZone = timezone !== undefined && !isZone(timezone)
  return [
    ...(isNoZone ? [problem('/timezone', 'zone_unknown', 'is not an IANA time zone, such as Europe/Berlin')] : []),
    ...rules.flatMap(({ cron }, i) => {
      const fault = faultOf(cron)
      return fault ? [problem(`/rules/${i}/cron`, fault.code, fault.message)] : []
    }),
    ...skipDates
      .filter((day) => !isDay(day))
      .map((day) => problem('/skipDates', 'format', `${day} is not a valid date`)),
  ]
}

function faultOf(cron: string): Fault | undefined {
  try {
    parse(cron)
    checkSteps(cron)
    return undefined
  } catch (error) {
    return Fault.from(error)
  }
}

function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && dayOf(at) === day
}
