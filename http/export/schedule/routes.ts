/** Exports that are written to an object store of the organization at fixed times. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { editExport, foundExport, makeExport, removeExport } from '#actors/export/schedule/change.ts'
import { ExportSchedule, ExportScheduleState, runsMax } from '#actors/export/schedule/entity.ts'
import { dayOf, monthOf } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { Month } from '#http/edge/parameter/field.ts'
import { pageOf, paging, slice, toPage } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { checkWhole } from '#http/identity/organization/caller.ts'
import { reply } from '#http/store/reply.ts'
import { exportRunRequested } from '#streams/export.ts'
import { RunView, ScheduleBody, ScheduleChange, ScheduleView, showExport, showRun } from './body.ts'
import { toExportChange, toNewExport } from './destination.ts'

/** Everybody's costs leave for where the caller says. */
const changing = { tags: ['Scheduled exports'], permission: 'admin' } as const
/** Runs say what the whole organization costs. */
const reading = {
  tags: ['Scheduled exports'],
  permission: 'service.view',
  refuses: { 403: ['report_scope'] },
} as const
const params = t.Object({ exportScheduleID: t.String() })

async function views(em: EntityManager, orgId: string, all: readonly ExportSchedule[]) {
  const ids = all.map(({ id }) => id)
  const states = await em.find(ExportScheduleState, { orgId, scheduleId: { $in: ids } }, { refresh: true })
  const stateOf = new Map(states.map((one) => [one.scheduleId, one]))
  return all.map((one) => showExport(one, stateOf.get(one.id)))
}

const view = async (em: EntityManager, one: ExportSchedule) => (await views(em, one.orgId, [one]))[0]!

/** Who changed where costs are sent, for the security events. */
async function audit(
  em: EntityManager,
  { caller: { orgId, userId, principal }, client }: Pick<Request<never, never, never>, 'caller' | 'client'>,
  { id, name, location }: ExportSchedule,
  { change, services }: { change: 'created' | 'changed' | 'deleted'; services: Services },
): Promise<void> {
  const detail = { exportScheduleID: id, name, location, change }
  const event = { type: 'export_schedule_changed', orgId, userId, principal, detail } as const
  await recordEvent(em, event, client, services.now())
}

export const exportSchedules: readonly Route[] = [
  route({
    ...reading,
    method: 'GET',
    path: '/export-schedules',
    summary: 'List scheduled exports, sorted by name',
    description: 'Each with its next time and its last run. Credentials are never returned.',
    query: t.Object(paging(20, 100)),
    reply: pageOf(ScheduleView),
    handle: async ({ caller, query }, { em }) => {
      checkWhole(caller)
      const { orgId } = caller
      const order = { orderBy: { name: 'asc', id: 'asc' }, ...slice(query) } as const
      const [found, total] = await em.findAndCount(ExportSchedule, { orgId }, order)
      return toPage({ items: await views(em, orgId, found), total }, query)
    },
  }),

  route({
    ...changing,
    method: 'POST',
    path: '/export-schedules',
    summary: 'Write costs to S3, Azure Blob Storage or Cloud Storage every day or month, as FOCUS',
    description:
      'A run writes all lines of the current month, and of the month before while it still changes, to ' +
      '`billing_period=YYYY-MM/` below the prefix: files, and last `_manifest.json`, which lists them with their number of rows, sums ' +
      'and checksums. Files of earlier runs are then removed. It writes with the credentials of a connected account, or with those given, which are encrypted and never returned. ' +
      'The destination is not tried here: request a run.',
    status: 201,
    headers: { Location: 'URL of the scheduled export' },
    body: ScheduleBody,
    reply: ScheduleView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'] },
    handle: ({ body, ...request }, services) => {
      const given = toNewExport(body, services)
      return services.change(async (tx) => {
        const made = await makeExport(tx, request.caller.userId, given, services.seal)
        await audit(tx.em, request, made, { change: 'created', services })
        return reply(await view(tx.em, made), { headers: { Location: `/export-schedules/${made.id}` } })
      })
    },
  }),

  route({
    ...reading,
    method: 'GET',
    path: '/export-schedules/:exportScheduleID',
    summary: 'Get a scheduled export with its next time and its last run',
    description: 'Credentials are never returned.',
    params,
    reply: ScheduleView,
    handle: async ({ caller, params: { exportScheduleID } }, { em }) => {
      checkWhole(caller)
      return view(em, await foundExport(em, caller.orgId, exportScheduleID))
    },
  }),

  route({
    ...changing,
    method: 'PATCH',
    path: '/export-schedules/:exportScheduleID',
    summary: 'Update a scheduled export; omitted fields are unchanged',
    description:
      'Credentials are kept while the bucket stays the same. After a change of the destination, the format or the version, the next run writes its months again. What was written to the former destination stays there.',
    params,
    body: ScheduleChange,
    reply: ScheduleView,
    refuses: { 409: ['already_exists'] },
    handle: async ({ params: { exportScheduleID }, body, ...request }, services) => {
      const { em } = services
      const before = await foundExport(em, request.caller.orgId, exportScheduleID)
      const given = toExportChange(body, before, services)
      const changed = await services.change(async (tx) => {
        const one = await editExport(tx, exportScheduleID, given, services.seal)
        await audit(tx.em, request, one, { change: 'changed', services })
        return one
      })
      return view(em, changed)
    },
  }),

  route({
    ...changing,
    method: 'DELETE',
    path: '/export-schedules/:exportScheduleID',
    summary: 'Delete a scheduled export with its runs',
    description: 'What it has written stays. A run in progress ends. This cannot be undone.',
    status: 204,
    params,
    handle: ({ params: { exportScheduleID }, ...request }, services) =>
      services.change(async (tx) => {
        const one = await foundExport(tx.em, request.caller.orgId, exportScheduleID)
        await audit(tx.em, request, one, { change: 'deleted', services })
        await removeExport(tx, exportScheduleID)
      }),
  }),

  route({
    ...changing,
    method: 'POST',
    path: '/export-schedules/:exportScheduleID/run',
    summary: 'Run a scheduled export now, also if nothing has changed',
    description:
      'Without months: the current one and the one before. With months: those, such as for the history. If a run is in progress, its ID is returned, and nothing else is started: `omittedMonths` are then those that it does not contain.',
    status: 202,
    params,
    body: t.Object(
      {
        months: t.Optional(
          t.Array(Month, {
            minItems: 1,
            maxItems: 36,
            uniqueItems: true,
            description: 'YYYY-MM',
          }),
        ),
      },
      { examples: [{ months: ['2025-12', '2026-01'] }] },
    ),
    reply: t.Object({
      runID: t.String(),
      omittedMonths: t.Array(t.String(), {
        description:
          'requested months that are not written, because another run is in progress: request them again when it has ended',
      }),
    }),
    example: { runID: '6c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33', omittedMonths: [] },
    handle: async ({ caller, params: { exportScheduleID }, body: { months = [] } }, services) => {
      const { id: scheduleId } = await foundExport(services.em, caller.orgId, exportScheduleID)
      const current = monthOf(dayOf(services.now()))
      const future = months.findIndex((month) => month > current)
      if (future >= 0)
        throw badInput({ in: 'body', name: `/months/${future}`, code: 'value', message: 'must not be in the future' })
      const reply = await services.ask(exportRunRequested, { scheduleId, months })
      const { runId, omittedMonths = [] } = reply as { runId: string; omittedMonths?: string[] }
      return { runID: runId, omittedMonths }
    },
  }),

  route({
    ...reading,
    method: 'GET',
    path: '/export-schedules/:exportScheduleID/runs',
    summary: 'List the runs of a scheduled export, newest first',
    description: `The last ${runsMax} runs are kept.`,
    params,
    query: t.Object(paging(20, 100)),
    reply: pageOf(RunView),
    handle: async ({ caller, params: { exportScheduleID }, query }, { em }) => {
      checkWhole(caller)
      const { orgId } = caller
      const { id: scheduleId } = await foundExport(em, orgId, exportScheduleID)
      const state = await em.findOne(ExportScheduleState, { orgId, scheduleId }, { refresh: true })
      const runs = state?.runs ?? []
      const { limit, offset } = slice(query)
      const items = runs.slice(offset, offset + limit).map(showRun)
      return toPage({ items, total: runs.length }, query)
    },
  }),
]
