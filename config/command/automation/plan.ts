import { carriedOut } from '#config/command/line/route.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Invocation,
  type Result,
} from '#config/command/line/command.ts'
import { countOf, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { planStatuses } from '#streams/readiness.ts'

const text = { type: 'string' } as const
const aboutPlan = { ...aboutOrg, '--id ID': 'Plan ID from "plan list"' }
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

const planTable = (plans: readonly Plan[]): string =>
  table(
    ['ID', 'NAME', 'STATUS', 'EVENT START', 'EVENT END', 'TARGETS'],
    plans.map(({ id, status, eventStart, eventEnd, name, targets }) => [
      id,
      name,
      status,
      eventStart,
      eventEnd,
      targets.length,
    ]),
    'No plans.',
  )

const logTable = (lines: readonly LogLine[]): string =>
  table(
    ['TIME', 'STATUS', 'POLICY', 'BY', 'MESSAGE'],
    lines.map(({ createdAt, from, to, policyId, message, actor }) => [
      createdAt,
      to === undefined ? null : `${from} > ${to}`,
      policyId,
      actor,
      message,
    ]),
    'No log entries yet.',
  )

const checkTable = (checks: readonly Check[]): string =>
  table(
    ['STATUS', 'CHECK', 'POLICY', 'MESSAGE'],
    checks.map(({ status, name, policyId, message }) => [status, name, policyId, message]),
    'No checks.',
  )

interface CommandSpec {
  name: string
  summary: string
  usage?: string
  options?: Command['options']
  about?: Command['about']
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
}

function command({ name, summary, usage = '--org ORG', options = {}, about = aboutOrg, ask }: CommandSpec): Command {
  const whole = `tidemark plan ${name} ${usage}`
  return {
    name: `plan ${name}`,
    summary,
    usage: whole,
    options: { org: text, ...options },
    about,
    async run({ values }) {
      const named = requireOrg({ usage: whole }, values['org'])
      if ('id' in options) requireValue({ usage: whole }, values['id'], '--id')
      return withOrganization(named, (instance, orgId) => ask(instance, orgId, values))
    },
  }
}

interface OfPlan {
  name: string
  summary: string
  path: string
  /** What is printed; `data` where `--json` prints less than the route answers. */
  shown: (data: never) => Omit<Result, 'data'> & { data?: unknown }
}

/** One route of one plan. */
const ofPlan = ({ name, summary, path, shown }: OfPlan): Command =>
  command({
    name,
    summary,
    usage: '--org ORG --id ID',
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
    summary: 'List event readiness plans, newest first',
    usage: '--org ORG [--status STATUS] [--limit N]',
    options: { status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${planStatuses.join(', ')}; default: all`,
      '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 20`,
    },
    ask: async (instance, orgId, values) => {
      const query = listQuery(values)
      const { items } = await carriedOut<{ items: Plan[] }>(instance, orgId, 'GET /event-readiness', { query })
      return { data: items, text: planTable(items) }
    },
  }),
  ofPlan({
    name: 'check',
    summary: 'Check whether a plan is ready to run; exit code 1 if it is not',
    path: 'GET /event-readiness/:eventID/readiness-check',
    shown: ({ ready, checks }: { ready: boolean; checks: Check[] }) => ({
      text: checkTable(checks),
      code: ready ? 0 : 1,
    }),
  }),
  ofPlan({
    name: 'schedule',
    summary: 'Schedule a plan: targets are scaled up before the event and restored after it',
    path: 'POST /event-readiness/:eventID/schedule',
    shown: ({ message }: { message: string }) => ({ text: message }),
  }),
  ofPlan({
    name: 'cancel',
    summary: 'Cancel a plan and restore the targets it scaled up',
    path: 'POST /event-readiness/:eventID/cancel',
    shown: (plan: Plan) => ({ text: planTable([plan]) }),
  }),
  ofPlan({
    name: 'log',
    summary: 'Show the log of a plan, oldest first',
    path: 'GET /event-readiness/:eventID/logs',
    shown: ({ items }: { items: LogLine[] }) => ({ data: items, text: logTable(items) }),
  }),
]
