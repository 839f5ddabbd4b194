import type { DayChoice } from '#actors/account/export/own-days.ts'
import { partOf, type ExportPart } from '#actors/account/export/bill-export.ts'
import { partsMax } from '#streams/billing/messages.ts'
import { dayOrders, type DayOrder } from '#streams/billing/row/day-order.ts'
import { formatNames, type FormatName } from '#streams/billing/format/format.ts'
import { ratesIn } from '#streams/billing/line/rate.ts'
import type { Reading } from '#streams/billing/row/reading.ts'
import { costProviders, realName, type CostProvider } from '#streams/names.ts'
import { addition, delivery, type BillOptions } from './bill-delivery.ts'
import { UsageError, type Command, type Invocation } from '#config/command/line/command.ts'
import { exitCodes, ingest, sharedAbout, sharedOptions } from './ingest.ts'

const usage = `tidemark ingest billing FILE.. --org ORG --account ID [--format auto|${formatNames.join('|')}] [--rate CAD=0.73].. [--provider ${costProviders.join('|')}] [--dates day-first|month-first] [--exported-at TIME] [--add | [--part K/N [--new]] [--days|--whole] [--yes]] [--wait]`

export const ingestBilling: Command = {
  name: 'ingest billing',
  summary: 'Import a bill; it replaces the current bill for the same account and billing periods',
  usage,
  positionals: Infinity,
  options: {
    ...sharedOptions,
    format: { type: 'string' },
    rate: { type: 'string', multiple: true },
    provider: { type: 'string' },
    dates: { type: 'string' },
    'exported-at': { type: 'string' },
    add: { type: 'boolean' },
    part: { type: 'string' },
    new: { type: 'boolean' },
    days: { type: 'boolean' },
    whole: { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  about: {
    ...sharedAbout,
    '--format NAME': `auto (default), ${formatNames.join(', ')}`,
    '--rate CUR=USD':
      'Exchange rate: US dollars per unit of a currency; rows in a currency without a rate are rejected',
    '--provider NAME': 'Provider for rows that do not name one',
    '--dates ORDER':
      'day-first or month-first: how to read dates such as 05/02/2026; default: detected from all files, which are rejected if the order is ambiguous',
    '--exported-at TIME':
      'Export time of the bill; default: the newest modification time of the files. The latest export wins',
    '--add': 'Add single lines instead of replacing the bill: each line stays until another with the same ID arrives',
    '--part K/N':
      'These files are part K of N of a bill; it replaces the current bill once all parts have arrived (N up to 100)',
    '--new': 'With --part: start another bill, even if parts of the previous one are missing',
    '--days':
      'Replace only the days from the first to the last line, and keep the others. Default if the billing period in the file is shorter than a month',
    '--whole': 'Replace entire billing periods, even if days that have lines now end up with none',
    '--yes':
      'Replace even if the new bill is less than half of the old one, rows were rejected, or another account already has the bill',
    ...exitCodes,
    'exit code 4':
      'The bill is on hold: it is incomplete, less than half of the current bill, or lacks days that have lines',
    'exit code 5': 'Nothing was imported: another account already has this bill',
  },
  run: async (invocation) => {
    const given = optionsOf(invocation)
    return ingest<Reading>(
      usage,
      invocation,
      (target, inputs) => (given.isLone ? addition(given, target, inputs.files) : delivery(given, target, inputs)),
      given.part !== undefined,
    )
  },
}

/** @throws UsageError naming the option that is wrong */
function optionsOf({ values, args }: Invocation): BillOptions {
  const [isLone, isNew, isConfirmed] = [values['add'] === true, values['new'] === true, values['yes'] === true]
  const part = partOption(values['part'])
  const days = daysOption(values)
  if (isLone && (part || isNew || isConfirmed || days))
    throw new UsageError('--add cannot be combined with --part, --new, --days, --whole or --yes')
  const command = [
    'npm run -s tidemark -- ingest billing',
    ...args.filter((arg) => arg !== '--json').map(quoteForShell),
  ].join(' ')
  if (isNew && !part) throw new UsageError('--new requires --part')
  return {
    format: formatOption(values['format']),
    rates: rateOption(values['rate']),
    provider: providerOption(values['provider']),
    dates: datesOption(values['dates']),
    exported: timeOption(values['exported-at']),
    isLone,
    part,
    isNew,
    isConfirmed,
    days,
    command,
    again: `${command} --yes`,
  }
}

const quoteForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

function formatOption(value: unknown): FormatName | 'auto' {
  const found = (['auto', ...formatNames] as const).find((name) => name === (value ?? 'auto'))
  if (!found) throw new UsageError(`--format must be one of auto, ${formatNames.join(', ')}`)
  return found
}

const rateOption = (value: unknown): Record<string, string> =>
  ratesIn(
    (value as string[] | undefined) ?? [],
    (entry) => new UsageError(`--rate must look like CAD=0.73, got ${entry}`),
  )

function providerOption(value: unknown): CostProvider | undefined {
  if (typeof value !== 'string') return undefined
  const name = costProviders.find((one) => one === realName(value))
  if (!name) throw new UsageError(`--provider must be one of ${costProviders.join(', ')}`)
  return name
}

function daysOption(values: Invocation['values']): DayChoice | undefined {
  const [isOwn, isWhole] = [values['days'] === true, values['whole'] === true]
  if (isOwn && isWhole) throw new UsageError('--days and --whole cannot be combined')
  return isOwn ? 'own' : isWhole ? 'whole' : undefined
}

function datesOption(value: unknown): DayOrder | undefined {
  const found = dayOrders.find((order) => order === value)
  if (value !== undefined && !found) throw new UsageError(`--dates must be ${dayOrders.join(' or ')}`)
  return found
}

function partOption(value: unknown): ExportPart | undefined {
  if (typeof value !== 'string') return undefined
  const part = partOf(value)
  if (!part) throw new UsageError(`--part must look like 1/3 (the first of three, at most ${partsMax}), got ${value}`)
  return part
}

function timeOption(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const at = new Date(value)
  if (Number.isNaN(at.getTime()))
    throw new UsageError('--exported-at must be an ISO 8601 time, for example 2026-03-01T00:00:00Z')
  return at
}
