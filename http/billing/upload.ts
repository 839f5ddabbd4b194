/** Uploaded bills: previewed first, then applied or discarded. */
import { uuid7 } from '#actors/account/export/bill-export.ts'
import { isAhead } from '#actors/account/bill/bills.ts'
import { dayChoices } from '#actors/account/export/own-days.ts'
import { applyUpload, discardUpload, foundUpload, lockedUpload, moveOn } from '#actors/billing/upload.ts'
import { BillUpload as Row } from '#actors/billing/upload-entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { BillUpload, shownUpload } from '#http/billing/upload-body.ts'
import { filesMax, media, takeUpload } from '#http/billing/upload-take.ts'
import { CostProviderParameter } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, repeatedParam, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reportScopeFault, seesAccount, type Caller } from '#http/identity/organization/caller.ts'
import { reply } from '#http/store/reply.ts'
import { dayOrders } from '#streams/billing/row/day-order.ts'
import { formatNames } from '#streams/billing/format/format.ts'
import { ratesIn, rateShape } from '#streams/billing/line/rate.ts'
import { realName, type CostProvider } from '#streams/names.ts'

const routeBase = { tags: ['Billing'] } as const
const params = t.Object({ uploadID: t.String({ description: 'upload ID' }) })

const Query = t.Object({
  cloud_account_id: t.String({
    minLength: 1,
    maxLength: 1024,
    description:
      'the account of the bill: the ID of a connected account, or any name for an account that is only fed by files',
    examples: ['acct-1'],
  }),
  exported_at: t.Optional(
    t.String({
      format: 'date-time',
      description: 'when the bill was exported, default now; the later of two exports wins',
    }),
  ),
  provider: t.Optional({ ...CostProviderParameter, description: 'for rows without a provider' }),
  format: t.Enum(['auto', ...formatNames], { default: 'auto', description: 'auto: detected from the columns' }),
  rate: t.Optional(
    repeatedParam(t.String({ pattern: rateShape.source }), {
      maxItems: 200,
      description:
        'US dollars per unit of a currency, for example CAD=0.73; rows in a currency without a rate are rejected',
    }),
  ),
  dates: t.Optional(
    t.Enum(dayOrders, {
      description:
        'order of day and month in dates such as 05/02/2026; default: detected for each file, and an ambiguous file is rejected',
    }),
  ),
  file_name: t.String({
    maxLength: 255,
    default: 'bill',
    description: 'name of the file, if the body is the file itself',
  }),
})

/**
 * Tags in a bill move its resources to teams, and with them shared costs of others, so roles limited to teams may not
 * upload bills.
 * @throws Fault `forbidden` `report_scope`
 */
function checkMayBill({ reportScope }: Caller, account: string): void {
  if (!seesAccount(reportScope, account)) throw reportScopeFault('Your role cannot see the bills of this account.')
  if (reportScope.teamIDs.length > 0) throw reportScopeFault('Your role is limited to teams and cannot upload bills.')
}

const wrong = (name: string, message: string): Fault => badInput({ in: 'query', name, code: 'value', message })

function givenOf(query: Static<typeof Query>, now: Date) {
  const {
    cloud_account_id: cloudAccountId,
    exported_at: exported,
    provider,
    format,
    rate = [],
    dates,
    file_name,
  } = query
  const exportedAt = exported === undefined ? now : new Date(exported)
  if (Number.isNaN(exportedAt.getTime())) throw wrong('exported_at', 'is not a valid time')
  if (isAhead(exportedAt, now.getTime())) throw wrong('exported_at', 'must be at most one day in the future')
  const rates = ratesIn(rate, (entry) => wrong('rate', `must have the form CAD=0.73, got ${entry}`))
  return {
    id: uuid7(now.getTime()),
    cloudAccountId,
    exportedAt,
    format,
    rates,
    provider: provider && (realName(provider) as CostProvider),
    dates,
    fileName: file_name,
  }
}

/** An upload that the caller may see, advanced as far as possible. @throws Fault `missing` */
async function getUpload({ orgId, reportScope }: Caller, id: string, { em, bills, now }: Services): Promise<Row> {
  const row = await foundUpload(em, orgId, id, now())
  if (!seesAccount(reportScope, row.cloudAccountId)) throw Fault.missing('bill upload', id)
  return moveOn(em, row, bills)
}

export const billUploads: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/billing/uploads',
    summary: 'Upload a bill of a cloud account and preview what it would replace',
    description:
      `Send one file as the body, or a form with up to ${filesMax} fields named file: the files of one bill. CSV, JSON or ` +
      'Parquet, plain, gzipped or zipped: FOCUS 1.0 to 1.4, AWS CUR, and exports of GCP and Azure. Rows are read as they ' +
      'arrive. Nothing is shown or replaced until the upload is applied; an interrupted upload leaves nothing behind. The ' +
      'response waits up to 30 seconds for the preview; after that, the state is storing and GET returns the preview when it ' +
      'is ready. Uploads are kept for 30 days.',
    permission: 'space.update',
    status: 201,
    headers: { Location: 'URL of the upload' },
    query: Query,
    upload: media,
    uploaded: 'LineItemId,UsageStartDate,UnblendedCost\nline-000042,2026-01-15,2.304\n',
    files: true,
    reply: BillUpload,
    refuses: {
      403: ['report_scope'],
      409: ['upload_discarded'],
      422: [
        'dates_ambiguous',
        'dates_mixed',
        'file_empty',
        'file_format',
        'format_unknown',
        'csv_invalid',
        'gzip_invalid',
        'file_unreadable',
        'json_invalid',
        'row_ragged',
        'parquet_invalid',
        'zip_invalid',
        'encoding_invalid',
        'file_too_large',
      ],
      429: ['too_many_uploads'],
    },
    handle: async ({ caller, query, upload }, services) => {
      checkMayBill(caller, query.cloud_account_id)
      const row = await takeUpload(caller.orgId, givenOf(query, services.now()), upload!, services)
      return reply(await shownUpload(row, caller, services), { headers: { Location: `/billing/uploads/${row.id}` } })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/billing/uploads',
    summary: 'List bill uploads of the last 30 days, newest first',
    description:
      'Includes uploads that are in progress, applied, discarded or rejected. A role that is limited to some accounts gets only the uploads for those. The files are not returned.',
    permission: 'service.view',
    query: t.Object({
      cloud_account_id: t.Optional(t.String({ minLength: 1, maxLength: 1024 })),
      ...paging(20, 100),
    }),
    reply: pageOf(BillUpload),
    handle: async ({ caller, query }, services) => {
      const { orgId, reportScope } = caller
      const { em, bills, now } = services
      const asked = query.cloud_account_id === undefined ? {} : { cloudAccountId: query.cloud_account_id }
      const within = reportScope.all ? {} : { cloudAccountId: { $in: [...reportScope.cloudAccountIDs] } }
      const [rows, total] = await em.findAndCount(
        Row,
        { $and: [{ orgId, expiresAt: { $gt: now() } }, asked, within] },
        { orderBy: { createdAt: 'desc', id: 'desc' }, ...slice(query), refresh: true },
      )
      const items: BillUpload[] = []
      for (const row of rows) items.push(await shownUpload(await moveOn(em, row, bills), caller, services))
      return toPage({ items, total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/billing/uploads/:uploadID',
    summary: 'Get a bill upload with its preview or its result',
    description: 'Poll until the status is final. Amounts are exact decimal strings in US dollars.',
    permission: 'service.view',
    params,
    reply: BillUpload,
    handle: async ({ caller, params: { uploadID } }, services) =>
      shownUpload(await getUpload(caller, uploadID, services), caller, services),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/billing/uploads/:uploadID/apply',
    summary: 'Apply an upload: replace the current bills of its billing periods',
    description:
      'Without confirm, returns 409 bill_rows_refused if rows were rejected and the current bill is complete, 409 ' +
      'bill_less_than_half if it is less than half of the bill it would replace, and 409 bill_of_other_account if it repeats ' +
      'the bill of another account (repeats). Without days, returns 409 bill_days_lost if days that have lines now would ' +
      'have none: own replaces the days from its first to its last line, whole the whole billing periods. GET shows the ' +
      'result. Applying it twice has the effect of applying it once.',
    permission: 'space.update',
    status: 202,
    params,
    body: t.Object(
      { confirm: t.Optional(t.Boolean()), days: t.Optional(t.Enum(dayChoices)) },
      { examples: [{ confirm: true }, { days: 'own' }] },
    ),
    reply: BillUpload,
    refuses: {
      403: ['report_scope'],
      409: [
        'bill_rows_refused',
        'bill_less_than_half',
        'bill_days_lost',
        'bill_of_other_account',
        'upload_empty',
        'upload_broken',
        'upload_discarded',
        'upload_not_read',
      ],
    },
    handle: async ({ caller, params: { uploadID }, body }, services) => {
      const { cloudAccountId } = await getUpload(caller, uploadID, services)
      checkMayBill(caller, cloudAccountId)
      return services.change(async (tx) => {
        const row = await lockedUpload(tx, uploadID)
        await applyUpload(tx, row, body.confirm === true, body.days, services.bills)
        return reply(await shownUpload(row, caller, { ...services, em: tx.em }), {})
      })
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/billing/uploads/:uploadID',
    summary: 'Discard an upload that was not applied; its lines are never counted',
    description:
      'Returns 409 if it was applied: replace an applied bill with another upload, or remove it with DELETE /billing/exports/{exportID}.',
    permission: 'space.delete',
    status: 204,
    params,
    refuses: { 409: ['upload_applied'] },
    handle: async ({ caller, params: { uploadID } }, services) => {
      await getUpload(caller, uploadID, services)
      await services.change(async (tx) => discardUpload(await lockedUpload(tx, uploadID)))
    },
  }),
]
