/** Reports as files: created on request, fetched by a link that expires, deleted after a day (decision G-46). */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { keepExport, type ExportMade } from '#actors/export/change.ts'
import { ExportFile } from '#actors/export/entity.ts'
import { beginExport, dropExport, growExport } from '#actors/export/quota.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { toExportRequest, Body, type ExportRequest, type ExportReport } from '#http/export/body.ts'
import { costSheet, resourceSheet, summarySheet, trendSheet } from '#http/export/cost.ts'
import { pathOf } from '#actors/export/folder.ts'
import { writeExport } from '#http/export/file.ts'
import {
  anomalySheet,
  budgetSheet,
  commitmentSheet,
  kubernetesSheet,
  receiptSheet,
  recommendationSheet,
  savingSheet,
  tagSheet,
  teamSheet,
  unitEconomicsSheet,
} from '#http/export/fixed-columns.ts'
import { focusSheet } from '#http/export/focus.ts'
import { checkLink, linkTo } from '#http/export/link.ts'
import { mediaOf, type Sheet } from '#http/file/sheet.ts'
import { closingIn } from '#http/identity/organization/closing.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { personOf } from '#http/identity/organization/caller.ts'
import type { Client } from '#http/identity/tools.ts'
import { statusOf } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import { attachment, route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const sheets: Readonly<Record<ExportReport, (asking: ExportRequest) => Sheet | Promise<Sheet>>> = {
  summary: summarySheet,
  costs: (asked) => costSheet(asked),
  trends: trendSheet,
  teams: teamSheet,
  tags: tagSheet,
  anomalies: anomalySheet,
  resources: resourceSheet,
  recommendations: recommendationSheet,
  savings: savingSheet,
  commitments: commitmentSheet,
  kubernetes: kubernetesSheet,
  budgets: budgetSheet,
  'unit-economics': unitEconomicsSheet,
  focus: focusSheet,
  receipt: receiptSheet,
}

export const exportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/reports/export',
    summary: 'Export a report to a file and get a download link',
    description:
      'The link works for 15 minutes without a token; the file is kept for a day. In Parquet, amounts are DECIMAL(38, 16). summary, costs, trends and resources can ' +
      'be grouped by any of provider, cloud_account_id, region, resource_type, service_name, purchase_type, charge_category, ' +
      'invoice_id, team_id, cluster, namespace, resource_uid, date, month and tag:KEY (at most six tags), in the given ' +
      'order; other reports have fixed columns, and dimensions moves some to the front; savings take one of their columns. ' +
      'By default, a user and an organization can each have three exports running at once, 20 per hour, and files of up to 5 ' +
      'GiB; above that, 429 names the limit and when to retry. focus contains the stored lines as FOCUS 1.4 or 1.2, in US ' +
      'dollars; receipt contains the lines behind the costs of the range. recommendations are the current ones, budgets ' +
      'those of this month.',
    permission: 'service.view',
    tags: ['Reports'],
    secret: true,
    status: 201,
    body: Body,
    reply: t.Object({
      downloadURL: t.String(),
      expiresAt: t.String({ format: 'date-time', description: 'expiry of the link, ISO 8601, UTC' }),
    }),
    example: {
      downloadURL: 'https://tidemark.example.com/exports/3e9e6679?expires=1768472100&signature=SIGNATURE',
      expiresAt: '2026-01-15T10:15:00.000Z',
    },
    refuses: { 422: ['report_too_large'], 429: ['too_many_exports', 'export_quota_exceeded'] },
    handle: async ({ caller, body, client }, services) => {
      const asked = toExportRequest(caller, body, services)
      return make(asked, client)
    },
  }),

  route({
    method: 'GET',
    path: '/exports/:exportID',
    summary: 'Download an exported file with its link',
    description: 'CSV, or JSON or Parquet if requested.',
    permission: 'public',
    limit: 'inbound',
    secret: true,
    tags: ['Reports'],
    params: t.Object({ exportID: t.String() }),
    query: t.Object({
      expires: t.Integer({ minimum: 0, description: 'expiry of the link, Unix seconds' }),
      signature: t.String(),
    }),
    media: 'text/csv',
    headers: { 'Content-Disposition': 'file name' },
    reply: t.String(),
    example: 'date,provider,cost_usd\r\n2026-01-15,aws,402.60\r\n',
    refuses: { 403: ['signature_invalid', 'link_expired'] },
    handle: async ({ params: { exportID: id }, query, client }, services) => {
      checkLink({ id, ...query }, services.now(), services.exports.secrets())
      // Anyone with the link may fetch the file, also from outside of the organization: the signature shows that the
      // organization issued it.
      const file = await asService(() => services.em.findOne(ExportFile, { id, status: 'ready' }))
      const isThere = file && file.expiresAt > services.now()
      // A link stops working when the organization is scheduled for deletion.
      const isClosed = isThere && (await asService(() => closingIn(services.em.fork(), file.orgId)))
      if (!isThere || isClosed) throw Fault.missing('export', id)
      const content = createReadStream(pathOf(services.exports, id))
      // The file may have been deleted with its folder, or be on another machine.
      await once(content, 'open').catch(() => {
        throw Fault.missing('export', id)
      })
      // The link does not reveal who uses it.
      const downloaded = {
        type: 'export_downloaded',
        orgId: file.orgId,
        detail: { exportID: id, name: file.name },
      } as const
      await asService(() =>
        services.identity.em().transactional((em) => recordEvent(em, downloaded, client, services.now())),
      )
      const headers = { 'Content-Length': String(file.bytes) }
      return attachment(content, { name: file.name, media: mediaOf[file.format], headers })
    },
  }),
]

/** Writes the file and returns a link to it. @throws Fault as `beginExport` and `growExport` */
async function make(asked: ExportRequest, client: Client) {
  const { caller, body, days, services } = asked
  const { format, report } = body
  const { exports } = services
  const createdAt = services.now()
  const begun = {
    orgId: caller.orgId,
    id: services.newId(),
    userId: personOf(caller),
    name: `${report}_${days.fromDay}_${days.toDay}.${format}`,
    format,
  }
  // The quotas of people and of the disk span all organizations.
  const counted = <T>(work: (em: Services['em']) => Promise<T>) => asService(() => work(services.identity.em()))
  await counted((em) => beginExport(em, exports.limits, begun, createdAt))
  const grow = async (taken: number, needed: number) => {
    const more = { taken, needed, now: services.now() }
    const { bytes, gone } = await counted((em) => growExport(em, exports.limits, begun, more))
    for (const id of gone) await rm(pathOf(exports, id), { force: true })
    return bytes
  }
  try {
    const sheet = await sheets[report](asked)
    const written = await writeExport(exports, { id: begun.id, sheet, format, now: createdAt, grow })
    return await storeExport(asked, { ...begun, ...written, createdAt }, client)
  } catch (error) {
    // An invalid request does not count.
    const isForgotten = error instanceof Fault && statusOf(error) === 400
    await counted((em) => dropExport(em, begun, isForgotten))
    throw error
  }
}

function storeExport({ caller, services }: ExportRequest, made: ExportMade & { name: string }, client: Client) {
  return services.change(async (tx) => {
    await keepExport(tx, made)
    const { orgId, userId, principal } = caller
    const detail = { exportID: made.id, name: made.name, rows: String(made.rows) }
    await recordEvent(tx.em, { type: 'export_requested', orgId, userId, principal, detail }, client, made.createdAt)
    const link = linkTo(made.id, services.now(), services.exports.secrets()[0]!)
    return reply({ downloadURL: `${services.settings.publicUrl}${link.path}`, expiresAt: link.expiresAt }, {})
  })
}
