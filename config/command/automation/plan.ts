import { routeCommand } from '#config/command/line/build.ts'
import type { Command, Result } from '#config/command/line/command.ts'
import { choice, id, limit, org } from '#config/command/line/flag.ts'
import type { ListPage } from '#config/command/line/api.ts'
import { listOf } from '#config/command/line/table.ts'
import type { show } from '#http/readiness/body.ts'
import type { Check } from '#http/readiness/check.ts'
import type { PlanLogLine } from '#http/readiness/plan.ts'
import { planStatuses } from '#streams/readiness.ts'

type Plan = ReturnType<typeof show>

const list = listOf<Plan>(
  {
    ID: 'id',
    NAME: 'name',
    STATUS: 'status',
    'EVENT START': 'eventStart',
    'EVENT END': 'eventEnd',
    TARGETS: ({ targets }) => targets.length,
  },
  'No plans.',
)

const log = listOf<PlanLogLine>(
  {
    TIME: 'createdAt',
    STATUS: ({ from, to }) => (to === undefined ? null : `${from} > ${to}`),
    POLICY: 'policyId',
    BY: 'actor',
    MESSAGE: 'message',
  },
  'No log entries yet.',
)

const checkTable = listOf<Check>(
  { STATUS: 'status', CHECK: 'name', POLICY: 'policyId', MESSAGE: 'message' },
  'No checks.',
)

/** One route of one plan. */
const ofPlan = <T>(name: string, summary: string, route: string, show: (answer: T) => Result): Command =>
  routeCommand({
    name: `plan ${name}`,
    summary,
    takes: { org, id: id('Plan', 'plan list') },
    route,
    ask: ({ id: eventID }) => ({ params: { eventID } }),
    show,
  })

export const planCommands: readonly Command[] = [
  routeCommand({
    name: 'plan list',
    summary: 'List event readiness plans, newest first',
    takes: { org, status: choice('STATUS', planStatuses, '; default: all'), limit: limit() },
    route: 'GET /event-readiness',
    ask: ({ status, limit }) => ({ query: { status, limit } }),
    show: ({ items }: ListPage<Plan>) => list(items),
  }),
  ofPlan(
    'check',
    'Check whether a plan is ready to run; exit code 1 if it is not',
    'GET /event-readiness/:eventID/readiness-check',
    (data: { ready: boolean; checks: Check[] }) => ({ ...checkTable(data.checks), data, code: data.ready ? 0 : 1 }),
  ),
  ofPlan(
    'schedule',
    'Schedule a plan: targets are scaled up before the event and restored after it',
    'POST /event-readiness/:eventID/schedule',
    (data: { message: string }) => ({ data, text: data.message }),
  ),
  ofPlan(
    'cancel',
    'Cancel a plan and restore the targets it scaled up',
    'POST /event-readiness/:eventID/cancel',
    (data: Plan) => ({ ...list([data]), data }),
  ),
  ofPlan(
    'log',
    'Show the log of a plan, oldest first',
    'GET /event-readiness/:eventID/logs',
    ({ items }: ListPage<PlanLogLine>) => log(items),
  ),
]
