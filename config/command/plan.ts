import { carriedOut } from '#config/command/route.ts'
import { required, UsageError, type Command, type Invocation, type Result } from '#config/command/command.ts'
import { countOf } from '#config/command/engine.ts'
import { withInstance, type Instance } from '#config/instance.ts'
import { planStatuses } from '#streams/readiness.ts'

const text = { type: 'string' } as const
const aboutOrg = { '--org ID': 'The organization' }
const aboutPlan = { ...aboutOrg, '--id ID': 'As plan list shows it' }
const limitMax = 100

interface Plan {
  id: string
  name: string
  status: string
  eventStart: string
  eventEnd: string
  targets: unknown[]
}

interface LogLine {
  kind: string
  from?: string
  to?: string
  message: string
  actor: string
  policyId?: string
  createdAt: string
}

interface Check {
  name: string
  status: string
  message: string
  policyId?: string
}

const lineOf = ({ id, status, eventStart, eventEnd, name, targets }: Plan): string =>
  `${id}  ${status}  ${eventStart} to ${eventEnd}  ${targets.length} targets  ${name}`

const logLine = ({ createdAt, from, to, policyId, message, actor }: LogLine): string =>
  `${createdAt}  ${to === undefined ? '' : `${from} > ${to}  `}${policyId === undefined ? '' : `${policyId}  `}${message}  (${actor})`

const checkLine = ({ status, name, policyId, message }: Check): string =>
  `${status}  ${name}${policyId === undefined ? '' : ` ${policyId}`}  ${message}`

interface Asking {
  name: string
  summary: string
  usage?: string
  options?: Command['options']
  about?: Command['about']
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
}

function command({ name, summary, usage = '--org ID', options = {}, about = aboutOrg, ask }: Asking): Command {
  const whole = `tidemark plan ${name} ${usage}`
  return {
    name: `plan ${name}`,
    summary,
    usage: whole,
    options: { org: text, ...options },
    about,
    async run({ values }) {
      const orgId = required({ usage: whole }, values['org'], '--org')
      if ('id' in options) required({ usage: whole }, values['id'], '--id')
      return withInstance((instance) => ask(instance, orgId, values))
    },
  }
}

interface OfPlan {
  name: string
  summary: string
  path: string
  shown: (data: never) => Omit<Result, 'data'>
}

/** One route of one plan. */
const ofPlan = ({ name, summary, path, shown }: OfPlan): Command =>
  command({
    name,
    summary,
    usage: '--org ID --id ID',
    options: { id: text },
    about: aboutPlan,
    ask: async (instance, orgId, values) => {
      const data = await carriedOut<never>(instance, orgId, path, { params: { eventID: String(values['id']) } })
      return { data, ...shown(data) }
    },
  })

/** @throws UsageError */
function listQuery({ status, limit = '20' }: Invocation['values']): Record<string, string> {
  const count = countOf(limit, limitMax)
  if (count === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
  if (status !== undefined && !(planStatuses as readonly unknown[]).includes(status))
    throw new UsageError(`--status must be one of ${planStatuses.join(', ')}`)
  return { limit: String(count), ...(status !== undefined && { status: String(status) }) }
}

export const planCommands: readonly Command[] = [
  command({
    name: 'list',
    summary: 'List the plans that make capacity ready for events, newest first',
    usage: '--org ID [--status STATUS] [--limit N]',
    options: { status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${planStatuses.join(', ')}; all unless given`,
      '--limit N': `How many at most; default 20, most ${limitMax}`,
    },
    ask: async (instance, orgId, values) => {
      const query = listQuery(values)
      const { items } = await carriedOut<{ items: Plan[] }>(instance, orgId, 'GET /event-readiness', { query })
      return { data: items, text: items.map(lineOf).join('\n') || 'There is no plan.' }
    },
  }),
  ofPlan({
    name: 'check',
    summary: 'Say whether a plan could be carried out now; fails where it could not',
    path: 'GET /event-readiness/:eventID/readiness-check',
    shown: ({ ready, checks }: { ready: boolean; checks: Check[] }) => ({
      text: checks.map(checkLine).join('\n'),
      code: ready ? 0 : 1,
    }),
  }),
  ofPlan({
    name: 'schedule',
    summary: 'Schedule a plan: its targets are raised before the event and put back behind it',
    path: 'POST /event-readiness/:eventID/schedule',
    shown: ({ message }: { message: string }) => ({ text: message }),
  }),
  ofPlan({
    name: 'cancel',
    summary: 'Cancel a plan; what it has raised is put back',
    path: 'POST /event-readiness/:eventID/cancel',
    shown: (plan: Plan) => ({ text: lineOf(plan) }),
  }),
  ofPlan({
    name: 'log',
    summary: 'Say what happened to a plan, oldest first',
    path: 'GET /event-readiness/:eventID/logs',
    shown: ({ items }: { items: LogLine[] }) => ({ text: items.map(logLine).join('\n') || 'Nothing yet.' }),
  }),
]
