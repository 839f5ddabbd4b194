/** Charges that appear in the bills of several accounts, and which of them reports count. */
import { billOverlaps } from '#analytics/cost/overlap/questions.ts'
import { t } from '#engine/value/schema.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import { narrowingOf } from '#http/report/filter/filter.ts'
import { namesOf } from '#http/report/filter/name.ts'
import { usd } from '#streams/figure.ts'

/** Sub-accounts by month and account in one answer. */
const overlapsMax = 1000

const Overlap = t.Object(
  {
    month: t.String({ description: 'YYYY-MM' }),
    subAccountID: t.String({ description: 'as in bills: linked account, project or subscription' }),
    subAccountName: t.String({ description: 'name in the newest bill; empty if there is none' }),
    usageAccountID: t.String({ description: 'the account that the charges count for' }),
    bills: t.Array(
      t.Object({
        cloudAccountID: t.String({ description: 'the account of the bill' }),
        cloudAccountName: t.String(),
        days: t.Integer({ description: 'days of the month on which other bills also have charges of the sub-account' }),
        countedUSD: t.Number({ description: 'billed cost of these days included in reports' }),
        leftOutUSD: t.Number({
          description: 'billed cost excluded from reports because another of these bills has it',
        }),
        leftOutLines: t.Integer(),
      }),
    ),
    isDouble: t.Boolean({
      description: 'nothing is excluded: it is not known whether these are the same charges, and all of them count',
    }),
  },
  {
    title: 'BillOverlap',
    examples: [
      {
        month: '2026-01',
        subAccountID: '111111111111',
        subAccountName: 'Production',
        usageAccountID: 'acct-1',
        bills: [
          {
            cloudAccountID: 'acct-1',
            cloudAccountName: 'Production',
            days: 31,
            countedUSD: 0,
            leftOutUSD: 71,
            leftOutLines: 12,
          },
          {
            cloudAccountID: 'payer',
            cloudAccountName: 'Payer',
            days: 31,
            countedUSD: 70,
            leftOutUSD: 0,
            leftOutLines: 0,
          },
        ],
        isDouble: false,
      },
    ],
  },
)

export const overlapReports: readonly Route[] = [
  report({
    path: '/reports/bill-overlaps',
    summary: 'List charges that appear in the bills of several accounts',
    description:
      "A payer's bill and an account's own bill may contain the same charges. Reports count them once; the organization's setting `consolidated` chooses the payer's bill or the account's own. A sub-account that appears in the bills of two other accounts is listed too, with `isDouble`: all its charges count until you remove one of the bills.",
    query: t.Object({ ...range }),
    reply: t.Object({ items: t.Array(Overlap) }),
    refuses: {},
    handle: async ({ caller, query }, services) => {
      const { fromDay, toDay } = rangeOf(query, services.now())
      const { scoped, scope_accounts } = narrowingOf(caller, {})
      const rows = await services.analytics(billOverlaps, {
        from: fromDay,
        to: toDay,
        scoped,
        scope_accounts,
        limit: overlapsMax,
      })
      const names = await namesOf(
        {
          cloud_account_id: rows.map((row) => row.cloud_account_id),
          sub_account: rows.map((row) => row.sub_account_id),
        },
        caller.orgId,
        services,
      )
      const groups = Map.groupBy(rows, (row) => JSON.stringify([row.month, row.sub_account_id]))
      return {
        items: [...groups.values()].map((bills) => ({
          month: bills[0]!.month,
          subAccountID: bills[0]!.sub_account_id,
          subAccountName: names.sub_account.get(bills[0]!.sub_account_id) ?? '',
          usageAccountID: bills[0]!.usage_account_id,
          bills: bills.map((row) => ({
            cloudAccountID: row.cloud_account_id,
            cloudAccountName: names.cloud_account_id.get(row.cloud_account_id) ?? row.cloud_account_id,
            days: row.days,
            countedUSD: usd(row.cost_usd),
            leftOutUSD: usd(row.left_out_usd),
            leftOutLines: row.lines_left_out,
          })),
          isDouble: bills.every((row) => row.lines_left_out === 0),
        })),
      }
    },
  }),
]
