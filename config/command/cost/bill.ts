import { requireConfirmation } from '#config/command/line/confirm.ts'
import { aboutOrg, requireValue, requireOrg, UsageError, type Command } from '#config/command/line/command.ts'
import { table } from '#config/command/line/table.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { carriedOut } from '#config/command/line/route.ts'
import type { Instance } from '#config/product/instance.ts'
import { formatDecimal } from '#engine/value/decimal.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

interface ExportItem {
  id: string
  cloudAccountID: string
  period: string
  exportedAt: string
  state: string
  since: string | null
  lines: number | null
  billedUSD: string | null
  removedBy: string | null
}

interface Removal {
  removed: readonly {
    exportID: string
    exportedAt: string
    period: string
    before: { billedUSD: string }
    after: { billedUSD: string }
    showsExportID: string | null
  }[]
}

const header = ['ACCOUNT', 'PERIOD', 'STATE', 'EXPORT', 'EXPORTED', 'LINES', 'BILLED USD', 'SINCE', 'REMOVED BY']

const rowOf = (one: ExportItem) => [
  one.cloudAccountID,
  one.period,
  one.state,
  one.id,
  one.exportedAt,
  one.lines,
  one.billedUSD === null ? null : formatDecimal(one.billedUSD, 2),
  one.since,
  one.removedBy,
]

async function listExports(instance: Instance, orgId: string, query: Record<string, string>): Promise<ExportItem[]> {
  const items: ExportItem[] = []
  for (let page = 1; ; page++) {
    const more = { ...query, limit: '100', page: String(page) }
    const found = await carriedOut<{ items: ExportItem[]; hasMore: boolean }>(instance, orgId, 'GET /billing/exports', {
      query: more,
    })
    items.push(...found.items)
    if (!found.hasMore) return items
  }
}

const listCommand: Command = {
  name: 'bill list',
  summary: 'List bill exports: current, previous, waiting and removed',
  usage: 'tidemark bill list --org ORG [--account ID] [--period YYYY-MM] [--json]',
  options: { org: text, account: text, period: text },
  about: {
    ...aboutOrg,
    '--account ID': 'Only for this cloud account',
    '--period YYYY-MM': 'Only for this billing period',
  },
  async run({ values: { org, account, period } }) {
    const named = requireOrg(this, org)
    const query = {
      ...(typeof account === 'string' && { cloud_account_id: account }),
      ...(typeof period === 'string' && { period }),
    }
    return withOrganization(named, async (instance, orgId) => {
      const items = await listExports(instance, orgId, query)
      return { data: items, text: table(header, items.map(rowOf), 'No bill exports.') }
    })
  },
}

const removalText = ({ removed }: Removal): string =>
  removed
    .map(({ period, exportID, before, after, showsExportID }) => {
      const shows = showsExportID === null ? 'no export is current' : `export ${showsExportID} is now current`
      return `${period}: removed ${exportID}: ${formatDecimal(before.billedUSD, 2)} -> ${formatDecimal(after.billedUSD, 2)} USD; ${shows}`
    })
    .join('\n') || 'The account has no bill exports.'

const removeCommand: Command = {
  name: 'bill remove',
  summary: 'Remove a wrong bill and restore the previous one',
  usage: 'tidemark bill remove EXPORT|--all --account ID --org ORG [--period YYYY-MM] [--yes] [--json]',
  positionals: 1,
  options: { org: text, account: text, period: text, all: flag, yes: flag },
  about: {
    EXPORT: 'Export ID from "bill list"',
    '--all': 'Remove all bills of the account, including lines added with --add',
    ...aboutOrg,
    '--account ID': 'Cloud account ID',
    '--period YYYY-MM': 'Only this billing period of the export; default: all',
    '--yes': 'Skip the confirmation',
  },
  async run({ values: { org, account, period, all, yes }, positionals: [exportID] }) {
    const named = requireOrg(this, org)
    const cloudAccountID = requireValue(this, account, '--account')
    if ((exportID === undefined) !== (all === true))
      throw new UsageError(`Give either an export ID or --all. Usage: ${this.usage}`)
    if (all === true && period !== undefined)
      throw new UsageError('--all removes all billing periods and cannot be combined with --period')
    const what = exportID === undefined ? `all bills of ${cloudAccountID}` : `export ${exportID} of ${cloudAccountID}`
    const of = typeof period === 'string' ? ` in ${period}` : ''
    await requireConfirmation(`Remove ${what}${of}?`, yes === true)
    return withOrganization(named, async (instance, orgId) => {
      const removal =
        exportID === undefined
          ? await carriedOut<Removal>(instance, orgId, 'DELETE /cloud-accounts/:cloudAccountID/bills', {
              params: { cloudAccountID },
            })
          : await carriedOut<Removal>(instance, orgId, 'DELETE /billing/exports/:exportID', {
              params: { exportID },
              query: { cloud_account_id: cloudAccountID, ...(typeof period === 'string' && { period }) },
            })
      return { data: removal, text: removalText(removal) }
    })
  },
}

export const billCommands: readonly Command[] = [listCommand, removeCommand]
