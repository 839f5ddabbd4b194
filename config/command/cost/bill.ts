import { everyItem } from '#config/command/line/api.ts'
import { command, askCommand, withApi } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { requireConfirmation } from '#config/command/line/confirm.ts'
import { requiredText, optional, optionalArgument, org, toggle } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import { formatDecimal } from '#engine/value/decimal.ts'
import type { BillExportView, BillRemoval } from '#http/billing/export-body.ts'

const list = listOf<BillExportView>(
  {
    ACCOUNT: 'cloudAccountID',
    PERIOD: 'period',
    STATE: 'state',
    EXPORT: 'id',
    EXPORTED: 'exportedAt',
    LINES: 'lines',
    'BILLED USD': ({ billedUSD }) => billedUSD && formatDecimal(billedUSD, 2),
    SINCE: 'since',
    'REMOVED BY': 'removedBy',
  },
  'No bill exports.',
)

const removalText = ({ removed }: BillRemoval): string =>
  removed
    .map(({ period, exportID, before, after, showsExportID }) => {
      const shows = showsExportID === null ? 'no export is current' : `export ${showsExportID} is now current`
      return `${period}: removed ${exportID}: ${formatDecimal(before.billedUSD, 2)} -> ${formatDecimal(after.billedUSD, 2)} USD; ${shows}`
    })
    .join('\n') || 'The account has no bill exports.'

const removeUsage = 'EXPORT|--all --account ID --org ORG [--period YYYY-MM] [--yes] [--json]'

export const billCommands: readonly Command[] = [
  askCommand({
    name: 'bill list',
    summary: 'List bill exports: current, previous, waiting and removed',
    usage: '--org ORG [--account ID] [--period YYYY-MM] [--json]',
    takes: {
      org,
      account: optional('ID', 'Only for this cloud account'),
      period: optional('YYYY-MM', 'Only for this billing period'),
    },
    run: async (api, { account: cloud_account_id, period }) =>
      list(await everyItem(api, 'GET /billing/exports', { cloud_account_id, period })),
  }),
  command({
    name: 'bill remove',
    summary: 'Remove a wrong bill and restore the previous one',
    usage: removeUsage,
    takes: {
      exportID: optionalArgument('EXPORT', 'Export ID from "bill list"'),
      all: toggle('Remove all bills of the account, including lines added with --add'),
      org,
      account: requiredText('ID', 'Cloud account ID'),
      period: optional('YYYY-MM', 'Only this billing period of the export; default: all'),
      yes: toggle('Skip the confirmation'),
    },
    run: async ({ exportID, all, org: named, account: cloudAccountID, period, yes }) => {
      if ((exportID === undefined) !== all)
        throw new UsageError(`Give either an export ID or --all. Usage: tidemark bill remove ${removeUsage}`)
      if (all && period !== undefined)
        throw new UsageError('--all removes all billing periods and cannot be combined with --period')
      const what = exportID === undefined ? `all bills of ${cloudAccountID}` : `export ${exportID} of ${cloudAccountID}`
      await requireConfirmation(`Remove ${what}${period === undefined ? '' : ` in ${period}`}?`, yes)
      return withApi(named, async (api) => {
        const data =
          exportID === undefined
            ? await api.ask<BillRemoval>('DELETE /cloud-accounts/:cloudAccountID/bills', {
                params: { cloudAccountID },
              })
            : await api.ask<BillRemoval>('DELETE /billing/exports/:exportID', {
                params: { exportID },
                query: { cloud_account_id: cloudAccountID, period },
              })
        return { data, text: removalText(data) }
      })
    },
  }),
]
