import { statSync } from 'node:fs'
import type { Event } from '#engine/publisher.ts'
import { billingLine } from '#streams/billing.ts'
import { formatNames, type FormatName } from '#streams/billing/format.ts'
import { LineIds } from '#streams/billing/line-id.ts'
import { openBillingFile, type Reading } from '#streams/billing/reader.ts'
import { Tally } from '#streams/billing/tally.ts'
import { isProvider, realName } from '#streams/names.ts'
import { UsageError, type Command } from '#config/command/command.ts'
import { ingest, shared, sharedAbout } from '#config/command/ingest.ts'

const usage = `tidemark ingest billing FILE.. --org ID --account ID [--format auto|${formatNames.join('|')}] [--rate CAD=0.73].. [--provider aws|gcp|azure] [--exported-at TIME] [--wait]`

export const ingestBilling: Command = {
  name: 'ingest billing',
  summary: 'Read billing files and publish their lines; reading them again changes nothing',
  usage,
  positionals: Infinity,
  options: {
    ...shared,
    format: { type: 'string' },
    rate: { type: 'string', multiple: true },
    provider: { type: 'string' },
    'exported-at': { type: 'string' },
  },
  about: {
    ...sharedAbout,
    '--format NAME': `auto (default), ${formatNames.join(', ')}`,
    '--rate CUR=USD': 'US dollars for one unit of a currency; rows in a currency without one are refused',
    '--provider NAME': 'For rows that name no provider',
    '--exported-at TIME': "When the export was made; default the file's modification time. A later one wins",
  },
  run: async (invocation) => {
    const { values } = invocation
    const format = formatOption(values['format'])
    const rates = rateOption(values['rate'])
    const provider = providerOption(values['provider'])
    const exported = timeOption(values['exported-at'])
    return ingest<Reading>(usage, invocation, ({ org: orgId, account: accountId, send }) => {
      const tally = new Tally()
      const options = { format, accountId, rates, ids: new LineIds(), ...(provider && { provider }) }
      return {
        open: (file) => openBillingFile(file, { ...options, exportedAt: exported ?? statSync(file).mtime }),
        async take(file, unit, reading) {
          tally.add(file, unit, reading)
          if ('line' in reading) await send({ subject: billingLine, orgId, data: reading.line } as unknown as Event)
        },
        outcome: () => tally.report(),
      }
    })
  },
}

function formatOption(value: unknown): FormatName | 'auto' {
  const found = (['auto', ...formatNames] as const).find((name) => name === (value ?? 'auto'))
  if (!found) throw new UsageError(`--format must be one of auto, ${formatNames.join(', ')}`)
  return found
}

function rateOption(value: unknown): Record<string, string> {
  const rates: Record<string, string> = {}
  for (const entry of (value as string[] | undefined) ?? []) {
    const [, currency, rate] = /^([A-Za-z]{2,8})=(\d+(?:\.\d+)?)$/.exec(entry) ?? []
    if (!currency || !rate || Number(rate) <= 0) throw new UsageError(`--rate must look like CAD=0.73, not ${entry}`)
    rates[currency.toUpperCase()] = rate
  }
  return rates
}

function providerOption(value: unknown) {
  if (typeof value !== 'string') return undefined
  const name = realName(value)
  if (!isProvider(name)) throw new UsageError('--provider must be one of aws, gcp, azure')
  return name
}

function timeOption(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) throw new UsageError('--exported-at must be an ISO 8601 time')
  return at
}
