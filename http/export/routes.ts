/** Reports as files: made on request, fetched by a link that ends, removed after a day (decision G-46). */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { keepExport } from '#actors/export/change.ts'
import { ExportFile } from '#actors/export/entity.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { asking, Body, type Asking, type ExportReport } from '#http/export/body.ts'
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
} from '#http/export/fixed.ts'
import { focusSheet } from '#http/export/focus.ts'
import { checkLink, linkTo } from '#http/export/link.ts'
import { mediaOf, type Sheet } from '#http/export/sheet.ts'
import { closingIn } from '#http/identity/closing.ts'
import { recordEvent } from '#http/identity/audit.ts'
import type { Client } from '#http/identity/tools.ts'
import { attachment, route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const sheets: Readonly<Record<ExportReport, (asking: Asking) => Sheet | Promise<Sheet>>> = {
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

/** Exports of an organization that an edge makes at once. */
const atOnceMax = 2
const running = new Map<string, number>()

export const exportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/reports/export',
    summary: 'Make a file of a report, and a link to it',
    description: [
      'The link works for 15 minutes and without a token; the file is kept for a day.',
      'summary, costs, trends and resources are grouped by any of provider, cloud_account_id, region, resource_type, service_name, purchase_type, charge_category, invoice_id, team_id, cluster, namespace, resource_uid, date, month and tag:KEY (six tags at most), in the order given; the others have columns of their own, of which dimensions puts some first; savings are by one of them.',
      'focus holds the stored lines as FOCUS 1.4 or 1.2, in US dollars; receipt the lines behind the costs of the range. recommendations are those of now, budgets those of this month.',
    ].join(' '),
    permission: 'service.view',
    tags: ['Reports'],
    secret: true,
    status: 201,
    body: Body,
    reply: t.Object({
      downloadURL: t.String(),
      expiresAt: t.String({ format: 'date-time', description: 'when the link ends, ISO 8601, UTC' }),
    }),
    example: {
      downloadURL: 'https://tidemark.example.com/exports/3e9e6679?expires=1768472100&signature=SIGNATURE',
      expiresAt: '2026-01-15T10:15:00.000Z',
    },
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, body, client }, services) => {
      const asked = asking(caller, body, services)
      return alone(caller.orgId, async () => make(asked, await sheets[body.report](asked), client))
    },
  }),

  route({
    method: 'GET',
    path: '/exports/:exportID',
    summary: 'Fetch an exported file by its link',
    description: 'CSV, or JSON where that was asked for.',
    permission: 'public',
    limit: 'inbound',
    secret: true,
    tags: ['Reports'],
    params: t.Object({ exportID: t.String() }),
    query: t.Object({
      expires: t.Integer({ minimum: 0, description: 'when the link ends, seconds of the epoch' }),
      signature: t.String(),
    }),
    media: 'text/csv',
    headers: { 'Content-Disposition': 'the name of the file' },
    reply: t.String(),
    example: 'date,provider,cost_usd\r\n2026-01-15,aws,402.60\r\n',
    refuses: { 403: ['signature_invalid', 'link_expired'] },
    handle: async ({ params: { exportID: id }, query, client }, services) => {
      checkLink({ id, ...query }, services.now(), services.exports.secrets())
      // Whoever has the link need not be of the organization: the signature says that it gave it away.
      const file = await asService(() => services.em.findOne(ExportFile, { id }))
      const isThere = file && file.expiresAt > services.now()
      // A link gives nothing away of an organization that is closed.
      const isClosed = isThere && (await asService(() => closingIn(services.em.fork(), file.orgId)))
      if (!isThere || isClosed) throw Fault.missing('export', id)
      const content = createReadStream(pathOf(services.exports, id))
      // A file may be gone with its folder, or never have been on this machine.
      await once(content, 'open').catch(() => {
        throw Fault.missing('export', id)
      })
      // The link says nothing of who has it.
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

/** @throws Fault `transient` `unavailable` while others run */
async function alone<T>(orgId: string, work: () => Promise<T>): Promise<T> {
  const now = running.get(orgId) ?? 0
  if (now >= atOnceMax) throw Fault.transient('unavailable', 'Other exports of this organization still run.')
  running.set(orgId, now + 1)
  try {
    return await work()
  } finally {
    const left = (running.get(orgId) ?? 1) - 1
    if (left > 0) running.set(orgId, left)
    else running.delete(orgId)
  }
}

/** Writes the file down, and answers with a link to it. */
async function make({ caller, body, days, services }: Asking, sheet: Sheet, client: Client) {
  const { format, report } = body
  const id = services.newId()
  const createdAt = services.now()
  const written = await writeExport(services.exports, { id, sheet, format, now: createdAt })
  const name = `${report}_${days.fromDay}_${days.toDay}.${format}`
  return services.change(async (tx) => {
    keepExport(tx, { id, name, format, ...written, createdAt })
    const { orgId, userId, principal } = caller
    const detail = { exportID: id, name, rows: String(written.rows) }
    await recordEvent(tx.em, { type: 'export_requested', orgId, userId, principal, detail }, client, createdAt)
    const link = linkTo(id, services.now(), services.exports.secrets()[0]!)
    return reply({ downloadURL: `${services.settings.publicUrl}${link.path}`, expiresAt: link.expiresAt }, {})
  })
}
