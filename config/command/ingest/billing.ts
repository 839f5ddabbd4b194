import { partOf, type ExportPart } from '#actors/account/export/bill-export.ts'
import { partsMax } from '#streams/billing/messages.ts'
import { dayOrders, type DayOrder } from '#streams/billing/row/day-order.ts'
import { formatNames } from '#streams/billing/format/format.ts'
import { ratesIn } from '#streams/billing/line/rate.ts'
import { costProviders, realName, type CostProvider } from '#streams/names.ts'
import { addition, delivery, type BillOptions } from './bill-delivery.ts'
import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { choiceOr, optional, readAs, textList, toggle, type FlagValues } from '#config/command/line/flag.ts'
import { exitCodes, ingest, ingestFlags } from './ingest.ts'

const flags = {
  ...ingestFlags,
  format: choiceOr('NAME', ['auto', ...formatNames], 'auto', `auto (default), ${formatNames.join(', ')}`),
  rate: readAs(
    textList(
      'CUR=USD',
      'Exchange rate: US dollars per unit of a currency; rows in a currency without a rate are rejected',
    ),
    (rates) => ratesIn(rates, (entry) => new UsageError(`--rate must look like CAD=0.73, got ${entry}`)),
  ),
  provider: readAs(optional('NAME', 'Provider for rows that do not name one'), providerNamed),
  dates: readAs(
    optional(
      'ORDER',
      'day-first or month-first: how to read dates such as 05/02/2026; default: detected from all files, which are rejected if the order is ambiguous',
    ),
    orderNamed,
  ),
  'exported-at': readAs(
    optional(
      'TIME',
      'Export time of the bill; default: the newest modification time of the files. The latest export wins',
    ),
    timeNamed,
  ),
  add: toggle('Add single lines instead of replacing the bill: each line stays until another with the same ID arrives'),
  part: readAs(
    optional(
      'K/N',
      'These files are part K of N of a bill; it replaces the current bill once all parts have arrived (N up to 100)',
    ),
    partNamed,
  ),
  new: toggle('With --part: start another bill, even if parts of the previous one are missing'),
  days: toggle(
    'Replace only the days from the first to the last line, and keep the others. Default if the billing period in the file is shorter than a month',
  ),
  whole: toggle('Replace entire billing periods, even if days that have lines now end up with none'),
  yes: toggle(
    'Replace even if the new bill is less than half of the old one, rows were rejected, or another account already has the bill',
  ),
}

export const ingestBilling = command({
  name: 'ingest billing',
  summary: 'Import a bill; it replaces the current bill for the same account and billing periods',
  usage: `FILE.. --org ORG --account ID [--format auto|${formatNames.join('|')}] [--rate CAD=0.73].. [--provider ${costProviders.join('|')}] [--dates day-first|month-first] [--exported-at TIME] [--add | [--part K/N [--new]] [--days|--whole] [--yes]] [--wait]`,
  takes: flags,
  exitCodes: {
    ...exitCodes,
    'exit code 4':
      'The bill is on hold: it is incomplete, less than half of the current bill, or lacks days that have lines',
    'exit code 5': 'Nothing was imported: another account already has this bill',
  },
  run: (given, { args }) => {
    const options = optionsOf(given, args)
    return ingest(
      given,
      (target, inputs) =>
        options.isLone ? addition(options, target, inputs.files) : delivery(options, target, inputs),
      options.part !== undefined,
    )
  },
})

/** @throws UsageError naming options that exclude each other */
function optionsOf(given: FlagValues<typeof flags>, args: readonly string[]): BillOptions {
  const { format, rate: rates, provider, dates, 'exported-at': exported, add: isLone, part, new: isNew } = given
  const { days: isOwn, whole: isWhole, yes: isConfirmed } = given
  if (isOwn && isWhole) throw new UsageError('--days and --whole cannot be combined')
  const days = isOwn ? 'own' : isWhole ? 'whole' : undefined
  if (isLone && (part || isNew || isConfirmed || days))
    throw new UsageError('--add cannot be combined with --part, --new, --days, --whole or --yes')
  if (isNew && !part) throw new UsageError('--new requires --part')
  const typed = args.filter((arg) => arg !== '--json').map(quoteForShell)
  const command = ['npm run -s tidemark -- ingest billing', ...typed].join(' ')
  return {
    format,
    rates,
    provider,
    dates,
    exported,
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

function providerNamed(value: string | undefined): CostProvider | undefined {
  if (value === undefined) return undefined
  const name = costProviders.find((one) => one === realName(value))
  if (!name) throw new UsageError(`--provider must be one of ${costProviders.join(', ')}`)
  return name
}

function orderNamed(value: string | undefined): DayOrder | undefined {
  const found = dayOrders.find((order) => order === value)
  if (value !== undefined && !found) throw new UsageError(`--dates must be ${dayOrders.join(' or ')}`)
  return found
}

function partNamed(value: string | undefined): ExportPart | undefined {
  if (value === undefined) return undefined
  const part = partOf(value)
  if (!part) throw new UsageError(`--part must look like 1/3 (the first of three, at most ${partsMax}), got ${value}`)
  return part
}

function timeNamed(value: string | undefined): Date | undefined {
  if (value === undefined) return undefined
  const at = new Date(value)
  if (Number.isNaN(at.getTime()))
    throw new UsageError('--exported-at must be an ISO 8601 time, for example 2026-03-01T00:00:00Z')
  return at
}
