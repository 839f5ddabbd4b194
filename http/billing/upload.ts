/** Bills that are uploaded: looked at first, then applied or discarded. */
import { uuid7 } from '#actors/account/bill-export.ts'
import { isAhead } from '#actors/account/bills.ts'
import { dayChoices } from '#actors/account/own-days.ts'
import { applyUpload, discardUpload, foundUpload, lockedUpload, moveOn } from '#actors/billing/upload.ts'
import { BillUpload as Row } from '#actors/billing/upload-entity.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { BillUpload, shownUpload } from '#http/billing/upload-body.ts'
import { filesMax, media, takeUpload } from '#http/billing/upload-take.ts'
import { CostProviderParameter } from '#http/edge/field.ts'
import { paged, pageOf, paging, repeated, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { reportScopeFault, seesAccount, type Caller } from '#http/identity/caller.ts'
import { reply } from '#http/store/reply.ts'
import { dayOrders } from '#streams/billing/day-order.ts'
import { formatNames } from '#streams/billing/format.ts'
import { ratesIn, rateShape } from '#streams/billing/rate.ts'
import { realName, type CostProvider } from '#streams/names.ts'

const fixed = { tags: ['Billing'] } as const
const params = t.Object({ uploadID: t.String({ description: 'id of the upload' }) })

const Query = t.Object({
  cloud_account_id: t.String({
    minLength: 1,
    maxLength: 1024,
    description: 'the account the bill is of: the id of a connected one, or any name of one that is fed by files alone',
    examples: ['acct-1'],
  }),
  exported_at: t.Optional(
    t.String({
      format: 'date-time',
      description: 'when the bill was exported, default now; of two the later one wins',
    }),
  ),
  provider: t.Optional({ ...CostProviderParameter, description: 'for rows that name no provider' }),
  format: t.Enum(['auto', ...formatNames], { default: 'auto', description: 'auto: known by its columns' }),
  rate: t.Optional(
    repeated(t.String({ pattern: rateShape.source }), {
      maxItems: 200,
      description: 'US dollars for one unit of a currency, as CAD=0.73; rows in a currency without one are refused',
    }),
  ),
  dates: t.Optional(
    t.Enum(dayOrders, {
      description:
        'how dates such as 05/02/2026 are meant; else it is found out over each file, which is refused where it cannot be',
    }),
  ),
  file_name: t.String({ maxLength: 255, default: 'bill', description: 'of a body that is the file itself' }),
})

/**
 * Tags of a bill move its resources to teams, and shared costs of others with them, so bills are not for roles with teams.
 * @throws Fault `forbidden` `report_scope`
 */
function checkMayBill({ reportScope }: Caller, account: string): void {
  if (!seesAccount(reportScope, account)) throw reportScopeFault('Your role does not see the bills of this account.')
  if (reportScope.teamIDs.length > 0) throw reportScopeFault('Your role has teams: bills are not uploaded by it.')
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
  if (Number.isNaN(exportedAt.getTime())) throw wrong('exported_at', 'is no time that exists')
  if (isAhead(exportedAt, now.getTime())) throw wrong('exported_at', 'is more than a day from now')
  const rates = ratesIn(rate, (entry) => wrong('rate', `must look like CAD=0.73, not ${entry}`))
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

/** One that the caller may see, as far as it is known by now. @throws Fault `missing` */
async function found({ orgId, reportScope }: Caller, id: string, { em, bills, now }: Services): Promise<Row> {
  const row = await foundUpload(em, orgId, id, now())
  if (!seesAccount(reportScope, row.cloudAccountId)) throw Fault.missing('bill upload', id)
  return moveOn(em, row, bills)
}

export const billUploads: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/billing/uploads',
    summary: 'Upload a bill of a cloud account, to look at what it would replace',
    description: [
      `One file as the body, or a form with the field file up to ${filesMax} times: the files of one bill. CSV, JSON or Parquet, plain,`,
      'gzipped or zipped: FOCUS 1.0 to 1.4, AWS CUR, and exports of GCP and Azure. Rows are read as they arrive. Nothing is shown or replaced',
      'before the upload is applied; one that breaks leaves nothing behind. The answer waits up to 30 seconds until it can say what',
      'would be replaced: later, state is storing, and GET says it. Kept for 30 days.',
    ].join(' '),
    permission: 'space.update',
    status: 201,
    headers: { Location: 'where the upload is' },
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
    ...fixed,
    method: 'GET',
    path: '/billing/uploads',
    summary: 'Uploads of bills of the last 30 days, the newest first; those under way too',
    description:
      'Those that were applied, discarded or refused too. A role that sees some accounts gets the uploads for those alone. The files are not answered.',
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
      return paged({ items, total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/billing/uploads/:uploadID',
    summary: 'One upload of a bill: what it would replace, or how it ended',
    description:
      'Ask again until its status is not one under way any more. Amounts are text with all their decimals, in US dollars.',
    permission: 'service.view',
    params,
    reply: BillUpload,
    handle: async ({ caller, params: { uploadID } }, services) =>
      shownUpload(await found(caller, uploadID, services), caller, services),
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/billing/uploads/:uploadID/apply',
    summary: 'Let an upload replace the bills that stand for its billing periods',
    description: [
      'Without confirm it is refused with 409 bill_rows_refused where rows are refused and a whole bill stands, and with 409',
      'bill_less_than_half where it is less than half of what it would replace, and with 409 bill_of_other_account where it repeats the bill of',
      'another account (repeats). Without days it is refused with 409 bill_days_lost where',
      'days that have lines now would have none: own replaces the days from its first to its last line, whole the whole billing periods.',
      'GET shows how it ends. Applied twice it is applied once.',
    ].join(' '),
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
      const { cloudAccountId } = await found(caller, uploadID, services)
      checkMayBill(caller, cloudAccountId)
      return services.change(async (tx) => {
        const row = await lockedUpload(tx, uploadID)
        await applyUpload(tx, row, body.confirm === true, body.days, services.bills)
        return reply(await shownUpload(row, caller, { ...services, em: tx.em }), {})
      })
    },
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/billing/uploads/:uploadID',
    summary: 'Discard an upload that was not applied; its lines never count',
    description:
      '409 for one that was applied: a bill that counts is replaced by another upload, or removed with DELETE /billing/exports/{exportID}.',
    permission: 'space.delete',
    status: 204,
    params,
    refuses: { 409: ['upload_applied'] },
    handle: async ({ caller, params: { uploadID } }, services) => {
      await found(caller, uploadID, services)
      await services.change(async (tx) => discardUpload(await lockedUpload(tx, uploadID)))
    },
  }),
]
