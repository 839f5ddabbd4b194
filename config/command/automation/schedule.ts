import { randomUUID } from 'node:crypto'
import { foundSchedule, isFull, listSchedules, unknownGroups } from '#actors/schedule/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { CreateBody, nextRuns, problemsOf, schedulesMax, show, termsOf } from '#http/schedule/body.ts'
import type { PowerAction } from '#streams/action/messages.ts'
import { scheduleRemoved, scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Invocation,
} from '#config/command/line/command.ts'
import { askerOf, countOf, ofOrganization, recordDone, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'

const listUsage = 'tidemark schedule list --org ORG'
const nextUsage = 'tidemark schedule next --org ORG --id ID [--count N]'
const createUsage =
  'tidemark schedule create --org ORG --name NAME --zone ZONE --stop CRON... --start CRON... --resource UID... [--group ID]... [--skip DAY]...'

const org = { org: { type: 'string' } } as const
const one = { ...org, id: { type: 'string' } } as const
const aboutOne = { ...aboutOrg, '--id ID': 'Schedule ID from "schedule list"' }
const many = { type: 'string', multiple: true } as const

type ScheduleView = ReturnType<typeof show>

const scheduleTable = (schedules: readonly ScheduleView[]): string =>
  table(
    ['ID', 'NAME', 'TIME ZONE', 'STATUS', 'NEXT RUN'],
    schedules.map(({ id, name, timezone, enabled, nextRunAt }) => [
      id,
      name,
      timezone,
      enabled ? 'active' : 'paused',
      enabled ? nextRunAt : null,
    ]),
    'No schedules.',
  )

const scheduleList: Command = {
  name: 'schedule list',
  summary: 'List schedules by name',
  usage: listUsage,
  options: org,
  about: aboutOrg,
  run: async ({ values }) => {
    const named = requireOrg({ usage: listUsage }, values['org'])
    return withOrganization(named, async (instance, orgId) => {
      const em = await ofOrganization(instance, orgId)
      const { items } = await listSchedules(em, orgId, {}, { limit: schedulesMax, offset: 0 })
      const data = items.map(show)
      return { data, text: scheduleTable(data) }
    })
  },
}

const scheduleNext: Command = {
  name: 'schedule next',
  summary: 'Show the next runs of a schedule',
  usage: nextUsage,
  options: { ...one, count: { type: 'string' } },
  about: { ...aboutOne, '--count N': 'Number of runs, 1 to 100; default 5' },
  run: async ({ values }) => {
    const named = requireOrg({ usage: nextUsage }, values['org'])
    const id = requireValue({ usage: nextUsage }, values['id'], '--id')
    const count = countOf(values['count'] ?? '5', 100)
    if (count === undefined) throw new UsageError('--count must be a whole number from 1 to 100')
    return withOrganization(named, async (instance, orgId) => {
      const em = await ofOrganization(instance, orgId)
      const schedule = await foundSchedule(em, orgId, id)
      const data = nextRuns(schedule, new Date(instance.connections.clock.now()), count)
      const none = schedule.enabled ? 'The schedule has no future runs.' : 'The schedule is paused.'
      const rows = data.map(({ at, action }) => [at, action])
      return { data, text: table(['TIME', 'ACTION'], rows, none) }
    })
  },
}

/** What was typed, as the API takes it. @throws UsageError naming each part that is wrong */
function termsGiven({ values }: Invocation): ScheduleTerms {
  const list = (name: string) => (values[name] ?? []) as string[]
  const ruled = (action: PowerAction) => list(action).map((cron) => ({ action, cron }))
  const rules = [...ruled('stop'), ...ruled('start')]
  if (rules.length === 0) throw new UsageError(`--stop or --start is missing. Usage: ${createUsage}`)
  const body = {
    name: requireValue({ usage: createUsage }, values['name'], '--name'),
    timezone: requireValue({ usage: createUsage }, values['zone'], '--zone'),
    rules,
    resourceUIDs: list('resource'),
    resourceGroupIDs: list('group'),
    skipDates: list('skip'),
  }
  const terms = termsOf(decodeBody(body))
  const problems = problemsOf(terms).map(({ name, message }) => {
    const rule = rules[Number(/^\/rules\/(\d+)\/cron$/.exec(name)?.[1])]
    return `${rule ? `--${rule.action} '${rule.cron}' (${name})` : name}: ${message}`
  })
  if (problems.length > 0) throw new UsageError(problems.join('; '))
  return terms
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

const scheduleCreate: Command = {
  name: 'schedule create',
  summary: 'Create a schedule that stops and starts resources',
  usage: createUsage,
  options: {
    ...org,
    name: { type: 'string' },
    zone: { type: 'string' },
    stop: many,
    start: many,
    resource: many,
    group: many,
    skip: many,
  },
  about: {
    ...aboutOrg,
    '--name NAME': 'Name of the schedule',
    '--zone ZONE': 'IANA time zone, such as Europe/Berlin',
    '--stop CRON': "Cron expression for stops: minute, hour, day of month, month, day of week, such as '0 20 * * 1-5'",
    '--start CRON': 'Cron expression for starts; --stop and --start are repeatable, 20 in total',
    '--resource UID': 'Resource UID, in every account that contains it; repeatable',
    '--group ID': 'Resource group; its members run in tier order; repeatable',
    '--skip DAY': 'Day (YYYY-MM-DD) without runs, such as a holiday; repeatable',
  },
  run: async (invocation) => {
    const named = requireOrg({ usage: createUsage }, invocation.values['org'])
    const terms = termsGiven(invocation)
    return withOrganization(named, async (instance, orgId) => {
      const em = await ofOrganization(instance, orgId)
      const asker = askerOf(instance)
      const [unknown] = await unknownGroups(em, orgId, terms.resourceGroupIds)
      if (unknown !== undefined) throw new Error(`Resource group ${unknown} was not found.`)
      if (await isFull(em, orgId, schedulesMax))
        throw new Error(`An organization can have at most ${schedulesMax} schedules.`)
      const scheduleId = randomUUID()
      await asker.ask(scheduleSaved, orgId, { scheduleId, isNew: true, terms })
      await recordDone(instance, toChangeEvent(orgId, scheduleId, 'created'))
      const data = show(await foundSchedule(em, orgId, scheduleId))
      return { data, text: scheduleTable([data]) }
    })
  },
}

const toChangeEvent = (orgId: string, scheduleID: string, change: 'created' | 'changed' | 'deleted') =>
  ({ type: 'schedule_changed', orgId, detail: { scheduleID, change } }) as const

/** A command that does one thing to one schedule. */
function oneCommand(
  verb: string,
  summary: string,
  work: (instance: Instance, orgId: string, id: string) => Promise<ScheduleView | undefined>,
): Command {
  const usage = `tidemark schedule ${verb} --org ORG --id ID`
  return {
    name: `schedule ${verb}`,
    summary,
    usage,
    options: one,
    about: aboutOne,
    run: async ({ values }) => {
      const named = requireOrg({ usage }, values['org'])
      const id = requireValue({ usage }, values['id'], '--id')
      return withOrganization(named, async (instance, orgId) => {
        await foundSchedule(await ofOrganization(instance, orgId), orgId, id)
        const shown = await work(instance, orgId, id)
        return shown
          ? { data: shown, text: scheduleTable([shown]) }
          : { data: { id }, text: `Schedule ${id} was deleted.` }
      })
    },
  }
}

const switchCommand = (verb: string, summary: string, enabled: boolean): Command =>
  oneCommand(verb, summary, async (instance, orgId, id) => {
    await askerOf(instance).ask(scheduleSaved, orgId, { scheduleId: id, isNew: false, terms: { enabled } })
    await recordDone(instance, toChangeEvent(orgId, id, 'changed'))
    return show(await foundSchedule(instance.connections.orm.em.fork(), orgId, id))
  })

export const scheduleCommands: readonly Command[] = [
  scheduleList,
  scheduleNext,
  scheduleCreate,
  switchCommand('pause', 'Pause a schedule', false),
  switchCommand('resume', 'Resume a schedule; missed runs are not made up for', true),
  oneCommand('delete', 'Delete a schedule; its history is kept', async (instance, orgId, id) => {
    await askerOf(instance).ask(scheduleRemoved, orgId, { scheduleId: id })
    await recordDone(instance, toChangeEvent(orgId, id, 'deleted'))
    return undefined
  }),
]
