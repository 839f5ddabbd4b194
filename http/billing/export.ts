/** Bill exports: which are shown, and the removal of a wrong one (decision G-128). */
import type { RemovedPeriod } from '#actors/account/bill/removal.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { sum } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { BillExportView, BillRemoval, listedExports, shownRemoval } from '#http/billing/export-body.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { ExportId, Period } from '#streams/billing/messages.ts'
import { accountBillsRemoved, billRemoved } from '#streams/billing/removal.ts'

const routeBase = { tags: ['Billing'] } as const
const AccountId = t.String({ minLength: 1, maxLength: 1024, examples: ['acct-1'] })
const ofPeriod = t.Optional({ ...Period, description: 'billing period, YYYY-MM', examples: ['2026-01'] })

const Amount = t.Object({ lines: t.Integer(), billed: t.String(), effective: t.String() })
const removalReply = actorReply(
  t.Object({
    removed: t.Array(
      t.Object({
        period: t.String(),
        exportId: t.String(),
        exportedAt: t.String(),
        before: Amount,
        after: Amount,
        removed: Amount,
        shows: t.Union([t.String(), t.Null()]),
      }),
    ),
  }),
)

/** @throws Fault `missing`; disconnected accounts keep their bills */
async function mustBeKnown({ em }: Services, orgId: string, id: string): Promise<void> {
  if ((await em.count(CloudAccount, { orgId, id })) === 0) throw Fault.missing('cloud account', id)
}

/** As for credentials, a repeat with the same Idempotency-Key records what a process that ended did not. */
async function recordRemoval(
  { caller: { orgId, userId, principal }, client }: Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>,
  { em, now, newId }: Services,
  about: { cloudAccountID: string; exportID: string },
  removed: readonly RemovedPeriod[],
): Promise<void> {
  const detail = {
    ...about,
    periods: removed.map(({ period }) => period).join(','),
    billedUSD: sum(removed.map((one) => one.removed.billed)),
  }
  const happened = { id: newId(), type: 'bill_removed', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}

const byOf = ({ userId, principal }: { userId: string; principal: string }): string => userId || principal

export const billExports: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/billing/exports',
    summary: 'List bill exports: current, previous, waiting and removed',
    description:
      'Sorted by cloud account, newest billing period first. Lists the last eight replaced exports of each period and the last hundred removed exports of each account. A role that is limited to some accounts gets only those.',
    permission: 'service.view',
    query: t.Object({
      cloud_account_id: t.Optional(AccountId),
      period: ofPeriod,
      ...paging(20, 100),
    }),
    reply: pageOf(BillExportView),
    handle: async ({ caller: { orgId, reportScope }, query }, { em }) => {
      const asked = query.cloud_account_id === undefined ? {} : { id: query.cloud_account_id }
      const within = reportScope.all ? {} : { id: { $in: [...reportScope.cloudAccountIDs] } }
      const accounts = await em.find(
        CloudAccount,
        { $and: [{ orgId }, asked, within] },
        { fields: ['id', 'bills'], orderBy: { id: 'asc' }, refresh: true },
      )
      const all = accounts
        .flatMap(({ id, bills }) => listedExports(bills).map((one) => ({ ...one, cloudAccountID: id })))
        .filter(({ period }) => query.period === undefined || period === query.period)
      const { offset, limit } = slice(query)
      return toPage({ items: all.slice(offset, offset + limit), total: all.length }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/billing/exports/:exportID',
    summary: 'Remove a wrong bill export and restore the one shown before it',
    description:
      'Removes it from all of its billing periods, or from one. The newest complete export before it is shown again if its ' +
      'lines are still stored; otherwise the period has no export. Lines sent without an export remain. An open export is ' +
      'closed. Receipts and asOf keep what was shown. An export that is delivered again is accepted again. Admins only; the ' +
      'security event bill_removed records who did it.',
    permission: 'admin',
    params: t.Object({ exportID: { ...ExportId, description: 'export ID' } }),
    query: t.Object({
      cloud_account_id: { ...AccountId, description: 'the account of the export' },
      period: ofPeriod,
    }),
    reply: BillRemoval,
    handle: async (request, services) => {
      const { caller, params, query } = request
      const { cloud_account_id: cloudAccountId, period } = query
      await mustBeKnown(services, caller.orgId, cloudAccountId)
      const command = { cloudAccountId, exportId: params.exportID, by: byOf(caller), ...(period && { period }) }
      const { removed } = removalReply(await services.ask(billRemoved, command))
      await recordRemoval(request, services, { cloudAccountID: cloudAccountId, exportID: params.exportID }, removed)
      return shownRemoval(removed)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/cloud-accounts/:cloudAccountID/bills',
    summary: 'Remove all bills of a cloud account, including lines sent without an export',
    description:
      'Reports show no costs for the account from then on; later deliveries are accepted. Receipts and asOf keep the contents of the exports. Admins only; the security event bill_removed records who did it.',
    permission: 'admin',
    params: t.Object({ cloudAccountID: AccountId }),
    reply: BillRemoval,
    handle: async (request, services) => {
      const { caller, params } = request
      const { cloudAccountID } = params
      await mustBeKnown(services, caller.orgId, cloudAccountID)
      const command = { cloudAccountId: cloudAccountID, by: byOf(caller) }
      const { removed } = removalReply(await services.ask(accountBillsRemoved, command))
      await recordRemoval(request, services, { cloudAccountID, exportID: 'all' }, removed)
      return shownRemoval(removed)
    },
  }),
]
