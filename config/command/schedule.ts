import { randomUUID } from 'node:crypto'
import { foundSchedule, isFull, listSchedules, unknownGroups } from '#actors/schedule/queries.ts'
import { Fault } from '#engine/fault.ts'
import { decoder } from '#engine/schema.ts'
import { CreateBody, nextRuns, problemsOf, schedulesMax, show, termsOf } from '#http/schedule/body.ts'
import type { PowerAction } from '#streams/action.ts'
import { scheduleRemoved, scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'
import { required, UsageError, type Command, type Invocation } from '#config/command/command.ts'
import { askerOf, countOf, ofOrganization, recordDone } from '#config/command/engine.ts'
import { withInstance, type Instance } from '#config/instance.ts'

const listUsage = 'tidemark schedule list --org ID'
const nextUsage = 'tidemark schedule next --org ID --id ID [--count N]'
const createUsage =
  'tidemark schedule create --org ID --name NAME --zone ZONE --stop CRON... --start CRON... --resource UID... [--group ID]... [--skip DAY]...'

const org = { org: { type: 'string' } } as const
const one = { ...org, id: { type: 'string' } } as const
const aboutOrg = { '--org ID': 'The organization' }
const aboutOne = { ...aboutOrg, '--id ID': 'As schedule list shows it' }
const many = { type: 'string', multiple: true } as const

type Shown = ReturnType<typeof show>

const lineOf = ({ id, name, timezone, enabled, nextRunAt }: Shown): string =>
  `${id}  ${enabled ? `next ${nextRunAt ?? 'never'}` : 'paused'}  ${timezone}  ${name}`

export const scheduleList: Command = {
  name: 'schedule list',
  summary: 'List the schedules of an organization, by name',
  usage: listUsage,
  options: org,
  about: aboutOrg,
  run: async ({ values }) => {
    const orgId = required({ usage: listUsage }, values['org'], '--org')
    return withInstance(async (instance) => {
      const em = await ofOrganization(instance, orgId)
      const { items } = await listSchedules(em, orgId, {}, { limit: schedulesMax, offset: 0 })
      const data = items.map(show)
      return { data, text: data.map(lineOf).join('\n') || 'There is no schedule.' }
    })
  },
}

export const scheduleNext: Command = {
  name: 'schedule next',
  summary: 'Say when a schedule fires next, before anything is stopped',
  usage: nextUsage,
  options: { ...one, count: { type: 'string' } },
  about: { ...aboutOne, '--count N': 'How many times at most; default 5, most 100' },
  run: async ({ values }) => {
    const orgId = required({ usage: nextUsage }, values['org'], '--org')
    const id = required({ usage: nextUsage }, values['id'], '--id')
    const count = countOf(values['count'] ?? '5', 100)
    if (count === undefined) throw new UsageError('--count must be a whole number from 1 to 100')
    return withInstance(async (instance) => {
      const em = await ofOrganization(instance, orgId)
      const schedule = await foundSchedule(em, orgId, id)
      const data = nextRuns(schedule, new Date(instance.connections.clock.now()), count)
      const never = schedule.enabled ? 'It never fires.' : 'It is paused.'
      return { data, text: data.map(({ at, action }) => `${at}  ${action}`).join('\n') || never }
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
    name: required({ usage: createUsage }, values['name'], '--name'),
    timezone: required({ usage: createUsage }, values['zone'], '--zone'),
    rules,
    resourceUIDs: list('resource'),
    resourceGroupIDs: list('group'),
    skipDates: list('skip'),
  }
  const terms = termsOf(decoded(body))
  const problems = problemsOf(terms).map(({ name, message }) => {
    const rule = rules[Number(/^\/rules\/(\d+)\/cron$/.exec(name)?.[1])]
    return `${rule ? `--${rule.action} '${rule.cron}' (${name})` : name}: ${message}`
  })
  if (problems.length > 0) throw new UsageError(problems.join('; '))
  return terms
}

function decoded(body: unknown) {
  try {
    return decoder(CreateBody)(body)
  } catch (error) {
    const { message, detail } = Fault.from(error)
    const told = detail.problems?.map((problem) => `${problem.path}: ${problem.message}`).join('; ')
    throw new UsageError(told || message, { cause: error })
  }
}

export const scheduleCreate: Command = {
  name: 'schedule create',
  summary: 'Make a schedule by which resources are stopped and started',
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
    '--name NAME': 'What it is called',
    '--zone ZONE': 'IANA time zone by whose clock it goes, such as Europe/Berlin',
    '--stop CRON': "When it stops them: minute, hour, day of month, month, day of week, such as '0 20 * * 1-5'",
    '--start CRON': 'When it starts them; of both as many as you like, 20 in all',
    '--resource UID': 'A resource, in every account that has it; as many as you like',
    '--group ID': 'A resource group, whose members go tier by tier; as many as you like',
    '--skip DAY': 'A day (YYYY-MM-DD) on which it does not fire, such as a holiday; as many as you like',
  },
  run: async (invocation) => {
    const orgId = required({ usage: createUsage }, invocation.values['org'], '--org')
    const terms = termsGiven(invocation)
    return withInstance(async (instance) => {
      const em = await ofOrganization(instance, orgId)
      const asker = askerOf(instance)
      const [unknown] = await unknownGroups(em, orgId, terms.resourceGroupIds)
      if (unknown !== undefined) throw new Error(`There is no resource group ${unknown}.`)
      if (await isFull(em, orgId, schedulesMax))
        throw new Error(`An organization has at most ${schedulesMax} schedules.`)
      const scheduleId = randomUUID()
      await asker.ask(scheduleSaved, orgId, { scheduleId, isNew: true, terms })
      await recordDone(instance, changed(orgId, scheduleId, 'created'))
      const data = show(await foundSchedule(em, orgId, scheduleId))
      return { data, text: lineOf(data) }
    })
  },
}

const changed = (orgId: string, scheduleID: string, change: 'created' | 'changed' | 'deleted') =>
  ({ type: 'schedule_changed', orgId, detail: { scheduleID, change } }) as const

/** A command that does one thing to one schedule. */
function oneCommand(
  verb: string,
  summary: string,
  work: (instance: Instance, orgId: string, id: string) => Promise<Shown | undefined>,
): Command {
  const usage = `tidemark schedule ${verb} --org ID --id ID`
  return {
    name: `schedule ${verb}`,
    summary,
    usage,
    options: one,
    about: aboutOne,
    run: async ({ values }) => {
      const orgId = required({ usage }, values['org'], '--org')
      const id = required({ usage }, values['id'], '--id')
      return withInstance(async (instance) => {
        await foundSchedule(await ofOrganization(instance, orgId), orgId, id)
        const shown = await work(instance, orgId, id)
        return shown ? { data: shown, text: lineOf(shown) } : { data: { id }, text: `Schedule ${id} is deleted.` }
      })
    },
  }
}

const switched = (verb: string, summary: string, enabled: boolean): Command =>
  oneCommand(verb, summary, async (instance, orgId, id) => {
    await askerOf(instance).ask(scheduleSaved, orgId, { scheduleId: id, isNew: false, terms: { enabled } })
    await recordDone(instance, changed(orgId, id, 'changed'))
    return show(await foundSchedule(instance.connections.orm.em.fork(), orgId, id))
  })

export const scheduleCommands: readonly Command[] = [
  scheduleList,
  scheduleNext,
  scheduleCreate,
  switched('pause', 'Keep a schedule from firing', false),
  switched('resume', 'Let a schedule fire again; nothing of before is made up for', true),
  oneCommand('delete', 'Delete a schedule; what it did stays', async (instance, orgId, id) => {
    await askerOf(instance).ask(scheduleRemoved, orgId, { scheduleId: id })
    await recordDone(instance, changed(orgId, id, 'deleted'))
    return undefined
  }),
]
