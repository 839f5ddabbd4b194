/** Reasons against a change: what the organization allows, and the changes that its workflows were recently granted. */
import { dayMs, hourMs } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { centsText, units } from '#streams/figure.ts'
import type { guardAnswered, guardAsked } from '#streams/workflow.ts'
import type { Grant } from './entity.ts'
import type { Guardrail } from './guardrail.ts'
import { firstMinute, isOpen } from '#streams/cron/window.ts'
import { windowsText } from './window.ts'

export type GuardRequest = Static<typeof guardAsked.schema>
export type GuardAnswer = Omit<Static<typeof guardAnswered.schema>, 'cloudAccountId' | 'jobId' | 'n'>

/** What is known of the organization and of the resource in question. */
export interface Grounds {
  guardrail: Guardrail
  /** Effective tags. */
  tags: Readonly<Record<string, string>>
  /** Effective environment; `unknown` if there is none. */
  environment: string
  /** Resource groups that contain it; `size` is their number of members. */
  groups: readonly { id: string; name: string; size: number }[]
}

export const monthMs = 30 * dayMs
/** Milliseconds until a workflow that waits for others asks again. */
const againMs = 30_000
/** Maximum counted changes at a time: together with the maximum of live workflows, the guard forgets none of them. */
export const countedMax = 4000

/** The time `ms` milliseconds before `now`, in the format of grants, so that they compare as text. */
export const sinceOf = (now: number, ms: number): string => new Date(now - ms).toISOString()

/** `others`: grants of other jobs; `now`: milliseconds since 1970. */
interface Question {
  asked: GuardRequest
  grounds: Grounds
  guardrail: Guardrail
  others: readonly Grant[]
  now: number
  /** It was granted before, and the workflow has not left. */
  goesOn: boolean
}

/** Undefined if there is no reason against it. */
export type Check = (one: Question) => GuardAnswer | undefined

const later = (code: string, message: string, at: number): GuardAnswer => ({
  answer: 'later',
  code,
  message,
  retryAt: new Date(at).toISOString(),
})
const no = (code: string, message: string): GuardAnswer => ({ answer: 'no', code, message })

/** A time further ahead is asked for again, since it may have changed by then. */
const atMost = (at: number, now: number): number => Math.min(at, now + hourMs)
const momentText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const stoppedByKillSwitch: Check = ({ guardrail, now }) =>
  guardrail.killSwitch ? later('halted', 'The kill switch has stopped all changes.', now + againMs) : undefined

const frozen: Check = ({ guardrail: { frozenUntil }, now }) => {
  const until = frozenUntil === undefined ? now : Date.parse(frozenUntil)
  return until > now ? later('frozen', `Changes are frozen until ${momentText(until)}.`, atMost(until, now)) : undefined
}

const outsideWindow: Check = ({ guardrail, asked, now }) => {
  // Each of these lists must have an open window.
  const lists = [guardrail.windows, ...asked.windows.map((window) => [window])].filter((list) => list.length > 0)
  const shut = (at: number) => lists.find((list) => !list.some((window) => isOpen(window, at)))
  const list = shut(now)
  if (!list) return undefined
  const message = `Changes are only allowed during: ${windowsText(list)}.`
  return later(
    'outside_window',
    message,
    firstMinute(now, hourMs, (at) => shut(at) === undefined),
  )
}

const isProtecting = (key: string, value: string, keys: readonly string[]): boolean =>
  keys.some((one) => one.toLowerCase() === key.toLowerCase()) && value.trim().toLowerCase() !== 'false'

/** The key of a tag that protects the resource, as the tag is written. */
export const protectingTag = ({ tags, guardrail: { protectedTags } }: Pick<Grounds, 'tags' | 'guardrail'>) =>
  Object.entries(tags).find(([key, value]) => isProtecting(key, value, protectedTags))?.[0]

const protectedByTag: Check = ({ grounds }) => {
  const tag = protectingTag(grounds)
  return tag === undefined ? undefined : no('protected', `The resource is protected by its tag ${tag}.`)
}

const twoApprovals: Check = ({ guardrail: { protectedEnvs }, grounds: { environment }, asked: { approvals } }) =>
  approvals < 2 && (protectedEnvs as string[]).includes(environment)
    ? no(
        'needs_two_approvals',
        `Changes in the environment ${environment} need 2 approvals; this one has ${approvals}.`,
      )
    : undefined

const busy: Check = ({ asked, others, now }) =>
  // One uid is one resource, whichever of the accounts that share it is meant.
  others.some(({ isLive, resourceUid }) => isLive && resourceUid === asked.resourceUid)
    ? later('resource_busy', 'Another workflow is already changing the resource.', now + againMs)
    : undefined

const tooManyAtATime: Check = ({ guardrail: { concurrent }, others, now }) =>
  others.filter(({ isLive }) => isLive).length >= concurrent
    ? later('concurrent', `The limit of ${concurrent} concurrent workflows is reached.`, now + againMs)
    : undefined

/** Whether a change counts for limits; a start does not. */
export const counts = ({ template }: Pick<Grant, 'template'>): boolean => template !== 'start'

/** Counted grants of the last `ms`, oldest first. */
function within({ others, now }: Question, ms: number): Grant[] {
  const since = sinceOf(now, ms)
  return others.filter((grant) => counts(grant) && grant.at > since)
}

/** When the oldest of them no longer counts. */
const findFreedAt = ([oldest]: readonly Grant[], ms: number, now: number): number =>
  atMost(oldest ? Date.parse(oldest.at) + ms : Infinity, now)

const tooManyAnHour: Check = (one) => {
  const { now, guardrail } = one
  const limit = guardrail.destructivePerHour
  const found = within(one, hourMs)
  const message = `The limit of ${limit} changes per hour is reached.`
  return found.length >= limit ? later('limit_hour', message, findFreedAt(found, hourMs, now)) : undefined
}

const tooManyADay: Check = (one) => {
  const { now, guardrail } = one
  const limit = Math.min(guardrail.destructivePerDay, countedMax)
  const found = within(one, dayMs)
  const message = `The limit of ${limit} changes per day is reached.`
  return found.length >= limit ? later('limit_day', message, findFreedAt(found, dayMs, now)) : undefined
}

const tooDear: Check = (one) => {
  const { now, asked, guardrail } = one
  const limit = guardrail.monthlyCostTouchedUsd
  if (limit === undefined) return undefined
  const found = within(one, monthMs)
  const touched = found.reduce((sum, { costUsd }) => sum + units(costUsd), 0n)
  const isTooMany = found.length >= countedMax
  if (touched + units(asked.costUsd) <= units(limit) && !isTooMany) return undefined
  const message = isTooMany
    ? `The limit of ${countedMax} changes in 30 days is reached. The cost limit cannot be checked for more.`
    : `The resource costs ${centsText(asked.costUsd)} US dollars a month. Together with the ${centsText(touched)} of resources changed ` +
      `in the last 30 days, that exceeds the limit of ${centsText(limit)}.`
  return later('limit_cost', message, findFreedAt(found, monthMs, now))
}

const tooMuchOfAGroup: Check = (one) => {
  const { now, asked, grounds, guardrail } = one
  const percent = guardrail.groupSharePercent
  const today = within(one, dayMs)
  for (const { id, name, size } of grounds.groups) {
    const found = today.filter(({ groups, resourceUid }) => groups.includes(id) && resourceUid !== asked.resourceUid)
    const changed = new Set(found.map(({ resourceUid }) => resourceUid)).size
    const limit = Math.max(1, Math.floor((size * percent) / 100))
    if (changed + 1 <= limit) continue
    const message =
      `${changed} of the ${size} resources in the group ${name} were changed within a day: ` +
      `the limit of ${percent}%, which is ${limit}, is reached.`
    return later('group_share', message, findFreedAt(found, dayMs, now))
  }
  return undefined
}

const unlessStart =
  (check: Check): Check =>
  (one) =>
    counts(one.asked) ? check(one) : undefined

/** Two workflows in progress that wait for each other because a limit was lowered would wait forever. */
const unlessGoingOn =
  (check: Check): Check =>
  (one) =>
    one.goesOn ? undefined : check(one)

/**
 * A workflow that continues after a halt was counted already: its machine must not stay stopped because of another one.
 */
const unlessBegun =
  (check: Check): Check =>
  (one) =>
    one.goesOn && one.asked.hasBegun === true ? undefined : check(one)

/** The first check with a reason answers. */
export const checks: readonly Check[] = [
  stoppedByKillSwitch,
  frozen,
  outsideWindow,
  unlessStart(protectedByTag),
  unlessStart(twoApprovals),
  ...[busy, tooManyAtATime].map(unlessGoingOn),
  ...[tooManyAnHour, tooManyADay, tooDear, tooMuchOfAGroup].map(unlessStart).map(unlessBegun),
]
