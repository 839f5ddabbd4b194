import { confirmed } from '#config/command/confirm.ts'
import { required, UsageError, type Command } from '#config/command/command.ts'
import { carriedOut } from '#config/command/route.ts'
import { withInstance, type Instance } from '#config/instance.ts'
import { fixed } from '#engine/decimal.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const about = { '--org ID': 'The organization' }

interface Listed {
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

const lineOf = ({
  id,
  cloudAccountID,
  period,
  exportedAt,
  state,
  since,
  lines,
  billedUSD,
  removedBy,
}: Listed): string =>
  [
    `${cloudAccountID}  ${period}  ${state}  ${id}  exported ${exportedAt}`,
    ...(lines === null || billedUSD === null ? [] : [`${lines} lines, ${fixed(billedUSD, 2)} USD`]),
    ...(since === null ? [] : [`since ${since}`]),
    ...(removedBy === null ? [] : [`by ${removedBy}`]),
  ].join('  ')

async function listed(instance: Instance, orgId: string, query: Record<string, string>): Promise<Listed[]> {
  const items: Listed[] = []
  for (let page = 1; ; page++) {
    const more = { ...query, limit: '100', page: String(page) }
    const found = await carriedOut<{ items: Listed[]; hasMore: boolean }>(instance, orgId, 'GET /billing/exports', {
      query: more,
    })
    items.push(...found.items)
    if (!found.hasMore) return items
  }
}

const listCommand: Command = {
  name: 'bill list',
  summary: 'List exports of bills: shown, shown before, waiting, and removed',
  usage: 'tidemark bill list --org ID [--account ID] [--period YYYY-MM] [--json]',
  options: { org: text, account: text, period: text },
  about: { ...about, '--account ID': 'Only of this cloud account', '--period YYYY-MM': 'Only of this billing period' },
  async run({ values: { org, account, period } }) {
    const orgId = required(this, org, '--org')
    const query = {
      ...(typeof account === 'string' && { cloud_account_id: account }),
      ...(typeof period === 'string' && { period }),
    }
    return withInstance(async (instance) => {
      const items = await listed(instance, orgId, query)
      return { data: items, text: items.map(lineOf).join('\n') || 'There is no export of a bill.' }
    })
  },
}

const removalText = ({ removed }: Removal): string =>
  removed
    .map(({ period, exportID, before, after, showsExportID }) => {
      const shows = showsExportID === null ? 'no export is shown' : `the export ${showsExportID} is shown`
      return `${period}: removed ${exportID}: ${fixed(before.billedUSD, 2)} -> ${fixed(after.billedUSD, 2)} USD; ${shows}`
    })
    .join('\n') || 'The account has no export of a bill.'

const removeCommand: Command = {
  name: 'bill remove',
  summary: 'Remove a wrong bill: what was shown before it shows again',
  usage: 'tidemark bill remove EXPORT|--all --account ID --org ID [--period YYYY-MM] [--yes] [--json]',
  positionals: 1,
  options: { org: text, account: text, period: text, all: flag, yes: flag },
  about: {
    EXPORT: 'Its id, as bill list shows it',
    '--all': 'All bills of the account, and all lines of it that were sent alone',
    ...about,
    '--account ID': 'The cloud account',
    '--period YYYY-MM': 'Only this billing period of the export; default all of them',
    '--yes': 'Do not ask',
  },
  async run({ values: { org, account, period, all, yes }, positionals: [exportID] }) {
    const orgId = required(this, org, '--org')
    const cloudAccountID = required(this, account, '--account')
    if ((exportID === undefined) !== (all === true))
      throw new UsageError(`Name one export, or give --all. Usage: ${this.usage}`)
    if (all === true && period !== undefined)
      throw new UsageError('--all is of all billing periods: leave --period out')
    const what =
      exportID === undefined ? `all bills of ${cloudAccountID}` : `the export ${exportID} of ${cloudAccountID}`
    const of = typeof period === 'string' ? ` in ${period}` : ''
    await confirmed(`Remove ${what}${of}?`, yes === true)
    return withInstance(async (instance) => {
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
