import { randomUUID } from 'node:crypto'
import { foundSchedule, isFull, listSchedules, unknownGroups } from '#actors/schedule/queries.ts'
import { command, orgCommand } from '#config/command/line/build.ts'
import { UsageError, type Command, type Result } from '#config/command/line/command.ts'
import { askerOf, recordDone, withOrganization } from '#config/command/line/engine.ts'
import { count, id, requiredText, org, textList, type FlagValues } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { CreateBody, nextRuns, problemsOf, schedulesMax, show, termsOf } from '#http/schedule/body.ts'
import type { PowerAction } from '#streams/action/messages.ts'
import { scheduleRemoved, scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

const list = listOf<ReturnType<typeof show>>(
  {
    ID: 'id',
    NAME: 'name',
    'TIME ZONE': 'timezone',
    STATUS: ({ enabled }) => (enabled ? 'active' : 'paused'),
    'NEXT RUN': ({ enabled, nextRunAt }) => (enabled ? nextRunAt : null),
  },
  'No schedules.',
)

const ofOne = { org, id: id('Schedule', 'schedule list') }

const createUsage =
  '--org ORG --name NAME --zone ZONE --stop CRON... --start CRON... --resource UID... [--group ID]... [--skip DAY]...'

const terms = {
  name: requiredText('NAME', 'Name of the schedule'),
  zone: requiredText('ZONE', 'IANA time zone, such as Europe/Berlin'),
  stop: textList(
    'CRON',
    "Cron expression for stops: minute, hour, day of month, month, day of week, such as '0 20 * * 1-5'",
  ),
  start: textList('CRON', 'Cron expression for starts; --stop and --start are repeatable, 20 in total'),
  resource: textList('UID', 'Resource UID, in every account that contains it; repeatable'),
  group: textList('ID', 'Resource group; its members run in tier order; repeatable'),
  skip: textList('DAY', 'Day (YYYY-MM-DD) without runs, such as a holiday; repeatable'),
}

/** What was typed, as the API takes it. @throws UsageError naming each part that is wrong */
function termsGiven({
  name,
  zone: timezone,
  stop,
  start,
  resource,
  group,
  skip,
}: FlagValues<typeof terms>): ScheduleTerms {
  const ruled = (action: PowerAction, crons: readonly string[]) => crons.map((cron) => ({ action, cron }))
  const rules = [...ruled('stop', stop), ...ruled('start', start)]
  if (rules.length === 0)
    throw new UsageError(`--stop or --start is missing. Usage: tidemark schedule create ${createUsage}`)
  const body = { name, timezone, rules, resourceUIDs: resource, resourceGroupIDs: group, skipDates: skip }
  const given = termsOf(decodeBody(body))
  const problems = problemsOf(given).map(({ name: place, message }) => {
    const rule = rules[Number(/^\/rules\/(\d+)\/cron$/.exec(place)?.[1])]
    return `${rule ? `--${rule.action} '${rule.cron}' (${place})` : place}: ${message}`
  })
  if (problems.length > 0) throw new UsageError(problems.join('; '))
  return given
}

function decodeBody(body: unknown) {
  try {
    return decoder(CreateBody)(body)
  } catch (error) {
    const { message, detail } = Fault.from(error)
    const told = detail.problems?.map((problem) => `${problem.path}: ${problem.message}`).join('; ')
    throw new UsageError(told || message, { cause: error })
  }
}

async function create(instance: Instance, orgId: string, given: ScheduleTerms): Promise<Result> {
  const em = instance.connections.orm.em.fork()
  const asker = askerOf(instance)
  const [unknown] = await unknownGroups(em, orgId, given.resourceGroupIds)
  if (unknown !== undefined) throw new Error(`Resource group ${unknown} was not found.`)
  if (await isFull(em, orgId, schedulesMax))
    throw new Error(`An organization can have at most ${schedulesMax} schedules.`)
  const scheduleId = randomUUID()
  await asker.ask(scheduleSaved, orgId, { scheduleId, isNew: true, terms: given })
  await recordDone(instance, toChangeEvent(orgId, scheduleId, 'created'))
  return showOne(instance, orgId, scheduleId)
}

async function showOne({ connections }: Instance, orgId: string, scheduleId: string): Promise<Result> {
  const data = show(await foundSchedule(connections.orm.em.fork(), orgId, scheduleId))
  return { data, text: list([data]).text }
}

const toChangeEvent = (orgId: string, scheduleID: string, change: 'created' | 'changed' | 'deleted') =>
  ({ type: 'schedule_changed', orgId, detail: { scheduleID, change } }) as const

const switchCommand = (verb: string, summary: string, enabled: boolean): Command =>
  orgCommand({
    name: `schedule ${verb}`,
    summary,
    takes: ofOne,
    run: async (instance, orgId, { id: scheduleId }) => {
      await foundSchedule(instance.connections.orm.em.fork(), orgId, scheduleId)
      await askerOf(instance).ask(scheduleSaved, orgId, { scheduleId, isNew: false, terms: { enabled } })
      await recordDone(instance, toChangeEvent(orgId, scheduleId, 'changed'))
      return showOne(instance, orgId, scheduleId)
    },
  })

export const scheduleCommands: readonly Command[] = [
  orgCommand({
    name: 'schedule list',
    summary: 'List schedules by name',
    takes: { org },
    run: async ({ connections }, orgId) => {
      const all = { limit: schedulesMax, offset: 0 }
      const { items } = await listSchedules(connections.orm.em.fork(), orgId, {}, all)
      return list(items.map(show))
    },
  }),
  orgCommand({
    name: 'schedule next',
    summary: 'Show the next runs of a schedule',
    takes: { ...ofOne, count: count('Number of runs', 100, 5) },
    run: async ({ connections }, orgId, { id, count }) => {
      const schedule = await foundSchedule(connections.orm.em.fork(), orgId, id)
      const runs = nextRuns(schedule, new Date(connections.clock.now()), count)
      const none = schedule.enabled ? 'The schedule has no future runs.' : 'The schedule is paused.'
      return listOf<(typeof runs)[number]>({ TIME: 'at', ACTION: 'action' }, none)(runs)
    },
  }),
  command({
    name: 'schedule create',
    summary: 'Create a schedule that stops and starts resources',
    usage: createUsage,
    takes: { org, ...terms },
    run: ({ org: named, ...typed }) => {
      const given = termsGiven(typed)
      return withOrganization(named, (instance, orgId) => create(instance, orgId, given))
    },
  }),
  switchCommand('pause', 'Pause a schedule', false),
  switchCommand('resume', 'Resume a schedule; missed runs are not made up for', true),
  orgCommand({
    name: 'schedule delete',
    summary: 'Delete a schedule; its history is kept',
    takes: ofOne,
    run: async (instance, orgId, { id: scheduleId }) => {
      await foundSchedule(instance.connections.orm.em.fork(), orgId, scheduleId)
      await askerOf(instance).ask(scheduleRemoved, orgId, { scheduleId })
      await recordDone(instance, toChangeEvent(orgId, scheduleId, 'deleted'))
      return { data: { id: scheduleId }, text: `Schedule ${scheduleId} was deleted.` }
    },
  }),
]
